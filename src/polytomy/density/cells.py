"""Cells: the part of a column's axis that each code stands for, and its length.

A density needs to know how long a bin is. The cells of an ordered column meet half-way between
neighbouring bins, where thresholds lie, and the outermost two are as wide on the outer side as on
the inner one, but at most half the mean distance of the bins. So the cells of whole numbers are one
unit long, those of values recorded to a tenth a tenth, and a value that is repeated very often, an
atom, has the length of the space around it. The cells of ordered labels have the number of labels
as their length, categories 1, and so has the value of a constant column.

A missing cell is one more category of its column. Its length is such that missing cells have the
mean density of the others: a box that no split on the column has cut holds missing cells with the
share that they have in the whole table.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polytomy._types import FloatArray
from polytomy.encode import (
    Coded,
    ColumnSpec,
    NominalColumn,
    OrderedColumn,
    Schema,
    thresholds_between,
)
from polytomy.table import Ranks

_LARGEST = sys.float_info.max


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCells:
    """The cells of one column.

    Parameters
    ----------
    edges : ndarray of shape (values + 1,)
        The ends of the cells of an ordered column, ascending; empty for a nominal column.
    lengths : ndarray of shape (codes,)
        The length of each code's cell; that of missing cells is the last, if there are any.
    """

    edges: FloatArray
    lengths: FloatArray

    @classmethod
    def of(cls, spec: ColumnSpec, missing_odds: float) -> "ColumnCells":
        """Return the cells of a column, given the ratio of its missing cells to the others."""
        edges = _edges(spec) if isinstance(spec, OrderedColumn) else np.empty(0)
        if isinstance(spec, NominalColumn) or (len(edges) == 2 and edges[0] == edges[1]):
            lengths = np.ones(spec.n_values)
        else:
            lengths = widths(edges)
        if spec.has_missing:
            alone = min(missing_odds * lengths.sum(), _LARGEST / 4) if len(lengths) else 1.0
            lengths = np.append(lengths, alone)
        return cls(edges, lengths)


def cells_of(schema: Schema, missing_odds: Sequence[float]) -> tuple[ColumnCells, ...]:
    """Return the cells of all columns.

    Parameters
    ----------
    schema : Schema
        The columns.
    missing_odds : sequence of float
        For each column, the weight of the missing cells divided by that of the others.

    Returns
    -------
    tuple of ColumnCells
        The cells of each column.
    """
    return tuple(map(ColumnCells.of, schema, missing_odds))


def missing_odds(coded: Coded, weights: FloatArray | None) -> tuple[float, ...]:
    """Return, for each column, the weight of the missing cells divided by that of the others.

    Parameters
    ----------
    coded : Coded
        The rows.
    weights : ndarray or None
        Their weights; None if all are 1.

    Returns
    -------
    tuple of float
        The odds; 1 for a column without values.
    """
    found = []
    for spec, codes in zip(coded.schema, coded.columns, strict=True):
        missing = codes == spec.n_values
        share = float(np.average(missing, weights=weights))
        found.append(share / (1 - share) if share < 1 else 1.0)
    return tuple(found)


def widths(edges: FloatArray) -> FloatArray:
    """Return the distances of neighbouring edges, none of them 0, with a sum that is finite."""
    with np.errstate(over="ignore"):
        wide = np.minimum(np.diff(edges), _LARGEST / 4 / max(len(edges), 1))
    return np.maximum(wide, sys.float_info.min)


def _edges(spec: OrderedColumn) -> FloatArray:
    low, high = spec.low, spec.high
    if not len(low):
        return np.empty(0)
    inner = thresholds_between(high[:-1], low[1:])
    if isinstance(spec.scale, Ranks):
        last = len(spec.scale.labels) - 0.5
        return np.concatenate(([-0.5], np.floor(inner) + 0.5, [last]))
    first, last = float(low[0]), float(high[-1])
    if len(low) > 1:
        mean = (last / 2 - first / 2) / (len(low) - 1)  # half of the mean distance
        if low[0] == high[0]:
            first = max(first - min(float(low[1]) / 2 - first / 2, mean), -_LARGEST)
        if low[-1] == high[-1]:
            last = min(last + min(last / 2 - float(high[-2]) / 2, mean), _LARGEST)
    return np.concatenate(([first], inner, [last]))
