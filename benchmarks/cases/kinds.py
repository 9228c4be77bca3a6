"""What a table may have besides: ten classes, missing cells, weights."""

from functools import partial

from case import Case, Group, Size
from tables import Recipe, table_of


def group(size: Size) -> Group:
    """Return the cases."""
    rows = size.rows(200_000)
    known = {
        "as it is": Recipe(rows),
        "10 classes": Recipe(rows, classes=10),
        "10 % of the cells missing": Recipe(rows, missing=0.1),
        "weights": Recipe(rows, weighted=True),
    }
    cases = tuple(
        Case(name, f"kinds/{name}", partial(table_of, recipe), size.job(), seconds=7.0)
        for name, recipe in known.items()
    )
    note = (
        "From a row-major float32 array to a fitted model. With ten classes LightGBM, XGBoost and "
        "HistGradientBoosting grow ten trees of 64 leaves, the others one."
    )
    return Group("kinds", f"Kinds of tables: {rows:,} x 20, 64 leaves", note, cases)
