"""Leaves from 8 to as many as it takes until every leaf is pure."""

from functools import partial

from case import Case, Group, Size
from tables import Recipe, table_of


def group(size: Size) -> Group:
    """Return the cases."""
    rows = size.rows(100_000)
    make = partial(table_of, Recipe(rows))
    cases = [
        Case(f"{n:,}", f"leaves/{n}", make, size.job(n), at=n, seconds=7.0)
        for n in size.steps(8, 64, 1000)
    ]
    pure = {
        "seconds": 25.0,
        "always": ("DecisionTree",),
        "memory": size.looked_at("ours", "DecisionTree"),
    }
    cases.append(Case("until pure", "leaves/pure", make, size.job(None), **pure))
    title = f"Leaves: {rows:,} x 20, two classes"
    note = "From a row-major float32 array to a fitted model."
    return Group("leaves", title, note, tuple(cases), axis="leaves")
