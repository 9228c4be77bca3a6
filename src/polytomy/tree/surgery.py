"""Editing a tree: replacing a subtree, turning a node into a leaf, merging branches.

Nodes outside the edited subtree keep their order, and new nodes come after all of them. So a leaf
that is split leaves all numbers as they were. A class that a leaf was given by hand is kept as long
as the leaf is.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import TIE, AnyArray, FloatArray, IntArray

from .builder import TreeBuilder
from .merge import merge_branches
from .splits import CustomSplit
from .subtrees import GONE
from .tree import Tree


class Surgery(NamedTuple):
    """An edited tree, and what became of the nodes.

    Parameters
    ----------
    tree : Tree
        The tree after the edit.
    place : ndarray of int
        The new number of each old node; ``GONE`` if it was removed.
    made : ndarray of int
        The number of each node of the subtree that was put in; the first is the edited node.
    """

    tree: Tree
    place: IntArray
    made: IntArray


def replaced(tree: Tree, node: int, subtree: Tree) -> Surgery:
    """Put another subtree in the place of a node and of everything below it.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    node : int
        The node.
    subtree : Tree
        The new subtree, of one leaf or more, with the counts of the rows of the node.

    Returns
    -------
    Surgery
        The new tree.

    Examples
    --------
    >>> from polytomy.tree import IntervalSplit
    >>> builder = TreeBuilder(np.array([2.0, 2.0]), 4)
    >>> leaf = builder.finish()
    >>> split = IntervalSplit(0, np.array([0.5]), -1, 0)
    >>> _ = builder.split(0, split, np.array([[2.0, 0.0], [0.0, 2.0]]), [2, 2])
    >>> replaced(leaf, 0, builder.finish()).tree.n_leaves
    2
    """
    _check_node(tree, node)
    if subtree.n_classes != tree.n_classes or subtree.centre != tree.centre:
        raise TreeError("the subtree has another target than the tree")
    gone = nodes_below(tree, node)
    gone[node] = False
    kept = np.flatnonzero(~gone)
    place = np.where(gone, GONE, np.cumsum(~gone) - 1)
    at = int(place[node])
    made = np.concatenate(([at], len(kept) + np.arange(subtree.n_nodes - 1)))
    splits = [tree.split(v) for v in kept.tolist()]
    children = [place[tree.children(v)].tolist() for v in kept.tolist()]
    for v in range(subtree.n_nodes):
        own, below = subtree.split(v), made[subtree.children(v)].tolist()
        if v == 0:
            splits[at], children[at] = own, below
        else:
            splits.append(own)
            children.append(below)
    counts = np.concatenate([tree.counts[kept], subtree.counts[1:]])
    rows = np.concatenate([tree.rows[kept], subtree.rows[1:]])
    whole = TreeBuilder.from_nodes(splits, children, counts, rows, tree.centre, tree.costs).finish()
    labels = {int(place[v]): label for v, label in tree.relabelled.items() if not gone[v]}
    labels.pop(at, None)
    labels |= {int(made[v]): label for v, label in subtree.relabelled.items()}
    return Surgery(replace(whole, relabelled=labels), place, made)


def collapsed(tree: Tree, node: int) -> Surgery:
    """Turn a node into a leaf.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    node : int
        A node that is split.

    Returns
    -------
    Surgery
        The new tree.
    """
    _check_node(tree, node)
    if tree.is_leaf(node):
        raise TreeError(f"node {node} is a leaf already")
    return replaced(tree, node, leaf_of(tree, node))


def branches_merged(tree: Tree, node: int, branches: Iterable[int]) -> Surgery:
    """Merge branches of a node into one, which becomes a leaf; the others keep their subtrees.

    New values go to the branch with the most training weight.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    node : int
        A node that is split by a column.
    branches : iterable of int
        At least two branches of the node, but not all. Ranges of numbers must follow each other.

    Returns
    -------
    Surgery
        The new tree. The subtrees that are kept are numbered anew.
    """
    _check_node(tree, node)
    split, children = tree.split(node), tree.children(node).tolist()
    chosen = sorted(set(branches))
    if split is None:
        raise TreeError(f"node {node} is a leaf and has no branches")
    if len(chosen) < 2 or not 0 <= chosen[0] <= chosen[-1] < len(children):
        raise TreeError(f"node {node} has branches 0 to {len(children) - 1}; merge at least two")
    if len(chosen) == len(children):
        raise TreeError(f"all branches of node {node} cannot be merged; collapse the node instead")
    number = [chosen[0] if b in chosen else b for b in range(len(children))]
    merged, group = merge_branches(split, number)
    assert not isinstance(merged, CustomSplit)
    counts = np.zeros((merged.arity, tree.n_classes))
    rows = np.zeros(merged.arity, dtype=np.int64)
    np.add.at(counts, group, tree.counts[children])
    np.add.at(rows, group, tree.rows[children])
    weight = counts[:, 0] if tree.is_numeric else counts.sum(axis=1)
    top = TreeBuilder(tree.counts[node], int(tree.rows[node]), tree.centre, tree.costs)
    split = replace(merged, default_branch=heaviest_branch(weight))
    made = top.split(0, split, counts, rows)
    whole = top.finish()
    for branch, child in enumerate(children):
        if branch not in chosen:  # new nodes come last, so those of ``made`` keep their numbers
            whole = replaced(whole, made[group[branch]], subtree_at(tree, child)).tree
    return replaced(tree, node, whole)


def subtree_at(tree: Tree, node: int) -> Tree:
    """Return the subtree of a node as a tree of its own.

    Parameters
    ----------
    tree : Tree
        The tree.
    node : int
        The node that becomes the root.

    Returns
    -------
    Tree
        The subtree; its nodes keep their order.
    """
    _check_node(tree, node)
    inside = nodes_below(tree, node)
    held, place = np.flatnonzero(inside), np.cumsum(inside) - 1
    splits = [tree.split(v) for v in held.tolist()]
    children = [place[tree.children(v)].tolist() for v in held.tolist()]
    counts, rows = tree.counts[held], tree.rows[held]
    part = TreeBuilder.from_nodes(splits, children, counts, rows, tree.centre, tree.costs).finish()
    labels = {int(place[v]): label for v, label in tree.relabelled.items() if inside[v]}
    return replace(part, relabelled=labels)


def nodes_below(tree: Tree, node: int) -> AnyArray:
    """Return whether each node is this one or lies below it."""
    inside = np.zeros(tree.n_nodes, dtype=bool)
    inside[node] = True
    for v in range(node + 1, tree.n_nodes):  # parents come first
        inside[v] = inside[tree.parent[v]]
    return inside


def heaviest_branch(weights: FloatArray) -> int:
    """Return the first branch of largest weight, up to rounding."""
    return int((weights >= weights.max() - TIE * weights.sum()).argmax())


def leaf_of(tree: Tree, node: int) -> Tree:
    """Return a node as a tree of one leaf."""
    return TreeBuilder(tree.counts[node], int(tree.rows[node]), tree.centre, tree.costs).finish()


def _check_node(tree: Tree, node: int) -> None:
    if not 0 <= node < tree.n_nodes:
        raise TreeError(f"node {node} does not exist; the tree has nodes 0 to {tree.n_nodes - 1}")
