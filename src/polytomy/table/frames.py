"""Columns from data frames, through narwhals: pandas, polars, pyarrow and others."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import narwhals as nw
import numpy as np

from polytomy._errors import TableError
from polytomy._types import MISSING, AnyArray

from .arrays import (
    BOOLEANS,
    column_of_array,
    merges_numbers,
    nominal_of_cells,
    nominal_of_codes,
    ordered_of_array,
)
from .columns import Column, Nominal, Ordered, Ranks, Times


def columns_of_frame(frame: "nw.DataFrame[Any]", nominal: frozenset[str]) -> list[Column]:
    """Return the columns of a frame; those named in ``nominal`` become categories."""
    return [_column(series, str(series.name) in nominal) for series in frame.iter_columns()]


def _column(series: "nw.Series[Any]", nominal: bool) -> Column:
    dtype = series.dtype
    name = str(series.name)
    if isinstance(dtype, nw.List | nw.Array | nw.Struct):
        raise TableError(
            f"column {name!r} contains {dtype}, not single values; split it into several columns"
        )
    if nominal or isinstance(dtype, nw.String | nw.Categorical | nw.Binary):
        return _nominal(series)
    if isinstance(dtype, nw.Enum):
        return _ranked(series, tuple(dtype.categories))
    if isinstance(dtype, nw.Boolean):
        return _booleans(series)
    if isinstance(dtype, nw.Decimal | nw.Int128 | nw.UInt128):
        floats = ordered_of_array(name, series.cast(nw.Float64).to_numpy())
        return replace(floats, are_merged=merges_numbers(floats.values, series.to_list))
    return _time(series) or column_of_array(name, series.to_numpy())


def _time(series: "nw.Series[Any]") -> Ordered | None:
    """Return a column of times with a time zone or of times of day, or None for others."""
    name = str(series.name)
    if isinstance(series.dtype, nw.Time):
        return _clock(name, series.to_list())
    native = series.to_native()
    zone = getattr(getattr(native, "dtype", None), "tz", None)
    if zone is not None:  # pandas: narwhals does not know the names of all zones
        utc = native.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        return Ordered(name, utc.view(np.int64), Times(str(utc.dtype), str(zone)))
    zone = getattr(series.dtype, "time_zone", None)
    if zone is None:
        return None
    ticks = ordered_of_array(name, series.to_numpy())
    assert isinstance(ticks.scale, Times)
    return Ordered(name, ticks.values, Times(ticks.scale.dtype, zone))


def _clock(name: str, cells: list[Any]) -> Ordered:
    """Return times of day as times since midnight, in the same unit for every library."""
    since: list[timedelta | None] = [
        None
        if c is None
        else timedelta(hours=c.hour, minutes=c.minute, seconds=c.second, microseconds=c.microsecond)
        for c in cells
    ]
    return ordered_of_array(name, np.array(since, dtype="timedelta64[us]"))


def _booleans(series: "nw.Series[Any]") -> Ordered:
    if series.null_count() == 0:
        return ordered_of_array(str(series.name), series.to_numpy())
    values = series.cast(nw.Int8).fill_null(MISSING).to_numpy().astype(np.int32)
    return Ordered(str(series.name), values, BOOLEANS)


def _ranked(series: "nw.Series[Any]", labels: tuple[Any, ...]) -> Ordered:
    """Return a column of ranks from an ordered categorical or an Enum."""
    held = _nominal(series)
    rank = {label: i for i, label in enumerate(labels)}
    of_code = np.array([rank[c] for c in held.categories] + [MISSING], dtype=np.int32)
    return Ordered(str(series.name), of_code[held.codes], Ranks(labels))


def _nominal(series: "nw.Series[Any]") -> Nominal:
    """Return a nominal column; the frame's own library finds the distinct values fastest."""
    native = series.to_native()
    if series.implementation.is_pandas_like():
        if hasattr(native.dtype, "categories"):
            return nominal_of_codes(str(series.name), native.cat.codes, native.cat.categories)
        try:
            codes, categories = native.factorize()
        except TypeError:  # cells that are not hashable: raises our own error
            return nominal_of_cells(str(series.name), native.to_numpy())
        return nominal_of_codes(str(series.name), codes, categories.tolist())
    if series.implementation.is_pyarrow():
        return _arrow_nominal(str(series.name), native)
    if isinstance(series.dtype, nw.Object):  # polars cannot compare them
        return nominal_of_cells(str(series.name), series.to_numpy())
    return _by_unique(series)


def _by_unique(series: "nw.Series[Any]") -> Nominal:
    categories = series.drop_nulls().unique()
    if len(categories) == 0:
        return nominal_of_codes(str(series.name), np.full(len(series), MISSING), ())
    known = categories.to_list()
    codes = series.replace_strict(known, list(range(len(known))), return_dtype=nw.Int32)
    return nominal_of_codes(str(series.name), codes.fill_null(MISSING).to_numpy(), known)


def _arrow_nominal(name: str, native: Any) -> Nominal:
    whole = native.combine_chunks() if hasattr(native, "combine_chunks") else native
    encoded = whole if hasattr(whole, "dictionary") else whole.dictionary_encode()
    signed = encoded.indices.cast("int64")  # those of an ENUM of DuckDB are not
    indices: AnyArray = signed.fill_null(MISSING).to_numpy(zero_copy_only=False)
    return nominal_of_codes(name, indices, encoded.dictionary.to_pylist())
