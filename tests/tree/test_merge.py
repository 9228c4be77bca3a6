"""Prunings with merged branches: which cells go where, and what cannot be merged."""

from dataclasses import dataclass

import numpy as np
import pytest

from polytomy import TreeError
from polytomy._types import UNSEEN
from polytomy.tree import (
    CategorySplit,
    CustomSplit,
    IntervalSplit,
    TreeBuilder,
    check_tree,
    contract,
    merged_pruning,
)
from polytomy.tree.merge import IS_GONE, IS_LEAF, IS_SPLIT


def with_one_split(split, children):
    """Return a tree of one split."""
    children = np.array(children, dtype=float)
    builder = TreeBuilder(children.sum(axis=0), int(children.sum()))
    builder.split(0, split, children, children.sum(axis=1).astype(int))
    return builder.finish()


def merged(tree, numbers, **options):
    """Merge the branches of a tree of one split."""
    state = [IS_SPLIT] + [IS_LEAF] * len(numbers)
    kept = merged_pruning(tree, np.array(state), np.array([-1, *numbers]), **options)
    check_tree(kept)
    return kept


RANGES = IntervalSplit(0, np.array([1.0, 2.0, 3.0]), missing_branch=4, default_branch=2)
OF_RANGES = [[4, 0], [1, 2], [0, 9], [3, 3], [2, 0]]  # the last: missing cells


def test_ranges_that_follow_each_other_become_one():
    kept = merged(with_one_split(RANGES, OF_RANGES), [7, 7, 5, 4, 3])
    split = kept.split(0)
    assert split.thresholds.tolist() == [2.0, 3.0]
    assert (split.missing_branch, split.default_branch, split.arity) == (3, 1, 4)
    assert kept.counts[1:].tolist() == [[5, 2], [0, 9], [3, 3], [2, 0]]
    assert kept.rows[1:].tolist() == [7, 9, 6, 2]


@pytest.mark.parametrize("joined", range(4))
def test_missing_cells_may_join_any_range(joined):
    numbers = [0, 1, 2, 3, joined]
    kept = merged(with_one_split(RANGES, OF_RANGES), numbers)
    split = kept.split(0)
    assert split.thresholds.tolist() == [1.0, 2.0, 3.0]
    assert (split.missing_branch, split.arity) == (joined, 4)
    assert (
        kept.counts[1 + joined].tolist() == (np.array(OF_RANGES)[[joined, 4]].sum(axis=0)).tolist()
    )


def test_ranges_that_do_not_follow_each_other_cannot_be_merged():
    tree = with_one_split(RANGES, OF_RANGES)
    with pytest.raises(TreeError, match="follow each other"):
        merged(tree, [0, 1, 0, 2, 3])


def test_any_groups_of_categories_can_be_merged():
    codes = np.array([0, 2, 1, UNSEEN, 2, 3], dtype=np.int32)
    tree = with_one_split(CategorySplit(0, codes, 3, 1), [[1, 0], [2, 2], [5, 1], [0, 4]])
    split = merged(tree, [5, 9, 5, 9]).split(0)
    assert split.code_to_branch.tolist() == [0, 0, 1, UNSEEN, 0, 1]
    assert (split.missing_branch, split.default_branch) == (1, 1)


def test_missing_cells_that_the_node_never_had_stay_unseen():
    ranges = IntervalSplit(0, np.array([1.0, 2.0]), UNSEEN, 2)
    split = merged(with_one_split(ranges, [[1, 0], [2, 2], [5, 1]]), [0, 0, 1]).split(0)
    assert (split.missing_branch, split.default_branch) == (UNSEEN, 1)
    codes = CategorySplit(0, np.array([0, 1, 2], dtype=np.int32), UNSEEN, 0)
    split = merged(with_one_split(codes, [[1, 0], [2, 2], [5, 1]]), [0, 1, 0]).split(0)
    assert (split.missing_branch, split.default_branch) == (UNSEEN, 0)


@dataclass(frozen=True)
class Halves:
    """A user's own split."""

    arity = 2

    def route(self, table):
        return (table.column(0) > 0).astype(int)


def test_own_splits_are_kept_or_dropped_but_never_merged():
    tree = with_one_split(CustomSplit(Halves()), [[3, 0], [0, 3]])
    assert merged(tree, [1, 0]) == tree
    with pytest.raises(TreeError, match="user-defined split cannot be merged"):
        merged(tree, [1, 1])


def nested():
    """Return x <= 1 | 1 < x <= 2 | 2 < x, whose first child asks x again and whose last asks y."""
    counts = np.array([[6.0, 2], [1, 1], [2, 6]])
    builder = TreeBuilder(counts.sum(axis=0), 18)
    builder.split(0, IntervalSplit(0, np.array([1.0, 2.0]), UNSEEN, 0), counts, [8, 2, 8])
    low = np.array([[6.0, 0], [0, 2]])
    builder.split(1, IntervalSplit(0, np.array([0.5]), UNSEEN, 0), low, [6, 2])
    high = np.array([[2.0, 1], [0, 5]])
    builder.split(3, IntervalSplit(1, np.array([7.0]), UNSEEN, 1), high, [3, 5])
    return builder.finish()


def test_branches_of_a_wide_split_are_merged_across_its_nodes():
    # 0.5 < x <= 1 comes from the child, 1 < x <= 2 from the root.
    state = np.array([IS_SPLIT, IS_GONE, IS_LEAF, IS_SPLIT, IS_LEAF, IS_LEAF, IS_LEAF, IS_LEAF])
    branch = np.array([-1, -1, 4, 3, 5, 4, 2, 1])
    kept = merged_pruning(nested(), state, branch)
    check_tree(kept)
    assert kept.split(0).thresholds.tolist() == [0.5, 2.0]
    assert kept.counts[1:4].tolist() == [[6, 0], [1, 3], [2, 6]]
    assert kept.split(3).feature == 1
    assert kept.n_leaves == 4


def test_pruning_that_keeps_every_split_is_the_contracted_tree():
    tree = nested()
    state = np.where(tree.kind != 0, IS_SPLIT, IS_LEAF)
    state[1] = IS_GONE
    branch = np.array([-1, -1, 2, 3, 0, 1, 8, 9])
    assert merged_pruning(tree, state, branch) == contract(tree)
    state[1] = IS_SPLIT
    branch = np.array([-1, 0, 1, 2, 0, 1, 0, 1])
    whole = merged_pruning(tree, state, branch, contract=False)
    assert (whole.n_leaves, whole.n_nodes) == (tree.n_leaves, tree.n_nodes)


def test_pruning_to_one_leaf_keeps_the_counts_of_the_root():
    tree = nested()
    state = np.full(tree.n_nodes, IS_GONE)
    state[0] = IS_LEAF
    kept = merged_pruning(tree, state, np.full(tree.n_nodes, -1))
    assert (kept.n_nodes, kept.counts.tolist(), kept.rows.tolist()) == (1, [[9, 9]], [18])


def test_leaf_cannot_remain_a_split():
    state = np.array([IS_SPLIT, IS_LEAF, IS_SPLIT, *[IS_LEAF] * 5])
    branch = np.array([-1, 0, 1, 2, 0, 0, 0, 0])
    with pytest.raises(TreeError, match="node 2 is a leaf and cannot remain a split"):
        merged_pruning(nested(), state, branch, contract=False)
