"""Columns of a table: ordered values with a scale, or categories as integer codes."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from polytomy._types import AnyArray, BranchArray


@dataclass(frozen=True, slots=True)
class Numbers:
    """Plain numbers."""


@dataclass(frozen=True, slots=True)
class Times:
    """Integer ticks of a NumPy time type such as ``datetime64[us]``; the smallest is missing."""

    dtype: str
    zone: str | None = None

    def at(self, ticks: float) -> Any:
        """Return the time at a number of ticks, rounded to an integer."""
        whole, last = round(ticks), 2**63 - 1
        if abs(ticks) > 2**63 or whole > last:  # a threshold may lie beyond all times
            whole = last if ticks > 0 else -last
        return np.array(whole, dtype=np.int64).view(self.dtype)[()]


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ordered labels; a number is the position of its label, -1 missing, -2 an unknown label."""

    labels: tuple[Any, ...]


Scale = Numbers | Times | Ranks
"""The meaning of the numbers of an ordered column."""


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """A column of ordered values: numbers, times or ordered labels, depending on its scale.

    ``are_merged`` is whether the cells were numbers beyond 2^53 of another type, some of which
    differ there, but not as 64-bit floats.
    """

    kind: ClassVar[str] = "ordered"
    name: str
    values: AnyArray
    scale: Scale = field(default_factory=Numbers)
    are_merged: bool = False

    def take(self, rows: AnyArray) -> "Ordered":
        """Return a copy of the column with these rows only."""
        return Ordered(self.name, self.values[rows], self.scale, self.are_merged)


@dataclass(frozen=True, slots=True, eq=False)
class Nominal:
    """A column of categories; a code is a position in ``categories``, or MISSING."""

    kind: ClassVar[str] = "nominal"
    name: str
    codes: BranchArray
    categories: tuple[Any, ...]

    @property
    def values(self) -> AnyArray:
        """The cells as objects; None for missing cells."""
        pool = np.empty(len(self.categories) + 1, dtype=object)
        pool[:-1] = self.categories
        return pool[self.codes]  # MISSING is -1 and selects the last entry, None

    def take(self, rows: AnyArray) -> "Nominal":
        """Return a copy of the column with these rows only."""
        return Nominal(self.name, self.codes[rows], self.categories)


Column = Ordered | Nominal
