"""The schema of the training table: the bins or categories of each column."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, isinf, nextafter
from typing import Any, ClassVar

import numpy as np

from polytomy._types import FloatArray, IntArray
from polytomy.table import Numbers, Scale


@dataclass(frozen=True, slots=True, eq=False)
class OrderedColumn:
    """An ordered column; bin b contains the training values from ``low[b]`` to ``high[b]``."""

    kind: ClassVar[str] = "ordered"
    name: str
    low: FloatArray
    high: FloatArray
    has_missing: bool
    scale: Scale = field(default_factory=Numbers)

    @property
    def n_values(self) -> int:
        """The number of bins, which is also the code of a missing cell."""
        return len(self.low)

    def threshold(self, left: int, right: int) -> float:
        """Return the number half-way between bins ``left`` and ``right``: left <= t < right."""
        a, b = float(self.high[left]), float(self.low[right])
        if isinf(b) and not isinf(a):
            return sys.float_info.max  # all finite numbers go left
        if isinf(a):
            return 0.0 if isinf(b) else a
        return min(max(a / 2 + b / 2, a), nextafter(b, -inf))


@dataclass(frozen=True, slots=True)
class NominalColumn:
    """A nominal column; the code of a category is its position in ``categories``."""

    kind: ClassVar[str] = "nominal"
    name: str
    categories: tuple[Any, ...]
    has_missing: bool

    @property
    def n_values(self) -> int:
        """The number of categories, which is also the code of a missing cell."""
        return len(self.categories)


ColumnSpec = OrderedColumn | NominalColumn


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """The columns of the training table, in order."""

    columns: tuple[ColumnSpec, ...]

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, j: int) -> ColumnSpec:
        return self.columns[j]

    def __iter__(self) -> Iterator[ColumnSpec]:
        return iter(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(c.name for c in self.columns)

    def n_codes(self) -> list[int]:
        """Return the number of codes of each column, including that of missing cells."""
        return [c.n_values + c.has_missing for c in self.columns]

    def code_start(self) -> IntArray:
        """Return the offset of each column's codes when all histograms lie end to end."""
        return np.concatenate(([0], np.cumsum(self.n_codes()))).astype(np.int64)

    def of_kind(self, kind: str) -> list[int]:
        """Return the positions of the columns of one kind."""
        return [j for j, c in enumerate(self.columns) if c.kind == kind]

    def merges_values(self) -> bool:
        """Return whether a bin of an ordered column holds more than one value."""
        ordered = (c for c in self.columns if isinstance(c, OrderedColumn))
        return any(bool((c.low < c.high).any()) for c in ordered)

    def bin_edges(self, start: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the least and the greatest value of each bin, over all columns' codes.

        Bins are numbered over all columns by ``start``, the result of ``code_start``; codes without
        a bin have 0.
        """
        low, high = np.zeros(start[-1]), np.zeros(start[-1])
        for first, column in zip(start.tolist(), self.columns, strict=False):
            if isinstance(column, OrderedColumn):
                low[first : first + column.n_values] = column.low
                high[first : first + column.n_values] = column.high
        return low, high


def thresholds_between(high: FloatArray, low: FloatArray) -> FloatArray:
    """Return the thresholds between bins, as ``OrderedColumn.threshold`` does for one pair.

    Parameters
    ----------
    high : float64 array
        The greatest value of each left bin.
    low : float64 array
        The least value of each right bin.

    Returns
    -------
    float64 array
        Thresholds t with high <= t < low.
    """
    with np.errstate(all="ignore"):
        middle = np.maximum(high, high / 2 + low / 2)
        middle = np.minimum(middle, np.nextafter(low, -inf))
    return np.where(np.isnan(middle), 0.0, middle)  # between two infinities
