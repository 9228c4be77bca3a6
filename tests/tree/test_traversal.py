"""Sums over subtrees, leaves below a node and depth-first places, against walks of the tree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polytomy.tree import TreeBuilder, depth_first, depth_first_starts, leaves_below, subtree_sums
from tests.strategies import grown_trees


def walk(tree, node):
    """Return the nodes of a subtree in depth-first order."""
    nodes = [node]
    for child in tree.children(node).tolist():
        nodes += walk(tree, child)
    return nodes


@given(grown_trees(), st.integers(0, 2**32 - 1))
def test_subtree_sums_equal_a_walk(grown, seed):
    values = np.random.default_rng(seed).integers(0, 100, (grown.tree.n_nodes, 2))
    sums = subtree_sums(grown.tree, values)
    for node in range(grown.tree.n_nodes):
        assert sums[node].tolist() == values[walk(grown.tree, node)].sum(axis=0).tolist()


@given(grown_trees())
def test_leaves_below_equal_a_walk(grown):
    below = leaves_below(grown.tree)
    for node in range(grown.tree.n_nodes):
        assert below[node] == sum(map(grown.tree.is_leaf, walk(grown.tree, node)))


@given(grown_trees())
def test_depth_first_places_equal_a_walk(grown):
    place, size = depth_first(grown.tree)
    order = walk(grown.tree, 0)
    assert [order[at] for at in place] == list(range(grown.tree.n_nodes))
    for node in range(grown.tree.n_nodes):
        assert order[place[node] : place[node] + size[node]] == walk(grown.tree, node)


@given(grown_trees())
def test_depth_first_starts_give_leaves_consecutive_ranges(grown):
    tree = grown.tree
    start = depth_first_starts(tree, tree.rows)
    at = 0
    for leaf in filter(tree.is_leaf, walk(tree, 0)):
        assert start[leaf] == at
        at += int(tree.rows[leaf])
    assert at == tree.rows[0]


def test_traversal_of_one_leaf():
    leaf = TreeBuilder(np.array([1.0, 2.0]), 3).finish()
    assert leaves_below(leaf).tolist() == [1]
    assert [part.tolist() for part in depth_first(leaf)] == [[0], [1]]
