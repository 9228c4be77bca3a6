"""The splits of a tree on other rows: the same structure with new counts, where rows allow it."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import one_line
from polytomy._types import UNSEEN, BranchArray, FloatArray, IntArray
from polytomy.encode import NominalColumn, Schema
from polytomy.teach import joined_branches
from polytomy.tree import (
    GONE,
    CategorySplit,
    CustomSplit,
    IntervalSplit,
    NodeSplit,
    Tree,
    TreeBuilder,
    heaviest_branch,
)

from .rows import EditRows

_SHOWN = 3


class Transferred(NamedTuple):
    """A tree with the counts of other rows.

    Parameters
    ----------
    tree : Tree
        The tree.
    place : ndarray of int
        The number of each old node in it; ``GONE`` if no row reaches the node.
    findings : list of str
        What could not be kept, one sentence each.
    """

    tree: Tree
    place: IntArray
    findings: list[str]


def transferred(tree: Tree, schema: Schema, edited: EditRows, rows: IntArray) -> Transferred:
    """Return a tree with the counts of other rows.

    A branch without rows is left out: a range is merged with a neighbouring one. If only one branch
    of a split is left, its subtree takes the place of the split. Nodes keep their order, and their
    numbers if nothing is left out; leaves keep classes given by hand. Categories that the old rows
    of a node did not have take its branch for new values, and are reported.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Its columns.
    edited : EditRows
        The other rows, with a schema of their own.
    rows : ndarray of int
        Those of them that reach the root of the tree, at least one.

    Returns
    -------
    Transferred
        The new tree.
    """
    held = {0: rows}
    nodes: dict[int, _Node] = {}
    slot = np.arange(tree.n_nodes)  # the node in whose place each node is
    findings: list[str] = []
    for node in range(tree.n_nodes):
        own = held.pop(node, None)
        if own is None:
            continue
        split, below = tree.split(node), tree.children(node).tolist()
        if split is None:
            nodes[int(slot[node])] = _Node(None, [], own)
            continue
        found, left = _fitted(split, node, schema, edited, own)
        findings += left
        branch = edited.branches(found, own)
        n_rows = np.bincount(branch, minlength=len(below))
        kept = np.flatnonzero(n_rows).tolist()
        for empty in np.flatnonzero(n_rows == 0).tolist():
            findings.append(f"branch {empty} of node {node} has no rows and is left out")
        held |= {below[b]: own[branch == b] for b in kept}
        if len(kept) == 1:
            slot[below[kept[0]]] = slot[node]
            continue
        if not isinstance(found, CustomSplit):
            found = _kept_split(found, edited, own, branch, n_rows)
        elif len(kept) < len(below):
            raise ParameterError(f"no row takes one of the branches of node {node}")
        nodes[int(slot[node])] = _Node(found, [below[b] for b in kept], own)
    filled, place = _assembled(edited, nodes, slot)
    labels = {int(place[v]): c for v, c in tree.relabelled.items() if place[v] != GONE}
    return Transferred(replace(filled, relabelled=labels), place, findings)


class _Node(NamedTuple):
    """A node that has rows."""

    split: NodeSplit | None
    children: list[int]
    rows: IntArray


def _fitted(
    split: NodeSplit, node: int, schema: Schema, edited: EditRows, rows: IntArray
) -> tuple[NodeSplit, list[str]]:
    """Return a split in the codes of the other rows, and what it says nothing about."""
    if isinstance(split, CustomSplit):
        return split, []
    old, new = schema[split.feature], edited.schema[split.feature]
    if type(old) is not type(new) or getattr(old, "scale", None) != getattr(new, "scale", None):
        raise ParameterError(f"column {old.name!r} has values of another kind than before")
    findings, default = [], split.default_branch
    missing = split.missing_branch
    if missing == UNSEEN and edited.is_missing(split.feature, rows).any():
        findings.append(f"node {node} has missing cells of {old.name!r}, which it did not have")
    if not isinstance(split, CategorySplit):
        return split, findings
    assert isinstance(old, NominalColumn)
    assert isinstance(new, NominalColumn)
    branch_of = dict(zip(old.categories, split.code_to_branch.tolist(), strict=False))
    branch = np.array([branch_of.get(c, UNSEEN) for c in new.categories], dtype=np.int32)
    codes = np.unique(edited.coded.columns[split.feature][rows])
    present = codes[codes < new.n_values]
    unknown = [new.categories[code] for code in present.tolist() if branch[code] == UNSEEN]
    if unknown:
        names = ", ".join(one_line(name) for name in unknown[:_SHOWN])
        more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        findings.append(
            f"node {node} has new categories of {old.name!r} ({names}{more}), which go with "
            f"branch {default}"
        )
    # A category that the other rows do not have keeps its branch.
    return CategorySplit(split.feature, branch, missing, default), findings


def _kept_split(
    split: IntervalSplit | CategorySplit,
    edited: EditRows,
    rows: IntArray,
    branch: BranchArray,
    n_rows: IntArray,
) -> NodeSplit:
    """Return a split with a branch for each old one that has rows."""
    is_kept = n_rows > 0
    group = joined_branches(split, is_kept, n_rows)
    weight = edited.weights(group[branch], rows, int(is_kept.sum()))
    default, stated = heaviest_branch(weight), split.missing_branch
    missing = UNSEEN if stated == UNSEEN else int(group[stated])
    if missing == UNSEEN and edited.is_missing(split.feature, rows).any():
        missing = int(group[split.default_branch])
    if isinstance(split, IntervalSplit):
        ranges = group[: len(split.thresholds) + 1]
        cuts = split.thresholds[np.diff(ranges) != 0]
        return IntervalSplit(split.feature, cuts, missing, default)
    codes = np.full(len(split.code_to_branch), UNSEEN, dtype=np.int32)
    known = split.code_to_branch != UNSEEN
    codes[known] = group[split.code_to_branch[known]]
    present = np.unique(edited.coded.columns[split.feature][rows])
    new = [code for code in present.tolist() if code < len(codes) and not known[code]]
    codes[new] = group[split.default_branch]
    return CategorySplit(split.feature, codes, missing, default)


def _assembled(edited: EditRows, nodes: dict[int, _Node], slot: IntArray) -> tuple[Tree, IntArray]:
    """Return the tree of the nodes that have rows, and the place of each old node in it."""
    kept = sorted(nodes)
    number = np.full(len(slot), GONE)
    number[kept] = np.arange(len(kept))
    splits = [nodes[v].split for v in kept]
    children = [[int(number[c]) for c in nodes[v].children] for v in kept]
    counts = np.concatenate([_totals(edited, nodes[v].rows) for v in kept])
    n_rows = np.array([len(nodes[v].rows) for v in kept])
    tree = TreeBuilder.from_nodes(
        splits, children, counts, n_rows, edited.centre, edited.target.costs
    ).finish()
    return tree, number[slot]


def _totals(edited: EditRows, rows: IntArray) -> FloatArray:
    """Return the counts of some rows."""
    return edited.counts(np.zeros(len(rows), dtype=np.int32), rows, 1)
