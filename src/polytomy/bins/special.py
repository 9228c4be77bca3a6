"""Special values, such as -999 for "not asked": each has a bin of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TableError
from polytomy._types import MISSING, AnyArray
from polytomy.table import Column, Nominal, Numbers, Table, is_missing


@dataclass(frozen=True)
class SpecialValues:
    """The values of each column that have a bin of their own.

    Parameters
    ----------
    everywhere : tuple, default=()
        Special values of all columns.
    of_column : dict from str to tuple, default={}
        Special values of single columns, by name.
    """

    everywhere: tuple[Any, ...] = ()
    of_column: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Any) -> "SpecialValues":
        """Return the special values that a user gives: None, values, or values by column."""
        if given is None:
            return cls()
        if isinstance(given, Mapping):
            return cls((), {str(name): _checked(values) for name, values in given.items()})
        return cls(_checked(given))

    def check_names(self, names: Sequence[str]) -> None:
        """Raise an error if special values are given for columns that do not exist."""
        unknown = [name for name in self.of_column if name not in names]
        if unknown:
            raise TableError(f"special names columns that the table does not have: {unknown}")

    def cells(self, column: Column) -> list[tuple[Any, AnyArray]]:
        """Return the special values that occur in a column, each with the rows that have it."""
        wanted = self.of_column.get(column.name, self.everywhere)
        if not wanted:
            return []
        found = [(value, _equal(column, value)) for value in wanted]
        return [(value, rows) for value, rows in found if rows.any()]

    def without(self, table: Table) -> tuple[Table, dict[int, list[tuple[Any, AnyArray]]]]:
        """Return the table with special cells as missing ones, and these cells by column."""
        if not self.everywhere and not self.of_column:
            return table, {}
        cells = {j: self.cells(column) for j, column in enumerate(table.columns)}
        cells = {j: held for j, held in cells.items() if held}
        columns = tuple(
            _blanked(column, [rows for _, rows in cells[j]]) if j in cells else column
            for j, column in enumerate(table.columns)
        )
        return Table(columns, table.n_rows), cells


def _checked(values: Any) -> tuple[Any, ...]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise ParameterError(
            f"special must be a list of values, or a dict from columns to lists, got {values!r}"
        )
    kept = tuple(dict.fromkeys(v.item() if isinstance(v, np.generic) else v for v in values))
    if any(is_missing(value) for value in kept):
        raise ParameterError("special must not have missing values: these have a bin anyway")
    return kept


def _equal(column: Column, value: Any) -> AnyArray:
    if isinstance(column, Nominal):
        codes = [i for i, category in enumerate(column.categories) if category == value]
        return np.isin(column.codes, codes)
    is_number = isinstance(value, Real) and isinstance(column.scale, Numbers)
    if not is_number:
        return np.zeros(len(column.values), dtype=bool)
    return np.asarray(column.values == value)


def _blanked(column: Column, rows: list[AnyArray]) -> Column:
    gone = np.logical_or.reduce(rows)
    if isinstance(column, Nominal):
        return replace(column, codes=np.where(gone, MISSING, column.codes).astype(np.int32))
    return replace(column, values=np.where(gone, np.nan, column.values.astype(np.float64)))
