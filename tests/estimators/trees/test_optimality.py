"""TreeClassifier.optimality: the bound holds for every fitted tree, and says what it ignores."""

from math import inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from polytomy import ParameterError, TreeClassifier
from polytomy.theory import PROCEDURES
from tests.naive.optimal import least_errors
from tests.strategies import cases


def as_frame(case):
    return pd.DataFrame(
        {
            name: pd.Series(cells, dtype=object if _is_text(cells) else float)
            for name, cells in case.columns.items()
        }
    )


def _is_text(cells):
    return any(isinstance(cell, str) for cell in cells)


@settings(max_examples=60, deadline=None)
@given(cases(max_rows=9, max_columns=2, max_classes=3), st.sampled_from(PROCEDURES), st.data())
def test_optimality_bounds_every_procedure_and_is_exact_for_small_tables(case, procedure, data):
    leaves = data.draw(st.integers(1, 4))
    weights = data.draw(st.sampled_from([None, case.units]))
    X, y = as_frame(case), case.labels
    gamma = 0.3 if procedure == "mansour-mcallester" else None
    clf = TreeClassifier(leaves, procedure=procedure, gamma=gamma, honest=False)
    clf.fit(X, y, weights)
    found = clf.optimality(X, y, weights, max_leaves=leaves, time_limit=inf)
    units = case.units if weights is not None else [1] * len(y)
    least = least_errors(list(case.columns.values()), y, units, leaves) / sum(units)
    assert found.bound == pytest.approx(least)
    assert found.bound <= found.error
    assert found.error == pytest.approx(1 - clf.score(X, y, sample_weight=weights))
    assert found.is_exact
    assert found.is_optimal == (found.bound == found.error)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_optimality_takes_the_leaves_of_the_tree_by_default(iris):
    clf = TreeClassifier(max_leaves=4).fit(*iris)
    found = clf.optimality(*iris)
    assert (found.leaves, found.is_optimal, found.relaxed) == (clf.n_leaves_, True, ())
    assert str(found) == "3 leaves, 4.0 %; no such tree does better"


def test_optimality_counts_class_weights(iris):
    X, y = iris
    weight = {0: 1.0, 1: 10.0, 2: 1.0}
    clf = TreeClassifier(max_leaves=3, class_weight=weight).fit(X, y)
    found = clf.optimality(X, y)
    wrong = clf.predict(X) != y
    rows = np.array([weight[c] for c in y])
    assert found.error == pytest.approx(rows[wrong].sum() / rows.sum())
    assert found.is_exact


def test_optimality_of_more_leaves_than_the_tree_has(iris):
    clf = TreeClassifier(max_leaves=2).fit(*iris)
    found = [clf.optimality(*iris, max_leaves=k) for k in range(2, 7)]
    bounds = [f.bound for f in found]
    assert bounds == sorted(bounds, reverse=True)
    assert all(f.error == found[0].error and f.is_exact for f in found)
    assert str(found[1]) == "3 leaves, 33.3 %; the best such tree has 4.0 %"


def test_optimality_of_rows_that_no_split_separates():
    X, y = [[1.0]] * 4, [0, 0, 0, 1]
    found = TreeClassifier().fit(X, y).optimality(X, y)
    assert (found.error, found.bound, found.unavoidable) == (0.25, 0.25, 0.25)
    assert str(found) == "1 leaf, 25.0 %; no such tree does better"


def test_optimality_names_the_restrictions_that_it_ignores(iris):
    clf = TreeClassifier(max_leaves=4, max_depth=1, min_samples_leaf=5).fit(*iris)
    assert clf.optimality(*iris).relaxed == ("max_depth", "min_samples_leaf")
    frame = pd.DataFrame({"c": list("abcabc")})
    values = TreeClassifier(families=("values",)).fit(frame, [0, 1, 1, 0, 1, 0])
    assert values.optimality(frame, [0, 1, 1, 0, 1, 0]).relaxed == ("families",)


def test_optimality_uses_only_columns_that_families_can_split():
    frame = pd.DataFrame({"c": list("abab"), "x": [1.0, 1.0, 1.0, 2.0]})
    y = [0, 1, 0, 1]
    clf = TreeClassifier(families=("intervals",)).fit(frame, y)
    assert clf.optimality(frame, y, max_leaves=4).bound == 0.25


def test_optimality_stops_in_time():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(600, 8)), random.integers(0, 2, 600)
    found = TreeClassifier(max_leaves=16).fit(X, y).optimality(X, y, time_limit=0.2)
    assert found.seconds < 2
    assert 0 <= found.bound < found.best <= found.error
    assert not found.is_exact


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_leaves": 0}, "max_leaves must be"),
        ({"max_leaves": 2}, "the tree has 3 leaves"),
        ({"max_leaves": 65}, "max_leaves must be"),
        ({"max_leaves": True}, "max_leaves must be"),
        ({"time_limit": -1}, "time_limit must be"),
        ({"time_limit": float("nan")}, "time_limit must be"),
        ({"time_limit": "10"}, "time_limit must be"),
    ],
)
def test_optimality_refuses_bad_limits(iris, given, message):
    clf = TreeClassifier(max_leaves=3).fit(*iris)
    with pytest.raises(ParameterError, match=message):
        clf.optimality(*iris, **given)


def test_optimality_needs_the_rows_of_the_fit(iris):
    X, y = iris
    clf = TreeClassifier(max_leaves=3).fit(X, y)
    with pytest.raises(ParameterError, match="the rows passed to fit"):
        clf.optimality(X[:100], y[:100])
    with pytest.raises(ParameterError, match="needs the training rows"):
        clf.optimality(None, None)


def test_optimality_refuses_families_of_your_own(iris):
    class Diagonal:
        name = "diagonal"

        def propose(self, node, query):
            return ()

    clf = TreeClassifier(max_leaves=3, families=("intervals", Diagonal())).fit(*iris)
    with pytest.raises(ParameterError, match="'diagonal'"):
        clf.optimality(*iris)
