"""Boosted trees on thousands of categories: the page stays small and notes what it leaves out."""

import json

import numpy as np
import pandas as pd
import pytest

from polytomy import BoostedTreeClassifier
from polytomy.report.facts.boosted import assemble
from polytomy.report.page import render


@pytest.fixture(scope="module")
def many():
    """Return a model on three columns of 600 categories each, and its rows."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 600, (6000, 3))
    X = pd.DataFrame({f"c{j}": [f"category {k:04d}" for k in codes[:, j]] for j in range(3)})
    X["x"] = rng.normal(size=6000)
    y = np.digitize(np.sin(codes).sum(axis=1) + X["x"], [-1, 1])
    return BoostedTreeClassifier(25, max_leaves=6, max_depth=1).fit(X, y), X


@pytest.fixture
def small(many, monkeypatch):
    """Return the facts of the model for a small page budget."""
    monkeypatch.setattr(assemble, "PAGE_BUDGET", 30_000)
    monkeypatch.setattr(assemble, "LEAST_BUDGET", 20_000)
    return many[0].report_facts()


def test_categories_are_all_listed_if_they_fit(many):
    facts = many[0].report_facts()
    assert all("more" not in column for column in facts["columns"])
    assert all("others" not in one for one in facts["scores"]["functions"])


def test_categories_that_do_not_fit_are_counted(many, small):
    assert len(json.dumps({k: small[k] for k in ("columns", "scores")})) < 25_000
    functions = {f.feature: f for f in many[0].ensemble_.additive.functions}
    for one in small["scores"]["functions"]:
        column = small["columns"][one["column"]]
        if "place" not in one:
            assert "joined" not in one
            continue
        exact = functions[one["column"]].scores
        spec = many[0].ensemble_.schema[one["column"]]
        listed = [list(spec.categories).index(name) for name in column["categories"]]
        assert len(listed) == len(one["place"]) >= 16
        assert column["more"] == one["others"]["count"] == len(exact) - len(listed)
        assert [one["scores"][at] for at in one["place"]] == exact[listed].tolist()
        rest = np.delete(exact, listed, axis=0)
        assert one["others"]["low"] == rest.min(axis=0).tolist()
        assert one["others"]["high"] == rest.max(axis=0).tolist()
        assert np.abs(rest).max(axis=1).max() <= np.abs(exact[listed]).max(axis=1).min()


def test_page_of_many_categories_is_below_two_megabytes():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 5000, (30_000, 8))
    X = pd.DataFrame(
        {f"c{j}": [f"a rather long name of a category {k}" for k in codes[:, j]] for j in range(8)}
    )
    clf = BoostedTreeClassifier(16, max_depth=1).fit(X, codes.sum(axis=1) % 2)
    facts = clf.report_facts()
    assert all("more" in column for column in facts["columns"])
    page = render(facts)
    assert 200_000 < len(page.encode()) < 2_000_000


def test_typed_category_that_is_not_listed_gets_no_prediction(open_facts, many, small):
    _, X = many
    page = open_facts(small)
    one = next(f for f in small["scores"]["functions"] if "others" in f)
    column = small["columns"][one["column"]]
    field = page.locator("form.cells").get_by_label(column["name"])
    unlisted = next(c for c in X[column["name"]] if c not in column["categories"])
    for typed in (unlisted, "never seen"):
        field.fill(typed)
        text = page.locator(".verdict").inner_text()
        assert f"not among the {len(column['categories'])} categories listed" in text
        assert f"the {column['more']} others add" in text
        assert "probability" not in text
    field.fill(column["categories"][3])
    assert "probability" in page.locator(".verdict").inner_text()
    panel = page.locator(f".panel[aria-label={column['name']}]")
    assert "with the largest scores" in panel.inner_text()


def test_categories_of_deep_trees_are_limited_too(many, monkeypatch):
    clf, X = many
    monkeypatch.setattr(assemble, "PAGE_BUDGET", 30_000)
    monkeypatch.setattr(assemble, "LEAST_BUDGET", 20_000)
    deep = BoostedTreeClassifier(3, max_leaves=5).fit(X, clf.predict(X))
    facts = deep.report_facts()
    assert len(json.dumps(facts["columns"])) < 35_000
    assert all("more" in column for column in facts["columns"][:3])
