"""A density tree as code, diagrams, JSON and an explanation."""

from json import loads

import numpy as np
import pandas as pd
import pytest

from polytomy import DensityTree, TreeClassifier
from polytomy._errors import ParameterError, TreeError
from polytomy.export import to_text
from polytomy.export.outputs import node_numbers, refuse_probabilities
from polytomy.table import Table
from tests.export.awkward_tables import nasty_frame, with_new_values
from tests.export.code.test_c import filled, needs_cc, run_c
from tests.export.code.test_python import plain_rows
from tests.export.code.test_sql import TYPES, in_sqlite, without_zone
from tests.naive.pmml import Document
from tests.naive.shap import naive_shap


@pytest.fixture(scope="module")
def table():
    return nasty_frame(400).drop(columns="zoned").replace({"float64": [-np.inf, np.inf]}, 0.2)


@pytest.fixture(scope="module")
def model(table):
    return DensityTree(max_leaves=60).fit(table)


@pytest.fixture(scope="module")
def every(table, model):
    """The training rows, and rows with values that training did not show."""
    return pd.concat([table, with_new_values(table, model)])


def of_boxes(model, rows):
    return node_numbers(model._model)[model.apply(rows)].tolist()


def test_box_density_is_that_of_complete_training_rows(model, table):
    complete = table[table.notna().all(axis=1)]
    assert len(complete) > 20
    scores = model.score_samples(complete)
    np.testing.assert_array_equal(of_boxes(model, complete), scores)


def test_python_returns_the_density_of_the_box(model, every):
    space = {}
    exec(model.to_python(), space)
    found = [space["log_density"](row) for row in plain_rows(every)]
    assert found == of_boxes(model, every)
    assert "It holds for rows without missing cells" in space["__doc__"]


def test_sql_returns_the_density_of_the_box(model, every):
    found = in_sqlite(model.to_sql("sqlite"), plain_rows(every), without_zone(TYPES))
    assert found == of_boxes(model, every)


@needs_cc
def test_c_returns_the_density_of_the_box(model, every, tmp_path):
    rows = filled(model._model, Table.of(every))
    assert run_c(model.to_c(), rows, tmp_path) == of_boxes(model, every)


def test_code_refuses_a_box_without_density():
    hollow = DensityTree(max_leaves=3, smoothing=0.0).fit([[0.0], [0.1], [0.2], [9.9], [10.0]])
    assert 0 in hollow.tree_.rows
    for export in (hollow.to_python, hollow.to_sql, hollow.to_c):
        with pytest.raises(TreeError, match="-inf, which code cannot express; fit with smoothing"):
            export()
    assert '"-inf"' in hollow.to_json()
    assert "density 0 " in hollow.to_dot()


def test_probabilities_are_refused(model):
    with pytest.raises(ParameterError, match="a density tree has no classes"):
        refuse_probabilities(model._model, "proba")


def test_json_has_shares_and_densities(model):
    nodes = loads(model.to_json(nested=False))["nodes"]
    assert "classes" not in loads(model.to_json())
    leaves = [nodes[leaf] for leaf in model.tree_.leaves()]
    assert sum(leaf["share"] for leaf in leaves) == pytest.approx(1)
    for leaf, region in zip(model.tree_.leaves(), leaves, strict=True):
        assert region["log_density"] == model._model.log_density[leaf]
        assert region["density"] == pytest.approx(np.exp(region["log_density"]))


@pytest.mark.parametrize("to", ["to_dot", "to_mermaid"])
def test_diagrams_show_the_share_of_each_leaf(model, to):
    drawn = getattr(model, to)()
    for region in model.to_rules():
        assert f"{region.share:.2%} of rows, density {region.density:.3g}" in drawn


def test_colours_are_stronger_for_denser_boxes():
    model = DensityTree(max_leaves=3).fit(np.r_[0:1:50j, 5:45:50j][:, np.newaxis])
    colours = [line.split('fillcolor="')[1][:7] for line in model.to_dot().splitlines()[3:6]]
    assert len(set(colours)) == 3


def test_explanation_of_a_row_in_a_box():
    model = DensityTree(max_leaves=2).fit(pd.DataFrame({"x": [0.0, 0.1, 0.2, 8.0, 9.0, 10.0]}))
    inside, beyond = str(model.explain({"x": 0.1})), str(model.explain({"x": 99.0}))
    assert inside.splitlines()[-1].endswith("training rows")
    density = np.exp(model.score_samples(pd.DataFrame({"x": [99.0]}))[0])
    assert beyond.splitlines()[-1] == (
        f"   density {density:.3g} of this row: x missing, new or beyond the range"
    )


def test_text_of_densities_has_no_p_values(model):
    with pytest.raises(ParameterError, match="p_chance is for models with a target"):
        to_text(model._model, p_chance=True)


def test_one_leaf_is_exported():
    model = DensityTree(max_leaves=1).fit([[1.0], [2.0]])
    assert float(model.to_sql()) == model.score_samples([[1.5]])[0]
    assert model.to_dot().count("->") == 0


def test_trees_with_and_without_target_share_their_methods():
    shared = ("apply", "decision_path", "to_dot", "to_mermaid", "to_json", "to_c", "explain")
    shared += ("to_onnx", "onnx_inputs", "to_pmml", "to_dbt", "shap_values", "reason_codes")
    for name in shared:
        assert getattr(DensityTree, name) is getattr(TreeClassifier, name)


def in_onnxruntime(model, rows):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    written = model.to_onnx().SerializeToString()
    session = runtime.InferenceSession(written, providers=["CPUExecutionProvider"])
    found = session.run(["log_density", "region"], model.onnx_inputs(rows))
    assert found[0].shape == (len(rows), 1)
    return found[0][:, 0], found[1]


def test_onnx_scores_every_row_like_the_model(model, every):
    """Missing cells, new categories and values beyond the ranges too."""
    scores, regions = in_onnxruntime(model, every)
    np.testing.assert_allclose(scores, model.score_samples(every), rtol=1e-13)
    np.testing.assert_array_equal(regions, model.apply(every))


@pytest.mark.parametrize("max_leaves", [1, 4, None])
@pytest.mark.parametrize("smoothing", [0.0, 3.0])
def test_onnx_of_numbers_takes_one_matrix(max_leaves, smoothing):
    X = np.c_[np.full(40, np.nan), np.arange(40.0) ** 2, np.ones(40)]
    model = DensityTree(max_leaves, smoothing=smoothing).fit(X)
    edges = [-np.inf, np.inf, np.nan, -7.0, 1.0, 2000.0]
    rows = np.array([[a, b, c] for a in edges for b in edges for c in edges])
    assert set(model.onnx_inputs(rows)) == {"X"}
    scores, regions = in_onnxruntime(model, rows)
    np.testing.assert_allclose(scores, model.score_samples(rows), rtol=1e-13)
    np.testing.assert_array_equal(regions, model.apply(rows))


def test_onnx_inputs_do_not_have_the_names_of_outputs():
    X = pd.DataFrame({"region": list("abca"), "log_density": [1.0, 2.0, 3.0, 9.0]})
    model = DensityTree(2).fit(X)
    assert set(model.onnx_inputs(X)) == {"region_", "log_density_"}
    np.testing.assert_array_equal(in_onnxruntime(model, X)[0], model.score_samples(X))


def test_pmml_predicts_the_density_of_the_box(model, table, every):
    columns = [c for c in table.columns if c != "day"]
    timeless = DensityTree(40).fit(table[columns])
    document = Document(timeless.to_pmml("log_density"))
    found = [document.evaluate(row)[0] for row in plain_rows(every[columns])]
    assert found == of_boxes(timeless, every[columns])


def test_dbt_and_select_lists_have_leaves_and_rules(model, every):
    outputs = ["prediction", "leaf", "rule"]
    assert "AS `rule`" in model.to_sql("sqlite", outputs=outputs)
    files = model.to_dbt("measurements", outputs=outputs)
    assert files["models/predictions.sql"].startswith("-- A density tree of ")
    with pytest.raises(ParameterError, match="a density tree has no classes"):
        model.to_sql(outputs=["proba"])
    space = {}
    exec(model.to_python("score", leaf=True, rule=True), space)
    row = next(iter(plain_rows(every)))
    assert space["score_leaf"](row) == model.apply(every[:1])[0]
    assert space["score_rule"](row) == " and ".join(model.predict_region(every[:1])[0].conditions)


def test_shap_values_of_a_box_are_shapley_values():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) @ np.array([[1.0, 0.8, 0.0], [0.0, 0.6, 1.0], [0.0, 0.0, 0.3]])
    model = DensityTree(9).fit(X)
    inner, tree = model._model, model.tree_
    values, cover = inner.log_density[:, np.newaxis], np.exp(inner.log_share)
    expected = [naive_shap(tree, inner.schema, row, values, cover) for row in X[:10].tolist()]
    np.testing.assert_allclose(model.shap_values(X[:10]), expected, rtol=1e-9, atol=1e-12)


def test_shap_values_add_up_to_the_log_density(model, every):
    total = model.shap_values(every).sum(axis=1)[:, 0] + model.expected_value()[0]
    np.testing.assert_allclose(total, model.score_samples(every), rtol=1e-9)


def test_a_cell_beyond_the_range_is_the_reason_for_a_low_density():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    model = DensityTree(8).fit(X)
    row = pd.DataFrame({"a": [0.0], "b": [55.0], "c": [0.0]})
    codes = model.reason_codes(row, 1, toward="lower")
    assert "b is 55" in str(codes)
    with pytest.raises(ParameterError, match='for a density tree, toward must be "higher" or'):
        model.reason_codes(row)


def test_an_empty_box_without_smoothing_has_no_shap_values():
    hollow = DensityTree(max_leaves=3, smoothing=0.0).fit([[0.0], [0.1], [0.2], [9.9], [10.0]])
    for method in (lambda: hollow.shap_values([[0.1]]), hollow.expected_value):
        with pytest.raises(TreeError, match="-inf, which columns cannot share; fit with smoothing"):
            method()
    with pytest.raises(TreeError, match="-inf, which code cannot express"):
        hollow.to_pmml()
