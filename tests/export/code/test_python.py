"""Exported Python predicts like the tree."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from polytomy import TreeClassifier, TreeRegressor
from polytomy._errors import ParameterError, TreeError
from polytomy.export import to_python
from polytomy.table import Table
from tests.export.awkward_tables import (
    TARGETS,
    asks_about,
    bushy,
    chain,
    fitted,
    fitted_to,
    nasty_frame,
    plain_rows,
    random_labels,
    with_new_values,
)
from tests.export.own_split import own_model
from tests.export.random_models import predictions, random_models


def function_of(model, name="predict", **options):
    space = {}
    exec(compile(to_python(model, **options), "exported", "exec"), space)
    return space[name]


@pytest.mark.parametrize("target", TARGETS)
def test_python_predicts_from_every_kind_of_column(target):
    frame = nasty_frame()
    clf = fitted_to(target, frame, max_leaves=200)
    assert asks_about(clf._model) == set(frame.columns)
    predict = function_of(clf._model)
    for rows in (frame, with_new_values(frame, clf)):
        assert [predict(row) for row in plain_rows(rows)] == clf.predict(rows).tolist()


def test_python_reads_pandas_cells_and_absent_keys():
    frame = nasty_frame(200)
    clf = fitted(frame, random_labels(200))
    predict = function_of(clf._model)
    expected = clf.predict(frame).tolist()
    assert [predict(row) for row in frame.to_dict("records")] == expected
    present = [{k: v for k, v in row.items() if v is not None} for row in plain_rows(frame)]
    assert [predict(row) for row in present] == expected


@pytest.mark.parametrize("params", [{"honest": False}, {"class_weight": "balanced"}])
def test_python_probabilities_equal_predict_proba(params):
    frame = nasty_frame(200)
    clf = fitted(frame, random_labels(200), smoothing=0.5, max_leaves=9, **params)
    proba = function_of(clf._model, "predict_proba", proba=True, smoothing=0.5)
    shares = clf.predict_proba(frame)
    for row, expected in zip(plain_rows(frame), shares, strict=True):
        assert proba(row) == dict(zip(clf.classes_.tolist(), expected.tolist(), strict=True))


@settings(max_examples=60)
@given(random_models(or_numbers=True))
def test_python_predicts_like_random_trees(drawn):
    model, table, rows = drawn
    predict = function_of(model)
    assert [predict(row) for row in rows] == predictions(model, table)


def test_python_function_of_a_regression_tree_returns_floats():
    reg = TreeRegressor(procedure="per-leaf").fit([[1], [2]] * 5, [3, 4] * 5)
    assert type(function_of(reg._model)({"x0": 1})) is float
    assert "in 5 training rows)" in reg.to_python()
    with pytest.raises(ParameterError, match="proba is for classifiers"):
        reg.to_python(proba=True)


@pytest.mark.parametrize(
    "labels", [np.array([0, 1, -7]), np.array([0.0, 2.0]), np.array([True, False])]
)
def test_python_classes_keep_their_type(labels):
    frame = nasty_frame(80)
    clf = fitted(frame, random_labels(80, labels))
    predict = function_of(clf._model)
    predicted = [predict(row) for row in plain_rows(frame)]
    assert predicted == clf.predict(frame).tolist()
    assert {type(x) for x in predicted} == {type(labels.tolist()[0])}


def test_python_compares_times_of_all_units_and_durations():
    rng = np.random.default_rng(0)
    n = 300
    ticks = rng.integers(-(10**6), 10**6, n)
    frame = pd.DataFrame(
        {
            "ns": pd.to_datetime(1_700_000_000_000_000_000 + ticks),
            "s": rng.permutation(ticks).astype("M8[s]"),
            "span": rng.permutation(ticks * 1000).astype("m8[ns]"),
        }
    )
    clf = fitted(frame, random_labels(n), max_leaves=80)
    assert asks_about(clf._model) == {"ns", "s", "span"}
    predict = function_of(clf._model)
    assert [predict(row) for row in frame.to_dict("records")] == clf.predict(frame).tolist()
    moved = frame.assign(s=frame["s"].astype("M8[us]") + pd.Timedelta(microseconds=999_999))
    # A finer time belongs to the second in which it lies.
    assert [predict(row) for row in moved.to_dict("records")] == clf.predict(frame).tolist()


def test_python_compares_nanoseconds_exactly():
    ticks = np.array([1_700_000_000_000_000_000, 1_700_000_000_000_100_000])
    clf = TreeClassifier(procedure="per-leaf").fit(
        pd.DataFrame({"t": pd.to_datetime(ticks)}), [0, 1]
    )
    predict = function_of(clf._model)
    cut = int(clf.tree_.threshold[0])
    near = pd.DataFrame({"t": pd.to_datetime(cut + np.arange(-300, 300))})
    assert [predict(row) for row in near.to_dict("records")] == clf.predict(near).tolist()


def test_python_refuses_cells_of_wrong_types():
    frame = nasty_frame(200)
    clf = fitted(frame, random_labels(200))
    predict = function_of(clf._model)
    with pytest.raises(TypeError, match="must hold numbers"):
        predict({"float64": "1.5"})
    with pytest.raises(TypeError, match="without a zone"):
        predict({"day": dt.datetime(2024, 1, 1, tzinfo=dt.UTC)})
    with pytest.raises(TypeError, match="dates or datetimes"):
        predict({"zoned": 17})


def test_python_predicts_from_a_single_leaf():
    clf = TreeClassifier(procedure="per-leaf").fit([[1.0], [2.0]], ["only", "only"])
    assert function_of(clf._model)({}) == "only"


def test_python_predicts_from_deep_and_large_trees():
    _, model = chain(5000)
    predict = function_of(model)
    table = Table.of({"a": np.array([-1.0, 3000.5, 1e9]), "b": np.array([1e9, 1e9, 1e9])})
    rows = [{"a": -1.0, "b": 1e9}, {"a": 3000.5, "b": 1e9}, {"a": 1e9, "b": 1e9}]
    assert [predict(row) for row in rows] == predictions(model, table)
    clf, frame = bushy(1500)
    predict = function_of(clf._model)
    some = frame.head(300)
    assert [predict(row) for row in some.to_dict("records")] == clf.predict(some).tolist()


def test_python_variables_are_valid_and_unique():
    names = ["class", "a b", "a-b", "1", "", "é", "row", "nan", "column'\"\n", "_cell", "A_B"]
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, (400, len(names))), columns=names)
    clf = fitted(frame, random_labels(400), max_leaves=400)
    assert asks_about(clf._model) == set(names)
    predict = function_of(clf._model)
    assert [predict(row) for row in frame.to_dict("records")] == clf.predict(frame).tolist()


def test_python_refuses_own_splits_names_and_values():
    with pytest.raises(TreeError, match="user-defined split"):
        to_python(own_model())
    clf = TreeClassifier(procedure="per-leaf").fit([[1.0], [2.0]], [0, 1])
    for name in ("a b", "class", "_x", "match"):
        with pytest.raises(ParameterError, match="valid public Python identifier"):
            to_python(clf._model, name)
    days = np.array([dt.date(2024, 1, 1), dt.date(2024, 1, 2)] * 4, dtype=object)
    clf = TreeClassifier(procedure="per-leaf", categorical_features=["d"]).fit(
        pd.DataFrame({"d": days}), [0, 1] * 4
    )
    with pytest.raises(TreeError, match="date values"):
        to_python(clf._model)


def test_python_gives_leaves_and_rules():
    frame = nasty_frame(120)
    clf = fitted(frame, random_labels(120), max_leaves=12)
    space = {}
    exec(clf.to_python(leaf=True, rule=True), space)
    leaves = clf.apply(frame).tolist()
    assert [space["predict_leaf"](row) for row in plain_rows(frame)] == leaves
    rules = {rule.leaf: rule.condition for rule in clf.to_rules()}
    found = [space["predict_rule"](row) for row in plain_rows(frame)]
    assert found == [rules[leaf] for leaf in leaves]


def test_python_writes_branches_in_natural_order():
    clf = TreeClassifier(procedure="per-leaf").fit([[1], [2], [3], [4]] * 3, [0, 1, 2, 3] * 3)
    cuts = re.findall(r"if x0 <= ([0-9.]+)", clf.to_python())
    assert cuts == ["1.5", "2.5", "3.5"]
