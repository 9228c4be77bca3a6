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

from polytomy._types import FloatArray, IntArray
from polytomy.encode import OrderedColumn, Target, missing_cells
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
class _SortedCells:
    """The cells of a column in ascending order.

    ``ends`` are the positions after the last cell of each distinct value, and ``before`` are the
    components of all cells before each position.
    """

    values: FloatArray
    ends: IntArray
    before: IntArray

    @classmethod
    def of(cls, column: Ordered, components: IntArray) -> Self:
        known = np.flatnonzero(~missing_cells(column))
        values = column.values[known]
        order = np.argsort(values)
        rows = known[order]
        values = values[order].astype(np.float64)
        ends = np.append(np.flatnonzero(values[1:] != values[:-1]) + 1, len(values))
        before = np.zeros((len(components), len(values) + 1), dtype=np.int64)
        np.cumsum(components[:, rows], axis=1, out=before[:, 1:])
        return cls(values, ends, before)

    def items(self, ends: IntArray) -> tuple[IntArray, IntArray]:
        """Return the components and the rows of the items that end at these positions."""
        edges = np.concatenate(([0], ends))
        return np.ascontiguousarray(np.diff(self.before[:, edges]).T), np.diff(edges)

    def greedy_cuts(self, leaves: int, least: int) -> IntArray:
        """Return the cuts of a tree: always the one with the largest gini gain of any leaf.

        Each leaf has at least the weight ``least``.
        """
        last = len(self.ends)
        queue = [(*self._best_cut(0, last, least), 0, last)]
        cuts: list[int] = []
        while queue and len(cuts) < leaves - 1:
            queue.sort()
            gain, cut, first, last = queue.pop()
            if gain <= 0:
                break
            cuts.append(cut)
            queue += [
                (*self._best_cut(a, b, least), a, b) for a, b in ((first, cut + 1), (cut + 1, last))
            ]
        return self.ends[np.array(sorted(cuts), dtype=np.int64)]

    def _best_cut(self, first: int, last: int, least: int) -> tuple[float, int]:
        """Return the largest gain of a cut between the values first..last-1, and the value before.

        The gain is 0 if there is no cut.
        """
        start = self.ends[first - 1] if first > 0 else 0
        whole = (self.before[:, self.ends[last - 1]] - self.before[:, start]).astype(np.float64)
        a, b = (self.before[:, self.ends[first : last - 1]] - self.before[:, [start]]).astype(float)
        below = a + b
        above = whole.sum() - below
        possible = np.flatnonzero((below >= max(least, 1)) & (above >= max(least, 1)))
        if len(possible) == 0:
            return 0.0, first
        a, b, below, above = (values[possible] for values in (a, b, below, above))
        inside = a * (b / below) + (whole[0] - a) * ((whole[1] - b) / above)
        at = int(np.argmin(inside))
        return float(whole[0] * (whole[1] / whole.sum()) - inside[at]), first + int(possible[at])

    def near(self, positions: FloatArray) -> IntArray:
        """Return the first end of a distinct value at or after each position."""
        return self.ends[np.searchsorted(self.ends, np.clip(positions, 1, len(self.values)))]


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
    cells = _SortedCells.of(column, components)
    coarse = np.searchsorted(cells.values, spec.high, side="right")
    elsewhere = np.append(
        coarse[:: -(-len(coarse) // _ELSEWHERE)], cells.greedy_cuts(_LEAVES, least)
    )
    cuts = coarse[best.ends.astype(np.int64) - 1]
    reach = _REACH * len(cells.values) / len(coarse)
    while reach >= 1:
        around = cuts[:-1, None] + np.linspace(-reach, reach, _AROUND + 1)
        ends = np.unique(np.concatenate((cells.near(around.ravel()), elsewhere, cuts)))
        found = search(*cells.items(ends), trends)
        if found.cost <= best.cost:
            best, cuts, trends = found, ends[found.ends.astype(np.int64) - 1], [found.trend]
        reach *= 2 * _REACH / _AROUND
    low = cells.values[np.concatenate(([0], cuts[:-1]))]
    high = cells.values[cuts - 1]
    bins = OrderedColumn(spec.name, low, high, spec.has_missing, spec.scale)
    return (
        bins,
        *cells.items(cuts),
        best._replace(ends=np.arange(1, len(cuts) + 1, dtype=np.uint32)),
    )


def merges_values(spec: OrderedColumn) -> bool:
    """Return whether a bin holds more than one value."""
    return bool((spec.low < spec.high).any())
