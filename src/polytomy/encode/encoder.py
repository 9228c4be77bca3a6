"""Table to codes: bins for ordered columns, dictionaries for nominal ones."""

from dataclasses import dataclass

import numpy as np

from polytomy import kernels
from polytomy._errors import ParameterError, TableError, TargetError
from polytomy._threads import checked_threads
from polytomy._types import MISSING, AnyArray, BranchArray, IntArray
from polytomy.table import Column, Table

from .dictionary import categorize, look_up
from .schema import ColumnSpec, NominalColumn, OrderedColumn, Schema


@dataclass(frozen=True, slots=True)
class Coded:
    """An encoded table: codes of 1, 2 or 4 bytes by the column's own number of codes."""

    schema: Schema
    columns: tuple[AnyArray, ...]
    n_rows: int

    def code_table(self) -> kernels.CodeTable:
        """Return the columns as the kernels take them."""
        return kernels.code_table(self.columns, self.schema.n_codes())


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
    if units is not None and units.shape != (table.n_rows,):
        raise TargetError(f"{table.n_rows} rows but weights of shape {units.shape}")
    threads = checked_threads(threads)
    specs: dict[int, ColumnSpec] = {}
    codes: dict[int, AnyArray] = {}
    ordered = [j for j, c in enumerate(table.columns) if c.kind == "ordered"]
    for j, spec, column_codes in _encode_ordered(table, ordered, units, max_bins, threads):
        specs[j], codes[j] = spec, column_codes
    for j, column in enumerate(table.columns):
        if column.kind == "nominal":
            specs[j], codes[j] = _encode_nominal(column)
    every = range(len(table.columns))
    schema = Schema(tuple(specs[j] for j in every))
    return Coded(schema, tuple(codes[j] for j in every), table.n_rows)


def value_table(table: Table, schema: Schema) -> kernels.ValueTable:
    """Return a table's columns as routing reads them: raw numbers, and codes for categories.

    The table must have the columns of the schema, in its order.
    """
    _check_columns(table, schema)
    columns = []
    for column, spec in zip(table.columns, schema, strict=True):
        if isinstance(spec, NominalColumn):
            columns.append(look_up(column.values, spec.categories))
        else:
            columns.append(_ticks(column))
    return kernels.value_table(columns, [_is_time(c) for c in table.columns], table.n_rows)


def _check_columns(table: Table, schema: Schema) -> None:
    if table.names != schema.names:
        absent = [name for name in schema.names if name not in table.names]
        new = [name for name in table.names if name not in schema.names]
        if absent or new:
            what = f"missing {absent}, unexpected {new}"
        else:
            what = f"they are in another order, which should be {list(schema.names)}"
        raise TableError(f"the table has not the columns the tree was grown on: {what}")
    for column, spec in zip(table.columns, schema, strict=True):
        if isinstance(spec, OrderedColumn) and column.kind != "ordered":
            raise TableError(
                f"column {spec.name!r} held numbers or times when the tree was grown, "
                f"now {column.values.dtype}"
            )


def _encode_ordered(
    table: Table, which: list[int], units: IntArray | None, max_bins: int, threads: int
) -> list[tuple[int, OrderedColumn, AnyArray]]:
    columns = [table.columns[j] for j in which]
    values = kernels.value_table(
        [_ticks(c) for c in columns], [_is_time(c) for c in columns], table.n_rows
    )
    specs = [
        OrderedColumn(column.name, low, high, has_missing)
        for column, (low, high, has_missing) in zip(
            columns, kernels.find_cuts(values, units, max_bins, threads), strict=True
        )
    ]
    sinks = [np.empty(table.n_rows, dtype=_code_dtype(s.n_values + s.has_missing)) for s in specs]
    kernels.encode(values, [s.high for s in specs], sinks, threads)
    return list(zip(which, specs, sinks, strict=True))


def _encode_nominal(column: Column) -> tuple[NominalColumn, AnyArray]:
    categories, codes = categorize(column.values, column.name)
    has_missing = bool((codes == MISSING).any())
    dtype = _code_dtype(len(categories) + has_missing)
    return NominalColumn(column.name, categories, has_missing), _narrow(
        codes, dtype, len(categories)
    )


def _narrow(codes: BranchArray, dtype: type[np.unsignedinteger], n_values: int) -> AnyArray:
    return np.where(codes == MISSING, n_values, codes).astype(dtype)


def _code_dtype(n_codes: int) -> type[np.unsignedinteger]:
    if n_codes <= 1 << 8:
        return np.uint8
    return np.uint16 if n_codes <= 1 << 16 else np.uint32


def _is_time(column: Column) -> bool:
    return column.kind == "ordered" and column.values.dtype.kind in "mM"


def _ticks(column: Column) -> AnyArray:
    return column.values.view(np.int64) if _is_time(column) else column.values
