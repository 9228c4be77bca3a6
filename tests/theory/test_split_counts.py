"""Numbers of splits against enumerations, identities and exact integers."""

from math import comb, exp, inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import ParameterError
from polytomy.theory import log_n_splits
from tests.naive import split_counts as naive


def agrees(log_n, n):
    return exp(log_n) == pytest.approx(n, rel=1e-9) if n else log_n == -inf


@given(st.integers(1, 7), st.integers(1, 9), st.booleans())
def test_intervals_equal_an_enumeration(bins, k, has_missing):
    found = log_n_splits("intervals", bins, k, has_missing)
    assert agrees(found, len(naive.interval_splits(bins, k, has_missing)))


@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize("categories", range(1, 6))
def test_groups_equal_an_enumeration(categories, has_missing):
    for k in range(1, categories + 3):
        found = log_n_splits("groups", categories, k, has_missing)
        assert agrees(found, len(naive.group_splits(categories, k, has_missing)))


@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize("categories", range(1, 6))
def test_values_equal_an_enumeration(categories, has_missing):
    found = log_n_splits("values", categories, categories, has_missing)
    assert agrees(found, len(naive.value_splits(categories, has_missing)))
    assert log_n_splits("values", categories, categories + 2, has_missing) == -inf


def stirling_row(n):
    """Return S(n, 0), ..., S(n, n) as integers."""
    row = [1]
    for _ in range(n):
        row = [0, *(k * above + left for k, (above, left) in enumerate(_neighbours(row), 1))]
    return row


def _neighbours(row):
    return zip([*row[1:], 0], row, strict=True)


@pytest.mark.parametrize(
    ("n", "tolerance"), [(40, 1e-12), (512, 1e-10), (513, 1.25e-4), (900, 1e-4)]
)
def test_groups_equal_exact_integers_on_both_sides_of_the_table(n, tolerance):
    row = stirling_row(n)
    for k in range(1, n + 1):
        assert log_n_splits("groups", n, k) == pytest.approx(log(row[k]), rel=0, abs=tolerance)


@given(st.integers(2, 100_000))
def test_groups_equal_the_closed_forms(n):
    """S(n, 2) = 2^(n-1) - 1, S(n, n-1) = C(n, 2), S(n, 1) = S(n, n) = 1."""
    near = {"rel": 1e-12, "abs": 1e-4}
    assert log_n_splits("groups", n, 2) == pytest.approx(log(2 ** (n - 1) - 1), **near)
    assert log_n_splits("groups", n, n - 1) == pytest.approx(log(comb(n, 2)), **near)
    assert log_n_splits("groups", n, 1) == log_n_splits("groups", n, n) == 0
    assert log_n_splits("groups", n, n + 1) == -inf


@given(st.integers(1001, 6000), st.data())
def test_groups_keep_their_recurrence_when_approximated(n, data):
    """S(n, k) = k S(n-1, k) + S(n-1, k-1)."""
    k = data.draw(st.integers(2, n - 1))
    most = max(
        a := log(k) + log_n_splits("groups", n - 1, k), b := log_n_splits("groups", n - 1, k - 1)
    )
    sum_of_both = most + log(exp(a - most) + exp(b - most))
    assert log_n_splits("groups", n, k) == pytest.approx(sum_of_both, rel=0, abs=1e-5)


@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize("k", [1000, 1001, 1002, 1500, 2500, 2999])
def test_intervals_equal_exact_integers_on_both_sides_of_the_limit(k, has_missing):
    ways = comb(2999, k - 1)
    if has_missing:
        ways = k * ways + comb(2999, k - 2)
    assert log_n_splits("intervals", 3000, k, has_missing) == pytest.approx(log(ways), abs=1e-9)


def test_unknown_families_are_refused():
    with pytest.raises(ParameterError, match="family must be intervals, groups or values, got 'x'"):
        log_n_splits("x", 3, 2)
