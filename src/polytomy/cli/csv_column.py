"""One column of a CSV file, read block by block."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .kinds import NEXT, READERS, Kind, as_numbers, as_text

if TYPE_CHECKING:
    from polytomy._types import AnyArray


class CsvColumn:
    """Takes blocks of cells and finds out what they are; numbers are kept as numbers.

    A column that looks like numbers and then is not must be ``read_again`` as text: "007" and "7.0"
    were different, and nobody kept them.
    """

    def __init__(self, name: str, kind: Kind | None = None) -> None:
        self.name, self.kind, self.given = name, kind, kind
        self.read_again = False
        self._blocks: list[AnyArray] = []
        self._pool: dict[str, str] = {}

    def add(self, cells: Sequence[str]) -> bool:
        """Take a block of cells; False where they are not of the kind that was given."""
        if self.given is not None:
            block = self._read(self.given, cells)
            if block is not None:
                self._blocks.append(block)
            return block is not None
        if self.read_again:
            return True
        if self.kind is None and _all_missing(cells):
            self._blocks.append(np.full(len(cells), np.nan))
            return True
        for kind in NEXT[self.kind]:
            block = self._read(kind, cells)
            if block is not None:
                self.read_again = kind == "text" and self.kind not in (None, "text")
                self.kind = kind
                self._blocks.append(block)
                break
        return True

    def values(self) -> "AnyArray":
        """Return all cells."""
        if not self._blocks:
            return np.empty(0)
        return np.concatenate([self._fitted(block) for block in self._blocks])

    def _read(self, kind: Kind, cells: Sequence[str]) -> "AnyArray | None":
        return as_text(cells, self._pool) if kind == "text" else READERS[kind](cells)

    def _fitted(self, block: "AnyArray") -> "AnyArray":
        """Return a block in the type of the whole; one read before any value came is all NaN."""
        early = block.dtype.kind == "f" and self.kind in ("text", "boolean", "time", "zoned time")
        if not early:
            return block
        if self.kind == "time":
            return np.full(len(block), np.datetime64("NaT"), dtype="datetime64[us]")
        return np.full(len(block), None, dtype=object)


def _all_missing(cells: Sequence[str]) -> bool:
    numbers = as_numbers(cells)
    return numbers is not None and bool(np.isnan(numbers).all())
