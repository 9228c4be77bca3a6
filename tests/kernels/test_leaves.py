"""Scores of leaves are added to votes; histograms of targets with layers."""

import numpy as np
import pytest

from polytomy import kernels


def test_add_scores_adds_the_scores_of_each_rows_leaf():
    leaf = np.array([1, 1, 2, 6], dtype=np.int32)
    votes = np.ones((4, 2))
    kernels.add_scores(leaf, np.arange(14.0).reshape(7, 2), votes)
    assert votes.tolist() == [[3, 4], [3, 4], [5, 6], [13, 14]]


def test_add_scores_refuses_arrays_that_do_not_match():
    leaf = np.array([0, 3, 0, 0], dtype=np.int32)
    with pytest.raises(ValueError, match="no such leaf"):
        kernels.add_scores(leaf, np.zeros((3, 1)), np.zeros((4, 1)))
    with pytest.raises(ValueError, match="same number of outputs"):
        kernels.add_scores(leaf, np.zeros((4, 2)), np.zeros((4, 1)))
    with pytest.raises(ValueError, match="one leaf per row"):
        kernels.add_scores(leaf, np.zeros((4, 1)), np.zeros((3, 1)))


def test_accumulate_refuses_layers_without_weights():
    table = kernels.code_table([np.array([0, 2, 1, 0], dtype=np.uint8)], [3])
    counts, start = np.zeros((3, 2), dtype=np.int64), np.array([0, 3])
    which, labels = np.zeros(1, dtype=np.int32), np.zeros(4, dtype=np.uint16)
    more = (labels, np.ones(4, dtype=np.int64))
    with pytest.raises(ValueError, match="layers need weights"):
        kernels.accumulate(table, which, None, (labels, None, more), start, (counts, None), 1)
