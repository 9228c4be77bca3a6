"""Predictions go in the direction that monotonic_cst asks for, and verify proves it."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import polytomy
from polytomy._errors import ParameterError
from polytomy.estimators.base.files import load_bytes, to_file_bytes
from polytomy.format import to_bytes
from polytomy.tree import leaf_order, ordered_values

NAMES = ["age", "income", "debt"]


def table(seed, n_rows, missing=True):
    random = np.random.default_rng(seed)
    cells = random.integers(0, 40, size=(n_rows, 3)).astype(float)
    if missing:
        cells[random.random(cells.shape) < 0.08] = np.nan
    frame = pd.DataFrame(cells, columns=NAMES)
    frame["town"] = random.choice(list("uvw"), n_rows)
    known = np.nan_to_num(cells)
    trend = known[:, 0] * random.normal() / 9 + np.sin(known[:, 1]) + random.normal(size=n_rows)
    return frame, trend


def predicted(tree, frame):
    if isinstance(tree, polytomy.TreeRegressor):
        return tree.predict(frame)
    return tree.predict_proba(frame) @ np.arange(len(tree.classes_))


def steps_along(tree, column, seed=0):
    """Return the differences of the predictions of rows that differ in one column only."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.integers(-1, 42, size=(60, 3)).astype(float), columns=NAMES)
    frame["town"] = random.choice(list("uvwx"), 60)  # x is new
    values = np.arange(-1.0, 42.0)
    rows = frame.loc[frame.index.repeat(len(values))].reset_index(drop=True)
    rows[column] = np.tile(values, 60)
    return np.diff(predicted(tree, rows).reshape(60, -1), axis=1)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([2, 3, None]),
    st.sampled_from(["priced", "per-leaf", "hatano", "kearns-mansour", "id3"]),
    st.tuples(*[st.sampled_from([-1, 0, 1])] * 3),
    st.booleans(),
)
@example(9999, 2, "per-leaf", (-1, -1, 0), True)  # codes without rows lie between two thresholds
@example(1612, 3, "priced", (-1, 1, -1), True)  # a branch of missing cells is merged with a range
def test_predictions_go_in_the_direction(seed, n_classes, procedure, directions, missing):
    frame, trend = table(seed, 300, missing)
    parameters = {
        "max_leaves": 4 + seed % 25,
        "procedure": procedure,
        "monotonic_cst": dict(zip(NAMES, directions, strict=True)),
        "min_samples_leaf": 1 + 9 * (seed % 2),
    }
    if n_classes is None:
        if procedure == "id3":
            parameters["procedure"] = "per-leaf"
        tree = polytomy.TreeRegressor(**parameters).fit(frame, trend)
        target = trend
    else:
        target = np.digitize(trend, [0.0, 1.5][: n_classes - 1])
        tree = polytomy.TreeClassifier(**parameters).fit(frame, target)
    for name, direction in zip(NAMES, directions, strict=True):
        if direction:
            assert (steps_along(tree, name) * direction).min() >= -1e-9
    report = polytomy.verify(tree, frame, target)
    assert report.ok, report


def test_without_a_constraint_the_same_table_is_not_monotonic():
    frame, trend = table(3, 600)
    y = (np.sin(frame["income"].fillna(0) / 3) + trend / 4 > 0).astype(int)
    free = polytomy.TreeClassifier(16).fit(frame, y)
    assert (steps_along(free, "income") < -1e-9).any()
    kept = polytomy.TreeClassifier(16, monotonic_cst={"income": 1}).fit(frame, y)
    assert (steps_along(kept, "income") >= -1e-9).all()
    assert kept.score(frame, y) <= free.score(frame, y)


def test_verify_finds_a_tree_that_is_not_monotonic():
    frame, trend = table(3, 600)
    y = (np.sin(frame["income"].fillna(0) / 3) + trend / 4 > 0).astype(int)
    tree = polytomy.TreeClassifier(16).fit(frame, y)
    model = tree._model
    rules = replace(model.run.rules, monotonic=(0, 1, 0, 0))
    tree._model = replace(model, run=replace(model.run, rules=rules), honesty=None)
    tree._model.__dict__["node_shares"] = model.node_shares  # as if nothing had been put in order
    found = [f for f in polytomy.verify(tree, frame, y).findings if "direction" in f.what]
    assert found
    assert "'income'" in found[0].what


def test_model_files_keep_the_directions(tmp_path):
    frame, trend = table(5, 400)
    tree = polytomy.TreeRegressor(12, monotonic_cst=[1, 0, -1, 0]).fit(frame, trend)
    tree.save(tmp_path / "tree.json")
    loaded = polytomy.load(tmp_path / "tree.json")
    assert loaded._model.run.rules.monotonic == (1, 0, -1, 0)
    assert np.array_equal(loaded.predict(frame), tree.predict(frame))
    assert polytomy.verify(loaded, frame, trend).ok


@pytest.mark.parametrize(
    ("given_cst", "what"),
    [
        ({"wealth": 1}, "does not have"),
        ([1, 0], "one entry for each of 4 columns"),
        ({"age": 2}, "-1, 0 and 1"),
        ({"age": True}, "-1, 0 and 1"),
        ({"age": 0.5}, "-1, 0 and 1"),
        ({"town": 1}, "without an order"),
        ("age", "one entry"),
    ],
)
def test_bad_constraints_are_refused(given_cst, what):
    frame, trend = table(1, 100)
    with pytest.raises(ParameterError, match=what):
        polytomy.TreeClassifier(monotonic_cst=given_cst).fit(frame, trend > 0)


def test_classes_without_an_order_are_refused():
    frame, trend = table(1, 100)
    names = np.array(["low", "high", "middle"])[np.digitize(trend, [0, 1])]
    with pytest.raises(ParameterError, match="classes of text have no order"):
        polytomy.TreeClassifier(monotonic_cst={"age": 1}).fit(frame, names)


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"max_leaves": None, "procedure": "per-leaf"}, "at most 2,000"),
        ({"max_leaves": 3_000, "procedure": "per-leaf"}, "at most 2,000"),
        ({"smoothing": 1.0}, "smoothing"),
    ],
)
def test_what_does_not_keep_the_order_is_refused(parameters, what):
    frame, trend = table(1, 100)
    tree = polytomy.TreeClassifier(monotonic_cst={"age": 1}, **parameters)
    with pytest.raises(ParameterError, match=what):
        tree.fit(frame, trend > 0)


def test_labels_of_two_classes_go_in_the_direction():
    for seed in range(8):
        frame, trend = table(seed, 120)
        for procedure in ("kearns-mansour", "hatano"):
            tree = polytomy.TreeClassifier(
                12, procedure=procedure, monotonic_cst={"age": 1}, honest=False
            ).fit(frame, trend > 0)
            rows = frame.head(30).loc[frame.head(30).index.repeat(40)].reset_index(drop=True)
            rows["age"] = np.tile(np.arange(40.0), 30)
            labels = tree.predict(rows).reshape(30, 40).astype(int)
            assert (np.diff(labels, axis=1) >= 0).all()
            assert polytomy.verify(tree, frame, trend > 0).ok


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"effort": "balanced"}, "needs effort='fast' and no search"),
        ({"teacher": "forest"}, "a teacher replaces part of them .* use teacher=False"),
        ({"search": 1}, "needs effort='fast' and no search"),
    ],
)
def test_effort_is_refused_for_its_reason(given, reason):
    frame, trend = table(1, 200)
    tree = polytomy.TreeRegressor(**given, monotonic_cst={"age": 1})
    with pytest.raises(ParameterError, match=reason):
        tree.fit(frame, trend)


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_ordered_values_are_in_order_and_leave_ordered_ones_alone(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 9))
    place = random.permutation(n)
    before = (place[:, None] < place) & (random.random((n, n)) < 0.4)
    for _ in range(n):
        before |= (before.astype(int) @ before.astype(int)) > 0
    values = random.integers(0, 5, n).astype(float)
    found = ordered_values(values, before)
    assert (found[:, None] <= found)[before].all()
    if (values[:, None] <= values)[before].all():
        assert np.array_equal(found, values)


def test_leaves_that_no_two_rows_compare_have_no_order():
    frame, trend = table(7, 500, missing=False)
    tree = polytomy.TreeRegressor(10, procedure="per-leaf", contract=False).fit(frame, trend).tree_
    none = leaf_order(tree, (0, 0, 0, 0), (0, 0, 0, 3))
    assert not none.any()
    both = leaf_order(tree, (1, 0, 0, 0), (0, 0, 0, 3))
    assert np.array_equal(both.T, leaf_order(tree, (-1, 0, 0, 0), (0, 0, 0, 3)))


def ordered_type(y, names, library):
    """Return classes of an ordered type, and their positions in its order."""
    if library == "pandas":
        y = pd.Series(y, dtype=pd.CategoricalDtype(names, ordered=True))
        return y, y.cat.codes
    polars = pytest.importorskip("polars")
    y = polars.Series(y, dtype=polars.Enum(names))
    return y, y.to_physical()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_order_of_classes_that_is_not_kept_is_refused_with_advice(library):
    x = np.arange(60.0).reshape(-1, 1)
    names = ["low", "medium", "high"]
    y, codes = ordered_type(np.array(names)[np.arange(60) // 20], names, library)
    clf = polytomy.TreeClassifier(4, monotonic_cst=[1])
    with pytest.raises(
        ParameterError, match=r"'low' < .*the order of their names, 'high' < .*codes"
    ):
        clf.fit(x, y)
    shares = clf.fit(x, codes).predict_proba(x) @ np.arange(len(names))
    assert (np.diff(shares) >= 0).all()
    polytomy.TreeClassifier(4).fit(x, y)
    for none in ([0], {0: 0}, {}, np.zeros(1)):  # no direction, so that the order does not matter
        polytomy.TreeClassifier(4, monotonic_cst=none).fit(x, y)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("names", [["low", "high"], ["c", "b", "a"]])
@pytest.mark.parametrize("direction", [1, -1])
def test_the_reverse_order_of_a_type_is_the_order_of_a_direction(library, names, direction):
    rng = np.random.default_rng(len(names))
    x = rng.normal(size=(300, 2))
    places = np.clip((x[:, 0] + rng.normal(size=300)) // 1 + 1, 0, len(names) - 1).astype(int)
    y, codes = ordered_type(np.array(names)[places], names, library)
    clf = polytomy.TreeClassifier(8, monotonic_cst=[direction, 0]).fit(x, y)
    assert list(clf.classes_) == sorted(names)
    assert clf.tree_.n_leaves > 1 or direction < 0
    rows = np.column_stack([np.linspace(-3, 3, 50), np.zeros(50)])
    means = clf.predict_proba(rows)[:, ::-1] @ np.arange(len(names))
    assert (np.diff(means) * direction >= -1e-12).all()
    assert polytomy.verify(clf, x, y).ok
    if len(names) == 2:  # the same rows, numbered in their order
        same = polytomy.TreeClassifier(8, monotonic_cst=[direction, 0]).fit(x, codes)
        assert np.allclose(clf.predict_proba(rows)[:, ::-1], same.predict_proba(rows))
        word = "falls" if direction == 1 else "rises"
        assert f"The share of low only {word} with: " in clf.to_text()


def test_without_an_order_of_their_own_the_direction_is_that_of_the_second_class():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 1))
    y = np.where(x[:, 0] + rng.normal(size=400) > 0, "good", "poor")
    for labels in (y, pd.Series(y, dtype="category").cat.reorder_categories(["poor", "good"])):
        for direction, grows in ((-1, True), (1, False)):
            clf = polytomy.TreeClassifier(6, monotonic_cst=[direction]).fit(x, labels)
            assert list(clf.classes_) == ["good", "poor"]
            assert (clf.tree_.n_leaves > 1) == grows


def test_an_order_of_classes_that_is_that_of_their_names_is_kept():
    x = np.arange(60.0).reshape(-1, 1)
    clf = polytomy.TreeClassifier(4, monotonic_cst=[1])
    y = pd.Series(np.array(["1 low", "2 medium", "3 high"])[np.arange(60) // 20], dtype="category")
    with pytest.raises(ParameterError, match="classes of text have no order; number them in their"):
        clf.fit(x, y)
    clf.fit(x, y.cat.as_ordered())
    assert clf.tree_.n_leaves > 1
    assert polytomy.verify(clf, x, y).ok
    two = pd.Series(np.array(["a", "b"])[np.arange(60) // 30], dtype="category")
    clf.fit(x, two.cat.reorder_categories(["b", "a"]))  # without an order, it means nothing
    assert clf.tree_.n_leaves > 1


def test_branches_of_a_path_are_not_merged():
    frame, trend = table(1540, 300)
    tree = polytomy.TreeClassifier(12, monotonic_cst={"debt": -1}).fit(frame, trend > 0)
    with pytest.raises(ParameterError, match="merged branches may break the directions"):
        tree.pruning_path(merge=True)
    path = tree.pruning_path(question_price=0.01)
    assert all(polytomy.verify(path.at(int(k)), frame, trend > 0).ok for k in path.sizes)
    free = polytomy.TreeClassifier(12, monotonic_cst={"debt": 0}).fit(frame, trend > 0)
    assert len(free.pruning_path(merge=True)) > 1


@pytest.mark.parametrize(
    "directions",
    [[0, 0, 1, 1], [0, 0, 1, -1], [1, 0, 1, 0], [0, 0, 0, 0], None],  # the last is of categories
)
@pytest.mark.parametrize("estimator", [polytomy.TreeClassifier, polytomy.TreeRegressor])
def test_file_with_other_directions_than_its_parameters_is_refused(estimator, directions):
    frame, trend = table(3, 300)
    y = trend if estimator is polytomy.TreeRegressor else trend > 0
    data = to_file_bytes(estimator(8, monotonic_cst={"debt": 1}).fit(frame, y))
    document = json.loads(data)
    assert document["run"]["rules"].pop("monotonic") == [0, 0, 1, 0]
    del document["checksum"]
    if directions is not None:
        document["run"]["rules"]["monotonic"] = directions
    with pytest.raises(polytomy.ModelFormatError, match=r"run\.rules\.monotonic: monotonic_cst"):
        load_bytes(to_bytes(document))


def test_reversed_directions_load_if_the_classes_are_in_reverse_order(tmp_path):
    frame, trend = table(3, 300)
    names = pd.Categorical(np.where(trend > 0, "high", "low"), ["low", "high"], ordered=True)
    clf = polytomy.TreeClassifier(8, monotonic_cst={"debt": 1}).fit(frame, pd.Series(names))
    assert clf._model.run.rules.monotonic == (0, 0, -1, 0)
    assert to_file_bytes(load_bytes(to_file_bytes(clf))) == to_file_bytes(clf)


def test_directions_that_were_set_after_the_fit_are_not_saved(tmp_path):
    frame, trend = table(3, 300)
    clf = polytomy.TreeClassifier(8, monotonic_cst={"debt": 1}).fit(frame, trend > 0)
    clf.set_params(monotonic_cst={"age": 1})
    with pytest.raises(polytomy.ModelFormatError, match=r"grown with \[0, 0, 1, 0\]; fit again"):
        clf.save(tmp_path / "m.json")


@pytest.mark.parametrize("seed", [11, 22, 28, 37])
def test_missing_cells_that_join_a_category_stay_in_range(seed):
    random = np.random.default_rng(seed)
    x = random.integers(0, 12, 120).astype(float)
    town = pd.Series(random.choice(list("abc"), 120), dtype=object)
    town[random.random(120) < 0.3] = None
    noise = random.normal(0, 1.5, 120)
    y = np.asarray((x - 6) / 3 + noise + (town == "a") - town.isna() > 0).astype(int)
    frame = pd.DataFrame({"x": x, "town": town})
    tree = polytomy.TreeClassifier(
        12, procedure="per-leaf", families=["intervals", "values"], monotonic_cst={"x": 1}
    ).fit(frame, y)
    report = polytomy.verify(tree, frame, y)
    assert report.ok, report


@pytest.mark.parametrize("estimator", [polytomy.TreeClassifier, polytomy.TreeRegressor])
@pytest.mark.parametrize("procedure", ["per-leaf", "hatano"])
def test_values_apart_go_in_the_direction(procedure, estimator):
    for seed in range(6):
        random = np.random.default_rng(seed)
        x = random.integers(0, 8, size=(60, 3)).astype(float)
        trend = x @ [1, 1, 0] + random.normal(0, 4, 60)
        y = trend if estimator is polytomy.TreeRegressor else (trend > np.median(trend)).astype(int)
        tree = estimator(
            16, procedure=procedure, min_difference=0.02, monotonic_cst=[1, 1, 0], honest=False
        ).fit(x, y)
        report = polytomy.verify(tree, x, y)
        assert report.ok, report


@pytest.mark.parametrize("seed", [462, 628, 2709, 3030, 4541])
def test_missing_cells_go_in_the_direction_if_both_children_weigh_nearly_the_same(seed):
    random = np.random.default_rng(seed)
    n, k = int(random.choice([16, 24, 32, 48])), int(random.choice([2, 4, 4, 8]))
    cells = random.integers(0, k, size=(n, 3)).astype(float)
    directions = random.choice([-1, 1, 1], size=3)
    trend = cells @ directions + random.normal(0, k / 2, n)
    cells[random.random(cells.shape) < 0.06] = np.nan
    share = random.random(n)
    weights = 1 + share * 10.0 ** random.choice([-10, -11, -13])
    is_numeric = random.random() < 0.5
    estimator = polytomy.TreeRegressor if is_numeric else polytomy.TreeClassifier
    y = trend if is_numeric else (trend > np.median(trend)).astype(int)
    parameters = {"procedure": "per-leaf", "max_arity": 2, "contract": False, "honest": False}
    leaves = int(random.choice([8, 16]))
    tree = estimator(leaves, monotonic_cst=directions.tolist(), **parameters)
    tree.fit(cells, y, sample_weight=weights)
    report = polytomy.verify(tree, cells, y, sample_weight=weights)
    assert report.ok, report
