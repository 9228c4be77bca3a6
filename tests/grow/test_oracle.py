"""Whole runs of the grower against ``polytomy.reference``: every leaf, split, tie and weight."""

import warnings
from dataclasses import fields
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from polytomy import reference
from polytomy.grow import grow
from polytomy.tree import check_tree
from tests.naive.route import naive_leaf
from tests.strategies import cases, grow_params, random_cases

SLOW = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def quiet(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the error index warns: it is for teaching
        return function()


def grown(case, params, threads=1):
    return quiet(lambda: grow(case.coded, case.target, params, case.table, threads))


def reference_run(case, params):
    rules = {field.name: getattr(params, field.name) for field in fields(params)}
    assert not rules.pop("monotonic")  # the reference has no constraints
    assert rules.pop("constraints").is_empty
    run = reference.Run(case.columns, case.labels, case.units, case.target.unit, **rules)
    run.grow()
    return run


def assert_same_run(case, params):
    growth = grown(case, params)
    run = reference_run(case, params)
    assert [e.leaf for e in growth.expansions] == [s.leaf.number for s in run.steps]
    unit = case.target.unit
    for fast, slow in zip(growth.expansions, run.steps, strict=True):
        assert (fast.arity, fast.option.feature) == (slow.split.arity, slow.split.column)
        assert fast.option.family == slow.split.family
        scale = 1e-9 * fast.impurity
        assert fast.gain == pytest.approx(slow.split.gain * unit, abs=scale)
        if slow.best_binary is None:
            assert fast.best_binary_gain is None
        else:
            assert fast.best_binary_gain == pytest.approx(slow.best_binary * unit, abs=scale)
    return growth, run


@SLOW
@given(cases() | random_cases(), grow_params(drawn=True))
def test_grow_takes_the_steps_of_the_reference(case, params):
    growth, run = assert_same_run(case, params)
    check_tree(growth.tree)
    leaves = run.leaves
    assert growth.tree.leaves().tolist() == [leaf.number for leaf in leaves]
    for leaf in leaves:
        for i in leaf.rows:
            assert naive_leaf(growth.tree, case.coded.schema, case.row(i)) == leaf.number
        counts = np.zeros(case.n_classes)
        np.add.at(counts, [case.labels[i] for i in leaf.rows], [case.units[i] for i in leaf.rows])
        np.testing.assert_allclose(
            growth.tree.counts[leaf.number], counts * case.target.unit, rtol=1e-12
        )


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
