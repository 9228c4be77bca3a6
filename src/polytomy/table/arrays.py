"""NumPy arrays to columns, as views wherever the kernels can read them as they are."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from polytomy._errors import TableError
from polytomy._types import MISSING, AnyArray

from .cells import is_missing, nominal_of_cells
from .columns import Column, Ordered
from .scale import Numbers, Ranks, Times

NO_YES = Ranks((False, True))


def column_of_array(name: str, values: AnyArray, *, nominal: bool = False) -> Column:
    """Make a column of a 1-D array: text and objects are nominal, what has an order is ordered."""
    if isinstance(values, np.ma.MaskedArray):
        values = _unmasked(values)
    if values.ndim != 1:
        raise TableError(f"column {name!r} has shape {values.shape}; a column has one dimension")
    if values.dtype.kind == "O" and not nominal and (utc := _aware_times(values)) is not None:
        return Ordered(name, utc.view(np.int64), Times(str(utc.dtype), "UTC"))
    if values.dtype.kind == "O" and not nominal and (known := _known_objects(values)) is not None:
        if known.dtype == np.int32:
            return Ordered(name, known, NO_YES)
        return ordered_of_array(name, known)
    if nominal or values.dtype.kind in "OSU" or isinstance(values.dtype, np.dtypes.StringDType):
        return nominal_of_cells(name, values)
    return ordered_of_array(name, values)


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
    """Return times with a zone, whichever it is, as times of UTC; None where a cell is another."""
    cells = values.tolist()
    held = [c for c in cells if not is_missing(c)]
    if not held or not all(isinstance(c, datetime) and c.tzinfo is not None for c in held):
        return None
    plain = (None if is_missing(c) else c.astimezone(UTC).replace(tzinfo=None) for c in cells)
    return np.array(list(plain), dtype="datetime64[us]")


def _known_objects(values: AnyArray) -> AnyArray | None:
    """Return objects as what they all are, missing ones aside: numbers, booleans or times."""
    cells = values.tolist()
    held = [c for c in cells if not is_missing(c)]
    if not held or all(isinstance(c, bool | np.bool_) for c in held):
        if not held:
            return np.full(len(cells), np.nan)
        return np.array([MISSING if is_missing(c) else int(c) for c in cells], dtype=np.int32)
    if all(isinstance(c, Real | Decimal) and not isinstance(c, bool | np.bool_) for c in held):
        try:
            return np.array([np.nan if is_missing(c) else float(c) for c in cells])
        except OverflowError:  # whole numbers beyond any float: categories, then
            return None
    for kind, dtype in ((date, "datetime64[us]"), (timedelta, "timedelta64[us]")):
        if all(isinstance(c, kind) and getattr(c, "tzinfo", None) is None for c in held):
            gone = np.array("NaT", dtype=dtype)
            return np.array([gone if is_missing(c) else np.array(c, dtype=dtype) for c in cells])
    return None


def ordered_of_array(name: str, values: AnyArray) -> Ordered:
    """Make an ordered column of numbers, booleans or times."""
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
    return Ordered(name, values, NO_YES if kind == "b" else Numbers())
