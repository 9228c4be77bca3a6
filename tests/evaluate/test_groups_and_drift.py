"""Rates of groups, drift of shares, and paired tests of two models."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from polytomy import ParameterError
from polytomy.evaluate import compare_errors, compare_losses, drift, group_rates
from polytomy.honesty import wilson
from tests.naive import evaluation as naive

row = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3))


@settings(max_examples=80, deadline=None)
@given(st.lists(row, min_size=1, max_size=20), st.integers(0, 2))
def test_group_rates_equal_those_counted(rows, positive):
    labels, predicted, groups = map(list, zip(*rows, strict=True))
    found = group_rates(labels, predicted, groups, positive)
    assert [one.group for one in found] == sorted(set(groups))
    for one in found:
        expected = naive.rates(labels, predicted, groups, positive, one.group)
        rates = one.error, one.base, one.selected, one.false_positive, one.false_negative
        for share, rate in zip(expected, rates, strict=True):
            assert np.isnan(rate.value) if share is None else rate.value == pytest.approx(share)
            if share is not None:
                assert (rate.low, rate.high) == pytest.approx(wilson(share, rate.rows))


def test_group_rates_of_equal_weights_are_those_of_rows():
    labels, predicted, groups = [0, 1, 1, 0, 1], [0, 1, 0, 1, 1], [0, 0, 0, 1, 1]
    plain = group_rates(labels, predicted, groups, 1)
    double = group_rates(labels, predicted, groups, 1, [2.0] * 5)
    assert [one.error for one in plain] == [one.error for one in double]
    none = group_rates(labels, predicted, groups, 1, [1.0, 1.0, 1.0, 0.0, 0.0])
    assert [one.group for one in none] == [0]
    with pytest.raises(ParameterError, match="groups"):
        group_rates(labels, predicted, [0], 1)


counts = st.lists(st.integers(1, 60), min_size=2, max_size=6)


@settings(max_examples=60, deadline=None)
@given(counts, st.randoms())
def test_drift_equals_the_sum_of_its_definition(reference, random):
    new = random.sample(reference, len(reference))
    found = drift(reference, new)
    assert found.psi == pytest.approx(naive.stability(reference, new), abs=1e-12)
    assert found.parts.sum() == pytest.approx(found.psi, abs=1e-12)
    assert found.low <= found.high
    assert found.low <= found.psi + 1e-12
    assert not found.smoothed


def test_drift_of_equal_shares_is_zero():
    found = drift([10, 20, 0], [100, 200, 0])
    assert (found.psi, found.low) == (0, 0)
    assert found.p_value == 1
    assert found.expected == pytest.approx(1 / 30 + 1 / 300)
    assert drift([5], [7]).p_value == 1


def test_drift_of_an_empty_cell_is_finite():
    found = drift([50, 50, 0], [40, 40, 20])
    assert found.smoothed
    assert 0.1 < found.psi < 2
    for bad in ([[0, 0], [1, 1]], [[1, 1], [0, 0]], [[1, -1], [1, 1]], [[1], [1, 1]]):
        with pytest.raises(ParameterError):
            drift(*bad)


@pytest.mark.parametrize("shift", [0.0, 0.06, 0.15])
def test_drift_interval_covers_the_true_index(shift):
    random = np.random.default_rng(1)
    p = np.array([0.4, 0.3, 0.2, 0.1])
    q = p + np.array([-shift, 0, 0, shift])
    true = float(((q - p) * np.log(q / p)).sum())
    found = [drift(random.multinomial(900, p), random.multinomial(400, q)) for _ in range(400)]
    assert 0.925 <= np.mean([one.low <= true <= one.high for one in found]) <= 0.985
    if shift == 0:
        assert 0.02 <= np.mean([one.p_value < 0.05 for one in found]) <= 0.08
        assert np.mean([one.psi for one in found]) == pytest.approx(found[0].expected, rel=0.15)


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (1, 0), (7, 1), (5, 5), (2, 30)])
def test_errors_are_compared_by_a_fair_coin(only_a, only_b):
    wrong_a = np.repeat([True, False, True, False], [only_a, only_b, 4, 50])
    wrong_b = np.repeat([False, True, True, False], [only_a, only_b, 4, 50])
    found = compare_errors(wrong_a, wrong_b)
    assert found.p_value == pytest.approx(naive.fair_coin(only_a, only_b))
    n = only_a + only_b
    expected = stats.binomtest(only_a, n).pvalue if n else 1.0
    assert found.p_value == pytest.approx(expected)
    assert found.difference == pytest.approx((only_b - only_a) / len(wrong_a))
    assert found.b - found.a == pytest.approx(found.difference)
    assert found.low < found.difference < found.high or n == 0
    assert compare_errors(wrong_a, wrong_b, np.full(len(wrong_a), 3.0)).p_value == found.p_value


def test_error_interval_covers_the_true_difference():
    random, covered = np.random.default_rng(2), 0
    for _ in range(400):
        draw = random.random(150)
        found = compare_errors(draw < 0.08, (draw > 0.05) & (draw < 0.2))
        covered += found.low <= 0.07 <= found.high
    assert 0.925 <= covered / 400 <= 0.98


def test_losses_are_compared_by_a_paired_t_test():
    random = np.random.default_rng(0)
    a, b = random.random(60), random.random(60) + 0.1
    theirs = stats.ttest_rel(b, a)
    found = compare_losses(a, b)
    assert found.p_value == pytest.approx(theirs.pvalue)
    interval = theirs.confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert compare_losses(a, b, np.full(60, 0.3)).p_value == pytest.approx(theirs.pvalue)
    assert compare_losses(a, a).p_value == 1
    assert compare_losses([1.0], [2.0]).high == np.inf
    assert np.isnan(compare_losses([], []).difference)
    assert compare_errors(a > 0.5, b > 0.5, random.random(60)).test == "paired t-test"
