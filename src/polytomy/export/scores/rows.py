"""A score function as rows: ranges or sets of categories in words, with the scores they add."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from polytomy._text import one_line
from polytomy._types import FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.ensemble import Member, ScoreFunction
from polytomy.export.phrasing import Range, describe_branches, describe_categories, describe_range
from polytomy.table import Ranks
from polytomy.tree import CustomSplit


@dataclass(frozen=True, slots=True, eq=False)
class ScoreRow:
    """Some values of a column, and the smallest and largest score they add to each output."""

    words: str
    low: FloatArray
    high: FloatArray

    @property
    def exact(self) -> bool:
        """Whether all the values add the same score."""
        return np.array_equal(self.low, self.high)


def score_rows(function: ScoreFunction, column: ColumnSpec, most: int) -> list[ScoreRow]:
    """Return a score function as rows: ranges ascending, categories by descending score.

    Values with the same score share a row. Missing cells and new categories have rows of their own
    unless another row has the same score.

    Parameters
    ----------
    function : ScoreFunction
        The function.
    column : ColumnSpec
        Its column.
    most : int
        The maximum number of rows for values of the training table; if there are more, the
        neighbours that differ least are joined.
    """
    if isinstance(column, NominalColumn):
        return _category_rows(function, column, most)
    return _range_rows(function, column, most)


def _range_rows(function: ScoreFunction, column: OrderedColumn, most: int) -> list[ScoreRow]:
    thresholds, scores = ranges_of(function, column)
    ends = [None, *thresholds.tolist(), None]
    runs = join_neighbours(scores, most)
    same = _equal_run(function.missing, scores, runs) if function.has_missing else None
    rows = []
    for i, run in enumerate(runs):
        values = Range(ends[run.start], ends[run.stop], missing=i == same)
        rows.append(_row(describe_range(values, column), scores[run]))
    if function.has_missing and same is None:
        words = describe_range(Range(present=False), column)
        rows.append(_row(words, function.missing[np.newaxis]))
    return rows


def _category_rows(function: ScoreFunction, column: NominalColumn, most: int) -> list[ScoreRow]:
    scores, position = category_scores(function.scores)
    runs = join_neighbours(scores, most)
    missing = _equal_run(function.missing, scores, runs) if function.has_missing else None
    unseen = _equal_run(function.unseen, scores, runs)
    rows = []
    for i, run in enumerate(runs):
        codes = np.flatnonzero((position >= run.start) & (position < run.stop)).tolist()
        names = [one_line(column.categories[code]) for code in codes]
        words = describe_categories(column.name, names, missing=i == missing, unseen=i == unseen)
        rows.append(_row(words, scores[run]))
    left = [
        (word, score)
        for word, score, there in (
            ("missing", function.missing, function.has_missing and missing is None),
            ("unseen", function.unseen, unseen is None),
        )
        if there
    ]
    if len(left) == 2 and np.array_equal(left[0][1], left[1][1]):
        left = [("missing or unseen", left[0][1])]
    name = one_line(column.name)
    return rows + [_row(f"{name} is {word}", score[np.newaxis]) for word, score in left]


def _row(words: str, scores: FloatArray) -> ScoreRow:
    return ScoreRow(words, scores.min(axis=0), scores.max(axis=0))


def ranges_of(function: ScoreFunction, column: OrderedColumn) -> tuple[FloatArray, FloatArray]:
    """Return the thresholds of a score function, and the scores of the ranges between them.

    Ranges that lie between two ordered labels, and hold neither, are left out.
    """
    assert function.thresholds is not None
    if not isinstance(column.scale, Ranks):
        return function.thresholds, function.scores
    labels = np.arange(len(column.scale.labels))
    held = np.unique(np.searchsorted(function.thresholds, labels))
    return function.thresholds[held[1:] - 1], function.scores[held]


def category_scores(scores: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distinct scores of categories in descending order, and each category's position.

    Parameters
    ----------
    scores : array of shape (n_categories, n_outputs)
        The scores of the categories.

    Returns
    -------
    tuple of arrays
        The distinct scores, and for each category the position of its score among them.
    """
    distinct, of_code = np.unique(scores, axis=0, return_inverse=True)
    order = score_order(distinct)
    return distinct[order], np.argsort(order)[of_code.ravel()]


def score_order(scores: FloatArray) -> IntArray:
    """Return the order of scores, descending in the output in which they vary most."""
    widest = int(np.argmax(np.ptp(scores, axis=0)))
    return np.argsort(-scores[:, widest], kind="stable")


def join_neighbours(scores: FloatArray, most: int) -> list[slice]:
    """Return at most ``most`` runs of consecutive scores; those that differ least are joined first.

    Parameters
    ----------
    scores : array of shape (n_values, n_outputs)
        The scores, in the order of their values.
    most : int
        The maximum number of runs, at least 1.

    Examples
    --------
    >>> join_neighbours(np.array([[0.0], [0.1], [5.0]]), 2)
    [slice(0, 2, None), slice(2, 3, None)]
    """
    starts = list(range(len(scores)))
    low, high = scores.copy(), scores.copy()
    width = (np.maximum(high[:-1], high[1:]) - np.minimum(low[:-1], low[1:])).max(axis=1)
    while len(starts) > max(most, 1):
        at = int(np.argmin(width))
        low[at] = np.minimum(low[at], low[at + 1])
        high[at] = np.maximum(high[at], high[at + 1])
        low, high = np.delete(low, at + 1, axis=0), np.delete(high, at + 1, axis=0)
        width = np.delete(width, at)
        del starts[at + 1]
        for i in range(max(at - 1, 0), min(at + 1, len(width))):  # the pairs with the joined run
            width[i] = (np.maximum(high[i], high[i + 1]) - np.minimum(low[i], low[i + 1])).max()
    return [slice(a, b) for a, b in pairwise([*starts, len(scores)])]


def _equal_run(score: FloatArray, scores: FloatArray, runs: list[slice]) -> int | None:
    """Return the first run whose scores all equal a score, or None."""
    for i, run in enumerate(runs):
        if (scores[run] == score).all():
            return i
    return None


def own_split_scores(member: Member, schema: Schema) -> tuple[str, list[str], FloatArray]:
    """Return the title, the branches in words and their scores of a stump with a user's split."""
    split = member.tree.split(0)
    assert isinstance(split, CustomSplit)
    title, _ = split.branching.describe(schema.names)
    words = describe_branches(split, schema)
    return title, words, member.scores[member.tree.children(0)]
