"""Bounds by size: against hand values and brute force, and invalid arguments."""

from itertools import combinations
from math import exp, inf, log, log2, sqrt

import numpy as np
import pytest

from polytomy import ParameterError
from polytomy.theory import phi, steps_for
from polytomy.theory.bounds import (
    occam_bound,
    plan,
    sample_size,
    tree_size_bound,
    vc_bounds,
)


def functions_of_trees(n, s):
    """Return the truth tables of all trees of at most s leaves, as bit masks of 2^n examples."""
    every = (1 << 2**n) - 1
    bit = [sum(1 << x for x in range(2**n) if x >> i & 1) for i in range(n)]
    of_size = {1: {0, every}}
    for size in range(2, s + 1):
        of_size[size] = {
            (f & bit[i]) | (g & every & ~bit[i])
            for i in range(n)
            for left in range(1, size)
            for f in of_size[left]
            for g in of_size[size - left]
        } | of_size[size - 1]
    return of_size[s]


def vc_by_search(n, s):
    tables = functions_of_trees(n, s)
    for size in range(2**n, 0, -1):
        for points in combinations(range(2**n), size):
            seen = {tuple(table >> x & 1 for x in points) for table in tables}
            if len(seen) == 2**size:
                return size
    return 0


@pytest.mark.parametrize(
    ("n", "s"), [(1, 1), (1, 2), (1, 5), (2, 1), (2, 2), (2, 3), (2, 4), (2, 9), (3, 2), (3, 3)]
)
def test_vc_bounds_contain_the_vc_dimension_found_by_search(n, s):
    bounds = vc_bounds(s, n)
    assert bounds.lower <= vc_by_search(n, s) <= bounds.upper
    if s >= 2**n:  # there are fewer than s examples, so the lecture's s <= VC would be wrong
        assert bounds == (2**n, 2**n)


def test_vc_bounds_for_boolean_columns_equal_the_lectures():
    assert vc_bounds(5, 16) == (5, 5 * 7.0)
    assert vc_bounds(16, 569) == (16, pytest.approx(16 * log2(8 * 569)))
    assert vc_bounds(7, 200).upper == pytest.approx(7 * log2(1600))  # 2^200 does not limit it


@pytest.mark.parametrize("s", [1, 2, 5, 30, 1000])
@pytest.mark.parametrize("d", [1, 2, 7])
def test_vc_bounds_by_dimension_equal_the_largest_size_the_count_allows(s, d):
    def allowed(m):  # 2^m <= 4^s 2^s m^(ds), in integers
        return 2**m <= 8**s * m ** (d * s)

    bounds = vc_bounds(s, vc_dimension=d)
    upper = int(bounds.upper)
    assert upper == bounds.upper
    assert allowed(upper)
    assert not allowed(upper + 1)
    assert bounds.lower == (d if s > 1 else 1)


@pytest.mark.parametrize("s", [1, 2, 8, 100])
def test_vc_bounds_by_dimension_hold_for_thresholds_on_a_line(s):
    # s leaves make s intervals, which shatter exactly s points; thresholds alone shatter one
    bounds = vc_bounds(s, vc_dimension=1)
    assert bounds.lower <= s <= bounds.upper


def test_occam_bound_equals_values_computed_by_hand():
    assert occam_bound(0.1, 100, 1000) == pytest.approx(
        0.1 + sqrt((100 * 0.69314718 + 2.99573227) / 2000)
    )
    assert occam_bound(0.0, 0, 1, 0.5) == pytest.approx(sqrt(log(2) / 2))
    assert occam_bound(0.5, 10_000, 10) > 1  # vacuous, but not clipped
    assert occam_bound(0.1, 100, 1000, 0.01) > occam_bound(0.1, 100, 1000, 0.1)


def test_tree_size_bound_equals_values_computed_by_hand():
    assert tree_size_bound("sqrt", 0.5, 0.5) == pytest.approx(16)
    assert tree_size_bound("entropy", 0.5, 0.5) == pytest.approx(exp(4 * log(2) ** 2))
    assert tree_size_bound("gini", 0.5, 0.5) == pytest.approx(exp(16 * log(2) ** 2))
    assert tree_size_bound("sqrt", 0.5, 0.5, constant=0.5) == pytest.approx(4)
    sizes = [tree_size_bound(index, 0.3, 0.2) for index in ("sqrt", "entropy", "gini")]
    assert sizes == sorted(sizes)
    assert tree_size_bound("gini", 0.1, 0.01) == inf
    assert tree_size_bound("entropy", 1e-200, 0.5) == inf
    assert (
        tree_size_bound("gini", 1e-200, 1.0, constant=1e300) == 1
    )  # the error of one leaf is at most 1


@pytest.mark.parametrize("n", [1, 2, 30, 10**400])
@pytest.mark.parametrize("delta", [0.001, 0.05, 0.5])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.3])
def test_sample_size_is_enough_for_every_hypothesis(n, delta, epsilon):
    m = sample_size(epsilon, delta, n)
    assert log(2) + log(n) - 2 * epsilon**2 * m <= log(delta) + 1e-9  # Hoeffding, both sides, union
    assert m == pytest.approx((log(n) - log(delta)) / epsilon**2, abs=1)
    assert isinstance(m, int)


def test_sample_size_is_too_small_for_one_hypothesis_and_large_delta():
    m = sample_size(0.1, 0.9, 1)
    assert 2 * exp(-2 * 0.1**2 * m) > 0.9


def test_sample_size_bounds_the_deviation_in_simulation():
    rng = np.random.default_rng(0)
    epsilon, delta, n = 0.1, 0.2, 8
    truth = np.linspace(0.1, 0.5, n)
    m = sample_size(epsilon, delta, n)
    observed = rng.binomial(m, truth, size=(4000, n)) / m
    failed = (np.abs(observed - truth) > epsilon).any(axis=1).mean()
    assert failed <= delta
    few = rng.binomial(m // 10, truth, size=(4000, n)) / (m // 10)
    assert (np.abs(few - truth) > epsilon).any(axis=1).mean() > delta


NONSENSE = [
    (lambda: vc_bounds(0, 3), "leaves must be an integer of at least 1"),
    (lambda: vc_bounds(2.0, 3), "leaves must be"),
    (lambda: vc_bounds(True, 3), "leaves must be"),
    (lambda: vc_bounds(10**400, 3), "leaves must be"),
    (lambda: vc_bounds(2, 0), "n_attributes must be"),
    (lambda: vc_bounds(2, vc_dimension=0), "vc_dimension must be"),
    (lambda: vc_bounds(2), "either n_attributes or vc_dimension"),
    (lambda: vc_bounds(2, 3, vc_dimension=1), "either n_attributes or vc_dimension"),
    (lambda: occam_bound(1.5, 10, 100), "error must be a number from 0 to 1"),
    (lambda: occam_bound(float("nan"), 10, 100), "error must be"),
    (lambda: occam_bound(0.1, -1, 100), "bits must be"),
    (lambda: occam_bound(0.1, inf, 100), "bits must be"),
    (lambda: occam_bound(0.1, 10, 0), "m must be"),
    (lambda: occam_bound(0.1, 10, "many"), "m must be"),
    (lambda: occam_bound(0.1, 10, 10**400), "m must be"),
    (lambda: occam_bound(0.1, 10, 100, 0), "delta must be"),
    (lambda: occam_bound(0.1, 10, 100, 1), "delta must be"),
    (
        lambda: tree_size_bound("error", 0.1, 0.1),
        "index must be one of gini, entropy, sqrt, got 'error'",
    ),
    (lambda: tree_size_bound("gini", 0.6, 0.1), "gamma must be"),
    (lambda: tree_size_bound("gini", 0, 0.1), "gamma must be"),
    (lambda: tree_size_bound("gini", 0.1, 0), "error must be"),
    (lambda: tree_size_bound("gini", 0.1, 0.1, constant=0), "constant must be"),
    (lambda: sample_size(0, 0.1, 5), "epsilon must be"),
    (lambda: sample_size(0.1, 2, 5), "delta must be"),
    (lambda: sample_size(0.1, 0.1, 0), "n_hypotheses must be"),
    (lambda: sample_size(0.1, 0.1, 2.5), "n_hypotheses must be"),
]


@pytest.mark.parametrize(("call", "sentence"), NONSENSE)
def test_bounds_reject_invalid_arguments(call, sentence):
    with pytest.raises(ParameterError, match=sentence):
        call()


@pytest.mark.parametrize("error", [0.02, 0.1, 0.3, 0.9])
@pytest.mark.parametrize("gamma", [0.2, 0.5, 1.0])
def test_plan_has_the_smallest_tree_and_the_rows_of_sample_size(error, gamma):
    found = plan(error, 0.95, gamma, n_attributes=12)
    s = found.leaves
    assert phi(s, gamma) <= error < phi(s - 1, gamma)
    assert s <= steps_for(error, gamma) + 1
    assert found.training_error == phi(s, gamma) / 2
    assert found.training_error + found.gap <= error
    if s < 5000:
        assert found.rows == sample_size(error / 2, 1 - 0.95, (8 * 12) ** s)


@pytest.mark.parametrize("d", [1, 4, 30])
def test_plan_rows_for_a_vc_dimension_are_the_smallest(d):
    found = plan(0.2, 0.9, 0.4, vc_dimension=d)

    def chance(m):  # of a deviation, in logarithms
        partitions = found.leaves * (log(8) + d * log(2 * exp(1) * m / d))
        return log(4) + partitions - m * found.gap**2 / 8

    assert chance(found.rows) <= log(1 - 0.9) + 1e-9 < chance(found.rows - 1)


def test_plan_of_a_hopeless_gamma_is_infinite():
    assert plan(0.001, 0.95, 1e-4, n_attributes=3)[:2] == (inf, inf)
    assert plan(0.001, 0.95, 1e-4, vc_dimension=3).rows == inf
    assert plan(0.1, 0.95, 0.01, vc_dimension=3).rows < inf
    assert plan(0.1, 0.95, 0.3).rows is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0.9, 0.1), "error must be a number above 0"),
        ((0.1, 1, 0.1), "confidence must be a number above 0 and below 1"),
        ((0.1, 0.9, 0), "gamma must be a number above 0"),
        ((0.1, 0.9, 1.5), "gamma must be a number above 0"),
        ((float("nan"), 0.9, 0.1), "error must be"),
    ],
)
def test_plan_rejects_invalid_arguments(arguments, message):
    with pytest.raises(ParameterError, match=message):
        plan(*arguments)
    with pytest.raises(ParameterError, match="not both"):
        plan(0.1, 0.9, 0.3, n_attributes=3, vc_dimension=2)
    with pytest.raises(ParameterError, match="n_attributes must be an integer"):
        plan(0.1, 0.9, 0.3, n_attributes=0)
