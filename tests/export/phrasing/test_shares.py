"""Class shares and their intervals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy.honesty import wilson


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilson_interval_contains_the_share(k, n):
    k = min(k, n)
    low, high = wilson(k / n, n)
    assert 0 <= low <= k / n <= high <= 1
    # its ends solve (p - share)^2 = z^2 p (1 - p) / n
    for p in (low, high):
        if 1e-9 < p < 1 - 1e-9:
            assert (p - k / n) ** 2 == pytest.approx(
                1.959963984540054**2 * p * (1 - p) / n, rel=1e-6
            )
