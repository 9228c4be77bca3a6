"""The page of a density tree: leaves, colours, the density of a typed row."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from polytomy import DensityTree
from tests.report.page_reader import follow_a_row, leaf_table

X = load_iris(as_frame=True).data


@pytest.fixture(scope="module")
def model():
    return DensityTree(max_leaves=12).fit(X[::2])


@pytest.fixture(scope="module")
def facts(model):
    return model.report_facts(X[::2], X_test=X[1::2])


def test_facts_have_the_densities_of_all_nodes(model, facts):
    json.dumps(facts, allow_nan=False)
    fitted = model._model
    assert [node["log_density"] for node in facts["nodes"]] == fitted.log_density.tolist()
    leaves = [facts["nodes"][leaf] for leaf in model.tree_.leaves()]
    assert sum(leaf["share"] for leaf in leaves) == pytest.approx(1)
    gains = sum(node.get("gain", 0) for node in facts["nodes"])
    assert gains == pytest.approx(fitted.gains.sum() / 75)
    summary = facts["summary"]
    assert summary["test_rows"] == 75
    assert summary["test_log_density"] == pytest.approx(model.score_samples(X[1::2]).mean())


def test_weights_count_in_the_mean_log_density(model):
    weights = np.r_[np.ones(10), np.zeros(65)]
    summary = model.report_facts(X[::2], sample_weight=weights)["summary"]
    expected = model.score_samples(X[::2][:10]).mean()
    assert summary["train_log_density"] == pytest.approx(expected)


def test_boxes_without_density_are_shown(open_facts):
    hollow = DensityTree(max_leaves=3, smoothing=0.0).fit(pd.DataFrame({"x": [0, 0.1, 0.2, 9, 10]}))
    facts = hollow.report_facts()
    assert "-inf" in [node["log_density"] for node in facts["nodes"]]
    cells = [row["cells"] for row in leaf_table(open_facts(facts))]
    assert "0" in [density for _, _, density, *_ in cells]


def test_page_lists_all_boxes(open_facts, facts, model):
    page = open_facts(facts)
    assert page.title() == "Density tree"
    listed = leaf_table(page)
    assert sorted(row["leaf"] for row in listed) == model.tree_.leaves().tolist()
    headings = page.locator(".leaves thead th").all_inner_texts()
    assert headings == ["Rule", "Rows", "Density", "Times the mean", "Share of rows"]
    assert page.locator("#certificate, #confusion, #evaluation").count() == 0
    assert page.locator("#importances").count() == 1


def test_page_finds_the_box_of_a_typed_row(open_facts, facts, model):
    page = open_facts(facts)
    row = X.iloc[0]
    follow_a_row(page)
    for field in page.locator("#row form [data-column]").all():
        field.fill(str(row.iloc[int(field.get_attribute("data-column"))]))
    leaf = int(model.apply(X[:1])[0])
    outcome = page.locator("#row-outcome")
    assert outcome.get_attribute("data-leaf") == str(leaf)
    assert f"density {float(f'{model.predict_region(X[:1])[0].density:.3g}')}" in (
        outcome.inner_text()
    )


def test_panel_shows_share_and_gain_but_no_p_value(open_facts, facts):
    text = open_facts(facts).locator("#details").inner_text()
    assert "nats of mean log-likelihood" in text
    assert "100.00" in text
    assert "p-value" not in text


def test_one_box_has_a_page(open_facts):
    page = open_facts(DensityTree(max_leaves=1).fit(X).report_facts(title="One box"))
    assert page.title() == "One box"
    assert len(leaf_table(page)) == 1


def test_slider_sets_the_number_of_boxes(open_facts, facts, model):
    path = model.pruning_path(X[1::2])
    assert facts["path"]["sizes"] == path.sizes.tolist()
    np.testing.assert_allclose(facts["path"]["errors"], path.training_errors, atol=1e-3)
    np.testing.assert_allclose(facts["path"]["test_errors"], path.validation_errors, atol=1e-3)
    page = open_facts(facts)
    page.locator("#size").fill(str(path.sizes.tolist().index(4)))
    page.locator(".sizing output", has_text=re.compile("^4 leaves")).wait_for()
    four = path.at(4)
    assert len(leaf_table(page)) == four.n_leaves_ == 4
    shown = page.locator(".sizing output").inner_text()
    assert shown.startswith("4 leaves, training log-density ")
    assert f"{four.score_samples(X[::2]).mean():.4g}".lstrip("-") in shown
    assert page.get_by_role("button", name="Best on test rows").count() == 1
    assert "negative log-density" in page.locator("#sizes").inner_text().lower()


def test_one_box_has_no_slider(open_facts):
    page = open_facts(DensityTree(1).fit(X).report_facts())
    assert page.locator("#size").count() == 0
