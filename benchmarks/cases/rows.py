"""Rows from a thousand to ten million, 20 columns, 64 leaves, from the raw array."""

from functools import partial

from case import ALL, FAST, Case, Group, Size
from tables import Recipe, table_of

HATANO = "ours, hatano"
MANY, LARGE = 1_000_000, 10_000_000  # the targets speak of these
QUICK = 25_000  # stands for both in a rehearsal
SKLEARN_LIMIT = 90.0  # its tree of the million, which a target speaks of, is run once


def group(size: Size) -> Group:
    """Return the cases."""
    steps = (1_000, 5_000, QUICK) if size.quick else (1_000, 10_000, 100_000, MANY, LARGE)
    return Group(
        "rows",
        "Rows: 20 columns, two classes, 64 leaves",
        "From a row-major float32 array to a fitted model.",
        tuple(case_of(rows, size) for rows in steps),
        axis="rows",
    )


def case_of(rows: int, size: Size) -> Case:
    """Return the case of so many rows."""
    recipe = Recipe(rows)
    who = ("ours", HATANO, *ALL[1:])
    settings = {"seconds": 7.0, "rounds": 15}
    if rows == (QUICK if size.quick else MANY):
        settings = {"seconds": 70.0, "limit": SKLEARN_LIMIT, "rounds": 7}
        settings |= {"memory": FAST[:2] if size.quick else (*FAST, "YDF CART")}
    if rows == LARGE:
        who = ("ours", HATANO, *FAST[1:])
        settings = {"seconds": 50.0, "limit": 25.0, "rounds": 3, "memory": ("ours", "LightGBM")}
    job = size.job()
    make = partial(table_of, recipe)
    return Case(f"{rows:,}", f"rows/{rows}", make, job, who, at=rows, **settings)
