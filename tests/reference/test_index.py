"""The reference's index functions: facts that the papers state of an index."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy.reference import INDICES, gain

counts = st.lists(st.integers(0, 10**6), min_size=2, max_size=6).filter(any)


@pytest.mark.parametrize("name", INDICES)
def test_index_is_1_at_two_equal_classes(name):
    assert INDICES[name]([0.5, 0.5]) == pytest.approx(1)


@pytest.mark.parametrize("name", INDICES)
@given(counts)
def test_index_is_at_least_twice_the_error(name, c):
    assert INDICES[name](c) >= INDICES["error"](c) - 1e-9 * sum(c)


@pytest.mark.parametrize("name", INDICES)
@given(st.integers(2, 5), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_gain_is_never_negative(name, n_classes, k, seed):
    children = np.random.default_rng(seed).integers(0, 50, (k, n_classes))
    assert gain(INDICES[name], children) >= 0


@pytest.mark.parametrize("name", INDICES)
def test_gain_of_alike_children_is_exactly_0(name):
    children = np.array([[1, 2, 3], [10, 20, 30], [7, 14, 21]])
    assert gain(INDICES[name], children) == 0
