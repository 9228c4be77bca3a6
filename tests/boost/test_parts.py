"""Boosting on rows in parts: the ensemble of one part, for any division and after losses."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import kernels
from polytomy.boost import (
    Booster,
    BoostingPart,
    BoostingSample,
    BoostParams,
    PartedTraining,
    added,
    fact_sums,
    facts_from,
    fingerprint,
    row_hashes,
)
from polytomy.encode import encode
from polytomy.grow import GrowParams, Histograms
from polytomy.table import Table
from tests.boost.small_runs import mixed

ALGORITHMS = {
    "adaboost": 2,
    "adaboost-real": 2,
    "adaboost-mh": 3,
    "samme": 3,
    "logitboost": 2,
    "multiclass logitboost": 3,
}


class PartsHere:
    """Parts in this process, which are lost now and then and made again from the log."""

    def __init__(self, samples, lost=()):
        self.samples, self.lost, self.log = samples, lost, []
        self.n_asked = self.n_sums = 0

    def begin(self, beginning):
        self.beginning, self.log = beginning, []
        self.parts = [BoostingPart(sample, beginning) for sample in self.samples]

    def add(self, entry):
        self.log.append(pickle.loads(pickle.dumps(entry)))
        for part in self.parts:
            part.follow(self.log[-1])

    def sums(self):
        self._lose()
        self.n_sums += 1
        return added([part.sums() for part in self.parts])

    def histograms(self, requests):
        self._lose()
        total, *others = [part.histograms(requests) for part in self.parts]
        for found in others:
            total = [Histograms.__add__(a, b) for a, b in zip(total, found, strict=True)]
        return total

    def _lose(self):
        self.n_asked += 1
        if self.n_asked in self.lost:
            self.parts[-1] = BoostingPart(self.samples[-1], self.beginning)
            for entry in self.log:
                self.parts[-1].follow(entry)


def run(name, weighted=True, n=90, grow=None, **options):
    """Return a sample, its table and the parameters of a run."""
    columns, labels, weights = mixed(1, n, ALGORITHMS[name])
    table = Table.of(columns)
    sample = BoostingSample.of(
        encode(table), labels, ALGORITHMS[name], weights if weighted else None
    )
    params = BoostParams(
        grow=GrowParams(**({"max_leaves": 4} | (grow or {}))),
        algorithm=name.split()[-1],
        **options,
    )
    return sample, table, params


def in_parts(sample, groups):
    """Return the rows of each group as a part."""
    parts = [
        replace(
            sample,
            coded=sample.coded.take(rows),
            labels=sample.labels[rows],
            shares=sample.shares[rows],
        )
        for rows in groups
        if len(rows)
    ]
    whole = facts_from(added([fact_sums(part) for part in parts]))
    none = BoostingSample.without_rows(sample.coded.schema, whole, sample.size)
    return none, [replace(part, whole=whole) for part in parts]


def booster_in_parts(sample, params, groups, lost=(), progress=None):
    none, parts = in_parts(sample, groups)
    training = PartedTraining(none, params, PartsHere(parts, lost))
    return Booster(none, params, training=training, progress=progress)


def same(one, other):
    assert list(one.rounds) == list(other.rounds)
    assert np.array_equal(one.start, other.start)
    assert (len(one.members), one.ended) == (len(other.members), other.ended)
    for a, b in zip(one.members, other.members, strict=True):
        assert np.array_equal(a.scores, b.scores)
        for name in ("kind", "feature", "parent", "child", "threshold", "counts", "rows"):
            assert np.array_equal(getattr(a.tree, name), getattr(b.tree, name)), name


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_parts_give_the_ensemble_of_all_rows(name, weighted):
    sample, table, params = run(name, weighted)
    local = Booster(sample, params, table=table).run(6)
    order = np.random.default_rng(0).permutation(sample.n_rows)
    for groups in ([order], [order[:1], order[1:40], order[:0], order[40:]]):
        same(booster_in_parts(sample, params, groups).run(6), local)


@given(st.sampled_from(sorted(ALGORITHMS)), st.data())
def test_any_parts_and_losses_give_the_ensemble_of_all_rows(name, data):
    sample, table, params = run(name, data.draw(st.booleans()), n=30)
    place = data.draw(st.lists(st.integers(0, 3), min_size=30, max_size=30))
    groups = [np.flatnonzero(np.array(place) == part) for part in range(4)]
    lost = data.draw(st.sets(st.integers(1, 25), max_size=3))
    local = Booster(sample, params, table=table).run(3)
    same(booster_in_parts(sample, params, groups, lost).run(3), local)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_parts_resume_from_a_progress(name):
    sample, table, params = run(name)
    local = Booster(sample, params, table=table).run(3)
    groups = np.array_split(np.arange(sample.n_rows), 3)
    resumed = booster_in_parts(sample, params, groups, progress=local.progress)
    same(resumed.run(6), Booster(sample, params, table=table).run(6))


@pytest.mark.parametrize("name", ["adaboost", "adaboost-real", "logitboost"])
@pytest.mark.parametrize(
    "grow",
    [
        {"max_depth": 1, "max_leaves": 8},
        {"procedure": "gain-ratio", "max_leaves": 6},
        {"max_leaves": None, "min_samples_leaf": 5},
        {"min_gain": 0.002, "max_leaves": 20},
    ],
)
def test_parts_grow_every_kind_of_tree(name, grow):
    sample, table, params = run(name, grow=grow, learning_rate=0.5)
    local = Booster(sample, params, table=table).run(5)
    groups = np.array_split(np.arange(sample.n_rows), 3)
    same(booster_in_parts(sample, params, groups).run(5), local)


@pytest.mark.filterwarnings("ignore:the first tree is no better than chance")
@pytest.mark.parametrize("algorithm", ["adaboost", "samme", "adaboost-real", "adaboost-mh"])
def test_perfect_and_useless_trees_end_runs_in_parts(algorithm):
    for columns, labels in (
        ({"x": np.arange(8.0)}, [0, 1, 1, 0, 1, 1, 0, 0]),
        ({"x": np.tile([0.0, 1.0], 4)}, [0, 0, 1, 1] * 2),
    ):
        table = Table.of(columns)
        sample = BoostingSample.of(encode(table), labels, 2)
        params = BoostParams(grow=GrowParams(max_leaves=8), algorithm=algorithm)
        local = Booster(sample, params, table=table).run(3)
        there = booster_in_parts(sample, params, [[0, 2, 4], [1, 3, 5, 6, 7]]).run(3)
        same(there, local)
        assert there.ended is not None


def test_weights_far_below_their_bound_are_computed_again():
    table = Table.of({"x": np.arange(8.0)})
    sample = BoostingSample.of(encode(table), [0] * 4 + [1] * 4, 2)
    params = BoostParams(algorithm="adaboost-real", learning_rate=1000.0)
    none, parts = in_parts(sample, [[0, 5], [1, 2, 3, 4, 6, 7]])
    here = PartsHere(parts)
    there = Booster(none, params, training=PartedTraining(none, params, here)).run(3)
    same(there, Booster(sample, params, table=table).run(3))
    assert here.n_sums == 4  # the largest vote and the weights before the round, and twice after


def test_hashes_of_parts_add_up_to_those_of_all_rows():
    sample, _, params = run("adaboost-mh")
    none, parts = in_parts(sample, np.array_split(np.arange(sample.n_rows), 3))
    hashes = [sum(sums) for sums in zip(*map(row_hashes, parts), strict=True)]
    assert fingerprint(none, params, None, hashes) == fingerprint(sample, params)


@given(st.lists(st.floats(0, 1e200), max_size=60), st.integers(0, 60))
def test_exact_sums_of_parts_are_those_of_all_terms(terms, cut):
    values = np.array(terms, dtype=float)
    one, other = kernels.ExactSum.of(values[:cut]), kernels.ExactSum.of(values[cut:])
    both = pickle.loads(pickle.dumps(one)) + other
    assert both.value() == kernels.exact_sum(values) == (other + one).value()


@pytest.mark.parametrize("bad", [np.nan, -1.0, np.inf, 2.0**901])
def test_exact_sums_refuse_other_terms(bad):
    with pytest.raises(ValueError, match="from 0 to 2"):
        kernels.ExactSum.of(np.array([1.0, bad]))
