"""Smaller trees made from a tree: pruned nodes, raised subtrees, and single splits.

The remaining nodes keep their order, so a pruned tree is numbered as if growth had stopped there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import AnyArray, FloatArray, IntArray

from .builder import TreeBuilder
from .tree import Tree

GONE = -1  # new number of a node whose rows were moved to another subtree

Count = Callable[[Tree], tuple[FloatArray, IntArray]]
"""Routes the training rows through a tree; returns each node's class weights and row count."""


def pruned(tree: Tree, cut: Iterable[int]) -> tuple[Tree, IntArray]:
    """Turn nodes into leaves.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    cut : iterable of int
        The nodes that become leaves. Leaves and nodes below other nodes of ``cut`` are ignored.

    Returns
    -------
    Tree
        The pruned tree.
    ndarray
        For each old node its new number or, if it was removed, the number of the leaf above it.
        It also maps the old leaf of a row to its leaf in the pruned tree.
    """
    stop = _marked(tree, cut)
    small, kept = _built(tree, stop, {}, (tree.counts, tree.rows))
    return small, _places(tree, stop, {}, kept)


def raised(
    tree: Tree, cut: Iterable[int], instead: Mapping[int, int], count: Count
) -> tuple[Tree, IntArray]:
    """Turn nodes into leaves and raise subtrees into the place of nodes above them.

    The rows of the removed branches are routed through the raised subtree, so the counts of its
    nodes grow: ``count`` computes them. The splits do not change, nor do their branches for unseen
    values.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    cut : iterable of int
        The nodes that become leaves, also inside raised subtrees.
    instead : mapping of int to int
        For a node, the node below it whose subtree replaces it.
    count : callable
        Takes the new tree, with its old counts, and returns the correct ones: the weight of each
        class and the number of rows at each node.

    Returns
    -------
    Tree
        The new tree.
    ndarray
        For each old node its new number, or that of the node that replaced it, or of the leaf
        above it; ``GONE`` if its rows were routed through another subtree.
    """
    stop = _marked(tree, cut)
    _check_raising(tree, instead)
    shape, kept = _built(tree, stop, instead, (tree.counts, tree.rows))
    counts, rows = tree.counts.copy(), tree.rows.copy()
    counts[kept], rows[kept] = count(shape)
    small, _ = _built(tree, stop, instead, (counts, rows))
    return small, _places(tree, stop, instead, kept)


def stump(tree: Tree, node: int) -> Tree:
    """Return a node's split as a tree: leaf b + 1 holds the rows of branch b."""
    split = tree.split(node)
    if split is None:
        raise TreeError(f"node {node} is a leaf and has no split")
    builder = TreeBuilder(tree.counts[node], int(tree.rows[node]), tree.centre, tree.costs)
    children = tree.children(node)
    builder.split(0, split, tree.counts[children], tree.rows[children])
    return builder.finish()


def grafted(root: Tree, branches: Sequence[Tree]) -> Tree:
    """Return a tree with the split of another tree's root and other trees as its branches.

    Parameters
    ----------
    root : Tree
        A tree that is split at its root.
    branches : sequence of Tree
        One tree for each branch of that split, of the same target.

    Returns
    -------
    Tree
        The new tree. Its nodes are the root and those of the branches, one branch after the other.
    """
    split = root.split(0)
    if split is None or split.arity != len(branches):
        raise TreeError(f"{len(branches)} trees for {0 if split is None else split.arity} branches")
    top = stump(root, 0)
    first = np.cumsum([1] + [branch.n_nodes for branch in branches])[:-1].tolist()

    def shifted(name: str) -> list[AnyArray]:
        return [getattr(b, name) + at for b, at in zip(branches, first, strict=True)]

    def joined(name: str) -> AnyArray:
        return np.concatenate([getattr(top, name)[:1], *(getattr(b, name) for b in branches)])

    def offsets(name: str) -> IntArray:
        sizes = [np.diff(getattr(top, name)[:2]), *(np.diff(getattr(b, name)) for b in branches)]
        return np.concatenate([[0], np.cumsum(np.concatenate(sizes))])

    parent = np.concatenate([[-1], *shifted("parent")]).astype(np.int32)
    parent[first] = 0
    return Tree(
        kind=joined("kind"),
        feature=joined("feature"),
        parent=parent,
        child_start=offsets("child_start"),
        child=np.concatenate([first, *shifted("child")]).astype(np.int32),
        threshold_start=offsets("threshold_start"),
        threshold=np.concatenate([top.threshold, *(b.threshold for b in branches)]),
        code_to_branch_start=offsets("code_to_branch_start"),
        code_to_branch=np.concatenate([top.code_to_branch, *(b.code_to_branch for b in branches)]),
        missing_branch=joined("missing_branch"),
        default_branch=joined("default_branch"),
        counts=joined("counts"),
        rows=joined("rows"),
        own={
            at + v: own
            for b, at in zip([top, *branches], [0, *first], strict=True)
            for v, own in b.own.items()
        },
        centre=root.centre,
        costs=root.costs,
    )


def _marked(tree: Tree, cut: Iterable[int]) -> list[bool]:
    marks = [False] * tree.n_nodes
    for node in np.asarray(cut if isinstance(cut, np.ndarray) else list(cut)).tolist():
        if not 0 <= node < tree.n_nodes:
            raise TreeError(f"node {node} does not exist")
        marks[node] = True
    return marks


def _check_raising(tree: Tree, instead: Mapping[int, int]) -> None:
    for node, other in instead.items():
        inside = 0 <= node < other < tree.n_nodes and node in tree.path(other)
        if not inside:
            raise TreeError(f"node {other} cannot replace node {node}: it is not below it")


def _built(
    tree: Tree, stop: list[bool], instead: Mapping[int, int], held: tuple[FloatArray, IntArray]
) -> tuple[Tree, list[int]]:
    """Build the new tree; return it and the old number of each new node."""

    def standing(node: int) -> int:
        while node in instead and not stop[node]:
            node = instead[node]
        return node

    counts, rows = held
    root = standing(0)
    builder, kept = TreeBuilder(counts[root], int(rows[root]), tree.centre, tree.costs), [root]
    waiting: list[tuple[int, int, int]] = []  # first child, node, its new number

    def add(node: int, new: int) -> None:
        if not stop[node] and not tree.is_leaf(node):
            heappush(waiting, (int(tree.children(node)[0]), node, new))

    add(root, 0)
    while waiting:  # in the order in which the nodes were split
        _, node, new = heappop(waiting)
        children = [standing(child) for child in tree.children(node).tolist()]
        split = tree.split(node)
        assert split is not None
        made = builder.split(new, split, counts[children], rows[children])
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
    for node in sorted(instead, reverse=True):  # the replacement may itself have been replaced
        if place[node] == GONE:
            place[node] = place[instead[node]]
    return np.array(place, dtype=np.int64)
