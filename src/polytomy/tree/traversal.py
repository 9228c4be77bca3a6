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
    total = np.array(values, order="C")
    arity = np.diff(tree.child_start)
    inner = np.flatnonzero(arity)
    child = _ascending_children(tree)
    # By depth, the deepest first, and for all nodes of a depth at once: their first children, then
    # their second ones, and so on. So terms are added in the order of the node numbers.
    depth = tree.depth[inner]
    most = int(depth.max(initial=0))
    height = most - depth
    order = np.argsort(height.astype(np.uint16) if most < 1 << 16 else height, kind="stable")
    for level in np.split(inner[order], np.cumsum(np.bincount(height))[:-1]):
        here, n_children = np.take(total, level, axis=0), arity[level]
        least = int(n_children.min(initial=0))
        for branch in range(int(n_children.max(initial=0))):
            has = slice(None) if branch < least else n_children > branch
            here[has] += np.take(total, child[tree.child_start[level[has]] + branch], axis=0)
        total[level] = here
    return total


def _ascending_children(tree: Tree) -> IntArray:
    """Return the children of each node in ascending order, in the place of those of the tree."""
    child = tree.child
    is_next = np.zeros(len(child), dtype=bool)  # whether the child before belongs to the same node
    is_next[1:] = True
    is_next[tree.child_start[:-1][np.diff(tree.child_start) > 0]] = False
    if (np.diff(child) > 0)[is_next[1:]].all():
        return child
    return child[np.lexsort((child, tree.parent[child]))]


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
