"""The reference's splits: how many there are, and what the best of them gain."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy.reference import INDICES, Column, Histogram, Limits, gain, menu, splits
from polytomy.reference.splits import groups, intervals, set_partitions, values


def held(n_known, has_missing, counts=None):
    listed = [*range(n_known), *([None] if has_missing else [])]
    counts = np.ones((len(listed), 2)) if counts is None else counts
    return Histogram(listed, counts, np.ones(len(listed), dtype=int))


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("k", range(2, 7))
def test_intervals_are_as_many_as_their_formula(n, k):
    plain = [b for b in intervals(held(n, False), k) if max(b) + 1 == k]
    with_missing = [b for b in intervals(held(n, True), k) if max(b) + 1 == k]
    assert len(set(plain)) == len(plain) == comb(n - 1, k - 1)
    expected = k * comb(n - 1, k - 1) + comb(n - 1, k - 2)
    assert len(set(with_missing)) == len(with_missing) == expected


@pytest.mark.parametrize("n", range(1, 8))
def test_intervals_use_every_branch_in_ascending_order(n):
    for branches in intervals(held(n, True), 5):
        known = branches[:-1]
        assert list(known) == sorted(known)
        assert set(branches) == set(range(max(branches) + 1))


def test_values_leave_out_a_split_with_one_branch():
    assert list(values(held(1, False), 8)) == []
    assert list(values(held(1, True), 8)) == [(0, 1)]


@pytest.mark.parametrize(("n", "bell"), [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (6, 203)])
def test_set_partitions_are_as_many_as_bells_number(n, bell):
    found = list(set_partitions(n))
    assert found == sorted(set(found))
    assert len(found) == bell


@given(st.integers(2, 6), st.sampled_from(["sqrt", "gini", "entropy"]), st.integers(0, 2**32 - 1))
def test_groups_of_two_classes_contain_a_best_partition(n, name, seed):
    counts = np.random.default_rng(seed).integers(0, 6, (n, 2)) + np.array([1, 0])
    index = INDICES[name]

    def best(listed, k):
        return max(
            gain(index, np.array([counts[np.array(b) == j].sum(axis=0) for j in range(k)]))
            for b in listed
            if max(b) + 1 == k
        )

    for k in range(2, n + 1):
        along_the_share = best(groups(held(n, False, counts), n), k)
        assert along_the_share == pytest.approx(best(set_partitions(n), k), abs=1e-9)


def test_groups_refuse_to_enumerate_many_categories():
    with pytest.raises(ValueError, match="leave 'groups' out"):
        list(groups(held(9, False, np.eye(9)), 2))


def test_splits_keep_to_the_fewest_rows_and_the_least_weight_of_a_child():
    columns = [Column.of("x", [1, 2, 3, 4])]
    counts = np.array([[9, 0], [0, 1], [1, 0], [0, 1]])
    rows = [0, 1, 2, 3]
    two_rows = list(splits(columns, rows, counts, Limits(INDICES["gini"], min_rows=2)))
    assert [s.branches for s in two_rows] == [(0, 0, 1, 1)]
    heavy = list(splits(columns, rows, counts, Limits(INDICES["gini"], min_weight=2.0)))
    assert [s.branches for s in heavy] == [(0, 1, 1, 1), (0, 0, 1, 1)]


def test_menu_gives_ties_to_the_lower_column_then_the_lower_cut():
    columns = [Column.of(name, [1, 2, 3]) for name in "ab"]
    best = menu(columns, [0, 1, 2], np.array([[1, 0], [0, 1], [1, 0]]), Limits(INDICES["gini"]))
    assert {k: (s.name, s.thresholds) for k, s in best.items()} == {
        2: ("a", [1.5]),
        3: ("a", [1.5, 2.5]),
    }


def test_split_sends_missing_cells_where_they_gain_most():
    columns = [Column.of("x", [1, 2, np.nan, None])]
    counts = np.array([[1, 0], [0, 1], [1, 0], [1, 0]])
    split = menu(columns, [0, 1, 2, 3], counts, Limits(INDICES["gini"]))[2]
    assert split.branches == (0, 1, 0)
    assert [split.branch(c) for c in (None, 0, 9)] == [0, 0, 1]
    assert [split.describe(j) for j in (0, 1)] == ["x <= 1.5 or missing", "1.5 < x"]


def test_split_sends_values_it_has_not_seen_to_the_heaviest_child():
    columns = [Column.of("town", ["a", "b", "b"])]
    split = menu(columns, [0, 1, 2], np.array([[1, 0], [0, 1], [0, 1]]), Limits(INDICES["gini"]))[2]
    assert split.branch("a") == 0
    assert split.branch("elsewhere") == split.branch(None) == 1
