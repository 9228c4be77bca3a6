"""Sums over the subtrees of a tree, leaves below a node, and depth-first places."""

from typing import NamedTuple, TypeVar

import numpy as np

from polytomy._types import FloatArray, IntArray

from .tree import LEAF, Tree

Numbers = TypeVar("Numbers", IntArray, FloatArray)


class DepthFirst(NamedTuple):
    """Nodes in depth-first order: a subtree holds the ``size`` places from ``place`` on."""

    place: IntArray  # of each node
    size: IntArray  # number of nodes in each node's subtree, including the node


def subtree_sums(tree: Tree, values: Numbers) -> Numbers:
    """Return, for each node, the sum of the values of all nodes of its subtree.

    Parameters
    ----------
    tree : Tree
        The tree.
    values : ndarray of shape (nodes, ...)
        The nodes' own values; integers add up exactly.

    Returns
    -------
    ndarray
        The sums, of the same shape.
    """
    total = values.copy()
    order = np.argsort(-tree.depth, kind="stable")
    levels = np.flatnonzero(np.diff(tree.depth[order])) + 1
    for level in np.split(order, levels)[:-1]:  # the last level is the root
        np.add.at(total, tree.parent[level], total[level])
    return total


def leaves_below(tree: Tree) -> IntArray:
    """Return the number of leaves below each node; 1 for a leaf."""
    return subtree_sums(tree, (tree.kind == LEAF).astype(np.int64))


def depth_first(tree: Tree) -> DepthFirst:
    """Return each node's place in depth-first order and the number of nodes in its subtree."""
    size = subtree_sums(tree, np.ones(tree.n_nodes, dtype=np.int64))
    return DepthFirst(depth_first_starts(tree, size, before_children=1), size)


def depth_first_starts(tree: Tree, size: IntArray, before_children: int = 0) -> IntArray:
    """Return where each node's range starts if subtrees of the given sizes follow depth first.

    Parameters
    ----------
    tree : Tree
        The tree.
    size : ndarray of shape (nodes,)
        The size of each node's range: ``before_children`` plus the sum over its children.
    before_children : int, default=0
        The places a node takes before the ranges of its children.

    Returns
    -------
    ndarray of shape (nodes,)
        The start of each range; the root's is 0.
    """
    start = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes):  # parents come first
        children = tree.children(node)
        start[children] = start[node] + before_children + np.cumsum(size[children]) - size[children]
    return start
