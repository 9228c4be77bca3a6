"""Smaller trees out of a tree's own parts: nodes that become leaves, subtrees that are raised.

Nodes that stay keep their order, so a pruned tree is numbered as if it had been grown that far and
no farther.
"""

from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import FloatArray, IntArray

from .arrays import Tree
from .builder import TreeBuilder

GONE = -1  # the place of a node whose rows were sent elsewhere

Count = Callable[[Tree], tuple[FloatArray, IntArray]]
"""Sends the training rows down a tree; returns each node's class weights and number of rows."""


def pruned(tree: Tree, cut: Iterable[int]) -> tuple[Tree, IntArray]:
    """Turn nodes into leaves.

    Parameters
    ----------
    tree : Tree
        The tree, which stays as it is.
    cut : iterable of int
        The nodes to become leaves. One that is a leaf already, or lies below another, is no harm.

    Returns
    -------
    Tree
        The pruned tree.
    ndarray
        For each old node its new number; for one that is no more, that of the leaf it fell into.
        So the leaf of a row in the pruned tree is the place of its leaf in the old one.
    """
    stop = _marked(tree, cut)
    small, kept = _built(tree, stop, {}, (tree.counts, tree.rows))
    return small, _places(tree, stop, {}, kept)


def raised(
    tree: Tree, cut: Iterable[int], instead: Mapping[int, int], count: Count
) -> tuple[Tree, IntArray]:
    """Turn nodes into leaves, and put subtrees in the place of nodes above them.

    The rows of the branches that go are sent down the subtree that stays, so its nodes hold more
    than they did: ``count`` is asked how much. Questions stay what they were, also in where they
    send what they had not seen.

    Parameters
    ----------
    tree : Tree
        The tree, which stays as it is.
    cut : iterable of int
        The nodes to become leaves, wherever they come to stand.
    instead : mapping of int to int
        For a node, the one below it whose subtree takes its place.
    count : callable
        Gets the tree in its new shape, with counts that are not true yet; returns the true ones:
        the weight of each class and the number of rows at each node.

    Returns
    -------
    Tree
        The tree in its new shape.
    ndarray
        For each old node its new number, or that of what took its place, or of the leaf it fell
        into; ``GONE`` where its rows were sent elsewhere.
    """
    stop = _marked(tree, cut)
    _check_raising(tree, instead)
    shape, kept = _built(tree, stop, instead, (tree.counts, tree.rows))
    counts, rows = tree.counts.copy(), tree.rows.copy()
    counts[kept], rows[kept] = count(shape)
    small, _ = _built(tree, stop, instead, (counts, rows))
    return small, _places(tree, stop, instead, kept)


def stump(tree: Tree, node: int) -> Tree:
    """Return a node's question as a tree of its own: the row of leaf b + 1 takes branch b."""
    question = tree.question(node)
    if question is None:
        raise TreeError(f"node {node} is a leaf and asks nothing")
    builder = TreeBuilder(tree.counts[node], int(tree.rows[node]))
    children = tree.children(node)
    builder.split(0, question, tree.counts[children], tree.rows[children])
    return builder.finish()


def _marked(tree: Tree, cut: Iterable[int]) -> list[bool]:
    marks = [False] * tree.n_nodes
    for node in np.asarray(cut if isinstance(cut, np.ndarray) else list(cut)).tolist():
        if not 0 <= node < tree.n_nodes:
            raise TreeError(f"there is no node {node} to become a leaf")
        marks[node] = True
    return marks


def _check_raising(tree: Tree, instead: Mapping[int, int]) -> None:
    for node, other in instead.items():
        inside = 0 <= node < other < tree.n_nodes and node in tree.path(other)
        if not inside:
            raise TreeError(
                f"node {other} does not lie below node {node}, whose place it is to take"
            )


def _built(
    tree: Tree, stop: list[bool], instead: Mapping[int, int], held: tuple[FloatArray, IntArray]
) -> tuple[Tree, list[int]]:
    """Build the new shape; return it and the old node of each new one."""

    def stays(node: int) -> int:
        while node in instead and not stop[node]:
            node = instead[node]
        return node

    counts, rows = held
    root = stays(0)
    builder, kept = TreeBuilder(counts[root], int(rows[root])), [root]
    waiting: list[tuple[int, int, int]] = []  # first child, node, its new number

    def add(node: int, new: int) -> None:
        if not stop[node] and not tree.is_leaf(node):
            heappush(waiting, (int(tree.children(node)[0]), node, new))

    add(root, 0)
    while waiting:  # in the order in which the nodes were split
        _, node, new = heappop(waiting)
        children = [stays(child) for child in tree.children(node).tolist()]
        question = tree.question(node)
        assert question is not None
        made = builder.split(new, question, counts[children], rows[children])
        kept.extend(children)
        for child, number in zip(children, made, strict=True):
            add(child, number)
    return builder.finish(), kept


def _places(tree: Tree, stop: list[bool], instead: Mapping[int, int], kept: list[int]) -> IntArray:
    place = [GONE] * tree.n_nodes
    for new, node in enumerate(kept):
        place[node] = new
    swallowed = [False] * tree.n_nodes
    parent = tree.parent.tolist()
    for node in range(1, tree.n_nodes):
        above = parent[node]
        if place[node] == GONE and (swallowed[above] or (stop[above] and place[above] != GONE)):
            swallowed[node] = True
            place[node] = place[above]
    for node in sorted(instead, reverse=True):  # what takes a place may have been replaced itself
        if place[node] == GONE:
            place[node] = place[instead[node]]
    return np.array(place, dtype=np.int64)
