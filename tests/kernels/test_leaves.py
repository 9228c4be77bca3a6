"""Where rows are, and what their leaves add."""

import numpy as np
import pytest

from polytomy import kernels


@pytest.fixture
def table():
    return kernels.code_table([np.array([0, 2, 1, 0], dtype=np.uint8)], [3])


def test_leaves_and_votes(table):
    leaf = np.zeros(4, dtype=np.int32)
    child = np.array([1, 2, 1], dtype=np.int32)
    kernels.find_leaves(table, 0, child, None, leaf)
    assert leaf.tolist() == [1, 1, 2, 1]
    kernels.find_leaves(table, 0, child + 5, np.array([3], dtype=np.uint32), leaf)
    assert leaf.tolist() == [1, 1, 2, 6]
    votes = np.ones((4, 2))
    kernels.add_scores(leaf, np.arange(14.0).reshape(7, 2), votes)
    assert votes.tolist() == [[3, 4], [3, 4], [5, 6], [13, 14]]


def test_what_does_not_fit_is_refused(table):
    leaf = np.array([0, 3, 0, 0], dtype=np.int32)
    with pytest.raises(ValueError, match="in no leaf"):
        kernels.add_scores(leaf, np.zeros((3, 1)), np.zeros((4, 1)))
    with pytest.raises(ValueError, match="as many scores as votes"):
        kernels.add_scores(leaf, np.zeros((4, 2)), np.zeros((4, 1)))
    with pytest.raises(ValueError, match="one child a code"):
        kernels.find_leaves(table, 0, np.zeros(2, dtype=np.int32), None, leaf)


def test_layers_need_weights(table):
    counts, start = np.zeros((3, 2), dtype=np.int64), np.array([0, 3])
    which, labels = np.zeros(1, dtype=np.int32), np.zeros(4, dtype=np.uint16)
    more = (labels, np.ones(4, dtype=np.int64))
    with pytest.raises(ValueError, match="layers come with weights"):
        kernels.accumulate(table, which, None, (labels, None, more), start, (counts, None), 1)
