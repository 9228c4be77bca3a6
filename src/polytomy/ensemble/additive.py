"""Additive form of boosted stumps: one score function for each column, whose sum is the vote."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from polytomy._types import FloatArray
from polytomy.encode import ColumnSpec, NominalColumn, Schema
from polytomy.tree import LEAF, CategorySplit, CustomSplit, IntervalSplit, Tree

from .member import Member


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFunction:
    """The score that one column adds to the votes, for each range of its values or each category.

    Parameters
    ----------
    feature : int
        The position of the column.
    thresholds : array or None
        Row b of ``scores`` is for ``thresholds[b-1] < x <= thresholds[b]``. None for a column of
        categories, where row c is for the category with code c.
    scores : array of shape (n_values, n_outputs)
        The score of each range or category.
    missing, unseen : arrays of shape (n_outputs,)
        The scores of a missing cell and of a value that the training table did not have.
    has_missing : bool
        Whether the training table had missing cells in this column.
    members : int
        The number of members of the ensemble that were merged.
    """

    feature: int
    thresholds: FloatArray | None
    scores: FloatArray
    missing: FloatArray
    unseen: FloatArray
    has_missing: bool
    members: int

    @property
    def spread(self) -> float:
        """The largest difference that the column can make to an output; a measure of importance."""
        seen = np.vstack((self.scores, self.missing)) if self.has_missing else self.scores
        return float(np.ptp(seen, axis=0).max())


@dataclass(frozen=True, slots=True, eq=False)
class Additive:
    """Votes as a sum: ``start`` plus one score for each function plus the votes of ``own``.

    The sum equals the votes bit for bit if the ensemble is ``exact``. ``own`` are the stumps with a
    user's own split, which belongs to no single column.
    """

    start: FloatArray
    functions: tuple[ScoreFunction, ...]
    own: tuple[Member, ...]

    def by_spread(self) -> list[ScoreFunction]:
        """Return the functions by decreasing spread; ties by column."""
        return sorted(self.functions, key=lambda f: (-f.spread, f.feature))


def additive(schema: Schema, members: Sequence[Member], start: FloatArray) -> Additive | None:
    """Merge members that split on at most one column each; return None if one splits on more."""
    total = start.copy()
    stumps: dict[int, list[_Stump]] = defaultdict(list)
    own = []
    for member in members:
        tree = member.tree
        split, columns = tree.split(0), np.unique(tree.feature[tree.kind != LEAF])
        if tree.depth.max() > 1 and (len(columns) > 1 or tree.own):
            return None
        if split is None:
            total += member.scores[0]
        elif isinstance(split, CustomSplit):
            own.append(member)
        elif tree.depth.max() > 1:
            stumps[split.feature].append(_flattened(member, schema[split.feature]))
        else:
            stumps[split.feature].append((split, member.scores[tree.children(0)]))
    functions = tuple(_merged(schema[j], j, stumps[j]) for j in sorted(stumps))
    return Additive(total, functions, tuple(own))


_Stump = tuple[IntervalSplit | CategorySplit, FloatArray]  # its split, the scores of its branches


def _flattened(member: Member, column: ColumnSpec) -> _Stump:
    """Return a tree on one column as one split, with branches of missing and unseen cells."""
    tree, feature = member.tree, int(member.tree.feature[0])
    missing = _leaf(tree, lambda split: split.branch_of_missing)
    unseen = _leaf(tree, lambda split: split.default_branch)
    leaves: list[int]
    flat: IntervalSplit | CategorySplit
    if isinstance(column, NominalColumn):
        n = column.n_values
        leaves = [_leaf(tree, partial(_branch_of_code, code, n)) for code in range(n)]
        flat = CategorySplit(feature, np.arange(n, dtype=np.int32), n, n + 1)
    else:
        cuts = np.unique(tree.threshold)
        ends = [*cuts.tolist(), np.inf]  # a range includes its upper end, which identifies it
        leaves = [_leaf(tree, partial(_branch_of_number, end)) for end in ends]
        flat = IntervalSplit(feature, cuts, len(ends), len(ends) + 1)
    return flat, member.scores[[*leaves, missing, unseen]]


def _leaf(tree: Tree, branch_at: Callable[[Any], int]) -> int:
    """Return the leaf that is reached by taking a branch at each split."""
    node = 0
    while not tree.is_leaf(node):
        node = int(tree.children(node)[branch_at(tree.split(node))])
    return node


def _branch_of_number(x: float, split: IntervalSplit) -> int:
    return int(np.searchsorted(split.thresholds, x))


def _branch_of_code(code: int, n: int, split: CategorySplit) -> int:
    return int(split.branch_of_codes(n)[code])


def _merged(column: ColumnSpec, feature: int, stumps: list[_Stump]) -> ScoreFunction:
    missing, unseen = np.zeros((2, stumps[0][1].shape[1]))
    for split, scores in stumps:
        unseen += scores[split.default_branch]
        missing += scores[split.branch_of_missing]
    if isinstance(column, NominalColumn):
        thresholds, added = None, _of_categories(column, stumps)
    else:
        thresholds, added = _of_ranges(stumps)
    return ScoreFunction(
        feature, thresholds, added, missing, unseen, column.has_missing, len(stumps)
    )


def _of_ranges(stumps: list[_Stump]) -> tuple[FloatArray, FloatArray]:
    """Return the thresholds at which the sum changes, and its value in each range."""
    stepped = [(q.thresholds, s) for q, s in stumps if isinstance(q, IntervalSplit)]
    cuts = np.unique(np.concatenate([thresholds for thresholds, _ in stepped]))
    ends = np.append(cuts, np.inf)
    added = np.zeros((len(ends), stumps[0][1].shape[1]))
    for thresholds, scores in stepped:
        added += scores[np.searchsorted(thresholds, ends)]
    changes = (added[1:] != added[:-1]).any(axis=1)
    return cuts[changes], added[np.concatenate(([True], changes))]


def _of_categories(column: NominalColumn, stumps: list[_Stump]) -> FloatArray:
    added = np.zeros((column.n_values, stumps[0][1].shape[1]))
    for split, scores in stumps:
        if isinstance(split, CategorySplit):
            added += scores[split.branch_of_codes(column.n_values)]
    return added
