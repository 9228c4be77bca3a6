"""Encode a table: bins for ordered columns, sorted categories for nominal ones."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polytomy import kernels
from polytomy._errors import ParameterError, TableError, TargetError
from polytomy._threads import checked_threads
from polytomy._types import MISSING, AnyArray, IntArray, RowArray
from polytomy.table import Column, Nominal, Numbers, Ordered, Ranks, Table, Times

from .align import aligned, reading_of
from .schema import ColumnSpec, NominalColumn, OrderedColumn, Schema


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """An encoded table: codes of 1, 2 or 4 bytes, depending on the column's number of codes."""

    schema: Schema
    columns: tuple[AnyArray, ...]
    n_rows: int

    def code_table(self) -> kernels.CodeTable:
        """Return the columns in the form that the kernels read."""
        return kernels.code_table(self.columns, self.schema.n_codes())

    def take(self, rows: AnyArray) -> "Coded":
        """Return a copy with these rows only, under the same schema."""
        return Coded(self.schema, tuple(c[rows] for c in self.columns), len(rows))

    def n_distinct_rows(self) -> int:
        """Return the number of different rows of codes.

        Rows are compared by a 64-bit hash of their codes: the result is too small with a
        probability of about n^2 / 2^65.
        """
        hashes = self.row_hashes()
        hashes.sort()  # np.unique takes ten times as long
        return int(np.count_nonzero(hashes[1:] != hashes[:-1])) + min(self.n_rows, 1)

    def row_hashes(self, *more: AnyArray) -> NDArray[np.uint64]:
        """Return a 64-bit hash of the codes of each row, and of more unsigned integers of it."""
        hashes = np.zeros(self.n_rows, dtype=np.uint64)
        for codes in (*self.columns, *more):
            hashes *= np.uint64(0x9E3779B97F4A7C15)
            hashes += codes
        return hashes


@dataclass(frozen=True, eq=False)
class EncodedTable(Table):
    """A table that was encoded elsewhere; ``encode`` returns its codes as they are.

    Parameters
    ----------
    coded : Coded
        The codes of all its rows.
    """

    coded: Coded

    def with_nominal(self, nominal: Collection[str | int]) -> "EncodedTable":  # noqa: ARG002
        """Return the table itself: its columns have been chosen before it was encoded."""
        return self

    def take(self, rows: AnyArray) -> "EncodedTable":
        """Return a copy of the table with these rows only."""
        return EncodedTable(super().take(rows).columns, len(rows), self.coded.take(rows))


# The limits of max_bins="auto"; docs/design.md has the measurements.
_FINE_TIMES = {
    f"{kind}[{unit}]" for kind in ("datetime64", "timedelta64") for unit in ("ns", "ps", "fs", "as")
}  # whose ticks may be too many for a 64-bit float

AUTO_VALUES = 500
"""A column with at most this many distinct values has a bin for each."""

AUTO_BINS = 255
"""The number of bins of a column with more distinct values: their codes fit in a byte."""

_ROW_CELLS = 1 << 26  # bytes for the cells of rows, two for each row of the columns in one group

SEPARATING_VALUES = 10_000
"""The limit instead of AUTO_VALUES, if rows that differ would have the same codes otherwise."""


def checked_max_bins(max_bins: Any) -> int | str:
    """Return ``max_bins`` if it is an integer of at least 2 or ``"auto"``, else raise an error."""
    if isinstance(max_bins, str) and max_bins == "auto":
        return max_bins
    if not isinstance(max_bins, int | np.integer) or max_bins < 2:
        raise ParameterError(
            f"max_bins must be an integer of at least 2 or 'auto', got {max_bins!r}"
        )
    if max_bins >= 2**32:
        raise ParameterError(f"max_bins must be at most {2**32 - 1}, got {max_bins}")
    return int(max_bins)


def encode(
    table: Table,
    units: IntArray | None = None,
    max_bins: int | str = 255,
    threads: int = 1,
    *,
    separate_rows: bool = False,
) -> Coded:
    """Encode every column of a table.

    Parameters
    ----------
    table : Table
        The training rows, all of positive weight.
    units : int64 array, default=None
        The integer weights of the rows, for weighted quantiles.
    max_bins : int or "auto", default=255
        An ordered column with at most this many distinct values gets a bin for each of them; other
        columns get this many bins of about equal weight. ``"auto"`` gives each of up to 500
        distinct values a bin, and a column with more of them 255 bins.
    threads : int, default=1
        The number of threads. The codes do not depend on it.
    separate_rows : bool, default=False
        With ``"auto"``, if rows that differ have the same codes, give each of up to 10,000
        distinct values of a column a bin.

    Returns
    -------
    Coded
        The codes and the schema.

    Examples
    --------
    >>> coded = encode(Table.of({"x": np.array([2.5, np.nan, 0.5, 2.5])}))
    >>> coded.columns[0].tolist(), coded.schema[0].low.tolist()
    ([1, 2, 0, 1], [0.5, 2.5])
    """
    max_bins = checked_max_bins(max_bins)
    if isinstance(table, EncodedTable):
        return table.coded
    if table.n_rows >= 2**32:
        raise TableError(f"a table can have at most {2**32 - 1} rows, got {table.n_rows}")
    if units is not None:
        units = _checked_units(units, table.n_rows)
    threads = checked_threads(threads)
    if isinstance(max_bins, int):
        return _encode(table, units, (max_bins, max_bins), threads)
    coded = _encode(table, units, (AUTO_VALUES, AUTO_BINS), threads)
    if not separate_rows or not coded.schema.merges_values():
        return coded
    n_separate = coded.n_distinct_rows()
    if n_separate == coded.n_rows:
        return coded
    finer = _encode(table, units, (SEPARATING_VALUES, AUTO_BINS), threads)
    return finer if finer.n_distinct_rows() > n_separate else coded


def _encode(table: Table, units: IntArray | None, limits: tuple[int, int], threads: int) -> Coded:
    """Encode every column; ``limits`` are ``max_values`` and ``max_bins`` of ``find_cuts``."""
    found: dict[int, tuple[ColumnSpec, AnyArray]] = {}
    for encoded in map(
        partial(_encode_group, table, units, limits, threads), table.column_groups()
    ):
        found |= encoded
    pairs = [found[j] for j in range(len(table.names))]
    schema = Schema(tuple(spec for spec, _ in pairs))
    return Coded(schema, tuple(codes for _, codes in pairs), table.n_rows)


def _encode_group(
    table: Table,
    units: IntArray | None,
    limits: tuple[int, int],
    threads: int,
    group: list[tuple[int, Column]],
) -> dict[int, tuple[ColumnSpec, AnyArray]]:
    """Encode some columns. Nothing else refers to them, so that they can be dropped."""
    ordered = [(j, c) for j, c in group if isinstance(c, Ordered)]
    found: dict[int, tuple[ColumnSpec, AnyArray]] = {}
    together = max(1, _ROW_CELLS // max(1, 2 * table.n_rows))
    for start in range(0, len(ordered), together):
        part = ordered[start : start + together]
        for j, spec, codes in _encode_ordered(table, part, units, limits, threads):
            found[j] = spec, codes
    for j, column in group:
        if isinstance(column, Nominal):
            found[j] = _encode_nominal(table, column, threads)
    return found


def _checked_units(units: AnyArray, n_rows: int) -> IntArray:
    given = np.asarray(units)
    if given.shape != (n_rows,):
        raise TargetError(f"{n_rows} rows but weights of shape {given.shape}")
    if given.dtype.kind not in "iu" or given.min() < 1:
        raise TargetError("encode needs positive integer weights: the units of a Target")
    return np.ascontiguousarray(given, dtype=np.int64)


def _encode_ordered(
    table: Table,
    which: list[tuple[int, Ordered]],
    units: IntArray | None,
    limits: tuple[int, int],
    threads: int,
) -> list[tuple[int, OrderedColumn, AnyArray]]:
    columns = [column for _, column in which]
    readings = [reading_of(c) for c in columns]
    values = kernels.value_table([c.values for c in columns], readings, table.n_rows)
    max_values, max_bins = limits
    cells = kernels.RowCells()
    cuts = kernels.find_cuts(
        values, units, max_bins, threads, max_values=max_values, row_cells=cells
    )
    specs = [
        OrderedColumn(column.name, low, high, has_missing, column.scale)
        for column, (low, high, has_missing) in zip(columns, cuts, strict=True)
    ]
    for column, spec in zip(columns, specs, strict=True):
        _check_whole_numbers(column, spec)
    n_codes = [s.n_values + s.has_missing for s in specs]
    sinks = table.new_code_columns([code_dtype(n) for n in n_codes])
    kernels.encode(values, [s.high for s in specs], sinks, n_codes, threads, cells)
    return list(zip([j for j, _ in which], specs, sinks, strict=True))


def _check_whole_numbers(column: Ordered, spec: OrderedColumn) -> None:
    """Raise an error for whole numbers that differ, but not as 64-bit floats."""
    if not has_large_numbers(spec):
        return
    check_merged(column)
    if is_long(column):
        check_distinct(column.name, np.unique(column.values))


def check_merged(column: Ordered) -> None:
    """Raise an error for numbers that differ, but not as 64-bit floats.

    Times of the same quarter of a microsecond may be one value: no tree should tell them apart.
    """
    if column.are_merged:
        raise TableError(_not_distinct(column.name))


def _not_distinct(name: str) -> str:
    return (
        f"column {name!r} has whole numbers beyond 2^53 that 64-bit floats cannot tell apart; "
        "leave it out if it is an identifier, subtract a constant, or make it text"
    )


def is_long(column: Ordered) -> bool:
    """Return whether a column holds numbers that are 64-bit integers."""
    is_number = isinstance(column.scale, Numbers)
    return is_number and column.values.dtype in (np.int64, np.uint64)


def has_large_numbers(spec: ColumnSpec) -> bool:
    """Return whether a column has numbers of 2^53 or more, to which 2^53 + 1 is rounded.

    Times count as such if their unit is smaller than a microsecond.
    """
    if not isinstance(spec, OrderedColumn) or isinstance(spec.scale, Ranks):
        return False
    if isinstance(spec.scale, Times) and spec.scale.dtype not in _FINE_TIMES:
        return False
    return bool(spec.n_values and max(-spec.low[0], spec.high[-1]) >= 2.0**53)


def check_distinct(name: str, values: AnyArray) -> None:
    """Raise an error if whole numbers, all different, are not so as 64-bit floats."""
    if len(np.unique(values.astype(np.float64))) < len(values):
        raise TableError(_not_distinct(name))


def _encode_nominal(table: Table, column: Nominal, threads: int) -> tuple[NominalColumn, AnyArray]:
    categories, new_code, has_missing = sort_categories(column, threads)
    n_codes = len(categories) + has_missing
    codes = table.new_codes(code_dtype(n_codes))
    kernels.recode(column.codes, new_code, codes, n_codes, threads)
    return NominalColumn(column.name, categories, has_missing), codes


def sort_categories(column: Nominal, threads: int = 1) -> tuple[tuple[Any, ...], RowArray, bool]:
    """Return the sorted categories of a column, the new code of each old code, and a flag.

    Sorting makes codes independent of the row order. Categories that do not occur are left out. The
    last new code is that of missing cells; the flag is whether there are any.
    """
    seen, has_missing = kernels.occurring(column.codes, len(column.categories), threads)
    held = np.flatnonzero(seen)
    order = _sorted([column.categories[i] for i in held.tolist()])
    places = held[order] if order else held
    new_code = np.full(len(seen) + 1, len(places), dtype=np.uint32)
    new_code[places] = np.arange(len(places), dtype=np.uint32)
    return tuple(column.categories[i] for i in places.tolist()), new_code, has_missing


def _sorted(categories: list[Any]) -> list[int]:
    """Return positions in ascending order; categories of different types are grouped by type."""
    positions = range(len(categories))
    try:
        return sorted(positions, key=categories.__getitem__)
    except TypeError:
        return sorted(positions, key=lambda i: (type(categories[i]).__name__, str(categories[i])))


def encode_with(schema: Schema, table: Table) -> Coded:
    """Encode a table with an existing schema.

    The rows that the schema was made from get the same codes again. A value between two bins gets
    the code of the upper one, and a value above the last bin the last code. New categories count
    as missing cells. If a column had no missing cells before, the result has another schema, in
    which it may have some.

    Parameters
    ----------
    schema : Schema
        The schema.
    table : Table
        The rows, with the columns of the schema.

    Returns
    -------
    Coded
        The codes, and the schema, possibly with more columns that may have missing cells.
    """
    specs, columns = [], []
    for spec, column in zip(schema, aligned(table, schema), strict=True):
        if isinstance(spec, OrderedColumn):
            assert isinstance(column, Ordered)
            codes = _bins(column, spec)
        else:
            assert not isinstance(column, Ordered)
            codes = np.where(column < 0, spec.n_values, column)
        gone = spec.has_missing or bool((codes == spec.n_values).any())
        specs.append(replace(spec, has_missing=gone))
        columns.append(codes.astype(code_dtype(spec.n_values + gone)))
    return Coded(Schema(tuple(specs)), tuple(columns), table.n_rows)


def missing_cells(column: Ordered) -> AnyArray:
    """Return whether each cell of an ordered column is missing."""
    values: AnyArray = column.values
    if isinstance(column.scale, Times):
        return np.asarray(values == np.iinfo(np.int64).min)
    if isinstance(column.scale, Ranks) and values.dtype == np.int32:
        return np.asarray(values == MISSING)
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def _bins(column: Ordered, spec: OrderedColumn) -> IntArray:
    values: AnyArray = column.values
    gone = missing_cells(column)
    if isinstance(column.scale, Ranks) and values.dtype == np.int32:
        gone = values < 0  # also labels that are not known
    codes = np.searchsorted(spec.high, values.astype(np.float64))
    codes = np.minimum(codes, max(spec.n_values - 1, 0))
    return np.where(gone, spec.n_values, codes)


def code_dtype(n_codes: int) -> type[np.unsignedinteger]:
    """Return the smallest type for the codes of a column."""
    if n_codes <= 1 << 8:
        return np.uint8
    return np.uint16 if n_codes <= 1 << 16 else np.uint32
