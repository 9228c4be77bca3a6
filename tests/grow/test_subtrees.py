"""Splits below nodes of few rows, found at once: as in the reference and the general engine."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polytomy import kernels
from polytomy.encode import NumericTarget, Target, encode
from polytomy.forest import ForestParams
from polytomy.forest.sampling import RowSampler
from polytomy.grow import Grower, GrowParams, Tuning
from polytomy.table import Table
from polytomy.tree import subtree_sums
from tests.grow.test_engine import assert_same, grown_with
from tests.naive.runs import assert_same_leaves, assert_same_run, quiet
from tests.strategies import cases, grown_trees, random_cases

SLOW = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
NEVER = Tuning(subtree=0)


@st.composite
def binary_params(draw):
    """Parameters of runs without a budget that the search for subtrees serves."""
    procedure = draw(st.sampled_from(["per-leaf", "kearns-mansour"]))
    return GrowParams(
        max_leaves=None,
        max_arity=2,
        families=("intervals",),
        procedure=procedure,
        index=draw(st.sampled_from(["gini", "sqrt", "entropy", "error"])),
        max_depth=draw(st.none() | st.integers(1, 5)),
        min_samples_split=draw(st.integers(2, 5)),
        min_samples_leaf=draw(st.sampled_from([1, 1, 2, 3])),
        min_weight_fraction_leaf=draw(st.sampled_from([0.0, 0.0, 0.05])),
        min_gain=draw(st.sampled_from([0.0, 0.0, 0.01])),
        columns_per_node=draw(st.none() | st.integers(1, 3)),
        seed=draw(st.integers(0, 99)),
    )


@SLOW
@given(cases() | random_cases(max_rows=60), binary_params())
def test_subtrees_take_the_steps_of_the_reference(case, params):
    assert_same_leaves(case, *assert_same_run(case, params))


@SLOW
@given(
    cases() | random_cases(max_rows=120), binary_params(), st.sampled_from([1, 2, 5, 20, 40, None])
)
def test_subtrees_of_any_size_change_nothing(case, params, most):
    plain = grown_with(case.coded, case.target, params, NEVER)
    assert_same(plain, grown_with(case.coded, case.target, params, Tuning(subtree=most)))


@SLOW
@given(random_cases(max_rows=60), binary_params(), st.integers(1, 9))
def test_subtrees_of_a_stopped_run_are_left_in_the_middle(case, params, most):
    def leaves(tuning):
        grower = quiet(lambda: Grower(case.coded, case.target, params, tuning=tuning))
        for _ in range(most):
            grower.step()
        return grower.leaves().tolist()

    assert leaves(NEVER) == leaves(Tuning())


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("most", [3, 50, None])
def test_subtrees_of_bags_of_numbers_change_nothing(criterion, weighted, most):
    rng = np.random.default_rng(4)
    x = rng.standard_normal((2000, 5)).round(1)
    x[rng.random(x.shape) < 0.03] = np.nan
    y = rng.poisson(np.exp(np.nan_to_num(x[:, 0]))).astype(float)
    table = Table.of({f"x{j}": x[:, j] for j in range(5)})
    weights = rng.integers(1, 4, 2000).astype(float) if weighted else None
    target = NumericTarget.of_numbers(y, weights, criterion)
    coded = encode(table, target.case_units[0])
    params = GrowParams(max_leaves=None, max_arity=2, index=criterion, columns_per_node=2)
    plain, other = (
        Grower(coded, target, params, tuning=tuning) for tuning in (NEVER, Tuning(subtree=most))
    )
    sampler = RowSampler(coded, target, ForestParams(), seed=3)
    for number in range(3):
        bag = sampler.bag(number)
        for grower in (plain, other):
            grower.restart(bag.target, bag.rows, bag.seed)
        assert_same(plain.grow(), other.grow())
        assert np.array_equal(plain.leaves()[bag.rows], other.leaves()[bag.rows])


def test_subtrees_are_not_used_where_other_splits_are_possible():
    rng = np.random.default_rng(5)
    table = Table.of({"x": rng.random(300), "town": rng.choice(list("abc"), 300).astype(object)})
    target = Target.of(rng.integers(0, 3, 300))
    for change in ({}, {"max_arity": 4}, {"max_leaves": 20}):
        params = replace(GrowParams(max_leaves=None, max_arity=2), **change)
        plain = grown_with(encode(table), target, params, NEVER)
        assert_same(plain, grown_with(encode(table), target, params, Tuning()))


@given(grown_trees(), st.integers(0, 2**32 - 1))
def test_add_up_subtrees_equals_subtree_sums(grown, seed):
    values = np.random.default_rng(seed).standard_normal((grown.tree.n_nodes, 3))
    sums = values.copy()
    kernels.add_up_subtrees(grown.tree.parent, sums)
    assert np.array_equal(sums, subtree_sums(grown.tree, values))


def test_add_up_subtrees_refuses_parents_after_their_children():
    with pytest.raises(ValueError, match="a parent comes before its children"):
        kernels.add_up_subtrees(np.array([-1, 2, 0], dtype=np.int32), np.zeros((3, 1)))
