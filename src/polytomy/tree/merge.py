"""Prunings in which branches are merged: neighbouring branches of a split become one leaf."""

from collections.abc import Sequence

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import UNSEEN, AnyArray

from .builder import TreeBuilder
from .contract import wide_split
from .splits import CategorySplit, CustomSplit, IntervalSplit, NodeSplit
from .tree import Tree

IS_GONE, IS_SPLIT, IS_LEAF = range(3)
"""What becomes of a node: it is gone, it remains a split, or it is a leaf or a part of one."""


def merged_pruning(tree: Tree, state: AnyArray, branch: AnyArray, *, contract: bool = True) -> Tree:
    """Return a pruning of a tree in which branches are merged.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    state : int array of shape (n_nodes,)
        ``IS_GONE``, ``IS_SPLIT`` or ``IS_LEAF`` for each node.
    branch : int array of shape (n_nodes,)
        For the branches of a remaining split, numbers that are equal if they are merged.
    contract : bool, default=True
        Whether a node and the children that split on the same column are one split.

    Returns
    -------
    Tree
        The pruned tree, contracted if ``contract``.
    """
    builder = TreeBuilder(tree.counts[0], int(tree.rows[0]), tree.centre, tree.costs)
    waiting = (
        [(0, 0)] if state[0] == IS_SPLIT else []
    )  # (node of the old tree, leaf of the new one)
    while waiting:
        old, new = waiting.pop()
        if contract:
            split, children = wide_split(tree, old)
        else:
            split, children = tree.split(old), tree.children(old).tolist()
        if split is None:
            raise TreeError(f"node {old} is a leaf and cannot remain a split")
        merged, group = merge_branches(split, [int(branch[child]) for child in children])
        counts = np.zeros((merged.arity, tree.counts.shape[1]))
        rows = np.zeros(merged.arity, dtype=np.int64)
        np.add.at(counts, group, tree.counts[children])
        np.add.at(rows, group, tree.rows[children])
        made = builder.split(new, merged, counts, rows)
        waiting += [
            (child, made[g])
            for child, g in zip(children, group, strict=True)
            if state[child] == IS_SPLIT
        ]
    return builder.finish()


def merge_branches(split: NodeSplit, number: Sequence[int]) -> tuple[NodeSplit, list[int]]:
    """Merge the branches of equal number; return the split and the new branch of each old one."""
    new: dict[int, int] = {}
    group = [new.setdefault(n, len(new)) for n in number]
    if len(new) == len(number):
        return split, group
    if isinstance(split, CustomSplit):
        raise TreeError("the branches of a user-defined split cannot be merged")
    moved = np.array([*group, UNSEEN], dtype=np.int32)  # UNSEEN is -1 and selects the last entry
    missing, default = int(moved[split.missing_branch]), int(moved[split.default_branch])
    if isinstance(split, CategorySplit):
        codes = moved[split.code_to_branch]
        return CategorySplit(split.feature, codes, missing, default), group
    ranges = np.array(group[: len(split.thresholds) + 1])
    kept = np.diff(ranges) != 0
    if len(np.unique(ranges)) != kept.sum() + 1:
        raise TreeError("only ranges that follow each other can be merged")
    return IntervalSplit(split.feature, split.thresholds[kept], missing, default), group
