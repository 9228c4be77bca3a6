"""Columns that identify rows: row numbers, and text that is mostly distinct."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from polytomy._errors import DataFileError
from polytomy._types import AnyArray
from polytomy.table import Column, Nominal, Numbers, Ordered, ScannedTable, Table

from .labelled import categories_in

MAX_CATEGORIES = 100_000
_FEW_ROWS = 20  # in a table this small, distinct texts do not mean that a column identifies rows


@dataclass(frozen=True, slots=True)
class IdentifierColumn:
    """A column that identifies rows and was left out, because a tree could only memorise it.

    Attributes
    ----------
    name : str
        The name of the column.
    reason : str
        Why it was left out, such as "row number".
    keep_as : {"categorical", "numeric"}
        The field of ``ColumnRoles`` that keeps the column if it is listed there.
    """

    name: str
    reason: str
    keep_as: str


def find_identifiers(table: Table, kept: set[str]) -> list[IdentifierColumn]:
    """Return the columns that identify rows; raise an error if others have too many categories.

    Parameters
    ----------
    table : Table
        The columns. Those of a scanned table are read as far as needed.
    kept : set of str
        Columns that are kept in any case.

    Returns
    -------
    list of IdentifierColumn
        The columns to leave out.
    """
    if isinstance(table, ScannedTable):
        return _find_in_parts(table, kept)
    found = []
    for column in table.columns:
        left_out = None if column.name in kept else identifier(column, table.n_rows)
        if left_out is None:
            n = sum(isinstance(c, str) for c in categories_in(column)[0])
            _check_categories(column.name, n, table.n_rows)
        else:
            found.append(left_out)
    return found


def identifier(column: Column, n_rows: int) -> IdentifierColumn | None:
    """Return why a column identifies rows: it counts them, or is mostly distinct text; or None."""
    seen = _Seen(column.name)
    seen.add(column)
    return seen.identifier(n_rows)


@dataclass(slots=True)
class _Seen:
    """What is known of a column from the pieces that were read."""

    name: str
    n_rows: int = 0
    n_missing: int = 0
    categories: set[Any] = field(default_factory=set)
    counts_rows: bool = True
    _next: int | None = None  # the value after the last one, if the column counts rows

    def add(self, piece: Column) -> None:
        """Add the next piece of the column."""
        is_number = isinstance(piece, Ordered) and isinstance(piece.scale, Numbers)
        self.counts_rows &= is_number and self._continues(piece.values)
        if not is_number:
            held, n_missing = categories_in(piece)
            self.categories.update(held)
            self.n_missing += n_missing
        self.n_rows += len(piece.codes if isinstance(piece, Nominal) else piece.values)

    def _continues(self, values: AnyArray) -> bool:
        """Return whether integers continue those before, which begin with 0 or 1."""
        if values.dtype.kind not in "iu":
            return False
        first, last = int(values[0]), int(values[-1])
        expected = (0, 1) if self._next is None else (self._next,)
        self._next = last + 1
        return first in expected and bool((np.diff(values) == 1).all())

    @property
    def has_text(self) -> bool:
        """Whether there are categories, and all are text."""
        return bool(self.categories) and all(isinstance(c, str) for c in self.categories)

    @property
    def is_mostly_distinct(self) -> bool:
        """Whether more than half of the cells that are not missing are distinct text."""
        return self.has_text and len(self.categories) > (self.n_rows - self.n_missing) / 2

    def identifier(self, n_rows: int) -> IdentifierColumn | None:
        """Return why the column identifies rows, given that all of it was read; or None."""
        if n_rows <= _FEW_ROWS:
            return None
        if self.counts_rows:
            return IdentifierColumn(self.name, "row number", "numeric")
        if not self.is_mostly_distinct:
            return None
        reason = f"{len(self.categories):,} distinct values in {n_rows:,} rows"
        return IdentifierColumn(self.name, reason, "categorical")


def _find_in_parts(table: ScannedTable, kept: set[str]) -> list[IdentifierColumn]:
    """Return the columns that identify rows; numbers are read until they do not count rows.

    Text is read up to the largest number of categories: whether it identifies rows is decided by
    the rows before.
    """
    _, head = next(table.parts())
    undecided = {c.name: _Seen(c.name) for c in head.columns if _may_matter(c, kept)}
    found: dict[str, IdentifierColumn] = {}
    if undecided:
        for _, part in table.parts(list(undecided)):
            for column in part.columns:
                if (seen := undecided.get(column.name)) is not None:
                    seen.add(column)
                    if len(seen.categories) > MAX_CATEGORIES:
                        found |= _decided_early(undecided.pop(column.name), kept)
            if not undecided:
                break
    for seen in undecided.values():
        left_out = None if seen.name in kept else seen.identifier(table.n_rows)
        if left_out is not None:
            found[seen.name] = left_out
    return [found[name] for name in table.names if name in found]


def _may_matter(column: Column, kept: set[str]) -> bool:
    """Return whether more of a column must be read, given its first piece."""
    seen = _Seen(column.name)
    seen.add(column)
    is_number = isinstance(column, Ordered) and isinstance(column.scale, Numbers)
    return isinstance(column, Nominal) or (
        is_number and seen.counts_rows and column.name not in kept
    )


def _decided_early(seen: _Seen, kept: set[str]) -> dict[str, IdentifierColumn]:
    """Return a column with too many categories as one that identifies rows, or raise an error."""
    if seen.name in kept or not seen.is_mostly_distinct:
        _check_categories(seen.name, len(seen.categories), seen.n_rows)
    reason = f"{len(seen.categories):,} distinct values in the first {seen.n_rows:,} rows"
    return {seen.name: IdentifierColumn(seen.name, reason, "categorical")}


def _check_categories(name: str, n: int, n_rows: int) -> None:
    """Raise an error if a column has too many categories."""
    if n > MAX_CATEGORIES:
        raise DataFileError(
            f"column {name!r} has {n:,} categories in {n_rows:,} rows, more than the "
            f"{MAX_CATEGORIES:,} supported; drop this column"
        )
