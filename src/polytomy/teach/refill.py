"""Filling a tree with other rows than those it was grown on.

A tree with a teacher is grown on softened targets and synthetic rows. What its readers see are the
real rows with their labels: their counts, their unseen categories, and no leaf without enough of
them.
"""

import numpy as np

from polytomy._types import UNSEEN, AnyArray, FloatArray, IntArray
from polytomy.encode import Coded, NumericTarget, OrderedColumn, Schema, Target
from polytomy.tree import (
    UNCONSTRAINED,
    CategorySplit,
    Constraints,
    IntervalSplit,
    NodeSplit,
    Tree,
    TreeBuilder,
    heaviest_branch,
)


def refilled(
    tree: Tree,
    coded: Coded,
    target: Target,
    least_rows: int = 1,
    least_weight: float = 0.0,
    constraints: Constraints = UNCONSTRAINED,
) -> Tree:
    """Return a tree with the counts of these rows.

    A branch with too few of them is merged: a range with the neighbouring one that has more rows,
    a group of categories with the largest one. If only one branch is left, its subtree takes the
    place of the split, as far as constraints on its columns still hold there.

    Parameters
    ----------
    tree : Tree
        The tree, grown with the same schema; it is not changed.
    coded : Coded
        The rows.
    target : Target
        Their labels and weights.
    least_rows : int, default=1
        The rows that a leaf needs, at least 1.
    least_weight : float, default=0.0
        The weight that it needs.
    constraints : Constraints, default=UNCONSTRAINED
        The constraints of the tree. If the question that is left out is about a column that comes
        first, or that a question below it needs, a leaf takes its place.

    Returns
    -------
    Tree
        The tree.
    """
    tally = _Tally(target)
    every = np.arange(coded.n_rows)
    centre = target.centre if isinstance(target, NumericTarget) else None
    whole = tally.counts(every, np.zeros(coded.n_rows, dtype=np.intp), 1)[0]
    builder = TreeBuilder(whole, coded.n_rows, centre, target.costs)
    # A node of the old tree, its place in the new one, its rows, and the columns asked above it.
    waiting = [(0, 0, every, frozenset[int]())]
    while waiting:
        old, new, rows, asked = waiting.pop()
        split = tree.split(old)
        if split is None:
            continue
        assert isinstance(split, IntervalSplit | CategorySplit)
        held = constraints.below(asked)
        if held.after and held.after[split.feature]:
            continue
        column = coded.columns[split.feature]
        branch_of_code = branches_of_codes(split, coded.schema)
        branch = branch_of_code[column[rows]]
        children = tree.children(old).tolist()
        n_rows = np.bincount(branch, minlength=len(children))
        weights = tally.weight(tally.counts(rows, branch, len(children)))
        is_kept = (n_rows >= least_rows) & (weights >= least_weight)
        if is_kept.sum() <= 1:
            # The rows of all branches go to the largest one, or stay where they are.
            if is_kept.any() and split.feature not in held.first:
                waiting.append((children[int(is_kept.argmax())], new, rows, asked))
            continue
        group = joined_branches(split, is_kept, n_rows)
        branch = group[branch]
        parts = [rows[branch == b] for b in range(int(is_kept.sum()))]
        counts = tally.counts(rows, branch, len(parts))
        heaviest = heaviest_branch(tally.weight(counts))
        seen = np.zeros(len(branch_of_code), dtype=bool)
        seen[column[rows]] = True
        own = _filled(split, group, branch_of_code, seen, heaviest)
        made = builder.split(new, own, counts, [len(part) for part in parts])
        kept = [child for child, keep in zip(children, is_kept.tolist(), strict=True) if keep]
        below = [asked | {split.feature}] * len(kept)
        waiting += list(zip(kept, made, parts, below, strict=True))
    return builder.finish()


def branches_of_codes(split: IntervalSplit | CategorySplit, schema: Schema) -> AnyArray:
    """Return the branch of each code of a split's column; the last code is that of missing cells.

    Parameters
    ----------
    split : IntervalSplit or CategorySplit
        The split.
    schema : Schema
        The columns.

    Returns
    -------
    ndarray of int
        One branch for each code, also for those that were not seen.
    """
    column = schema[split.feature]
    if isinstance(split, CategorySplit):
        values = split.branch_of_codes(column.n_values)
    else:
        assert isinstance(column, OrderedColumn)
        values = np.searchsorted(split.thresholds, column.low, side="left")
    return np.append(values, split.branch_of_missing)


def joined_branches(split: NodeSplit, is_kept: AnyArray, n_rows: IntArray) -> AnyArray:
    """Return the new branch of each branch; those that are not kept are merged with others.

    Parameters
    ----------
    split : NodeSplit
        The split.
    is_kept : ndarray of bool
        Whether each branch is kept; at least one is.
    n_rows : ndarray of int
        The rows of each branch.

    Returns
    -------
    ndarray of int
        The new branches.
    """
    kept = np.flatnonzero(is_kept)
    group = np.full(len(is_kept), -1)
    group[kept] = np.arange(len(kept))
    largest = group[kept[n_rows[kept].argmax()]]
    ranges = len(split.thresholds) + 1 if isinstance(split, IntervalSplit) else 0
    for branch in np.flatnonzero(~is_kept).tolist():
        near = kept[kept < ranges]
        if branch < ranges and len(near):
            below, above = near[near < branch], near[near > branch]
            sides = [*below[-1:].tolist(), *above[:1].tolist()]
            group[branch] = group[max(sides, key=lambda b: n_rows[b])]
        else:
            group[branch] = largest
    return group


def _filled(
    split: IntervalSplit | CategorySplit,
    group: AnyArray,
    branch_of_code: AnyArray,
    seen: AnyArray,
    heaviest: int,
) -> NodeSplit:
    """Return a split with merged branches, for the codes that were seen."""
    missing = int(group[branch_of_code[-1]]) if seen[-1] else UNSEEN
    if isinstance(split, CategorySplit):
        codes = np.where(seen[:-1], group[branch_of_code[:-1]], UNSEEN).astype(np.int32)
        return CategorySplit(split.feature, codes, missing, heaviest)
    ranges = group[: len(split.thresholds) + 1]
    return IntervalSplit(split.feature, split.thresholds[np.diff(ranges) != 0], missing, heaviest)


class _Tally:
    """Counts rows by class, or sums the moments of their numbers."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def counts(self, rows: IntArray, branch: AnyArray, n_branches: int) -> FloatArray:
        """Return the counts of the rows of each branch."""
        target = self._target
        if isinstance(target, NumericTarget):
            return target.moments(branch, n_branches, rows=rows)
        units = np.zeros((n_branches, target.n_classes), dtype=np.int64)
        weights = 1 if target.units is None else target.units[rows]
        np.add.at(units, (branch, target.labels[rows]), weights)
        return np.asarray(units * target.unit)

    def weight(self, counts: FloatArray) -> FloatArray:
        """Return the weight of each count vector."""
        is_numeric = isinstance(self._target, NumericTarget)
        return np.asarray(counts[:, 0] if is_numeric else counts.sum(axis=1))
