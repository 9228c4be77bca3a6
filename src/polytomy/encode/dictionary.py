"""Categories to codes. Codes follow the sorted categories, so they do not depend on row order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from polytomy import kernels
from polytomy._types import MISSING, UNKNOWN, BranchArray, RowArray
from polytomy.table import Nominal


def sort_categories(column: Nominal, threads: int = 1) -> tuple[tuple[Any, ...], RowArray, bool]:
    """Return the sorted categories of a column, the new code of each of its codes, and a flag.

    Categories that do not occur are left out. The last of the new codes is that of missing cells,
    one past the categories'; the flag says whether there are any.
    """
    seen, has_missing = kernels.occurring(column.codes, len(column.categories), threads)
    held = np.flatnonzero(seen)
    order = _sorted([column.categories[i] for i in held.tolist()])
    places = held[order] if order else held
    new_code = np.full(len(seen) + 1, len(places), dtype=np.uint32)
    new_code[places] = np.arange(len(places), dtype=np.uint32)
    return tuple(column.categories[i] for i in places.tolist()), new_code, has_missing


def look_up(column: Nominal, categories: Sequence[Any]) -> BranchArray:
    """Return each cell's code among known categories: ``MISSING``, or ``UNKNOWN`` for a new one."""
    known = {category: code for code, category in enumerate(categories)}
    of_code = [known.get(category, UNKNOWN) for category in column.categories]
    return np.array([*of_code, MISSING], dtype=np.int32)[column.codes]


def _sorted(categories: list[Any]) -> list[int]:
    """Positions in ascending order; categories of different types are grouped by type."""
    positions = range(len(categories))
    try:
        return sorted(positions, key=categories.__getitem__)
    except TypeError:
        return sorted(positions, key=lambda i: (type(categories[i]).__name__, str(categories[i])))
