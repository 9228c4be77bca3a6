"""The whole grown tree against brute force: every leaf, option, tie and weight."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from polytomy.grow import grow
from polytomy.tree import check_tree
from tests.naive.grower import naive_grow
from tests.naive.route import naive_leaf
from tests.strategies import cases, grow_params, random_cases

SLOW = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def grown(case, params, threads=1):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the error index says it is for teaching
        return grow(case.coded, case.target, params, case.table, threads)


def assert_same_run(case, params):
    growth = grown(case, params)
    steps = naive_grow(case.naive_table, case.labels, case.units, case.n_classes, params)
    assert [e.leaf for e in growth.expansions] == [s.leaf for s in steps]
    unit = case.target.unit
    for fast, slow in zip(growth.expansions, steps, strict=True):
        assert (fast.arity, fast.option.feature) == (slow.option.arity, slow.option.feature)
        assert fast.option.family == slow.option.family
        scale = 1e-9 * fast.impurity
        assert fast.gain == pytest.approx(slow.option.gain * unit, abs=scale)
        if slow.best_binary is None:
            assert fast.best_binary_gain is None
        else:
            assert fast.best_binary_gain == pytest.approx(slow.best_binary * unit, abs=scale)
    return growth, steps


@SLOW
@given(cases() | random_cases(), grow_params())
def test_every_step_is_the_one_brute_force_takes(case, params):
    growth, steps = assert_same_run(case, params)
    check_tree(growth.tree)
    members = {0: list(range(len(case.labels)))}
    for fast, slow in zip(growth.expansions, steps, strict=True):
        members.update(zip(fast.children, slow.children, strict=True))
    for leaf in growth.tree.leaves().tolist():
        for i in members[leaf]:
            assert naive_leaf(growth.tree, case.coded.schema, case.row(i)) == leaf
        counts = np.zeros(case.n_classes)
        np.add.at(
            counts, [case.labels[i] for i in members[leaf]], [case.units[i] for i in members[leaf]]
        )
        np.testing.assert_allclose(growth.tree.counts[leaf], counts * case.target.unit, rtol=1e-12)


def sum_of_roots_of_pairs(counts):
    """A user's index: the sum over pairs of classes of 2 sqrt(c_i c_j), which is `sqrt`."""
    c = np.sqrt(np.asarray(counts, dtype=float))
    return c.sum(axis=-1) ** 2 - (c**2).sum(axis=-1)


@settings(SLOW, max_examples=100)
@given(cases() | random_cases(max_rows=16), grow_params(index=sum_of_roots_of_pairs))
def test_a_users_index_takes_the_same_steps(case, params):
    assert_same_run(case, params)
