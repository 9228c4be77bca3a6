"""A loaded model equals the saved one, bit for bit, in everything a user can see."""

import datetime as dt
import gzip
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from polytomy import (
    BoostedTreeClassifier,
    DensityTree,
    ForestClassifier,
    ForestRegressor,
    TreeClassifier,
    TreeRegressor,
    prune,
    verify,
)
from polytomy.boost import EarlyStopping
from polytomy.estimators.base.files import load, load_bytes, save, to_file_bytes
from polytomy.estimators.base.parameters import GROWTH
from polytomy.format import AbsentFamily, ModelFormatError, to_bytes
from polytomy.format import trees as format_trees
from polytomy.format.node import Node, pack
from polytomy.model import Origin
from polytomy.tree import KINDS, register_kind
from tests.format.round_trips import round_trip
from tests.format.saved_models import changed
from tests.found_trees import FOREST, TAUGHT, with_origin
from tests.strategies import cases, grow_params

rng = np.random.default_rng(0)
N = 80
Y = rng.integers(0, 3, N)


def frame(**columns):
    return pd.DataFrame(columns)


def some(values, missing=None):
    """Return N cells that depend on Y, a few of them missing."""
    values = list(values)
    cells = [values[(y * 2 + i % 3) % len(values)] for i, y in enumerate(Y)]
    if missing is not None:
        for i in range(0, N, 9):
            cells[i] = missing
    return cells


TABLES = {
    **{
        f"{dtype}": np.array([some(range(5)), some(range(9))]).T.astype(dtype)
        for dtype in ("i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", ">i4", ">f8", "?")
    },
    "tenths": np.array([some([0.1, 0.2, 0.3, 1e-310, 1 / 3])]).T,
    "nan and infinity": np.array([some([-np.inf, -0.0, 1.5, np.inf], np.nan)]).T,
    "many bins": rng.normal(size=(N, 3)) * 1e-7,
    "text": frame(town=some(["Ulm", "Rom", "Ürümqi", "", "a\n\x00\u2028"], None)),
    "objects": np.array([some(["a", "b", None]), some([1, 2, 3])], dtype=object).T,
    "mixed": frame(what=pd.Series(some([True, 2, 2.5, "two", b"\xff", dt.time(1)]), dtype=object)),
    "big numbers": frame(id=pd.Series(some([10**400, 10**25, -3]), dtype=object)),
    "categories": frame(c=pd.Categorical(some(["x", "y", "z"], None))),
    "category numbers": frame(c=pd.Categorical(some([3, 1, 2]))),
    "ordered": frame(
        size=pd.Categorical(some(["S", "M", "L"]), categories=["S", "M", "L", "XL"], ordered=True)
    ),
    "cut": frame(bin=pd.cut(np.array(some(range(9)), dtype=float), 4)),
    "booleans": frame(b=some([True, False]), n=pd.array(some([True, False], pd.NA), "boolean")),
    "nullable": frame(n=pd.array(some([1, 2, 3, 4], pd.NA), "Int64")),
    "dates": frame(
        d=pd.to_datetime(some(["2020-02-29", "1969-12-31 23:59:59", "2021"], None), format="mixed")
    ),
    "zones": frame(
        d=pd.to_datetime(some(["2020-02-29", "2020-03-29 02:30", "2021"]), format="mixed")
        .tz_localize("UTC")
        .tz_convert("Europe/Berlin")
    ),
    "spans": frame(t=pd.to_timedelta(some([1, 2, 3, 40], None), unit="h")),
    "date categories": frame(
        d=pd.Categorical(some([dt.date(2020, 1, 1), dt.date(1, 1, 1)])),
        t=pd.Categorical(some([pd.Timestamp("2020-01-01"), pd.Timestamp("2021-05-05 01:02:03")])),
        z=pd.Categorical(some([pd.Timestamp(y, tz="Europe/Berlin") for y in ("2020", "2021")])),
        s=pd.Categorical(some([pd.Timedelta("1h"), pd.Timedelta("2D")])),
    ),
    "polars": pl.DataFrame(
        {
            "e": pl.Series(some(["b", "a", None]), dtype=pl.Enum(["b", "a"])),
            "t": pl.Series(some([dt.time(1), dt.time(2, 3)])),
            "z": pl.Series(some([dt.datetime(2020, 1, d) for d in (1, 2, 3)])).dt.replace_time_zone(
                "Asia/Tokyo"
            ),
            "s": some(["u", "v"]),
        }
    ),
    "arrow": pa.table({"s": some(["u", "v", None]), "n": some([1.5, None, 2.5])}),
    "all missing": frame(a=[np.nan] * N, b=some([1, 2, 3])),
}


@pytest.mark.parametrize("name", TABLES)
def test_round_trip_keeps_models_on_tables_of_every_kind(name):
    X = TABLES[name]
    clf = TreeClassifier(max_leaves=9).fit(X, Y)
    again = round_trip(clf, X)
    assert verify(again, X, Y).ok == verify(clf, X, Y).ok is True
    assert again.tree_ == clf.tree_


@pytest.mark.parametrize("name", TABLES)
def test_round_trip_keeps_regression_trees_on_tables_of_every_kind(name):
    X = TABLES[name]
    y = Y + np.arange(N) / 7
    reg = TreeRegressor(max_leaves=9).fit(X, y)
    again = round_trip(reg, X)
    assert again.tree_ == reg.tree_
    assert verify(again, X, y).ok


NUMERIC_PRUNERS = ("reduced-error", "error-budget", "cost-complexity")
NUMBERS = {
    "priced": {},
    "poisson": {"criterion": "poisson"},
    "training means": {"honest": False},
    "per-leaf": {"procedure": "per-leaf", "contract": False},
    "hatano": {"procedure": "hatano", "criterion": "poisson"},
    "mansour": {"procedure": "mansour-mcallester", "gamma": 0.1},
    "cross-validated": {"max_leaves": "cv", "random_state": 1},
    **{name: {"pruner": name, "random_state": 0} for name in NUMERIC_PRUNERS},
    "columns": {"categorical_features": np.array([True, False, False])},
    "one leaf": {"max_leaves": 1, "verbose": np.int64(0)},
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_round_trip_keeps_regression_trees_of_every_kind(name, weighted):
    X = rng.integers(0, 6, (N, 3)).astype(float)
    y = X[:, 0] ** 2 + rng.gamma(1.0, 2.0, N)
    weight = np.where(np.arange(N) % 7, 2.0, 0.3) if weighted else None
    reg = TreeRegressor(**NUMBERS[name]).fit(X, y, weight)
    again = round_trip(reg, X)
    assert np.array_equal(again.held_out_, reg.held_out_)
    assert again.certificate_.steps == reg.certificate_.steps
    report = verify(again, X, y, weight)
    assert report.ok
    assert str(report) == str(verify(reg, X, y, weight))
    assert again._model.grown == reg._model.grown
    assert again._model.run == reg._model.run
    assert again.to_rules().to_frame().equals(reg.to_rules().to_frame())
    assert str(again.explain(X[:1])) == str(reg.explain(X[:1]))
    assert again.to_python() == reg.to_python()
    assert again.set_params(max_leaves=3).fit(X, y, weight).n_leaves_ <= 3


@pytest.mark.parametrize("y", [0.1, 1e9, 1e-130, -1e130], ids=str)
def test_round_trip_keeps_numbers_of_any_size(y):
    X = rng.integers(0, 6, (N, 3)).astype(float)
    for numbers in (np.full(N, y), y * (1 + X[:, 0])):
        round_trip(TreeRegressor().fit(X, numbers), X)


LABELS = {
    **{dtype: np.array(Y).astype(dtype) for dtype in ("i1", "u1", "i2", "i8", "u8", "f4", "f8")},
    ">i4": Y.astype(">i4"),
    "bool": Y > 0,
    "large": Y.astype("u8") + np.uint64(2**63),
    "str": np.array(["b", "ab", "ä"])[Y],
    "wide str": np.array(["b", "ab", "ä"], dtype="U40")[Y],
    "objects": np.array(["b", "ab", "ä"], dtype=object)[Y],
    "bytes": np.array([b"b", b"ab", b"\xff"])[Y],
    "many": np.arange(N),
    "one": np.zeros(N, dtype=int),
    "pandas": pd.Series(Y).map({0: "x", 1: "y", 2: "z"}),
    "categorical": pd.Series(pd.Categorical.from_codes(Y, ["x", "y", "z"])),
}


@pytest.mark.parametrize("name", LABELS)
def test_round_trip_keeps_the_dtype_of_classes(name):
    X = TABLES["many bins"]
    round_trip(TreeClassifier(max_leaves=6).fit(X, LABELS[name]), X)


FITS = {
    "priced": {},
    "budget": {"max_leaves": None, "min_samples_leaf": 3, "max_depth": 3},
    "hatano": {"procedure": "hatano", "index": "entropy"},
    "mansour": {"procedure": "mansour-mcallester", "gamma": 0.1, "index": "sqrt"},
    "kearns": {"procedure": "kearns-mansour", "leaf_order": "steepest"},
    "wide": {"contract": False, "families": ["intervals"], "max_arity": np.int64(4)},
    "per-leaf": {"procedure": "per-leaf"},
    "id3": {"procedure": "id3", "max_leaves": None},
    "gain-ratio": {"procedure": "gain-ratio", "overgrow": 2.0},
    "overgrown": {"procedure": "per-leaf", "max_leaves": 4, "overgrow": 3.0},
    "merged": {"max_leaves": 5, "question_price": 0.1, "branch_price": 0.0},
    "cross-validated": {"max_leaves": "cv", "random_state": 1},
    "held out": {"pruner": "reduced-error", "random_state": 0},
    "raised": {"pruner": prune.ReducedError(fraction=0.4, raising=True), "random_state": 0},
    **{name: {"pruner": name, "random_state": 0} for name in prune.PRUNERS},
    "budgeted": {"pruner": prune.ErrorBudget(select=3)},
    "class weights": {"class_weight": {0: 1, 1: 2.5, 2: np.float32(0.5)}},
    "balanced": {"class_weight": "balanced", "smoothing": 0.5, "n_jobs": 2},
    "columns": {"categorical_features": np.array([True, False, False])},
    "some columns": {"categorical_features": pd.Index([0, 1]).tolist()},
}


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("weighted", [False, True])
def test_round_trip_keeps_trees_of_every_kind(name, weighted):
    X = rng.integers(0, 6, (N, 3)).astype(float)
    weight = np.where(np.arange(N) % 7, 2.0, 0.3) if weighted else None
    clf = TreeClassifier(**FITS[name]).fit(X, Y, weight)
    again = round_trip(clf, X)
    assert np.array_equal(again.held_out_, clf.held_out_)
    assert again.certificate_.steps == clf.certificate_.steps
    report = verify(again, X, Y, weight)
    assert report.ok
    assert str(report) == str(verify(clf, X, Y, weight))
    assert again._model.grown == clf._model.grown
    assert again._model.run == clf._model.run
    assert again.to_rules().to_frame().equals(clf.to_rules().to_frame())
    assert str(again.explain(X[:1])) == str(clf.explain(X[:1]))


ORIGINS = {
    "taught": TAUGHT,
    "no synthetic rows": Origin(replace(FOREST, synthetic_rows=0)),
    "search": Origin(search=(6, 2)),
    "polished": Origin(polishing=3),
}


@pytest.mark.parametrize("name", ORIGINS)
@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
def test_round_trip_keeps_trees_that_were_found(name, estimator):
    X = rng.integers(0, 6, (N, 3)).astype(float)
    fitted = with_origin(estimator(6).fit(X, Y), ORIGINS[name])
    again = round_trip(fitted, X)
    assert again._model.run == fitted._model.run
    assert again._model.run.found
    assert again.certificate_.why_not == fitted.certificate_.why_not
    assert str(verify(again, X, Y)) == str(verify(fitted, X, Y))
    assert verify(again, X, Y).ok


def test_loaded_tree_prunes_like_the_saved_one():
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = TreeClassifier(max_leaves=None, random_state=0).fit(X, y)
    again = load_bytes(to_file_bytes(clf))
    for pruner in (
        "chi-square",
        prune.ChiSquare(adjusted=True),
        "pessimistic",
        prune.CostComplexity(alpha=0.02),
    ):
        assert again.prune(pruner).to_text() == clf.prune(pruner).to_text()
        round_trip(clf.prune(pruner), X)
    assert again.prune("reduced-error", X, y).tree_ == clf.prune("reduced-error", X, y).tree_
    by_cv = [c.prune(prune.ErrorBudget(select="cv"), X=X, y=y).tree_ for c in (clf, again)]
    assert by_cv[0] == by_cv[1]
    assert str(again.pruning_path()) == str(clf.pruning_path())
    assert again.fit(X, y).tree_ == clf.tree_


def test_parameters_set_after_fitting_do_not_change_the_saved_model():
    X, y = load_iris(return_X_y=True)
    clf = TreeClassifier(max_leaves=4, class_weight={0: 1, 1: 3, 2: 1}).fit(X, y)
    clf.set_params(max_leaves=9, class_weight=None, max_bins=10)
    again = round_trip(clf, X)
    assert verify(again, X, y).ok
    assert again.n_leaves_ == clf.n_leaves_ <= 4


BOOSTED = {
    "adaboost": {},
    "adaboost-real": {"smoothing": 0.01, "max_leaves": 4},
    "adaboost-mh": {"max_depth": 1, "max_leaves": 5},
    "samme": {"index": "entropy"},
    "logitboost": {"learning_rate": 0.5},
    "auto": {},
}


TWO_CLASSES_ONLY = ("adaboost", "adaboost-real")


@pytest.mark.parametrize(
    ("name", "classes"),
    [(n, c) for n in BOOSTED for c in (2, 3) if c == 2 or n not in TWO_CLASSES_ONLY],
)
def test_round_trip_keeps_ensembles_of_every_algorithm(name, classes):
    X, y = frame(a=rng.normal(size=N), town=some(["Ulm", "Rom", "Bari"], None)), Y % classes
    clf = BoostedTreeClassifier(6, algorithm=name, **BOOSTED[name]).fit(X, y)
    again = round_trip(clf, X)
    assert again.rounds_ == clf.rounds_
    assert again.ensemble_ == clf.ensemble_
    assert again.ended_ == clf.ended_
    assert np.array_equal(again.decision_function(X), clf.decision_function(X))
    staged = zip(again.staged_predict(X), clf.staged_predict(X), strict=True)
    assert all(np.array_equal(a, b) for a, b in staged)
    assert np.array_equal(again.margins(X, y), clf.margins(X, y))
    longer = [c.set_params(warm_start=True, n_rounds=9).fit(X, y) for c in (again, clf)]
    assert longer[0].ensemble_ == longer[1].ensemble_


@pytest.mark.parametrize(
    "stopping",
    [{"fraction": 0.3, "patience": 2}, EarlyStopping(fraction=0.3, patience=2, monitor="loss")],
)
def test_round_trip_keeps_ensembles_that_stopped_early(stopping):
    X, y = load_breast_cancer(return_X_y=True)
    clf = BoostedTreeClassifier(40, algorithm="adaboost-real", early_stopping=stopping)
    clf.fit(X[:200], y[:200])
    assert clf.n_rounds_ < len(clf.rounds_)
    data = to_file_bytes(clf)
    again = load_bytes(data)
    assert to_file_bytes(again) == data
    assert (again.n_rounds_, again.rounds_, again.ended_) == (
        clf.n_rounds_,
        clf.rounds_,
        clf.ended_,
    )
    assert again.ensemble_ == clf.ensemble_


class Digits:
    """A user-defined split by the number modulo ``groups``."""

    kind = "digits"

    def __init__(self, groups, notes=None):
        self.groups, self.notes = groups, notes

    @property
    def arity(self):
        return self.groups

    def route(self, table):
        return (np.asarray(table.column(0)) % self.groups).astype(np.int32)

    def describe(self, names):
        return f"{names[0]} modulo {self.groups}", [str(g) for g in range(self.groups)]

    def to_plain(self):
        return {"groups": self.groups, "notes": self.notes}

    @classmethod
    def from_plain(cls, data):
        return cls(**data)

    def __eq__(self, other):
        return isinstance(other, Digits) and self.to_plain() == other.to_plain()

    __hash__ = None


class DigitFamily:
    name = "digit-family"

    def propose(self, node, ask):
        question = Digits(2, {"why": ["parity", 0.5, None]})
        return [question] if len(np.unique(question.route(node.table))) == 2 else []


@pytest.fixture
def own():
    X = np.arange(N, dtype=float).reshape(-1, 1)
    y = (np.arange(N) % 2).astype(int)
    made = TreeClassifier(4, families=("intervals", DigitFamily())).fit(X, y)
    assert made.tree_.own
    yield X, y, made
    KINDS.pop("digits", None)


def test_round_trip_keeps_user_defined_splits_of_a_registered_kind(own):
    X, y, clf = own
    register_kind(Digits)
    data = to_file_bytes(clf)
    again = load_bytes(data)
    assert to_file_bytes(again) == data
    assert again.tree_ == clf.tree_
    assert again.to_text() == clf.to_text()
    assert np.array_equal(again.predict(X), clf.predict(X))
    assert verify(again, X, y).ok
    assert again.families == ("intervals", AbsentFamily("digit-family"))
    with pytest.raises(ValueError, match="pass it with set_params"):
        again.fit(X, y)
    KINDS.pop("digits")
    with pytest.raises(ModelFormatError, match=r"own\[0\]\[1\].*import the module that registers"):
        load_bytes(data)


def test_user_defined_split_of_an_unregistered_kind_is_not_saved(own):
    with pytest.raises(ModelFormatError, match=r"put @polytomy\.tree\.register_kind above class"):
        to_file_bytes(own[2])


def test_save_compresses_if_the_path_ends_in_gz(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = TreeClassifier(max_leaves=4).fit(X, y)
    save(clf, tmp_path / "m.json")
    save(clf, str(tmp_path / "m.json.gz"))
    plain = (tmp_path / "m.json").read_bytes()
    assert gzip.decompress((tmp_path / "m.json.gz").read_bytes()) == plain == to_file_bytes(clf)
    for name in ("m.json", "m.json.gz"):
        assert load(str(tmp_path / name)).to_text() == clf.to_text()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.json", "m.json.gz"]


@pytest.mark.filterwarnings("ignore:the 'error' index")
@settings(max_examples=40, deadline=None)
@given(
    case=cases(),
    params=grow_params(),
    criterion=st.sampled_from([None, None, "squared_error", "poisson"]),
)
def test_round_trip_keeps_any_grown_tree(case, params, criterion):
    chosen = {name: getattr(params, name) for name in GROWTH}
    X = pd.DataFrame({c.name: np.asarray(c.values) for c in case.table.columns})
    y = np.array(case.labels)
    if criterion is None:
        made = TreeClassifier(**chosen)
    else:
        made, y = TreeRegressor(criterion=criterion, **_without_index(chosen)), y / 3
    round_trip(made.fit(X, y, np.array(case.units)), X)


def _without_index(params):
    return {name: value for name, value in params.items() if name != "index"}


def test_bins_of_wide_tables_are_packed(monkeypatch):
    X = np.random.default_rng(0).normal(size=(N, 4))
    X[0, 0] = np.inf
    clf = TreeClassifier(4).fit(X, Y)
    plain = to_file_bytes(clf)
    monkeypatch.setattr("polytomy.format.schema._MANY_BINS", 100)
    packed = to_file_bytes(clf)
    assert b'"low": {"float64": "' in packed
    again = load_bytes(packed)
    assert to_file_bytes(again) == packed
    monkeypatch.undo()
    assert to_file_bytes(again) == plain


@pytest.mark.parametrize(
    ("text", "why"), [("?", "not in base 64"), ("AAAA", "numbers of type float64")]
)
def test_packed_bins_that_are_damaged_are_refused(text, why):
    clf = TreeClassifier(4).fit(np.arange(80.0)[:, None], Y)
    document = json.loads(to_file_bytes(clf))
    del document["checksum"]
    document["columns"][0]["low"] = {"float64": text}
    with pytest.raises(ModelFormatError, match=why):
        load_bytes(to_bytes(document))


@pytest.mark.parametrize(
    ("classes", "algorithm", "stated"),
    [
        (2, "adaboost-real", {"algorithm": "auto"}),
        (3, "adaboost-mh", {"algorithm": "auto", "smoothing": "auto"}),
        (2, "logitboost", {"smoothing": "auto"}),
        (3, "logitboost", {"smoothing": "auto"}),
    ],
)
def test_files_of_earlier_versions_keep_the_meaning_of_auto(classes, algorithm, stated):
    X, y = rng.normal(size=(N, 2)), Y % classes
    smoothing = 0.0 if algorithm == "logitboost" else "auto"  # which did not smooth
    clf = BoostedTreeClassifier(4, algorithm=algorithm, smoothing=smoothing).fit(X, y)
    place = {"algorithm": 0, "smoothing": 3}
    changes = [(("fitted", "parameters", "items", place[n], 1), v) for n, v in stated.items()]
    again = load_bytes(changed(to_file_bytes(clf), *changes))
    assert again.ensemble_ == clf.ensemble_
    assert verify(again, X, y).ok
    np.testing.assert_array_equal(again.feature_importances_, clf.feature_importances_)


# ---- large trees are packed

PACKED = {
    "tree": lambda: TreeClassifier(6, pruner="reduced-error", random_state=0).fit(*iris()),
    "regression": lambda: TreeRegressor(6, honest=False).fit(iris()[0][:, :3], iris()[0][:, 3]),
    "forest": lambda: ForestClassifier(3, random_state=0).fit(*iris()),
    "numbers": lambda: ForestRegressor(3, random_state=0).fit(iris()[0][:, :3], iris()[0][:, 3]),
    "boosted": lambda: BoostedTreeClassifier(3).fit(*iris()),
    "density": lambda: DensityTree(6).fit(iris()[0]),
}


def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("kind", PACKED)
def test_large_trees_are_packed(kind, monkeypatch):
    model = PACKED[kind]()
    plain = to_file_bytes(model)
    monkeypatch.setattr(format_trees, "_MANY_NUMBERS", 0)
    packed = to_file_bytes(model)
    assert b'"int8": "' in packed
    assert b'"counts": [' not in packed
    again = load_bytes(packed)
    assert to_file_bytes(again) == packed
    monkeypatch.undo()
    assert to_file_bytes(again) == plain


def test_forest_with_many_leaves_is_small_and_loads(tmp_path):
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(10_000, 3)), draws.integers(0, 2, 10_000)
    forest = ForestClassifier(12, random_state=0).fit(X, y)
    save(forest, tmp_path / "m.json")
    n_leaves = sum(tree.n_leaves_ for tree in forest)
    assert n_leaves > 30_000
    assert (tmp_path / "m.json").stat().st_size < 150 * n_leaves
    again = load(tmp_path / "m.json")
    assert np.array_equal(again.predict_proba(X), forest.predict_proba(X))


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("kind", {"int8": "AQ"}, r"kind\.int8: is not in base 64"),
        ("kind", {"int4": "AQI="}, "kind: must be a list, or packed as one of int8, int16"),
        ("kind", {"float64": "AAAAAAAA8D8="}, "kind: must be a list, or packed as one of int8"),
        ("kind", {}, "kind: must be a list, or packed as one of int8"),
        ("kind", {"int8": 3}, r"kind\.int8: must be text"),
        ("kind", {"int8": "AQI=", "int16": ""}, "unknown member 'int16'"),
        ("rows", {"int16": "AQID"}, "does not hold whole numbers of type int16"),
        ("rows", {"int8": "AQI="}, "rows: must have 9 items, not 2"),
        ("rows", {"int8": "AAAAAAAAAAAA"}, r"rows\[0\]: must be an integer from 1 to"),
        ("counts", {"int8": "AQI="}, "counts: must have 27 items, not 2"),
        ("counts", pack(np.full(27, np.nan)), r"counts\[0\]: must be a finite number"),
        ("threshold", pack(np.full(4, np.nan)), "thresholds that do not ascend"),
    ],
)
def test_packed_numbers_that_are_damaged_are_refused(name, value, why, monkeypatch):
    clf = TreeClassifier(5, procedure="id3").fit(*iris())
    monkeypatch.setattr(format_trees, "_MANY_NUMBERS", 0)
    data = to_file_bytes(clf)
    assert len(json.loads(data)["tree"]["rows"]) == 1
    with pytest.raises(ModelFormatError, match=why):
        load_bytes(changed(data, (("tree", name), value)))


@given(st.lists(st.integers(-(2**62), 2**62) | st.floats(allow_nan=False), max_size=9))
def test_packing_keeps_every_number(numbers):
    floats = np.array(numbers, dtype=np.float64)
    found = Node(pack(floats), "").numbers(infinite=True)
    assert found.tobytes() == floats.tobytes()
    wholes = np.array([n for n in numbers if isinstance(n, int)], dtype=np.int64)
    assert Node(pack(wholes), "").wholes(-(2**62)).tolist() == wholes.tolist()
