"""Columns from 5 to 500, 100,000 rows."""

from functools import partial

from case import Case, Group, Size
from tables import Recipe, table_of


def group(size: Size) -> Group:
    """Return the cases."""
    rows = size.rows(100_000)
    cases = [
        Case(
            f"{columns}",
            f"columns/{columns}",
            partial(table_of, Recipe(rows, columns)),
            size.job(),
            at=columns,
            seconds=20.0 if columns > 100 else 4.0,
            memory=("ours", "LightGBM") if columns > 100 else (),
        )
        for columns in size.steps(5, 20, 100, 500)
    ]
    title = f"Columns: {rows:,} rows, two classes, 64 leaves"
    note = "From a row-major float32 array to a fitted model."
    return Group("columns", title, note, tuple(cases), axis="columns")
