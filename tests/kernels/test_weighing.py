"""Weights of rows between two rounds of boosting; they do not depend on the number of threads."""

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import kernels

N = 40_000  # enough for two threads


@pytest.fixture
def rows():
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 2, N).astype(np.uint16)
    shares = rng.random(N) + 0.5
    votes = np.rint(rng.standard_normal((N, 1)) * 2**20) / 2**20
    leaf = rng.integers(0, 3, N).astype(np.int32)
    return (labels, shares / shares.sum()), votes, (leaf, np.array([[0.5], [-0.25], [0.0]]))


def exponential(sample, votes, leaves, worst, threads):
    moved, units = votes.copy(), np.zeros(N, dtype=np.int64)
    found = kernels.weigh_exponential(sample, moved, leaves, worst, units, threads)
    return found, moved, units


def logistic(sample, votes, leaves, _worst, threads):
    moved, out = votes.copy(), np.zeros((2, N), dtype=np.int64)
    found = kernels.weigh_logistic(sample, moved, leaves, (4.0, 2.0**-50), tuple(out), threads)
    return found, moved, out


def test_weigh_exponential_gives_the_weights_of_the_loss(rows):
    sample, votes, leaves = rows
    labels, shares = sample
    (log_loss, error, worst, _), moved, units = exponential(*rows, np.inf, 2)
    assert np.array_equal(moved, votes + leaves[1][leaves[0]])
    pain = np.where(labels == 1, -1.0, 1.0) * moved[:, 0]
    weights = shares * np.exp(pain)
    assert log_loss == pytest.approx(np.log(weights.sum()), abs=1e-12)
    assert error == pytest.approx(shares[(moved[:, 0] > 0) != (labels == 1)].sum(), abs=1e-12)
    assert worst == pain.max()
    assert units / 2.0**52 == pytest.approx(weights / weights.sum(), rel=1e-12)


@pytest.mark.parametrize("weigh", [exponential, logistic])
def test_weighing_is_identical_for_any_threads_and_known_bound(rows, weigh):
    sample, votes, _ = rows
    worst = float((np.where(sample[0] == 1, -1.0, 1.0) * votes[:, 0]).max())
    first, moved, units = weigh(*rows, worst, 1)
    for other in (weigh(*rows, worst, 2), weigh(*rows, np.inf, 3)):
        assert other[0][:3] == first[:3]
        assert np.array_equal(other[1], moved)
        assert np.array_equal(other[2], units)
    resumed = weigh(sample, moved, None, np.inf, 1)
    assert resumed[0][:3] == first[:3]
    assert np.array_equal(resumed[2], units)


@pytest.mark.parametrize("weigh", [exponential, logistic])
def test_weighing_refuses_arrays_that_do_not_match(rows, weigh):
    sample, votes, (leaf, scores) = rows
    with pytest.raises(ValueError, match="no such leaf"):
        weigh(sample, votes, (leaf, scores[:2].copy()), np.inf, 1)
    with pytest.raises(ValueError, match="no such leaf"):
        weigh(sample, votes, (leaf - 1, scores), np.inf, 1)
    with pytest.raises(ValueError, match="one leaf per row"):
        weigh(sample, votes, (leaf[:-1].copy(), scores), np.inf, 1)
    with pytest.raises(ValueError, match="one share and one vote per row"):
        weigh(sample, np.zeros((N, 2)), None, np.inf, 1)


def test_equal_shares_need_not_be_given(rows):
    (labels, _), votes, leaves = rows
    shares = np.full(N, 1 / N)
    for kernel in (exponential, logistic):
        found = kernel((labels, None), votes, leaves, np.inf, 2)
        expected = kernel((labels, shares), votes, leaves, np.inf, 1)
        assert found[0] == pytest.approx(expected[0], abs=1e-15)  # errors are counted, not added
        assert all(map(np.array_equal, found[1:], expected[1:]))


@given(st.lists(st.floats(0, 1e300), max_size=40), st.randoms(use_true_random=False))
def test_exact_sum_is_right_in_any_order(terms, random):
    found = kernels.exact_sum(np.array(terms, dtype=float))
    assert found == pytest.approx(fsum(terms), rel=4e-16, abs=1e-240)
    random.shuffle(terms)
    assert kernels.exact_sum(np.array(terms, dtype=float)) == found


@pytest.mark.parametrize("others", [[], [1.0], [np.inf], [1.0] * 5000, [2.0**1000]])
def test_exact_sum_of_nan_is_nan(others):
    for terms in ([np.nan, *others], [*others, np.nan]):
        assert np.isnan(kernels.exact_sum(np.array(terms)))
    assert kernels.exact_sum(np.array(others)) == sum(others)
