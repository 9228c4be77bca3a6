"""A fit on rows that are elsewhere gives the model file of the fit in memory, byte for byte."""

import itertools
from functools import reduce

import numpy as np
import pandas as pd
import pytest

import polytomy
from polytomy._errors import ParameterError
from polytomy.encode import GroupSums, encode, fixed_point
from polytomy.estimators.trees.remote import RemoteTable, fit_remote
from polytomy.grow import Partition, SummedSource, TargetFacts, moment_sums
from polytomy.table import Table


class Elsewhere:
    """Rows in parts, of which only sums and a few rows can be had."""

    def __init__(self, coded, target, ends):
        self.schema, self.target = coded.schema, TargetFacts.of(target)
        cuts = [0, *ends, coded.n_rows]
        every = [np.arange(a, b) for a, b in itertools.pairwise(cuts) if a < b]
        self._coded, self._target = coded, target
        self.parts = [(coded.take(rows), target.take(rows)) for rows in every]
        self.taken = []

    def source(self):
        return SummedSource([Partition(coded, target) for coded, target in self.parts])

    def take(self, rows):
        if rows is None:  # in any order
            rows = np.arange(self._coded.n_rows)[::-1]
            return self._coded.take(rows), self._target.take(rows)
        self.taken.append(len(rows))
        return self._coded.take(rows), self._target.take(rows)

    def moments(self, tree):
        return reduce(GroupSums.__add__, [moment_sums(tree, *part) for part in self.parts]).total()


def mixed_table(n_rows, seed=0):
    random = np.random.default_rng(seed)
    x = random.normal(size=n_rows)
    town = random.choice(["Ulm", "Rom", "Bonn", "Oslo"], n_rows).astype(object)
    town[::17] = None
    few = random.integers(0, 9, n_rows).astype(float)
    few[::11] = np.nan
    y = (np.digitize(x, [-1, 0, 1]) % 2) ^ (few > 5) ^ (random.random(n_rows) < 0.2)
    return {"x": x, "town": town, "few": few}, y


def both(estimator, data, y, weights, tmp_path, ends):
    """Return the bytes of the model file of both fits."""
    table = Table.of(data)
    local = estimator.fit(table, y, sample_weight=weights)
    local.feature_names_in_ = np.array(table.names, dtype=object)
    local.save(tmp_path / "local.json")
    given = local._learn_rows(table, y, weights)
    remote = type(estimator)(**estimator.get_params())
    exact = estimator.max_leaves is None
    coded = encode(table, given.case_units, estimator.max_bins, separate_rows=exact)
    rows = Elsewhere(coded, given.target, ends)
    classes = np.empty(0) if estimator._is_numeric else local.classes_
    weighted = given.case_units is not None
    dtype = getattr(y, "dtype", None)
    facts = RemoteTable(rows, table.names, classes, given.class_factors, weighted, dtype=dtype)
    fit_remote(remote, lambda: facts)
    remote.save(tmp_path / "remote.json")
    return (tmp_path / "local.json").read_bytes(), (tmp_path / "remote.json").read_bytes(), rows


TREES = {
    "default": {},
    "fewer leaves": {"max_leaves": 5},
    "per leaf": {"procedure": "per-leaf", "max_leaves": 12},
    "without a limit": {"procedure": "per-leaf", "max_leaves": None},
    "hatano": {"procedure": "hatano", "max_leaves": 9},
    "pruned": {"procedure": "per-leaf", "max_leaves": 20, "pruner": "conservative"},
    "balanced": {"class_weight": "balanced", "max_leaves": 8},
    "not honest": {"honest": False, "max_leaves": 8},
}


@pytest.mark.parametrize("name", TREES)
def test_classifier_is_that_of_rows_in_memory(name, tmp_path):
    data, y = mixed_table(900)
    estimator = polytomy.TreeClassifier(**TREES[name])
    local, remote, _ = both(estimator, data, y, None, tmp_path, [1, 300, 300, 850])
    assert local == remote


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@pytest.mark.parametrize("weighted", [False, True])
def test_regressor_is_that_of_rows_in_memory(criterion, weighted, tmp_path):
    data, y = mixed_table(900, seed=1)
    random = np.random.default_rng(1)
    numbers = np.exp(data["x"] + y + random.normal(size=900))
    weights = random.uniform(0.5, 2, 900) if weighted else None
    estimator = polytomy.TreeRegressor(max_leaves=12, criterion=criterion)
    local, remote, _ = both(estimator, data, numbers, weights, tmp_path, [7, 450, 899])
    assert local == remote


def test_weighted_rows(tmp_path):
    data, y = mixed_table(900, seed=2)
    weights = np.random.default_rng(2).uniform(0.1, 3, 900)
    assert fixed_point(weights, 900)[0] is not None
    local, remote, _ = both(polytomy.TreeClassifier(), data, y, weights, tmp_path, [400])
    assert local == remote


def test_large_tables_decide_on_samples(tmp_path):
    data, y = mixed_table(120_000, seed=3)
    local, remote, rows = both(polytomy.TreeClassifier(16), data, y, None, tmp_path, [50_000])
    assert local == remote
    assert sorted(rows.taken) == [8_000, 15_000]


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"effort": "balanced"}, "teacher"),
        ({"search": 2}, "search"),
        ({"max_leaves": "cv"}, "cross-validation"),
        ({"pruner": "reduced-error"}, "holds out rows"),
        ({"procedure": "per-leaf", "overgrow": 2.0}, "overgrow"),
    ],
)
def test_what_needs_all_rows_is_refused_before_they_are_read(parameters, what):
    def unread():
        raise AssertionError("the rows were read")

    with pytest.raises(ParameterError, match=what):
        fit_remote(polytomy.TreeClassifier(**parameters), unread)


def test_monotonic_columns(tmp_path):
    data, y = mixed_table(900, seed=4)
    estimator = polytomy.TreeClassifier(16, monotonic_cst={"x": 1, "few": -1})
    local, remote, _ = both(estimator, data, y, None, tmp_path, [300])
    assert local == remote
    high = y == np.unique(y)[-1]
    named = pd.Series(
        np.where(high, "high", "low"), dtype=pd.CategoricalDtype(["low", "high"], True)
    )
    turned, remote, _ = both(estimator, data, named, None, tmp_path, [300])
    assert turned == remote  # by the order of the type
    assert turned != both(estimator, data, named.astype(str), None, tmp_path, [300])[0]


@pytest.mark.parametrize(
    "constraints",
    [
        {"never_ask": "x"},
        {"columns_first": ["few"], "only_after": {"x": "few"}},
        {"column_cost": {"x": 0.2}},
        {"min_child_share": 0.1, "min_difference": 0.03},
    ],
    ids="+".join,
)
def test_constraints_on_columns_and_branches(tmp_path, constraints):
    data, y = mixed_table(900, seed=4)
    y = np.asarray(y) == np.asarray(y)[0]
    estimator = polytomy.TreeClassifier(16, **constraints)
    local, remote, _ = both(estimator, data, y, None, tmp_path, [300])
    assert local == remote
