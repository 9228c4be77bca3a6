"""onnxruntime predicts the same from an exported model, bit for bit."""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from polytomy import BoostedTreeClassifier, TreeClassifier, TreeRegressor
from polytomy._errors import FamilyError, MissingPackageError, ParameterError, TableError
from polytomy.boost import probabilities, winners
from polytomy.data import load_cars
from polytomy.encode import encode
from polytomy.ensemble import votes
from polytomy.export.onnx import onnx_inputs, to_onnx
from polytomy.export.onnx.write import class_table
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import CategorySplit, IntervalSplit, TreeBuilder
from tests.ensemble.random_ensembles import (
    Parity,
    probe_table,
    random_ensemble,
    random_tree,
    training_table,
)

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def run(written, feed, outputs=("label", "probabilities")):
    """Return the outputs, after a full check of the graph."""
    onnx.checker.check_model(written, full_check=True)
    session = onnxruntime.InferenceSession(
        written.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(list(outputs), feed)


def model_of(tree, schema, classes=("no", "yes")):
    return Model(schema, tree, np.array(classes), None, contracted=False)


def assert_same(clf, X, feed=None):
    """Check that a fitted tree and its graph predict the same."""
    feed = onnx_inputs(clf._model, Table.of(X)) if feed is None else feed
    if clf._model.is_numeric:
        (found,) = run(to_onnx(clf._model), feed, ["variable"])
        assert np.array_equal(found, clf.predict(X)[:, np.newaxis])
        return
    label, shares = run(to_onnx(clf._model), feed)
    predicted = clf.predict(X)
    assert label.tolist() == predicted.tolist()
    assert np.array_equal(shares, clf.predict_proba(X))


def mixed(n, seed, more=()):
    """Every kind of column, with missing cells; ``more`` are additional towns."""
    rng = np.random.default_rng(seed)
    towns = ["Bonn", "Graz", "Lund", "Pisa", "Riga", "Ulm", "Århus", *more]
    sizes = ["small", "medium", "large"]
    frame = pd.DataFrame(
        {
            "price": np.round(rng.uniform(5, 60, n), 1),
            "town": rng.choice(towns, n).astype(object),
            "size": pd.Categorical(rng.choice(sizes, n), sizes, ordered=True),
            "sold": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "new": rng.random(n) < 0.5,
            "doors": pd.Categorical(rng.choice([2, 3, 5], n)),
            "label": rng.integers(0, 4, n),
        }
    )
    score = (
        (frame["price"] > 30).astype(int)
        + frame["town"].isin(["Graz", "Riga"])
        + (frame["size"] == "large")
        + (frame["sold"] > "2024-06-01")
        + frame["new"]
        + (frame["doors"] == 3)
        + (frame["label"] == 2)
    )
    for name in ("price", "town", "size", "sold", "doors"):
        frame.loc[rng.random(n) < 0.1, name] = None
    return frame, np.where(score > 3, "buy", np.where(score == 3, "wait", "leave"))


def test_onnx_predicts_cars():
    columns, origin = load_cars()
    X = pd.DataFrame(columns).drop(columns="name")
    for leaves in (2, 16, None):
        clf = TreeClassifier(procedure="per-leaf", max_leaves=leaves).fit(X, origin)
        assert_same(clf, X, {"X": X.to_numpy()})


def test_onnx_predicts_from_every_kind_of_column():
    X, y = mixed(600, 0)
    clf = TreeClassifier(
        procedure="per-leaf", max_leaves=60, categorical_features="from_dtype"
    ).fit(X, y)
    assert set(np.unique(clf.tree_.feature)) == {-1, *range(7)}
    assert_same(clf, X)
    new, _ = mixed(500, 1, more=["Oslo", "None", "?"])
    assert_same(clf, new)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@pytest.mark.parametrize("honest", [True, False])
def test_onnx_predicts_numbers(criterion, honest):
    X, y = mixed(600, 0)
    numbers = (y == "buy") + np.random.default_rng(0).gamma(1.0, 0.1, 600)
    X = X.rename(columns={"new": "variable"})  # also the name of the output
    reg = TreeRegressor(60, procedure="per-leaf", criterion=criterion, honest=honest)
    reg.fit(X, numbers)
    assert set(np.unique(reg.tree_.feature)) == {-1, *range(7)}
    assert_same(reg, X)
    new, _ = mixed(500, 1, more=["Oslo", "None", "?"])
    assert_same(reg, new.rename(columns={"new": "variable"}))
    assert {"label", "variable_"} < set(reg.onnx_inputs(X))  # a regressor has no label
    (output,) = reg.to_onnx().graph.output
    assert (output.name, [d.dim_value for d in output.type.tensor_type.shape.dim]) == (
        "variable",
        [0, 1],
    )


def test_onnx_predicts_numbers_from_a_matrix_and_a_single_leaf():
    X, y = np.arange(20.0).reshape(-1, 2), np.arange(10.0) ** 2
    for leaves in (1, 5):
        assert_same(TreeRegressor(leaves, procedure="per-leaf").fit(X, y), X, {"X": X})
    with pytest.raises(ParameterError, match="smoothing is for class shares"):
        to_onnx(TreeRegressor().fit(X, y)._model, smoothing=0.5)


def test_onnx_breaks_ties_like_predict():
    """Sums of fractional weights that differ in their last bits are a tie."""
    schema = encode(Table.of(np.array([[0.0], [1.0]]))).schema
    tree = TreeBuilder(np.array([5.0, 5.000000000000004]), 4).finish()
    model = model_of(tree, schema)
    label, _ = run(to_onnx(model), {"X": np.zeros((1, 1))})
    assert label.tolist() == ["no"] == model.classes[tree.label].tolist()


def test_onnx_inputs_are_described():
    X, y = mixed(600, 0)
    clf = TreeClassifier(procedure="per-leaf", max_leaves=60).fit(X, y)
    written = to_onnx(clf._model)
    says = {value.name: value.doc_string for value in written.graph.input}
    assert set(says) == {"price", "town", "size", "sold", "new", "doors", "label_"}
    assert says["town"] == "text; '' means missing"
    assert says["sold"].startswith("ticks of datetime64[")
    assert [value.name for value in written.graph.output] == ["label", "probabilities"]


@pytest.mark.parametrize("seed", range(40))
def test_onnx_random_trees_reach_the_same_leaf(seed):
    rng = np.random.default_rng(seed)
    schema = encode(training_table(rng)).schema
    tree = random_tree(rng, schema, int(rng.integers(0, 40)))
    # Leaves have different shares, so that probabilities identify the leaf.
    counts = np.ones((tree.n_nodes, 2))
    counts[tree.leaves(), 1] += rng.permutation(tree.n_leaves)
    model = model_of(replace(tree, counts=counts), schema)
    table = probe_table(rng, 80)
    label, shares = run(to_onnx(model), onnx_inputs(model, table))
    leaves = apply(tree, schema, table)
    assert np.array_equal(shares, (counts / counts.sum(axis=1, keepdims=True))[leaves])
    assert label.tolist() == model.classes[counts.argmax(axis=1)[leaves]].tolist()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_onnx_random_ensembles_give_the_same_votes(seed, n_outputs):
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, splits=6, n_outputs=n_outputs)
    table = probe_table(rng)
    voted = votes(ensemble, table)
    for algorithm in ("samme", "adaboost-mh"):
        named = replace(ensemble, algorithm=algorithm)
        label, shares = run(to_onnx(named), onnx_inputs(named, table))
        assert label.tolist() == winners(voted).tolist()
        assert np.allclose(shares, probabilities(voted, algorithm), rtol=0, atol=1e-12)


@pytest.mark.parametrize("algorithm", ["adaboost", "adaboost-mh", "samme", "logitboost"])
def test_onnx_boosted_trees_predict_from_every_kind_of_column(algorithm):
    X, y = mixed(300, 2)
    if algorithm == "adaboost":
        y = y == "buy"
    clf = BoostedTreeClassifier(n_rounds=12, max_leaves=4, algorithm=algorithm).fit(X, y)
    new, _ = mixed(200, 3, more=["Oslo"])
    label, shares = run(to_onnx(clf._model), onnx_inputs(clf._model, Table.of(new)))
    assert label.tolist() == clf.predict(new).tolist()
    assert np.allclose(shares, clf.predict_proba(new), rtol=0, atol=1e-12)


def test_onnx_compares_neighbouring_doubles_and_float32_exactly():
    third = 1 / 3  # no float32 is a third, and no float32 is between the two nearest to it
    X = np.array([[third], [np.nextafter(third, 1)], [np.float32(third)], [third]])
    clf = TreeClassifier(procedure="per-leaf", max_leaves=None).fit(X, [0, 1, 2, 0])
    assert clf.n_leaves_ == 3
    probes = np.array([-np.inf, 0, third, np.nextafter(third, 1), np.float32(third), 1, np.inf])
    assert_same(clf, probes[:, np.newaxis], {"X": probes[:, np.newaxis]})
    single = np.linspace(0.3333, 0.3334, 1000, dtype=np.float32)[:, np.newaxis]
    assert_same(clf, single, {"X": single.astype(np.float64)})


def test_onnx_compares_integers_beyond_double():
    big = 2**53
    X = np.array([[big - 1], [big], [big + 2], [big + 4]])
    clf = TreeClassifier(procedure="per-leaf", max_leaves=None).fit(X, [0, 1, 0, 1])
    probes = np.arange(big - 3, big + 8)[:, np.newaxis]
    assert_same(clf, probes, {"X": probes.astype(np.float64)})


def test_onnx_supports_a_branch_of_missing_cells_only():
    X = np.array([[0.0], [1.0], [2.0], [np.nan]])
    clf = TreeClassifier(procedure="per-leaf", max_leaves=None).fit(X, [0, 1, 0, 2])
    probes = np.array([[np.nan], [-np.inf], [0.5], [1.5], [np.inf], [np.finfo(float).max]])
    assert_same(clf, probes, {"X": probes})


@pytest.mark.parametrize("ask", ["numbers", "categories"])
def test_onnx_runs_a_very_deep_tree(ask):
    depth, rng = 1500, np.random.default_rng(0)
    values = np.arange(depth + 1.0)
    # With few categories, onnxruntime would unroll sets of small numbers into chains.
    names = np.array([f"c{i % 29:02}" for i in range(depth + 1)])
    table = Table.of({"x": values if ask == "numbers" else names})
    schema = encode(table, max_bins=depth + 2).schema
    builder, node = TreeBuilder(np.ones(2), 2), 0
    for place in rng.permutation(depth).tolist():
        if ask == "numbers":
            split = IntervalSplit(0, np.array([place + 0.5]), -1, int(rng.integers(2)))
        else:
            codes = rng.permutation(np.arange(29) % 2).astype(np.int32)
            split = CategorySplit(0, codes, -1, int(rng.integers(2)))
        node = builder.split(node, split, np.ones((2, 2)), [1, 1])[int(rng.integers(2))]
    tree = builder.finish()
    counts = np.ones((tree.n_nodes, 2))
    counts[:, 1] += np.arange(tree.n_nodes)
    model = model_of(replace(tree, counts=counts), schema)
    _, shares = run(to_onnx(model), onnx_inputs(model, table))
    leaves = apply(tree, schema, table)
    assert np.array_equal(shares, (counts / counts.sum(axis=1, keepdims=True))[leaves])


def test_onnx_runs_many_leaves_and_categories():
    rng = np.random.default_rng(1)
    n = 12_000
    X = pd.DataFrame({"x": rng.normal(size=n), "c": rng.integers(0, 900, n).astype(str)})
    clf = TreeClassifier(procedure="per-leaf", max_leaves=5000).fit(X, rng.integers(0, 3, n))
    assert clf.n_leaves_ > 4000
    assert_same(clf, X)


@pytest.mark.parametrize(
    "classes",
    [[3, 7], [-1, 1], ["a", "ü"], [False, True], [0.0, 2.0], [2**63 + 1, 2**64 - 1]],
)
def test_onnx_labels_have_the_type_of_the_classes(classes):
    y = np.array(classes)[[0, 1, 0, 1]]
    clf = TreeClassifier(procedure="per-leaf").fit(np.array([[0.0], [1.0], [2.0], [3.0]]), y)
    X = np.array([[0.0], [1.0]])
    label, _ = run(to_onnx(clf._model), {"X": X})
    assert label.tolist() == clf.predict(X).tolist()
    assert label.dtype.kind == {"U": "O"}.get(y.dtype.kind, y.dtype.kind)


def test_onnx_converts_classes_that_are_objects():
    assert class_table(np.array(["a", "b"], dtype=object)).tolist() == ["a", "b"]
    assert class_table(np.array([1, 2], dtype=object)).dtype == np.int64
    with pytest.raises(ValueError, match="convert them to text"):
        class_table(np.array([1, "b"], dtype=object))


def test_onnx_supports_a_single_leaf_and_an_empty_ensemble():
    X = np.array([[1.0], [2.0]])
    clf = TreeClassifier(procedure="per-leaf", max_leaves=1).fit(X, [0, 1])
    assert_same(clf, X, {"X": X})
    mixed_table = probe_table(np.random.default_rng(0))
    nobody = random_ensemble(np.random.default_rng(0), n_members=0)
    label, _ = run(to_onnx(nobody), onnx_inputs(nobody, mixed_table))
    assert label.tolist() == winners(votes(nobody, mixed_table)).tolist()


def test_onnx_probabilities_are_smoothed_or_honest():
    X, y = np.array([[0.0], [1.0], [2.0]] * 20), np.array([0, 1, 1, 0, 1, 0] * 10)
    for params in ({"honest": False, "smoothing": 0.5}, {"class_weight": "balanced"}):
        clf = TreeClassifier(procedure="per-leaf", **params).fit(X, y)
        _, shares = run(to_onnx(clf._model, clf.smoothing), {"X": X})
        assert np.array_equal(shares, clf.predict_proba(X))
        assert len(np.unique(shares, axis=0)) == 3
    with pytest.raises(ParameterError, match="smoothing applies to single trees"):
        to_onnx(random_ensemble(np.random.default_rng(0)), smoothing=0.5)


def test_onnx_supports_the_empty_text_as_category():
    X = pd.DataFrame({"c": ["", "a", "", None, "b", None]})
    clf = TreeClassifier(procedure="per-leaf", max_leaves=None).fit(X, [0, 1, 0, 2, 1, 2])
    assert onnx_inputs(clf._model, Table.of(X))["c"][3, 0] == "<missing>"
    assert_same(clf, X)


def test_onnx_supports_numbers_as_categories():
    X = pd.DataFrame({"c": pd.Categorical([1, 2, 3, None] * 5), "b": [True, False] * 10})
    clf = TreeClassifier(
        procedure="per-leaf", max_leaves=None, categorical_features=["c", "b"]
    ).fit(X, [0, 1, 0, 2] * 5)
    probes = pd.DataFrame({"c": pd.Categorical([3, 9, None, 1]), "b": [True, True, False, False]})
    feed = {"c": np.array([[3.0], [9.0], [np.nan], [1.0]])}
    feed |= {k: v for k, v in onnx_inputs(clf._model, Table.of(probes)).items() if k != "c"}
    assert_same(clf, probes, feed)


@pytest.mark.parametrize(
    ("cells", "match"),
    [
        ([1, "a", 1, "a"], "text or numbers, but column 'c' has some of type int, str"),
        ([2**60, 2**60 + 1, 2**60, 2**60 + 1], "equal as doubles"),
    ],
)
def test_onnx_refuses_categories_it_cannot_represent(cells, match):
    X = pd.DataFrame({"c": np.array(cells, dtype=object)})
    clf = TreeClassifier(procedure="per-leaf", categorical_features=["c"]).fit(X, [0, 1, 0, 1])
    with pytest.raises(TableError, match=match):
        to_onnx(clf._model)


def test_onnx_refuses_own_splits():
    rng = np.random.default_rng(0)
    schema = encode(training_table(rng)).schema
    tree = random_tree(rng, schema, 30, own=True)
    assert any(isinstance(own, Parity) for own in tree.own.values())
    with pytest.raises(FamilyError, match="user-defined split 'test-parity'"):
        to_onnx(model_of(tree, schema))


def test_onnx_missing_package_error_explains_the_installation(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    clf = TreeClassifier(procedure="per-leaf").fit(np.array([[0.0], [1.0]]), [0, 1])
    with pytest.raises(MissingPackageError, match=r'pip install "polytomy\[onnx\]"'):
        to_onnx(clf._model)


def test_onnx_accepts_any_column_names():
    X = pd.DataFrame({"Equal": ["a", "b"] * 4, "label": [0.0, 1, 2, 3] * 2, "label_": range(8)})
    X[""] = pd.Timestamp("2024-01-01") + pd.to_timedelta(range(8), unit="D")
    clf = TreeClassifier(procedure="per-leaf", max_leaves=None).fit(X, [0, 1, 2, 3, 4, 5, 6, 7])
    tree = random_tree(np.random.default_rng(3), clf._model.schema, 12)
    model = model_of(tree, clf._model.schema)
    feed = onnx_inputs(model, Table.of(X))
    assert set(feed) == {"Equal", "label_", "label__", "_"}
    label, _ = run(to_onnx(model), feed)
    chosen = tree.counts.argmax(axis=1)[apply(tree, model.schema, Table.of(X))]
    assert label.tolist() == model.classes[chosen].tolist()


def test_onnx_refuses_text_that_is_not_unicode():
    cells, labels = np.array(["a", "b"] * 4, dtype=object), [0, 1] * 4
    broken = np.array(["a", "\udc00"] * 4, dtype=object)
    for columns, y in (
        ({"x\ud800": cells}, labels),
        ({"x": broken}, labels),
        ({"x": cells}, broken),
    ):
        clf = TreeClassifier(procedure="per-leaf").fit(Table.of(columns), y)
        with pytest.raises(TableError, match="ONNX holds text in UTF-8"):
            clf.to_onnx()
    numbers = Table.of({"x\ud800": np.array([0.0, 1.0] * 4)})
    clf = TreeClassifier(procedure="per-leaf").fit(numbers, labels)
    assert clf.to_onnx().SerializeToString()  # the name is in a comment only
