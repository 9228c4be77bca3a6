"""Stumps add up: an ensemble of them is one function of each column, and the votes their sum."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polytomy._types import UNSEEN, FloatArray
from polytomy.encode import ColumnSpec, NominalColumn, Schema
from polytomy.tree import CodeQuestion, IntervalQuestion, OwnQuestion

from .member import Member


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFunction:
    """What one column adds to the votes: a score for each range of its values, or each category.

    Parameters
    ----------
    feature : int
        The column.
    thresholds : array, optional
        Row b of ``scores`` is for ``thresholds[b-1] < x <= thresholds[b]``. None for a column of
        categories, where row c is for the category whose code is c.
    scores : array of shape (n_values, n_outputs)
        What each range or category adds.
    missing, unseen : arrays of shape (n_outputs,)
        What a missing cell adds, and a value that the training table did not have.
    has_missing : bool
        Whether the training table had missing cells; if not, ``missing`` is what they would get.
    members : int
        How many members of the ensemble went into it.
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
        """The most that the column can move an output: the reader's measure of its importance."""
        seen = np.vstack((self.scores, self.missing)) if self.has_missing else self.scores
        return float(np.ptp(seen, axis=0).max())


@dataclass(frozen=True, slots=True, eq=False)
class Additive:
    """Votes as a sum: ``start`` plus the score of each function plus what ``own`` members add.

    The sum is exact, bit for bit, where the ensemble is ``exact``. ``own`` are the stumps with a
    user's own question, which is about no one column.
    """

    start: FloatArray
    functions: tuple[ScoreFunction, ...]
    own: tuple[Member, ...]

    def by_spread(self) -> list[ScoreFunction]:
        """Return the functions, the one that moves the votes most first; ties by column."""
        return sorted(self.functions, key=lambda f: (-f.spread, f.feature))


def additive(schema: Schema, members: Sequence[Member], start: FloatArray) -> Additive | None:
    """Merge members that ask at most one question each; None if one of them asks more."""
    if any(member.tree.depth.max() > 1 for member in members):
        return None
    total = start.copy()
    stumps: dict[int, list[_Stump]] = defaultdict(list)
    own = []
    for member in members:
        question = member.tree.question(0)
        if question is None:
            total += member.scores[0]
        elif isinstance(question, OwnQuestion):
            own.append(member)
        else:
            stumps[question.feature].append((question, member.scores[member.tree.children(0)]))
    functions = tuple(_merged(schema[j], j, stumps[j]) for j in sorted(stumps))
    return Additive(total, functions, tuple(own))


_Stump = tuple[IntervalQuestion | CodeQuestion, FloatArray]  # what it asks, its branches' scores


def _merged(column: ColumnSpec, feature: int, stumps: list[_Stump]) -> ScoreFunction:
    missing, unseen = np.zeros((2, stumps[0][1].shape[1]))
    for question, scores in stumps:
        unseen += scores[question.default_branch]
        took = question.missing_branch
        missing += scores[question.default_branch if took == UNSEEN else took]
    if isinstance(column, NominalColumn):
        thresholds, added = None, _of_categories(column, stumps)
    else:
        thresholds, added = _of_ranges(stumps)
    return ScoreFunction(
        feature, thresholds, added, missing, unseen, column.has_missing, len(stumps)
    )


def _of_ranges(stumps: list[_Stump]) -> tuple[FloatArray, FloatArray]:
    """Return the thresholds at which the sum changes, and its value in each range."""
    asked = [(q.thresholds, s) for q, s in stumps if isinstance(q, IntervalQuestion)]
    cuts = np.unique(np.concatenate([thresholds for thresholds, _ in asked]))
    ends = np.append(cuts, np.inf)  # a range is known by its upper end, which belongs to it
    added = np.zeros((len(ends), stumps[0][1].shape[1]))
    for thresholds, scores in asked:
        added += scores[np.searchsorted(thresholds, ends)]
    changes = (added[1:] != added[:-1]).any(axis=1)
    return cuts[changes], added[np.concatenate(([True], changes))]


def _of_categories(column: NominalColumn, stumps: list[_Stump]) -> FloatArray:
    added = np.zeros((column.n_values, stumps[0][1].shape[1]))
    for question, scores in stumps:
        if isinstance(question, CodeQuestion):
            branches = np.full(column.n_values, question.default_branch)
            known = question.code_to_branch
            branches[: len(known)] = np.where(known == UNSEEN, question.default_branch, known)
            added += scores[branches]
    return added
