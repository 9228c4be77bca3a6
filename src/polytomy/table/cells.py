"""Cells of any kind to codes of categories, in the order they first appear."""

from collections.abc import Iterable
from math import isnan
from typing import Any

import numpy as np

from polytomy._errors import TableError
from polytomy._types import MISSING, AnyArray

from .columns import Column, Nominal
from .scale import Ranks, Times


def nominal_of_cells(name: str, values: AnyArray) -> Nominal:
    """Make a nominal column of an array of text, numbers or objects."""
    seen: dict[Any, int] = {}
    cells = values.tolist()
    try:
        codes = np.fromiter(
            (MISSING if is_missing(v) else seen.setdefault(v, len(seen)) for v in cells),
            dtype=np.int32,
            count=len(cells),
        )
    except TypeError as unhashable:
        raise TableError(
            f"column {name!r} holds values that cannot be categories ({unhashable}); "
            "turn them into text or drop the column"
        ) from None
    return Nominal(name, codes, tuple(seen))


def nominal_of_codes(name: str, codes: AnyArray, categories: Iterable[Any]) -> Nominal:
    """Make a nominal column of given codes; a negative one is a missing cell.

    A category that is itself missing (None or NaN) makes its cells missing.
    """
    kept = tuple(categories)
    own = np.array(codes, dtype=np.int32)
    plain = set(map(type, kept)) <= {str, int, bytes}  # of which none is missing: no need to look
    gone = [] if plain else [i for i, category in enumerate(kept) if is_missing(category)]
    if gone:
        own[np.isin(own, gone)] = MISSING
    np.maximum(own, MISSING, out=own)
    return Nominal(name, own, kept)


def as_nominal(column: Column) -> Nominal:
    """Return a column as categories: labels as they are, numbers and times as their values."""
    if isinstance(column, Nominal):
        return column
    if isinstance(column.scale, Ranks):
        return nominal_of_codes(column.name, column.values, column.scale.labels)
    values = column.values
    if isinstance(column.scale, Times):
        values = values.view(column.scale.dtype)
    return nominal_of_cells(column.name, values)


def is_missing(value: Any) -> bool:
    """Say whether a cell is None, NaN, NaT or pandas' NA, without importing pandas."""
    if value is None:
        return True
    if isinstance(value, float):
        return isnan(value)
    if isinstance(value, str | bytes | int):
        return False
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType")
