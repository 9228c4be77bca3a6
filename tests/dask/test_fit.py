"""Fits on a cluster give the model file of a local fit, for any partitioning and input."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import polytomy
import polytomy.dask
from polytomy import ParameterError, TableError, TargetError
from polytomy.estimators.fitting import refining
from tests.dask.tables import mixed_table, same_model

N_ROWS = 1500


def split(data, ends):
    """Return a collection with partitions that end at these rows; some may be empty."""
    meta = data.iloc[:0]
    starts = [0, *ends]
    parts = [data.iloc[a:b] for a, b in zip(starts, [*ends, len(data)], strict=True)]
    return frame_of(parts, meta)


def frame_of(parts, meta):
    return dd.from_map(itself, parts, meta=meta, enforce_metadata=False)


def itself(part):
    return part


TREES = {
    "default": ({}, [400, 401, 1200]),
    "one partition": ({"max_leaves": 5}, []),
    "empty partitions": ({"max_leaves": 5}, [0, 700, 700, 1500]),
    "many partitions": ({"max_leaves": 5}, list(range(50, 1500, 50))),
    "few bins": ({"max_bins": 7, "max_leaves": 9}, [3]),
    "balanced": ({"class_weight": "balanced"}, [800]),
    "heavier class": ({"class_weight": {"yes": 3, "no": 1}}, [800]),
    "without a limit": ({"procedure": "per-leaf", "max_leaves": None, "max_depth": 5}, [700]),
    "heaviest": ({"procedure": "hatano", "max_leaves": 12}, [700]),
    "categories": ({"categorical_features": ["few"]}, [700]),
    "pruned": ({"procedure": "per-leaf", "max_leaves": 20, "pruner": "conservative"}, [700]),
}


@pytest.mark.parametrize("name", TREES)
def test_classifier_is_that_of_a_local_fit(client, name):
    parameters, ends = TREES[name]
    X, y = mixed_table(N_ROWS)
    local = polytomy.TreeClassifier(**parameters).fit(X, y)
    there = polytomy.dask.TreeClassifier(**parameters).fit(split(X, ends), split(y, ends))
    assert same_model(local, there)
    assert np.array_equal(there.feature_names_in_, local.feature_names_in_)


def test_a_small_table_is_refined_as_in_memory(client, monkeypatch):
    monkeypatch.setattr(refining, "MOST_REFINED", 8_000)
    X, y = mixed_table(N_ROWS)
    there = polytomy.dask.TreeClassifier(5).fit(split(X, [400]), split(y, [400]))
    assert there._model.pruning.is_refined
    assert same_model(polytomy.TreeClassifier(5).fit(X, y), there)


@pytest.mark.parametrize("weights", ["none", "equal", "whole", "any", "some zero"])
def test_weights_are_those_of_a_local_fit(client, weights):
    X, y = mixed_table(N_ROWS, seed=1)
    random = np.random.default_rng(1)
    w = {
        "none": None,
        "equal": np.full(N_ROWS, 0.3),
        "whole": random.integers(1, 9, N_ROWS).astype(float),
        "any": random.uniform(0.1, 2, N_ROWS),
        "some zero": np.where(np.arange(N_ROWS) < 900, 0, random.uniform(0.1, 2, N_ROWS)),
    }[weights]
    given = None if w is None else split(pd.Series(w), [700])
    for here, there, target in (
        (polytomy.TreeClassifier, polytomy.dask.TreeClassifier, y),
        (polytomy.TreeRegressor, polytomy.dask.TreeRegressor, np.exp(X["x"]).rename("z")),
    ):
        local = here(12).fit(X, target, w)
        assert same_model(local, there(12).fit(split(X, [700]), split(target, [700]), given))


COSTS = {
    "two classes": (("no", "yes"), {("yes", "no"): 7.3, ("yes", "yes"): 0.1}),
    "the true class alone": (("a", "b", "c"), [[0, 2, 2], [0.7, 0, 0.7], [5.1, 5.1, 0.1]]),
}


@pytest.mark.parametrize("weights", ["none", "whole"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("name", COSTS)
def test_costs_that_are_class_weights_give_the_local_fit(client, name, class_weight, weights):
    classes, matrix = COSTS[name]
    X, _ = mixed_table(N_ROWS, seed=6)
    random = np.random.default_rng(6)
    noise = random.normal(size=N_ROWS)
    y = pd.Series(np.array(classes)[np.digitize(X["x"] + noise, [0, 1][: len(classes) - 1])])
    w = random.integers(0, 5, N_ROWS).astype(float) if weights == "whole" else None
    parameters = {"cost_matrix": matrix, "class_weight": class_weight}
    local = polytomy.TreeClassifier(12, **parameters).fit(X, y, w)
    given = None if w is None else split(pd.Series(w), [700])
    there = polytomy.dask.TreeClassifier(12, **parameters)
    there.fit(split(X, [700]), split(y, [700]), given)
    assert same_model(local, there)


def test_other_costs_need_all_rows(client):
    X, y = mixed_table(300)
    three = split(pd.Series(np.array(["a", "b", "c"])[np.arange(300) % 3]), [100])
    rows, labels = split(X, [100]), split(y, [100])
    by_prediction = [[0, 1, 9], [1, 0, 1], [1, 1, 0]]
    with pytest.raises(ParameterError, match="costs depend on the predicted class needs all rows"):
        polytomy.dask.TreeClassifier(cost_matrix=by_prediction).fit(rows, three)
    with pytest.raises(ParameterError, match="weights that are not integers needs all rows"):
        polytomy.dask.TreeClassifier(cost_matrix=[[0, 2], [1, 0]]).fit(
            rows, labels, split(pd.Series(np.full(300, 0.5)), [100])
        )


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_regressor_is_that_of_a_local_fit(client, criterion):
    X, y = mixed_table(N_ROWS, seed=2)
    numbers = np.exp(X["x"]) + (y == "yes")
    local = polytomy.TreeRegressor(criterion=criterion).fit(X, numbers)
    there = polytomy.dask.TreeRegressor(criterion=criterion)
    there.fit(split(X, [10, 10, 900]), split(numbers, [10, 10, 900]))
    assert same_model(local, there)
    predicted = there.predict(split(X, [5, 5]))
    assert isinstance(predicted, da.Array)
    assert np.array_equal(predicted.compute(), local.predict(X))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["ForestClassifier", "BoostedTreeClassifier"])
def test_ensembles_are_those_of_a_local_fit(client, kind, weighted):
    X, y = mixed_table(600, seed=3)
    w = np.random.default_rng(3).uniform(0.5, 2, 600) if weighted else None
    options = {"class_weight": "balanced"} if weighted else {}
    local = getattr(polytomy, kind)(5, **options).fit(X, y, w)
    there = getattr(polytomy.dask, kind)(5, **options)
    given = None if w is None else split(pd.Series(w), [200, 210])
    there.fit(split(X, [200, 210]), split(y, [200, 210]), given)
    assert same_model(local, there)
    assert np.array_equal(there.predict_proba(split(X, [9])).compute(), local.predict_proba(X))


BOOSTED = {
    "adaboost": ({"algorithm": "adaboost", "max_leaves": 4}, 2, []),
    "adaboost-real": ({"max_depth": 1, "max_leaves": 8}, 2, [0, 250, 250, 600]),
    "logitboost": ({"algorithm": "logitboost", "max_leaves": 5}, 2, [1]),
    "adaboost-mh": ({"class_weight": "balanced"}, 3, [200, 210]),
    "samme": ({"algorithm": "samme", "max_leaves": 4}, 3, list(range(60, 600, 60))),
    "one tree a class": ({"algorithm": "logitboost", "learning_rate": 0.5}, 3, [200]),
}


@pytest.mark.parametrize("name", BOOSTED)
def test_boosted_trees_are_those_of_a_local_fit(client, name):
    options, n_classes, ends = BOOSTED[name]
    X, y = mixed_table(600, seed=3)
    y = y.where((X["few"] != 2) | (n_classes == 2), "some")
    local = polytomy.BoostedTreeClassifier(3, **options).fit(X, y)
    there = polytomy.dask.BoostedTreeClassifier(3, **options).fit(split(X, ends), split(y, ends))
    assert same_model(local, there)
    assert there.rounds_.training_error.tolist() == local.rounds_.training_error.tolist()


def test_boosting_stops_early_and_continues_as_a_local_fit(client, tmp_path):
    X, y = mixed_table(600, seed=3)
    w = np.random.default_rng(3).uniform(0.5, 2, 600)
    w[::7] = 0.0
    parts = split(X, [200, 210]), split(y, [200, 210]), split(pd.Series(w), [200, 210])
    held = {"X_val": X[:99], "y_val": y[:99], "patience": 2}
    options = {"early_stopping": held, "class_weight": "balanced", "learning_rate": 2.0}
    local = polytomy.BoostedTreeClassifier(9, **options).fit(X, y, w)
    there = polytomy.dask.BoostedTreeClassifier(9, **options).fit(*parts)
    assert there.ended_ == local.ended_ is not None
    assert polytomy.verify(there, X, y, sample_weight=w).ok
    without = {"early_stopping": None}  # model files do not hold rows
    assert same_model(local.set_params(**without), there.set_params(**without))

    path = tmp_path / "run.json"
    local = polytomy.BoostedTreeClassifier(4).fit(X, y, w)
    there = polytomy.dask.BoostedTreeClassifier(2, checkpoint=path, warm_start=True).fit(*parts)
    assert not hasattr(there, "_booster")
    continued = polytomy.BoostedTreeClassifier(4, checkpoint=path).fit(X, y, w)
    warm = there.set_params(n_rounds=4, checkpoint=None).fit(*parts)
    for model in (continued, warm):
        model.set_params(checkpoint=None, warm_start=False)
        assert same_model(local, model)


def test_boosting_refuses_what_needs_all_rows(client):
    X, y = mixed_table(60)
    rows, labels = split(X, [20]), split(y, [20])
    for options, message in (
        ({"early_stopping": {"fraction": 0.1}}, "needs X_val"),
        ({"estimator": polytomy.TreeClassifier()}, "estimator needs all rows"),
        ({"families": [type("Own", (), {"name": "own", "propose": None})()]}, "families of splits"),
    ):
        with pytest.raises(ParameterError, match=message):
            polytomy.dask.BoostedTreeClassifier(2, **options).fit(rows, labels)
    with pytest.raises(TargetError, match="y has one class, 'no'"):
        polytomy.dask.BoostedTreeClassifier(2).fit(rows, split(y.replace("yes", "no"), [20]))
    only = split((y == "yes").astype(float), [20])
    with pytest.raises(TargetError, match="all rows of positive weight are of one class"):
        polytomy.dask.BoostedTreeClassifier(2).fit(rows, labels, only)


def test_arrays_and_delayed_tables_and_named_targets(client):
    pa = pytest.importorskip("pyarrow")
    X, y = mixed_table(N_ROWS, seed=4)
    numbers = X[["x", "few"]].to_numpy()
    labels = (y == "yes").to_numpy().astype(int)
    local = polytomy.TreeClassifier(6).fit(numbers, labels)
    rows = da.from_array(numbers, chunks=(400, 1))  # also cut between columns
    there = polytomy.dask.TreeClassifier(6).fit(rows, da.from_array(labels, chunks=500))
    assert same_model(local, there)
    assert there.predict(rows).chunks == ((400, 400, 400, 300),)
    assert np.array_equal(there.predict_proba(rows).compute(), local.predict_proba(numbers))

    whole = pa.table({**{name: X[name] for name in X}, "y": y, "w": np.arange(1.0, N_ROWS + 1)})
    local = polytomy.TreeClassifier(6).fit(whole.drop(["y", "w"]), y, whole["w"].to_numpy())
    parts = [dask.delayed(whole.slice(a, 500)) for a in (0, 500, 1000)]
    there = polytomy.dask.TreeClassifier(6).fit(parts, "y", "w")
    assert same_model(local, there)
    rows = [dask.delayed(whole.drop(["y", "w"]).slice(a, 750)) for a in (0, 750)]
    assert np.array_equal(there.apply(rows).compute(), local.apply(whole.drop(["y", "w"])))

    frame = split(X.assign(y=y), [700])
    named = polytomy.dask.TreeClassifier(6).fit(frame, "y")
    assert same_model(named, polytomy.TreeClassifier(6).fit(X, y))


def test_predict_matches_columns_by_name(client):
    pa = pytest.importorskip("pyarrow")
    X, y = mixed_table(300)
    tree = polytomy.dask.TreeClassifier(6).fit(split(X.assign(y=y), [100]), "y")
    expected = tree.predict(X)
    more = X[X.columns[::-1]].assign(y=y)
    assert np.array_equal(tree.predict(split(more, [100])).compute(), expected)
    delayed = [dask.delayed(pa.Table.from_pandas(more[a : a + 150])) for a in (0, 150)]
    assert np.array_equal(tree.predict(delayed).compute(), expected)
    with pytest.raises(TableError, match=r"no columns \['x'\], which the model needs"):
        tree.predict(split(more.drop(columns="x"), [100]))


def test_local_rows_are_fitted_locally():
    X, y = mixed_table(200)
    local, there = polytomy.TreeClassifier(4).fit(X, y), polytomy.dask.TreeClassifier(4).fit(X, y)
    assert same_model(local, there)
    assert isinstance(there.predict(X), np.ndarray)


def test_model_file_is_read_as_a_local_model(client, tmp_path):
    X, y = mixed_table(300)
    there = polytomy.dask.TreeClassifier(4).fit(split(X, [100]), split(y, [100]))
    there.save(tmp_path / "tree.json")
    loaded = polytomy.load(tmp_path / "tree.json")
    assert type(loaded) is polytomy.TreeClassifier
    assert polytomy.verify(loaded, X, y).ok


def test_wrong_input_is_one_clear_error(client):
    X, y = mixed_table(300)
    tree, rows, labels = polytomy.dask.TreeClassifier(4), split(X, [100]), split(y, [100])
    with pytest.raises(TargetError, match="X has 2 partitions, but y has 1"):
        tree.fit(rows, split(y, []))
    with pytest.raises(TargetError, match=r"partition [01]: X has \d+ rows but y has \d+"):
        tree.fit(rows, split(y, [90]))
    with pytest.raises(TableError, match="X has no column 'z'"):
        tree.fit(rows, "z")
    with pytest.raises(TargetError, match="y must be a Dask collection like X"):
        tree.fit(rows, y)
    with pytest.raises(TargetError, match="sample_weight must be a Dask collection"):
        tree.fit(rows, labels, np.ones(300))
    with pytest.raises(TargetError, match=r"partition 1: .*2 of 200 labels are missing"):
        tree.fit(rows, split(y.where((y.index < 200) | (y.index > 201)), [100]))
    with pytest.raises(TargetError, match="partition 1: weights must not be negative"):
        tree.fit(rows, labels, split(pd.Series(np.where(X.index < 100, 1.0, -1.0)), [100]))
    with pytest.raises(TargetError, match="all weights are zero"):
        tree.fit(rows, labels, split(pd.Series(np.zeros(300)), [100]))
    with pytest.raises(TableError, match="none of its partitions has rows"):
        tree.fit(split(X[:0], [0]), split(y[:0], [0]))
    with pytest.raises(ParameterError, match="cross-validation needs all rows"):
        polytomy.dask.TreeClassifier("cv").fit(rows, labels)
    assert not hasattr(tree, "classes_")


def test_columns_that_differ_between_partitions_are_one_clear_error(client):
    X, y = mixed_table(300)
    halves = [X[:100], X[100:].rename(columns={"few": "many"})]
    labels = split(y, [100])
    tree = polytomy.dask.TreeClassifier(4)
    with pytest.raises(TableError, match=r"partition 1: its columns are .*'many'"):
        tree.fit(frame_of(halves, X[:0]), labels)
    halves[1] = X[100:].assign(x="text")
    with pytest.raises(TableError, match="'x' contains numbers in one partition and text"):
        tree.fit(frame_of(halves, X[:0]), labels)
