"""Align new rows with the columns of the training table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from polytomy import kernels
from polytomy._errors import TableError
from polytomy._types import MISSING, UNKNOWN, AnyArray, BranchArray
from polytomy.table import Column, Nominal, Numbers, Ordered, Ranks, Table, Times, as_nominal

from .schema import NominalColumn, OrderedColumn, Schema


def value_table(table: Table, schema: Schema) -> kernels.ValueTable:
    """Return a table in the form that routing kernels read: raw numbers and category codes.

    The table must have the columns of the schema, in the same order. Labels and categories are
    matched by value, not by code, because a data frame may have other labels or another order.
    """
    columns: list[AnyArray] = []
    readings = []
    for column in aligned(table, schema):
        if isinstance(column, Ordered):
            columns.append(column.values)
            readings.append(reading_of(column))
        else:
            columns.append(column)
            readings.append(kernels.PLAIN)
    return kernels.value_table(columns, readings, table.n_rows)


def aligned(table: Table, schema: Schema) -> list[Ordered | BranchArray]:
    """Return a table's columns on the schema's scales; nominal columns as codes of the schema.

    The code of a category that is not in the schema is UNKNOWN, that of a missing cell MISSING.
    """
    _check_names(table, schema)
    columns: list[Ordered | BranchArray] = []
    for column, spec in zip(table.columns, schema, strict=True):
        if isinstance(spec, NominalColumn):
            held = as_nominal(column)
            _check_types(held, spec.categories)
            columns.append(look_up(held, spec.categories))
        else:
            columns.append(_aligned(column, spec))
    return columns


def look_up(column: Nominal, categories: Sequence[Any]) -> BranchArray:
    """Return each cell's code among known categories; ``MISSING`` or ``UNKNOWN`` if it has none."""
    known = {category: code for code, category in enumerate(categories)}
    of_code = [known.get(category, UNKNOWN) for category in column.categories]
    return np.array([*of_code, MISSING], dtype=np.int32)[column.codes]


def reading_of(column: Ordered) -> int:
    """Return the kernels' reading mode for an ordered column."""
    if isinstance(column.scale, Times):
        return kernels.TIMES
    ranked = isinstance(column.scale, Ranks) and column.values.dtype == np.int32
    return kernels.RANKS if ranked else kernels.PLAIN


def _check_names(table: Table, schema: Schema) -> None:
    if table.names == schema.names:
        return
    absent = [name for name in schema.names if name not in table.names]
    new = [name for name in table.names if name not in schema.names]
    if absent or new:
        what = f"missing {absent}, unexpected {new}"
    else:
        what = f"the order should be {list(schema.names)}"
    raise TableError(f"the table does not have the columns of the training table: {what}")


def _aligned(column: Column, spec: OrderedColumn) -> Ordered:
    """Return the column on the scale of the training table."""
    if isinstance(spec.scale, Ranks):
        return _aligned_ranks(column, spec.scale)
    if isinstance(column, Ordered):
        if isinstance(spec.scale, Times) and isinstance(column.scale, Times):
            return _aligned_times(column, column.scale, spec.scale)
        if isinstance(spec.scale, Numbers) and not isinstance(column.scale, Times):
            if isinstance(column.scale, Numbers) or column.values.dtype == np.bool_:
                return column
            if column.scale.labels == (False, True):  # booleans with missing cells as 0, 1 and nan
                return Ordered(column.name, np.where(column.values < 0, np.nan, column.values))
    if _all_missing(column):  # checked last: it reads every cell
        return _all_nan(column)
    was = "times" if isinstance(spec.scale, Times) else "numbers"
    raise TableError(
        f"column {spec.name!r} contained {was} in training, but now contains {_describe(column)}"
    )


def _aligned_times(column: Ordered, given: Times, wanted: Times) -> Ordered:
    if (given.zone is None) != (wanted.zone is None) or given.dtype[0] != wanted.dtype[0]:
        raise TableError(
            f"column {column.name!r} contained {wanted.dtype} ({wanted.zone or 'no time zone'}) in "
            f"training, but now contains {given.dtype} ({given.zone or 'no time zone'})"
        )
    times = column.values.view(given.dtype)
    if _is_finer(wanted.dtype, given.dtype):
        # Slightly less than the finer unit's range: NumPy's conversion overflows at the ends.
        ends = np.array([1, -1], dtype=np.int64) * (np.iinfo(np.int64).max - 10**15)
        most, least = ends.view(wanted.dtype).astype(given.dtype)
        held = np.clip(times, least, most)
        times = np.where(np.isnat(times), times, held)
    return Ordered(column.name, times.astype(wanted.dtype).view(np.int64), wanted)


def _is_finer(unit: str, other: str) -> bool:
    """Return whether a time unit is finer than another; NumPy promotes to the finer one."""
    return np.dtype(unit) != np.dtype(other) and np.promote_types(unit, other) == np.dtype(unit)


def _aligned_ranks(column: Column, wanted: Ranks) -> Ordered:
    if isinstance(column, Ordered):
        if column.scale == wanted:
            return column
        if isinstance(column.scale, Numbers) and wanted.labels == (False, True):
            return column  # 0 and 1 as booleans
        if not isinstance(column.scale, Ranks):
            if _all_missing(column):
                return _all_nan(column)
            raise TableError(
                f"column {column.name!r} contained labels in training, but now contains "
                f"{_describe(column)}"
            )
    held = as_nominal(column)
    _check_types(held, wanted.labels)
    place = {label: i for i, label in enumerate(wanted.labels)}
    of_code = [place.get(category, UNKNOWN) for category in held.categories]
    ranks = np.array([*of_code, MISSING], dtype=np.int32)[held.codes]
    return Ordered(column.name, ranks, wanted)


def _all_missing(column: Column) -> bool:
    if isinstance(column, Nominal):
        return bool((column.codes == MISSING).all())
    return column.values.dtype.kind == "f" and bool(np.isnan(column.values).all())


def _all_nan(column: Column) -> Ordered:
    """Return a column of missing cells, which is valid on every scale."""
    return Ordered(column.name, np.full(len(column.values), np.nan))


def _check_types(held: Nominal, known: Sequence[Any]) -> None:
    """Raise an error if no category is known because all have a type not seen in training."""
    if not held.categories or not known or not set(held.categories).isdisjoint(known):
        return
    was, now = ({type(c).__name__ for c in cells} for cells in (known, held.categories))
    if was.isdisjoint(now):
        raise TableError(
            f"column {held.name!r} contained categories of type {', '.join(sorted(was))} in "
            f"training, but now contains {', '.join(sorted(now))}"
        )


def _describe(column: Column) -> str:
    if isinstance(column, Nominal):
        return "text or categories"
    return {Numbers: "numbers", Times: "times", Ranks: "labels"}[type(column.scale)]
