"""Move the cuts of a column with many distinct values from the ends of prebins to single values.

The best bins on prebins are refined: the search is repeated with finer candidates around each cut,
and coarse ones elsewhere, until the candidates are single values. The cuts found so far are among
the candidates, so no step makes the bins worse. So are the cuts of a small tree that is grown
greedily on all values: the bins are never worse than the best that join leaves of that tree.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from polytomy import kernels
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import OrderedColumn, Target
from polytomy.encode.align import reading_of
from polytomy.kernels import BestBins
from polytomy.table import Ordered

_AROUND = 24  # candidates around each cut
_ELSEWHERE = 64  # candidates from the whole range
_LEAVES = 20  # of the greedy tree
_REACH = 2.0  # how far from a cut the next candidates reach, in distances of the last ones

Search = Callable[[IntArray, IntArray, Sequence[int]], BestBins]
"""The best bins of items with these components and rows, by one of the trends of these numbers."""


def row_components(target: Target) -> IntArray:
    """Return what each row counts for each component, of shape (components, rows)."""
    out = np.zeros((target.n_classes, target.n_rows), dtype=np.int64)
    for labels, units in target.layers:
        for component in range(target.n_classes):
            is_own = labels == component
            out[component] += is_own if units is None else np.where(is_own, units, 0)
    return out


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """The distinct values of a column in ascending order, with two components.

    ``rows``, ``first`` and ``second`` are the rows and the components of all cells below each
    value, and at the end those of all cells.
    """

    values: FloatArray
    rows: IntArray
    first: IntArray
    second: IntArray

    @classmethod
    def of(cls, column: Ordered, components: IntArray) -> Self:
        table = kernels.value_table([column.values], [reading_of(column)], len(column.values))
        return cls(*kernels.value_counts(table, *components))

    def __len__(self) -> int:
        return len(self.values)

    def items(self, ends: IntArray) -> tuple[IntArray, IntArray]:
        """Return the components and the rows of the items that end before these values."""
        edges = np.concatenate(([0], ends))
        counts = np.column_stack((np.diff(self.first[edges]), np.diff(self.second[edges])))
        return counts, np.diff(self.rows[edges])

    def near(self, rows: AnyArray) -> IntArray:
        """Return the first value with at least so many rows below it, but at least 1."""
        return np.clip(np.searchsorted(self.rows, rows), 1, len(self))


def refined(
    column: Ordered,
    spec: OrderedColumn,
    components: IntArray,
    best: BestBins,
    search: Search,
    trends: Sequence[int],
    least: int,
) -> tuple[OrderedColumn, IntArray, IntArray, BestBins]:
    """Return the bins of a column after moving their cuts, as a column with these bins only.

    Parameters
    ----------
    column : Ordered
        The cells.
    spec : OrderedColumn
        The prebins.
    components : int64 array
        See ``row_components``.
    best : BestBins
        The best bins on the prebins.
    search : callable
        See ``Search``.
    trends : sequence of int
        The trends that are allowed.
    least : int
        The minimum weight of a bin.

    Returns
    -------
    OrderedColumn
        The column with a code for each bin.
    components, rows : int64 arrays
        Those of each bin.
    BestBins
        The bins of these codes.
    """
    values = _Values.of(column, components)
    coarse = np.searchsorted(values.values, spec.high, side="right")
    elsewhere = np.append(
        coarse[:: -(-len(coarse) // _ELSEWHERE)],
        kernels.greedy_cuts(values.first, values.second, _LEAVES, least),
    )
    cuts = coarse[best.ends.astype(np.int64) - 1]
    reach = _REACH * values.rows[-1] / len(coarse)
    while reach >= 1:
        around = values.rows[cuts[:-1], None] + np.linspace(-reach, reach, _AROUND + 1)
        ends = np.unique(np.concatenate((values.near(around.ravel()), elsewhere, cuts)))
        found = search(*values.items(ends), trends)
        if found.cost <= best.cost:
            best, cuts, trends = found, ends[found.ends.astype(np.int64) - 1], [found.trend]
        reach *= 2 * _REACH / _AROUND
    low = values.values[np.concatenate(([0], cuts[:-1]))]
    high = values.values[cuts - 1]
    bins = OrderedColumn(spec.name, low, high, spec.has_missing, spec.scale)
    alone = np.arange(1, len(cuts) + 1, dtype=np.uint32)
    return bins, *values.items(cuts), best._replace(ends=alone)


def merges_values(spec: OrderedColumn) -> bool:
    """Return whether a bin holds more than one value."""
    return bool((spec.low < spec.high).any())
