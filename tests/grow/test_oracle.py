"""Whole runs of the grower against ``polytomy.reference``: every leaf, split, tie and weight."""

from itertools import product

import numpy as np
from hypothesis import HealthCheck, given, settings

from polytomy.grow import GrowParams
from tests.naive.route import naive_leaf
from tests.naive.runs import assert_same_leaves, assert_same_run, grown, reference_run
from tests.strategies import case_of, cases, grow_params, random_cases

SLOW = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@SLOW
@given(cases() | random_cases(), grow_params(drawn=True))
def test_grow_takes_the_steps_of_the_reference(case, params):
    assert_same_leaves(case, *assert_same_run(case, params))


@settings(SLOW, max_examples=100)
@given(cases() | random_cases(), grow_params())
def test_grown_tree_sends_unseen_cells_where_the_reference_sends_them(case, params):
    growth = grown(case, params)
    run = reference_run(case, params)
    for j, column in enumerate(run.columns):
        probes = [None, -9.0, 0.25, 9.0] if column.ordered else [None, "z", *column.values]
        for i, cell in product(range(len(case.labels)), probes):
            row = case.row(i)
            row[j] = cell
            expected = run.tree.leaf(dict(zip(case.columns, row, strict=True))).number
            assert naive_leaf(growth.tree, case.coded.schema, row) == expected


def test_grow_draws_no_further_columns_if_all_options_have_become_too_wide():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        columns = {f"c{j}": rng.choice(list("abcd"), 10).tolist() for j in range(3)}
        case = case_of(columns, rng.integers(0, 2, 10).tolist(), None, 2)
        params = GrowParams(
            procedure="per-leaf",
            families=("values",),
            max_leaves=6,
            max_arity=8,
            columns_per_node=1,
            seed=seed,
        )
        assert_same_run(case, params)


def sum_of_roots_of_pairs(counts):
    """A user's index: the sum over pairs of classes of 2 sqrt(c_i c_j), which is `sqrt`."""
    c = np.sqrt(np.asarray(counts, dtype=float))
    return c.sum(axis=-1) ** 2 - (c**2).sum(axis=-1)


@settings(SLOW, max_examples=100)
@given(cases() | random_cases(max_rows=16), grow_params(index=sum_of_roots_of_pairs))
def test_grow_with_a_callable_index_takes_the_steps_of_the_reference(case, params):
    assert_same_run(case, params)


@settings(SLOW, max_examples=200)
@given(random_cases(max_rows=80, max_columns=3, follows=True), grow_params(procedures=["priced"]))
def test_grow_at_prices_takes_the_steps_of_the_reference_where_wide_splits_pay(case, params):
    assert_same_run(case, params)
