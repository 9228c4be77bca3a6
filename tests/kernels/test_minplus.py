"""The kernel for prunings: results in the order of ties, and invalid input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import kernels
from tests.naive.pruning import all_prunings, best_of_size
from tests.strategies import grown_trees


def node_errors(grown):
    return grown.units.sum(axis=1) - grown.units.max(axis=1)


@settings(max_examples=300)
@given(grown_trees(max_inner=12), st.integers(1, 30))
def test_prunings_are_the_first_in_the_tie_order_for_every_size(grown, cap):
    tree, errors = grown.tree, node_errors(grown)
    held = grown.held.sum(axis=1) ** 2  # any number will do
    found = kernels.prunings(tree.child_start, tree.child, errors, held, cap)
    assert found.sizes.tolist() == sorted(set(found.sizes.tolist()))
    prunings = all_prunings(tree)
    for k in range(1, cap + 1):
        best = best_of_size(prunings, errors, k)
        i = int(np.searchsorted(found.sizes, k, side="right")) - 1
        assert (found.sizes[i], found.errors[i]) == (best.size, best.total(errors))
        assert found.leaves(i).tolist() == sorted(best.leaves)
        assert found.carried[i] == best.total(held)


def test_prunings_refuse_invalid_input():
    start, child = np.array([0, 2, 2, 2]), np.array([1, 2], dtype=np.int32)
    errors = np.array([2, 1, 0])
    found = kernels.prunings(start, child, errors, None, 5)
    assert (found.sizes.tolist(), found.errors.tolist()) == ([1, 2], [2, 1])
    with pytest.raises(TypeError):
        kernels.prunings(start, child, errors.astype(float), None, 5)
    with pytest.raises(ValueError, match="at least one node and one leaf"):
        kernels.prunings(start, child, errors, None, 0)
    with pytest.raises(ValueError, match="does not match"):
        kernels.prunings(start[1:], child, errors, None, 5)
    with pytest.raises(ValueError, match="negative"):
        kernels.prunings(start, child, -errors, None, 5)
    with pytest.raises(IndexError):
        found.leaves(2)


def test_prunings_keep_their_arrays_alive():
    sizes = kernels.prunings(np.array([0, 0]), np.zeros(0, np.int32), np.array([3]), None, 5).sizes
    assert sizes.tolist() == [1]
    assert not sizes.flags.writeable
