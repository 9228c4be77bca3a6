"""Columns as the rest of the library takes them: ordered numbers, or codes of categories."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from polytomy._types import AnyArray, BranchArray

from .scale import Numbers, Scale


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """Numbers with an order, and what they stand for."""

    kind: ClassVar[str] = "ordered"
    name: str
    values: AnyArray
    scale: Scale = field(default_factory=Numbers)

    def take(self, rows: AnyArray) -> "Ordered":
        """Return the column of these rows, copied."""
        return Ordered(self.name, self.values[rows], self.scale)


@dataclass(frozen=True, slots=True, eq=False)
class Nominal:
    """Categories by their codes: the place in ``categories``, or MISSING."""

    kind: ClassVar[str] = "nominal"
    name: str
    codes: BranchArray
    categories: tuple[Any, ...]

    @property
    def values(self) -> AnyArray:
        """The cells as objects, None where one is missing."""
        pool = np.empty(len(self.categories) + 1, dtype=object)
        pool[:-1] = self.categories
        return pool[self.codes]  # MISSING, -1, reads the last entry: None

    def take(self, rows: AnyArray) -> "Nominal":
        """Return the column of these rows, copied."""
        return Nominal(self.name, self.codes[rows], self.categories)


Column = Ordered | Nominal
