"""Columns from NumPy arrays and from cells: views of the array if the kernels can read it."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isnan
from numbers import Real
from pathlib import PosixPath, WindowsPath
from typing import Any

import numpy as np

from polytomy._errors import TableError
from polytomy._types import MISSING, AnyArray, FloatArray

from .columns import Column, Nominal, Numbers, Ordered, Ranks, Times

BOOLEANS = Ranks((False, True))
_SINGLE = frozenset(
    (str, bool, int, float, bytes, Decimal, date, datetime, time, timedelta, PosixPath, WindowsPath)
)
_SINGLE_NUMPY = (np.bool_, np.integer, np.floating, np.str_, np.bytes_, np.datetime64)
_SINGLE_PANDAS = ("Timestamp", "Timedelta", "Interval")


def column_of_array(name: str, values: AnyArray, *, nominal: bool = False) -> Column:
    """Return a column from a 1-D array: nominal for text and objects, otherwise ordered."""
    are_merged = False
    if isinstance(values, np.ma.MaskedArray):
        masked, values = values, _unmasked(values)
        if masked.dtype.kind in "iu":
            are_merged = merges_numbers(values, lambda: masked.compressed().tolist())
    if values.ndim != 1:
        raise TableError(f"column {name!r} has shape {values.shape}; it must be one-dimensional")
    if values.dtype.kind == "O" and not nominal and (utc := _aware_times(values)) is not None:
        return Ordered(name, utc.view(np.int64), Times(str(utc.dtype), "UTC"))
    if values.dtype.kind == "O" and not nominal and (known := _known_objects(values)) is not None:
        if known.dtype == np.int32:
            return Ordered(name, known, BOOLEANS)
        if known.dtype == np.float64:
            are_merged = merges_numbers(known, values.tolist)
        return replace(ordered_of_array(name, known), are_merged=are_merged)
    if nominal or values.dtype.kind in "OSU" or isinstance(values.dtype, np.dtypes.StringDType):
        return nominal_of_cells(name, values)
    found = ordered_of_array(name, values)
    return replace(found, are_merged=True) if are_merged else found


def merges_numbers(numbers: FloatArray, cells: Callable[[], Iterable[Any]]) -> bool:
    """Return whether cells beyond 2^53 differ, but not as the floats that they became.

    Parameters
    ----------
    numbers : float64 array
        The floats.
    cells : callable
        Returns the cells. It is only called if a number is large enough.

    Returns
    -------
    bool
        Whether there are such cells.

    Examples
    --------
    >>> merges_numbers(np.array([2.0**60, 2.0**60]), lambda: [2**60, 2**60 + 1])
    True
    """
    with np.errstate(invalid="ignore"):
        is_large = bool((np.abs(numbers) >= 2.0**53).any())
    if not is_large:
        return False
    held = {c for c in cells() if not is_missing(c) and abs(c) >= 2**53}
    return len(held) > len({float(c) for c in held})


def _unmasked(values: "np.ma.MaskedArray[Any, Any]") -> AnyArray:
    """Return a masked array as a plain one whose masked cells are missing."""
    gone = np.ma.getmaskarray(values)
    kind = values.dtype.kind
    if kind in "fc":
        return np.asarray(values.filled(np.nan))
    if kind in "iub":
        return np.where(gone, np.nan, np.asarray(values.data, dtype=np.float64))
    if kind in "Mm":
        return np.where(gone, np.array("NaT", dtype=values.dtype), values.data)
    cells = np.asarray(values.data, dtype=object)
    cells[gone] = None
    return cells


def _aware_times(values: AnyArray) -> AnyArray | None:
    """Return times with time zones as UTC times, or None if any cell is something else."""
    cells = values.tolist()
    held = [c for c in cells if not is_missing(c)]
    if not held or not all(isinstance(c, datetime) and c.tzinfo is not None for c in held):
        return None
    found = np.full(len(cells), "NaT", dtype="datetime64[us]")
    for i, cell in enumerate(cells):
        if not is_missing(cell):  # in UTC it may lie before the year 1 or after 9999
            found[i] = np.datetime64(cell.replace(tzinfo=None), "us") - np.timedelta64(
                cell.utcoffset(), "us"
            )
    return found


def _known_objects(values: AnyArray) -> AnyArray | None:
    """Return objects as an array of their common type (numbers, booleans, times), or None."""
    cells = values.tolist()
    held = [c for c in cells if not is_missing(c)]
    if not held or all(isinstance(c, bool | np.bool_) for c in held):
        if not held:
            return np.full(len(cells), np.nan)
        return np.array([MISSING if is_missing(c) else int(c) for c in cells], dtype=np.int32)
    if all(isinstance(c, Real | Decimal) and not isinstance(c, bool | np.bool_) for c in held):
        try:
            return np.array([np.nan if is_missing(c) else float(c) for c in cells])
        except OverflowError:  # integers too large for a float become categories
            return None
    for kind, dtype in ((date, "datetime64[us]"), (timedelta, "timedelta64[us]")):
        if all(isinstance(c, kind) and getattr(c, "tzinfo", None) is None for c in held):
            gone = np.array("NaT", dtype=dtype)
            return np.array([gone if is_missing(c) else np.array(c, dtype=dtype) for c in cells])
    return None


def ordered_of_array(name: str, values: AnyArray) -> Ordered:
    """Return an ordered column from an array of numbers, booleans or times."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind not in "fiubMm":
        raise TableError(f"column {name!r} has dtype {values.dtype}, which has no order")
    if kind == "f" and size == 2:
        values = values.astype(np.float32)
    elif kind == "f" and size > 8:
        values = values.astype(np.float64)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if not values.flags.aligned or values.strides[0] % values.dtype.itemsize:
        values = values.copy()
    if kind in "Mm":
        return Ordered(name, values.view(np.int64), Times(str(values.dtype)))
    return Ordered(name, values, BOOLEANS if kind == "b" else Numbers())


def nominal_of_cells(name: str, values: AnyArray) -> Nominal:
    """Return a nominal column from an array of text, numbers or other single values."""
    seen: dict[Any, int] = {}
    cells = values.tolist()
    try:
        codes = np.fromiter(
            (MISSING if is_missing(v) else seen.setdefault(v, len(seen)) for v in cells),
            dtype=np.int32,
            count=len(cells),
        )
    except TypeError as error:  # a cell that cannot be hashed
        _check_categories(name, cells)
        raise TableError(
            f"column {name!r} contains values that cannot be categories ({error}); convert them "
            "to text or drop the column"
        ) from error
    _check_categories(name, seen)
    return Nominal(name, codes, tuple(seen))


def _check_categories(name: str, cells: Iterable[Any]) -> None:
    """Raise an error if a cell has a type that model files cannot store, such as a list."""
    for cell in {type(cell): cell for cell in cells}.values():
        if not (is_missing(cell) or is_category_type(type(cell))):
            raise TableError(
                f"column {name!r} contains values that cannot be categories, of type "
                f"{type(cell).__name__}; convert them to text or drop the column"
            )


def is_category_type(kind: type[Any]) -> bool:
    """Return whether values of a type can be categories: single values that model files store.

    Subclasses of these types are not among them, because a file would not give them back.

    >>> is_category_type(str), is_category_type(np.int8), is_category_type(list)
    (True, True, False)
    """
    if issubclass(kind, np.generic):
        return issubclass(kind, _SINGLE_NUMPY) and kind is not np.longdouble
    is_pandas = kind.__module__.split(".")[0] == "pandas"
    return kind in _SINGLE or (is_pandas and kind.__name__ in _SINGLE_PANDAS)


def nominal_of_codes(name: str, codes: AnyArray, categories: Iterable[Any]) -> Nominal:
    """Return a nominal column from codes; negative codes are missing cells.

    Cells whose category is itself missing (None or NaN) are missing too.
    """
    kept = tuple(categories)
    own = np.array(codes, dtype=np.int32)
    plain = set(map(type, kept)) <= {str, int, bytes}  # types without a missing value
    gone = [] if plain else [i for i, category in enumerate(kept) if is_missing(category)]
    if not plain:
        _check_categories(name, kept)
    if gone:
        own[np.isin(own, gone)] = MISSING
    np.maximum(own, MISSING, out=own)
    return Nominal(name, own, kept)


def as_nominal(column: Column) -> Nominal:
    """Return a column as a nominal one; labels, numbers and times become categories."""
    if isinstance(column, Nominal):
        return column
    if isinstance(column.scale, Ranks):
        return nominal_of_codes(column.name, column.values, column.scale.labels)
    values = column.values
    if isinstance(column.scale, Times):
        values = values.view(column.scale.dtype)
    return nominal_of_cells(column.name, values)


def is_missing(value: Any) -> bool:
    """Return whether a cell is None, NaN, NaT or pandas' NA, without importing pandas."""
    if value is None:
        return True
    if isinstance(value, float | np.floating):
        return isnan(value)
    if isinstance(value, str | bytes | int):
        return False
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling one too, which cannot be hashed
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType")
