"""Held-out rows and folds: sizes, stratification, and dependence on the seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy._resample import assign_folds, hold_out

labels_lists = st.lists(st.integers(0, 4), min_size=1, max_size=60)


@given(labels_lists, st.floats(0.001, 0.99), st.integers(0, 1), st.integers(0, 2**32 - 1))
def test_hold_out_splits_the_rows_by_class(labels, fraction, at_least, seed):
    y = np.array(labels)
    training, held_out = hold_out(y, fraction, np.random.RandomState(seed), at_least=at_least)
    assert sorted([*training, *held_out]) == list(range(len(y)))
    assert (np.diff(training) > 0).all()
    assert (np.diff(held_out) > 0).all()
    sizes = np.bincount(y)
    taken = np.bincount(y[held_out], minlength=len(sizes))
    assert ((taken < sizes) | (sizes == 0)).all()  # every class stays in the training part
    allowed = int(np.maximum(sizes - 1, 0).sum())
    assert len(held_out) <= max(round(fraction * len(y)), at_least)
    assert len(held_out) >= min(at_least, allowed)
    assert (np.abs(taken - fraction * sizes) <= 1 + 1e-9)[sizes > 1].all()


def test_hold_out_of_a_small_fraction_takes_no_row_unless_asked_to():
    y = np.array([0, 0, 0, 1, 1])
    assert len(hold_out(y, 0.01, np.random.RandomState(0))[1]) == 0
    assert len(hold_out(y, 0.01, np.random.RandomState(0), at_least=1)[1]) == 1
    alone = np.array([0, 1, 2])
    assert len(hold_out(alone, 0.5, np.random.RandomState(0), at_least=1)[1]) == 0


@given(labels_lists, st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_folds_have_equal_sizes_in_total_and_by_class(labels, n_folds, seed):
    y = np.array(labels)
    folds = assign_folds(y, n_folds, np.random.RandomState(seed))
    assert folds.min() >= 0
    assert folds.max() < n_folds
    for part in (folds, *(folds[y == c] for c in np.unique(y))):
        assert np.ptp(np.bincount(part, minlength=n_folds)) <= 1


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_resampling_depends_on_the_seed_only(make):
    y = np.arange(200) % 3
    for draw in (lambda r: hold_out(y, 0.3, r)[1], lambda r: assign_folds(y, 5, r)):
        np.testing.assert_array_equal(draw(make(1)), draw(make(1)))
        assert not np.array_equal(draw(make(1)), draw(make(2)))
