"""Runs with a numeric target against brute force: every step takes the best split there is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy._errors import TargetError
from polytomy.encode import NumericTarget, encode
from polytomy.grow import Grower, GrowParams, Tuning, grow
from polytomy.table import Table
from tests.naive.runs import assert_best_steps, coded_table
from tests.strategies import nominal_cells, ordered_cells


@st.composite
def samples(draw, max_rows=12):
    n = draw(st.integers(1, max_rows))
    columns = {"a": draw(ordered_cells(n, 5))}
    if draw(st.booleans()):
        columns["b"] = draw(nominal_cells(n, 4))
    y = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 2.5, 7.0, 40.0]), min_size=n, max_size=n))
    w = draw(st.none() | st.lists(st.sampled_from([1.0, 2.0, 0.3]), min_size=n, max_size=n))
    return columns, np.array(y), None if w is None else np.array(w)


PROCEDURES = st.sampled_from(
    [
        ("per-leaf", "auto"),
        ("kearns-mansour", "heaviest"),
        ("kearns-mansour", "steepest"),
        ("hatano", "auto"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    samples(),
    PROCEDURES,
    st.integers(2, 6),
    st.integers(2, 4),
    st.sampled_from(["squared_error", "poisson"]),
)
def test_every_step_takes_the_best_split(sample, procedure, max_leaves, max_arity, criterion):
    columns, y, w = sample
    name, order = procedure
    params = GrowParams(
        max_leaves=max_leaves,
        procedure=name,
        leaf_order=order,
        max_arity=max_arity,
        index=criterion,
    )
    assert_best_steps(columns, y, w, params)


@settings(max_examples=40, deadline=None)
@given(samples(max_rows=30), st.integers(0, 2**32 - 1))
def test_threads_order_and_scale_do_not_change_the_tree(sample, seed):
    columns, y, w = sample
    table, coded = coded_table(columns)
    params = GrowParams(max_leaves=None, index="squared_error")

    def shape(target, coded, table, **tuning):
        tree = Grower(coded, target, params, table=table, tuning=Tuning(**tuning)).finish()
        return tree.child.tolist(), tree.feature.tolist(), tree.threshold.tolist(), tree.mean

    first = shape(NumericTarget.of_numbers(y, w), coded, table)
    planned = shape(NumericTarget.of_numbers(y, w), coded, table, threads=2, apart=3)
    scaled = shape(NumericTarget.of_numbers(y * 8 - 16, w), coded, table)
    order = np.random.default_rng(seed).permutation(len(y))
    moved = shape(
        NumericTarget.of_numbers(y[order], None if w is None else w[order]),
        coded.take(order),
        table.take(order),
    )
    assert planned[:3] == first[:3] == scaled[:3] == moved[:3]
    np.testing.assert_allclose(scaled[3], first[3] * 8 - 16, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(moved[3], first[3], rtol=1e-9, atol=1e-9)


def test_a_node_of_equal_numbers_is_pure_whatever_their_size():
    x = np.arange(12.0)
    table = Table.of({"x": x})
    y = np.repeat([1e9 + 0.1, 1e9 + 0.3, -5.0], 4)
    target = NumericTarget.of_numbers(y)
    growth = grow(encode(table), target, GrowParams(max_leaves=None, index="squared_error"), table)
    assert growth.tree.n_leaves == 3
    np.testing.assert_array_equal(np.sort(growth.tree.mean[growth.tree.leaves()]), np.unique(y))


def test_an_outlier_does_not_hide_the_rest():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(20_000)
    y = np.where(x > 0, 1.0, 0.0)
    y[0] = 1e7
    table = Table.of({"x": x, "first": (np.arange(20_000) == 0).astype(float)})
    target = NumericTarget.of_numbers(y)
    params = GrowParams(max_leaves=3, index="squared_error", max_arity=2)
    tree = grow(encode(table), target, params, table).tree
    assert sorted(tree.mean[tree.leaves()].tolist()) == [0.0, 1.0, 1e7]


@pytest.mark.parametrize(
    ("y", "criterion", "message"),
    [
        ([], "squared_error", "non-empty"),
        ([1.0, np.inf], "squared_error", "finite"),
        ([-1e200, 1e200], "squared_error", "squares of such numbers"),
        ([0.0, 1e-200], "squared_error", "rescale y"),
        ([-1.0, 2.0], "poisson", "at least 0; row 0 has -1"),
    ],
)
def test_numbers_that_cannot_be_used_are_refused(y, criterion, message):
    with pytest.raises(TargetError, match=message):
        NumericTarget.of_numbers(y, criterion=criterion)


def test_min_gain_is_in_units_of_the_mean_squared_error():
    x, y = np.arange(8.0), np.array([0.0, 0, 0, 0, 10, 10, 10, 11])
    table = Table.of({"x": x})
    target = NumericTarget.of_numbers(y)
    small = GrowParams(max_leaves=None, index="squared_error", min_gain=0.1, max_arity=2)
    assert grow(encode(table), target, small, table).tree.n_leaves == 2
    smaller = GrowParams(max_leaves=None, index="squared_error", min_gain=0.09, max_arity=2)
    assert grow(encode(table), target, smaller, table).tree.n_leaves == 3
