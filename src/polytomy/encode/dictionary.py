"""Categories to codes. Codes follow the sorted categories, so they do not depend on row order."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np

from polytomy._errors import TableError
from polytomy._types import MISSING, UNKNOWN, AnyArray, BranchArray


def categorize(values: AnyArray, name: str) -> tuple[tuple[Any, ...], BranchArray]:
    """Return the sorted categories of a column and each cell's code, ``MISSING`` for none."""
    seen: dict[Any, int] = {}
    cells = _cells(values)
    try:
        first = np.fromiter(
            (MISSING if _is_missing(v) else seen.setdefault(v, len(seen)) for v in cells),
            dtype=np.int32,
            count=len(cells),
        )
    except TypeError as unhashable:
        raise TableError(
            f"column {name!r} holds values that cannot be categories ({unhashable}); "
            "turn them into text or drop the column"
        ) from None
    categories = list(seen)
    order = _sorted_positions(categories)
    rank = np.empty(len(order) + 1, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    rank[-1] = MISSING  # what position -1 reads
    return tuple(categories[i] for i in order), rank[first]


def look_up(values: AnyArray, categories: Sequence[Any]) -> BranchArray:
    """Return each cell's code among known categories: ``MISSING``, or ``UNKNOWN`` for a new one."""
    known = {category: code for code, category in enumerate(categories)}
    cells = _cells(values)
    return np.fromiter(
        (MISSING if _is_missing(v) else known.get(v, UNKNOWN) for v in cells),
        dtype=np.int32,
        count=len(cells),
    )


def _cells(values: AnyArray) -> list[Any]:
    cells: list[Any] = values.tolist()
    return cells


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and isnan(value))


def _sorted_positions(categories: list[Any]) -> list[int]:
    """Positions in ascending order; categories of different types are grouped by type."""
    positions = range(len(categories))
    try:
        return sorted(positions, key=categories.__getitem__)
    except TypeError:
        return sorted(positions, key=lambda i: (type(categories[i]).__name__, str(categories[i])))
