"""Replacing subtrees, collapsing nodes and merging branches, beside nested dictionaries."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TreeError
from polytomy.tree import (
    GONE,
    CategorySplit,
    IntervalSplit,
    TreeBuilder,
    branches_merged,
    check_tree,
    collapsed,
    nodes_below,
    replaced,
    subtree_at,
)
from tests.naive import surgery as naive
from tests.strategies import grown_trees


@st.composite
def relabelled_trees(draw, **options):
    """A grown tree, some leaves of which were given a class by hand."""
    tree = draw(grown_trees(unit=1.0, **options)).tree
    leaves = tree.leaves().tolist()
    chosen = draw(st.lists(st.sampled_from(leaves), unique=True, max_size=3))
    labels = {leaf: draw(st.integers(0, tree.n_classes - 1)) for leaf in chosen}
    return replace(tree, relabelled=labels)


@given(relabelled_trees(), st.data())
def test_a_subtree_is_replaced_as_in_nested_dictionaries(tree, data):
    node = data.draw(st.integers(0, tree.n_nodes - 1))
    donor = data.draw(st.integers(0, tree.n_nodes - 1))
    part = subtree_at(tree, donor)
    assert naive.nested(part) == naive.at(naive.nested(tree), naive.path_of(tree, donor))
    done = replaced(tree, node, part)
    # The counts of the nodes stay what they are: that they add up is up to the caller.
    expected = naive.put(naive.nested(tree), naive.path_of(tree, node), naive.nested(part))
    path = naive.path_of(tree, node)
    kept = {k: naive.at(naive.nested(tree), path)[k] for k in ("counts", "rows")}
    expected = naive.put(expected, path, {**naive.at(expected, path), **kept})
    assert naive.nested(done.tree) == expected


@given(relabelled_trees(), st.data())
def test_places_lead_to_the_same_nodes(tree, data):
    node = data.draw(st.integers(0, tree.n_nodes - 1))
    done = replaced(tree, node, subtree_at(tree, node))
    check_tree(done.tree)
    assert naive.nested(done.tree) == naive.nested(tree)
    below = nodes_below(tree, node)
    for v in range(tree.n_nodes):
        assert (done.place[v] == GONE) == (below[v] and v != node)
        if done.place[v] != GONE:
            assert naive.path_of(done.tree, int(done.place[v])) == naive.path_of(tree, v)
    held = [naive.path_of(tree, v) for v in np.flatnonzero(below).tolist()]
    assert [naive.path_of(done.tree, int(v)) for v in done.made] == held
    assert below.tolist() == [node in tree.path(v) for v in range(tree.n_nodes)]


@given(relabelled_trees(), st.data())
def test_collapsing_makes_a_leaf_with_its_majority_class(tree, data):
    node = data.draw(st.integers(0, tree.n_nodes - 1))
    if tree.is_leaf(node):
        with pytest.raises(TreeError, match="is a leaf already"):
            collapsed(tree, node)
        return
    path, whole = naive.path_of(tree, node), naive.nested(tree)
    expected = naive.put(whole, path, naive.leaf(naive.at(whole, path)))
    done = collapsed(tree, node).tree
    check_tree(done)
    assert naive.nested(done) == expected


@given(relabelled_trees(), st.data())
def test_neighbouring_ranges_are_merged_into_one_leaf(tree, data):
    wide = [v for v in range(tree.n_nodes) if tree.arity(v) > 2]
    if not wide:
        return
    node = data.draw(st.sampled_from(wide))
    low = data.draw(st.integers(0, tree.arity(node) - 2))
    high = data.draw(st.integers(low + 1, tree.arity(node) - 1))
    if high - low + 1 == tree.arity(node):
        with pytest.raises(TreeError, match="collapse the node instead"):
            branches_merged(tree, node, range(low, high + 1))
        return
    done = branches_merged(tree, node, range(low, high + 1)).tree
    check_tree(done)
    path, whole = naive.path_of(tree, node), naive.nested(tree)
    expected = naive.put(whole, path, naive.merged(naive.at(whole, path), low, high))
    assert naive.nested(done) == expected


def test_groups_of_categories_and_missing_cells_are_merged():
    builder = TreeBuilder(np.array([3.0, 4.0]), 7)
    split = CategorySplit(0, np.array([0, 1, -1, 2], dtype=np.int32), 3, 0)
    counts = np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    builder.split(0, split, counts, [3, 1, 1, 2])
    tree = branches_merged(builder.finish(), 0, [1, 3]).tree
    check_tree(tree)
    own = tree.split(0)
    assert own.code_to_branch.tolist() == [0, 1, -1, 2]
    assert (own.missing_branch, own.default_branch) == (1, 0)
    assert tree.counts[tree.children(0)].tolist() == [[2.0, 1.0], [1.0, 2.0], [0.0, 1.0]]


def test_a_leaf_that_is_split_leaves_all_numbers_as_they_were():
    builder = TreeBuilder(np.array([2.0, 2.0]), 4)
    split = IntervalSplit(0, np.array([0.5]), -1, 0)
    builder.split(0, split, np.array([[2.0, 1.0], [0.0, 1.0]]), [3, 1])
    tree = builder.finish()
    own = TreeBuilder(np.array([2.0, 1.0]), 3)
    own.split(0, split, np.array([[2.0, 0.0], [0.0, 1.0]]), [2, 1])
    done = replaced(tree, 1, own.finish())
    assert done.place.tolist() == [0, 1, 2]
    assert done.made.tolist() == [1, 3, 4]


def test_other_edits_are_refused():
    tree = TreeBuilder(np.array([2.0, 2.0]), 4).finish()
    with pytest.raises(TreeError, match="node 3 does not exist"):
        collapsed(tree, 3)
    with pytest.raises(TreeError, match="has no branches"):
        branches_merged(tree, 0, [0, 1])
    with pytest.raises(TreeError, match="another target"):
        replaced(tree, 0, TreeBuilder(np.array([1.0, 0.0, 0.0]), 1).finish())


def test_a_class_given_by_hand_counts_for_label_and_errors():
    tree = replace(TreeBuilder(np.array([3.0, 1.0]), 4).finish(), relabelled={0: 1})
    check_tree(tree)
    assert tree.label.tolist() == [1]
    assert tree.errors.tolist() == [3.0]
    assert tree != TreeBuilder(np.array([3.0, 1.0]), 4).finish()
    for wrong, message in ({1: 0}, "not a leaf"), ({0: 2}, "does not exist"):
        with pytest.raises(TreeError, match=message):
            check_tree(replace(tree, relabelled=wrong))
