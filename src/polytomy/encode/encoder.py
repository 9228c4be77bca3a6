"""Table to codes: bins for ordered columns, dictionaries for nominal ones."""

from dataclasses import dataclass

import numpy as np

from polytomy import kernels
from polytomy._errors import ParameterError, TableError, TargetError
from polytomy._threads import checked_threads
from polytomy._types import AnyArray, IntArray
from polytomy.table import Nominal, Ordered, Table

from .align import reading_of
from .dictionary import sort_categories
from .schema import ColumnSpec, NominalColumn, OrderedColumn, Schema


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """An encoded table: codes of 1, 2 or 4 bytes by the column's own number of codes."""

    schema: Schema
    columns: tuple[AnyArray, ...]
    n_rows: int

    def code_table(self) -> kernels.CodeTable:
        """Return the columns as the kernels take them."""
        return kernels.code_table(self.columns, self.schema.n_codes())

    def take(self, rows: AnyArray) -> "Coded":
        """Return some of the rows, with the codes of all."""
        return Coded(self.schema, tuple(c[rows] for c in self.columns), len(rows))


def encode(
    table: Table, units: IntArray | None = None, max_bins: int = 255, threads: int = 1
) -> Coded:
    """Encode every column of a table.

    Parameters
    ----------
    table : Table
        The rows to learn from; all of them weigh something.
    units : int64 array, optional
        The rows' weights, for weighted quantiles.
    max_bins : int
        An ordered column with at most this many distinct values gets a bin for each; another gets
        as many bins as there are, of about equal weight.
    threads : int
        How many threads to use. The codes do not depend on it.

    Examples
    --------
    >>> coded = encode(Table.of({"x": np.array([2.5, np.nan, 0.5, 2.5])}))
    >>> coded.columns[0].tolist(), coded.schema[0].low.tolist()
    ([1, 2, 0, 1], [0.5, 2.5])
    """
    if not isinstance(max_bins, int | np.integer) or not 2 <= max_bins < 2**32:
        raise ParameterError(f"max_bins must be an integer of at least 2, got {max_bins!r}")
    if table.n_rows >= 2**32:
        raise TableError(f"at most {2**32 - 1} rows, got {table.n_rows}")
    if units is not None:
        units = _checked_units(units, table.n_rows)
    threads = checked_threads(threads)
    specs: dict[int, ColumnSpec] = {}
    codes: dict[int, AnyArray] = {}
    ordered = [j for j, c in enumerate(table.columns) if isinstance(c, Ordered)]
    for j, spec, column_codes in _encode_ordered(table, ordered, units, max_bins, threads):
        specs[j], codes[j] = spec, column_codes
    for j, column in enumerate(table.columns):
        if isinstance(column, Nominal):
            specs[j], codes[j] = _encode_nominal(column, threads)
    every = range(len(table.columns))
    schema = Schema(tuple(specs[j] for j in every))
    return Coded(schema, tuple(codes[j] for j in every), table.n_rows)


def _checked_units(units: AnyArray, n_rows: int) -> IntArray:
    given = np.asarray(units)
    if given.shape != (n_rows,):
        raise TargetError(f"{n_rows} rows but weights of shape {given.shape}")
    if given.dtype.kind not in "iu" or given.min() < 1:
        raise TargetError("encode takes whole positive weights: the units of a Target")
    return np.ascontiguousarray(given, dtype=np.int64)


def _encode_ordered(
    table: Table, which: list[int], units: IntArray | None, max_bins: int, threads: int
) -> list[tuple[int, OrderedColumn, AnyArray]]:
    columns = [c for c in map(table.columns.__getitem__, which) if isinstance(c, Ordered)]
    readings = [reading_of(c) for c in columns]
    values = kernels.value_table([c.values for c in columns], readings, table.n_rows)
    specs = [
        OrderedColumn(column.name, low, high, has_missing, column.scale)
        for column, (low, high, has_missing) in zip(
            columns, kernels.find_cuts(values, units, max_bins, threads), strict=True
        )
    ]
    sinks = [np.empty(table.n_rows, dtype=_code_dtype(s.n_values + s.has_missing)) for s in specs]
    kernels.encode(values, [s.high for s in specs], sinks, threads)
    return list(zip(which, specs, sinks, strict=True))


def _encode_nominal(column: Nominal, threads: int) -> tuple[NominalColumn, AnyArray]:
    categories, new_code, has_missing = sort_categories(column, threads)
    codes = np.empty(len(column.codes), dtype=_code_dtype(len(categories) + has_missing))
    kernels.recode(column.codes, new_code, codes, threads)
    return NominalColumn(column.name, categories, has_missing), codes


def _code_dtype(n_codes: int) -> type[np.unsignedinteger]:
    if n_codes <= 1 << 8:
        return np.uint8
    return np.uint16 if n_codes <= 1 << 16 else np.uint32
