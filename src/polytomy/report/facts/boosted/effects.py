"""What the score functions do to given rows: the effect of each column, and where its rows lie."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._types import MISSING, AnyArray, FloatArray
from polytomy.encode import ColumnSpec, OrderedColumn, aligned, missing_cells
from polytomy.ensemble import Additive, Ensemble, ScoreFunction
from polytomy.report.facts.json_values import rounded, rounded_list
from polytomy.table import Ordered, Ranks, Table

_BINS = 40  # of a density
_BESIDE = 0.3  # of the distance of the outer thresholds: how far the axis extends beyond them
_UNBOUNDED = 1e300  # thresholds beyond separate infinities from numbers
_DIGITS = 5


@dataclass(frozen=True, slots=True, eq=False)
class ColumnRows:
    """The cells of a column: ``values`` of those that are known, and the weight of every row.

    ``values`` are numbers or the codes of categories; ``known`` and ``unseen`` say which rows have
    one, and which have a category that the training table did not have. Other cells are missing.
    """

    values: AnyArray
    known: AnyArray
    unseen: AnyArray
    weights: FloatArray

    @classmethod
    def of(cls, cells: Ordered | AnyArray, weights: FloatArray) -> "ColumnRows":
        """Return the rows of a column, as ``aligned`` returns it."""
        if isinstance(cells, Ordered):
            known = ~missing_cells(cells)
            values: AnyArray = cells.values
            if isinstance(cells.scale, Ranks):
                known &= values >= 0
            unseen = np.zeros(len(known), dtype=bool)
        else:
            values, known = cells, cells >= 0
            unseen = ~known & (cells != MISSING)
        return cls(values[known].astype(np.float64), known, unseen, weights)

    def scores(self, function: ScoreFunction) -> FloatArray:
        """Return the scores that a function adds to each row."""
        added = np.where(self.unseen[:, np.newaxis], function.unseen, function.missing)
        places = (
            self.values.astype(np.int64)
            if function.thresholds is None
            else np.searchsorted(function.thresholds, self.values)
        )
        added[self.known] = function.scores[places]
        return np.asarray(added, dtype=np.float64)

    def effect(self, function: ScoreFunction) -> float:
        """Return the mean absolute score, relative to the mean score of the rows.

        With several outputs, it is the mean of their effects.
        """
        added = self.scores(function)
        centred = np.abs(added - np.average(added, axis=0, weights=self.weights))
        return float(np.average(centred, axis=0, weights=self.weights).mean())

    def shares(self, places: AnyArray, n: int) -> list[float | int]:
        """Return the share of the weight of all rows at each of n places of the known cells."""
        held = np.bincount(places, self.weights[self.known], n)[:n]
        return rounded_list((held / self.weights.sum()).tolist(), _DIGITS)


def rows_by_column(
    ensemble: Ensemble, merged: Additive, table: Table, weights: FloatArray
) -> dict[int, ColumnRows]:
    """Return the rows of each column that has a score function, by column."""
    cells = aligned(table, ensemble.schema)
    columns = [function.feature for function in merged.functions]
    return {j: ColumnRows.of(cells[j], weights) for j in columns}


def row_facts(
    function: ScoreFunction, column: ColumnSpec, rows: ColumnRows, places: AnyArray | None = None
) -> dict[str, Any]:
    """Return the effect of a column on rows, and how the rows are distributed over its values.

    Parameters
    ----------
    function : ScoreFunction
        The scores of the column.
    column : ColumnSpec
        The column.
    rows : ColumnRows
        Its cells.
    places : array of int, optional
        For categories, the set of the page in which each code is; -1 if it is not listed.

    Returns
    -------
    dict
        ``effect``, ``missing_share`` if cells are missing, and either ``density``, the share of the
        rows in equal steps of ``axis``, or ``shares``, that of each set of categories or label.
    """
    facts: dict[str, Any] = {"effect": rounded(rows.effect(function))}
    gone = float(rows.weights[~rows.known & ~rows.unseen].sum() / rows.weights.sum())
    if gone > 0:
        facts["missing_share"] = rounded(gone, _DIGITS)
    if places is not None:
        at = places[rows.values.astype(np.int64)]
        n = int(places.max(initial=-1)) + 1
        return facts | {"shares": rows.shares(np.where(at < 0, n, at), n)}
    assert isinstance(column, OrderedColumn)
    assert function.thresholds is not None
    if isinstance(column.scale, Ranks):
        return facts
    low, high = score_axis(function.thresholds, column)
    steps = np.floor(_BINS * (rows.values - low) / (high - low))
    inside = (rows.values >= low) & (rows.values <= high)
    at = np.where(inside, np.clip(steps, 0, _BINS - 1), _BINS).astype(np.int64)
    return facts | {"density": rows.shares(at, _BINS)}


def score_axis(thresholds: FloatArray, column: OrderedColumn) -> tuple[float, float]:
    """Return the ends of the axis of a step function.

    They are the thresholds with some space around them, within the range of the training values.
    """
    cuts = thresholds[np.abs(thresholds) < _UNBOUNDED]
    held = np.concatenate((column.low, column.high))
    held = held[np.abs(held) < _UNBOUNDED]
    if not len(cuts):
        return (float(held.min()), float(held.max())) if np.ptp(held) > 0 else (0.0, 1.0)
    first, last = float(cuts[0]), float(cuts[-1])
    beside = _BESIDE * (last - first) or np.inf
    low = min(first, max(float(held.min(initial=first - 0.5)), first - beside))
    high = max(last, min(float(held.max(initial=last + 0.5)), last + beside))
    return (low, high) if high > low else (low - 0.5, high + 0.5)
