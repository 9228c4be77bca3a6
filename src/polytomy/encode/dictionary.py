"""Categories to codes. Codes follow the sorted categories, so they do not depend on row order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from polytomy._types import MISSING, UNKNOWN, BranchArray
from polytomy.table import Nominal


def sort_categories(column: Nominal) -> tuple[tuple[Any, ...], BranchArray]:
    """Return the sorted categories that occur in a column, and the new code of each of its codes.

    The last entry, which the code MISSING reads, is MISSING.
    """
    occurs = np.bincount(column.codes + 1, minlength=len(column.categories) + 1)[1:] > 0
    held = np.flatnonzero(occurs).tolist()
    order = _sorted([column.categories[i] for i in held])
    rank = np.full(len(column.categories) + 1, MISSING, dtype=np.int32)
    for code, place in enumerate(order):
        rank[held[place]] = code
    return tuple(column.categories[held[place]] for place in order), rank


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
