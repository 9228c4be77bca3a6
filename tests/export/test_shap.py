"""SHAP values equal the definition of Shapley values and add up to the prediction."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from polytomy import BoostedTreeClassifier, TreeClassifier, TreeRegressor
from polytomy._errors import FamilyError
from polytomy.encode import encode
from polytomy.ensemble import votes
from polytomy.export.onnx.inputs import input_columns
from polytomy.export.onnx.trees import binary_tests
from polytomy.export.shap import expected_value, shap_values
from polytomy.export.shap.weights import leaf_weights
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import LEAF, IntervalSplit, TreeBuilder
from tests.ensemble.random_ensembles import (
    probe_table,
    random_ensemble,
    random_tree,
    training_table,
)
from tests.naive.shap import naive_shap, naive_value


def weighed(tree, rng, centre=None):
    """The same tree with random weights in its leaves; with ``centre``, random moments."""
    of_leaves = rng.integers(1, 50, (tree.n_leaves, 2)).astype(float)
    if centre is not None:
        sums = rng.normal(size=tree.n_leaves)
        of_leaves = np.column_stack((of_leaves[:, 0], sums, sums**2 + 1))
    counts = np.zeros((tree.n_nodes, of_leaves.shape[1]))
    counts[tree.leaves()] = of_leaves
    for node in range(tree.n_nodes - 1, 0, -1):
        counts[tree.parent[node]] += counts[node]
    return replace(tree, counts=counts, centre=centre)


def rows_of(table):
    """The cells of a table for the oracle: positions of labels, None for missing cells."""
    columns = []
    for column in table.columns:
        cells = column.values.tolist()
        if column.name == "day":
            cells = [None if c == np.iinfo(np.int64).min else c for c in cells]
        elif column.name == "size":
            cells = [None if c == -1 else c for c in cells]
        columns.append(cells)
    return list(zip(*columns, strict=True))


def random_model(seed, splits=12, centre=None):
    rng = np.random.default_rng(seed)
    schema = encode(training_table(rng)).schema
    tree = weighed(random_tree(rng, schema, int(rng.integers(0, splits))), rng, centre)
    table = probe_table(rng, 30)
    # the oracle does not support unknown labels
    known = np.flatnonzero(table.columns[3].values < 3)
    classes = np.array([0, 1] if centre is None else [])
    return Model(schema, tree, classes, None, contracted=False), table.take(known)


@pytest.mark.parametrize("centre", [None, -7.5])
@pytest.mark.parametrize("seed", range(25))
def test_shap_values_equal_the_definition(seed, centre):
    model, table = random_model(seed, centre=centre)
    tree, cover = model.tree, model.tree.counts.sum(axis=1)
    outputs = tree.counts / cover[:, np.newaxis]
    if centre is not None:
        cover = tree.counts[:, 0]
        outputs = centre + tree.counts[:, 1:2] / cover[:, np.newaxis]
    got = shap_values(model, table)
    assert got.shape[2] == outputs.shape[1]
    for row, own in zip(rows_of(table)[:6], got, strict=False):
        assert np.allclose(own, naive_shap(tree, model.schema, row, outputs, cover), atol=1e-12)
    nothing = naive_value(tree, model.schema, None, set(), outputs, cover)
    assert np.allclose(expected_value(model), nothing, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_shap_values_route_unknown_labels(seed):
    rng = np.random.default_rng(seed)
    schema = encode(training_table(rng)).schema
    tree = weighed(random_tree(rng, schema, 20), rng)
    model = Model(schema, tree, np.array([0, 1]), None, contracted=False)
    table = probe_table(rng, 200)
    assert_adds_up(model, table)


def assert_adds_up(model, table):
    """Check that the values add up to the output of the leaf that predict reaches."""
    counts = model.tree.counts[apply(model.tree, model.schema, table)]
    total = shap_values(model, table).sum(axis=1) + expected_value(model)
    assert np.allclose(total, counts / counts.sum(axis=1, keepdims=True), rtol=0, atol=1e-12)


def fitted(n=1500, seed=0, **params):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "town": rng.choice(["Bonn", "Graz", "Lund", "Riga"], n),
            "b": rng.integers(0, 9, n),
            "unused": np.zeros(n),
        }
    )
    y = (X["a"] > 0).astype(int) + X["town"].isin(["Graz", "Riga"]) + (X["b"] % 3 == 1)
    return TreeClassifier(**params).fit(X, y), X


@pytest.mark.parametrize("smoothing", [None, 0.0, 0.7])
@pytest.mark.parametrize("max_leaves", [1, 2, 30, None])
def test_shap_values_add_up_to_the_prediction(max_leaves, smoothing):
    honest, smoothing = smoothing is None, smoothing or 0.0
    clf, X = fitted(max_leaves=max_leaves, smoothing=smoothing, honest=honest)
    table = Table.of(X)
    values = shap_values(clf._model, table, smoothing)
    total = values.sum(axis=1) + expected_value(clf._model, smoothing)
    assert np.allclose(total, clf.predict_proba(X), rtol=0, atol=1e-12)
    assert np.allclose(values.sum(axis=2), 0.0, atol=1e-12)  # shares always add up to 1
    assert not values[:, 3].any()  # a column that is never split on contributes nothing


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("params", [{}, {"honest": False}, {"max_leaves": 1}])
def test_shap_values_add_up_to_the_predicted_number(params, offset):
    _, X = fitted()
    y = X["a"].fillna(-1) * 2 + (X["town"] == "Graz") + offset
    weights = np.random.default_rng(0).uniform(0.5, 3.0, len(X))
    reg = TreeRegressor(**params).fit(X, y, weights)
    values = reg.shap_values(X)
    assert values.shape == (*X.shape, 1)
    near = 1e-12 + 1e-15 * offset
    assert np.allclose(values.sum(axis=1)[:, 0] + reg.expected_value(), reg.predict(X), atol=near)
    assert not values[:, 3].any()
    if "honest" in params:
        assert np.allclose(reg.expected_value(), np.average(y, weights=weights), rtol=1e-12)


def test_expected_value_of_training_shares_is_the_class_shares():
    clf, _ = fitted(max_leaves=20, honest=False)
    counts = clf.tree_.counts[0]
    assert np.allclose(expected_value(clf._model), counts / counts.sum(), rtol=0, atol=1e-12)


def test_shap_values_of_equivalent_columns_are_equal():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    clf = TreeClassifier(procedure="per-leaf", honest=False).fit(X, [0, 0, 0, 1])
    values = shap_values(clf._model, Table.of(X))
    assert np.allclose(values[[0, 3], 0], values[[0, 3], 1], rtol=0, atol=1e-15)
    assert np.allclose(values[1], values[2, ::-1], rtol=0, atol=1e-15)
    assert (np.abs(values) > 0.1).all()


def test_shap_values_do_not_depend_on_threads_and_blocks(monkeypatch):
    clf, X = fitted(max_leaves=40)
    table = Table.of(X)
    values = shap_values(clf._model, table)
    monkeypatch.setattr("polytomy.export.shap.values._BLOCK", 97)
    assert np.allclose(shap_values(clf._model, table, threads=2), values, rtol=0, atol=1e-15)


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_shap_values_of_an_ensemble_add_up_to_its_votes(seed, n_outputs):
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, splits=6, n_outputs=n_outputs)
    table = probe_table(rng)
    total = shap_values(ensemble, table).sum(axis=1) + expected_value(ensemble)
    assert np.allclose(total, votes(ensemble, table), rtol=0, atol=1e-11)


def test_shap_values_of_boosted_trees_add_up():
    _, X = fitted()
    y = (X["a"] > 0) ^ (X["b"] > 4)
    clf = BoostedTreeClassifier(n_rounds=20, max_leaves=4).fit(X, y)
    values = shap_values(clf._model, Table.of(X))[:, :, 0]
    total = values.sum(axis=1) + expected_value(clf._model)[0]
    assert np.allclose(total, clf.decision_function(X), rtol=0, atol=1e-11)


def test_leaf_weights_of_a_long_path_are_stable():
    rng = np.random.default_rng(0)
    shares = rng.uniform(0.01, 0.99, 70)  # more columns than bits, and 70! orders
    passes = rng.random((20, 70)) < 0.9
    passes[0] = True
    weights = leaf_weights(passes, shares)
    reached = passes.all(axis=1) - shares.prod()
    assert np.allclose(weights.sum(axis=1), reached, rtol=0, atol=1e-13)


def test_shap_values_of_a_path_with_more_columns_than_bits():
    rng, n = np.random.default_rng(0), 70
    X = (rng.random((50, n)) < 0.03).astype(float)
    table = Table.of(X)
    builder, node = TreeBuilder(np.ones(2), 2), 0
    for column in range(n):  # if it is not a one, split on the next column
        split = IntervalSplit(column, np.array([0.5]), -1, 0)
        node = builder.split(node, split, np.ones((2, 2)), [1, 1])[0]
    tree = weighed(builder.finish(), rng)
    assert tree.depth.max() == n
    assert_adds_up(Model(encode(table).schema, tree, np.array([0, 1]), None, False), table)


def test_shap_values_refuse_own_splits():
    rng = np.random.default_rng(0)
    table = training_table(rng)
    schema = encode(table).schema
    tree = random_tree(rng, schema, 30, own=True)
    with pytest.raises(FamilyError, match="is on no single column"):
        shap_values(Model(schema, tree, np.array([0, 1]), None, contracted=False), table)


def as_binary(tree, schema):
    """Return a tree of numbers in the format of shap's explainer: binary tests and their cover."""
    inputs = {c.column: (at, c) for at, c in enumerate(input_columns(schema, [tree]))}
    tests = binary_tests(tree, inputs)
    n = len(tests.yes)
    leaves = np.flatnonzero(tree.kind == LEAF)
    number = {~int(leaf): n + at for at, leaf in enumerate(leaves)}
    cover = np.zeros(n + len(leaves))
    cover[n:] = tree.counts[leaves].sum(axis=1)
    left, right = (
        np.array([number.get(side, side) for side in sides] + [-1] * len(leaves))
        for sides in (tests.yes, tests.no)
    )
    order, waiting = [], [0] if n else []
    while waiting:
        test = waiting.pop()
        order.append(test)
        waiting += [side for side in (left[test], right[test]) if side < n]
    for test in reversed(order):
        cover[test] = cover[left[test]] + cover[right[test]]
    values = np.zeros((len(cover), tree.n_classes))
    values[n:] = tree.counts[leaves] / tree.counts[leaves].sum(axis=1, keepdims=True)
    none = np.full(len(leaves), -1)
    return {
        "children_left": left,
        "children_right": right,
        "children_default": right,
        "features": np.concatenate((tests.feature, none)).astype(int),
        "thresholds": np.concatenate((tests.threshold, none)),
        "values": values,
        "node_sample_weight": cover,
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("max_arity", [2, 6])
def test_shap_values_equal_those_of_the_shap_package(max_arity):
    """A multi-way node and the equivalent chain of binary tests have the same SHAP values."""
    shap = pytest.importorskip("shap")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, (800, 4)).astype(float)
    y = (X[:, 0] > 5).astype(int) + (X[:, 1] % 4 > 1) + (X[:, 2] * X[:, 3] > 30)
    clf = TreeClassifier(procedure="per-leaf", max_leaves=25, max_arity=max_arity).fit(X, y)
    explainer = shap.TreeExplainer({"trees": [as_binary(clf.tree_, clf._model.schema)]})
    theirs = np.asarray(explainer.shap_values(X[:100], check_additivity=False))
    if theirs.shape[0] != 100:  # older versions: classes first
        theirs = np.moveaxis(theirs, 0, 2)
    assert np.allclose(shap_values(clf._model, Table.of(X[:100])), theirs, atol=1e-6)
    assert np.allclose(explainer.expected_value, expected_value(clf._model), atol=1e-6)
