"""A score function as rows to print: the values of a column in words, and what they add."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from polytomy._text import one_line
from polytomy._types import FloatArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.ensemble import ScoreFunction
from polytomy.table import Ranks

from .words import SET_WIDTH, Range, say_range, say_set


@dataclass(frozen=True, slots=True, eq=False)
class ScoreRow:
    """Some values of a column, and the least and the most they add to each output."""

    words: str
    low: FloatArray
    high: FloatArray

    @property
    def exact(self) -> bool:
        """Whether all its values add the same."""
        return np.array_equal(self.low, self.high)


def score_rows(function: ScoreFunction, column: ColumnSpec, most: int) -> list[ScoreRow]:
    """Return a function in words: ranges ascending, categories from the highest score down.

    Values that add the same share a row. Where there are more than ``most`` rows, the neighbours
    that differ least are joined, and the row says from what to what they add. Missing cells and
    categories that are new have rows of their own unless some row adds the same.
    """
    if isinstance(column, NominalColumn):
        return _of_categories(function, column, most)
    return _of_ranges(function, column, most)


def _of_ranges(function: ScoreFunction, column: OrderedColumn, most: int) -> list[ScoreRow]:
    thresholds, scores = _ranges(function, column)
    ends = [None, *thresholds.tolist(), None]
    runs = _runs(scores, most)
    same = _equal_run(function.missing, scores, runs) if function.has_missing else None
    rows = []
    for i, run in enumerate(runs):
        known = Range(ends[run.start], ends[run.stop], missing=i == same)
        rows.append(_row(say_range(known, column), scores[run]))
    if function.has_missing and same is None:
        rows.append(_row(say_range(Range(present=False), column), function.missing[np.newaxis]))
    return rows


def _ranges(function: ScoreFunction, column: OrderedColumn) -> tuple[FloatArray, FloatArray]:
    """Return thresholds and scores, without ranges between two labels that hold neither."""
    assert function.thresholds is not None
    if not isinstance(column.scale, Ranks):
        return function.thresholds, function.scores
    places = np.arange(len(column.scale.labels))
    held = np.unique(np.searchsorted(function.thresholds, places))
    return function.thresholds[held[1:] - 1], function.scores[held]


def _of_categories(function: ScoreFunction, column: NominalColumn, most: int) -> list[ScoreRow]:
    scores, of_code = np.unique(function.scores, axis=0, return_inverse=True)
    widest = int(np.argmax(np.ptp(scores, axis=0)))
    order = np.argsort(-scores[:, widest], kind="stable")
    scores = scores[order]
    place = np.argsort(order)[of_code.ravel()]
    runs = _runs(scores, most)
    missing = _equal_run(function.missing, scores, runs) if function.has_missing else None
    other = _equal_run(function.unseen, scores, runs)
    rows = []
    for i, run in enumerate(runs):
        codes = np.flatnonzero((place >= run.start) & (place < run.stop)).tolist()
        held = [one_line(column.categories[code]) for code in codes]
        words = say_set(column.name, held, i == missing, i == other, SET_WIDTH)
        rows.append(_row(words, scores[run]))
    left = [
        (word, score)
        for word, score, there in (
            ("missing", function.missing, function.has_missing and missing is None),
            ("other", function.unseen, other is None),
        )
        if there
    ]
    if len(left) == 2 and np.array_equal(left[0][1], left[1][1]):
        left = [("missing or other", left[0][1])]
    name = one_line(column.name)
    return rows + [_row(f"{name} is {word}", score[np.newaxis]) for word, score in left]


def _row(words: str, scores: FloatArray) -> ScoreRow:
    return ScoreRow(words, scores.min(axis=0), scores.max(axis=0))


def _runs(scores: FloatArray, most: int) -> list[slice]:
    """Return at most so many runs of consecutive rows, those that differ least joined first."""
    starts = list(range(len(scores)))
    low, high = scores.copy(), scores.copy()
    wide = (np.maximum(high[:-1], high[1:]) - np.minimum(low[:-1], low[1:])).max(axis=1)
    while len(starts) > max(most, 1):
        at = int(np.argmin(wide))
        low[at] = np.minimum(low[at], low[at + 1])
        high[at] = np.maximum(high[at], high[at + 1])
        low, high = np.delete(low, at + 1, axis=0), np.delete(high, at + 1, axis=0)
        wide = np.delete(wide, at)
        del starts[at + 1]
        for i in range(max(at - 1, 0), min(at + 1, len(wide))):  # only these have a new neighbour
            wide[i] = (np.maximum(high[i], high[i + 1]) - np.minimum(low[i], low[i + 1])).max()
    return [slice(a, b) for a, b in pairwise([*starts, len(scores)])]


def _equal_run(score: FloatArray, scores: FloatArray, runs: list[slice]) -> int | None:
    """Return the first run all of whose rows are this score."""
    for i, run in enumerate(runs):
        if (scores[run] == score).all():
            return i
    return None
