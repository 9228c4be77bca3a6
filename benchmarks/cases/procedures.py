"""Each of our procedures, beside LightGBM."""

from functools import partial

from case import Case, Group, Size
from tables import Recipe, table_of

OURS = ("ours", "ours, hatano", "ours, mansour-mcallester", "ours, kearns-mansour")


def group(size: Size) -> Group:
    """Return the cases."""
    rows = size.rows(1_000_000)
    cases = tuple(
        Case(
            f"{leaves} leaves",
            f"procedures/{leaves}",
            partial(table_of, Recipe(rows)),
            size.job(leaves),
            who=(*OURS, "LightGBM"),
            seconds=7.0,
        )
        for leaves in (8, 64)
    )
    note = "From a row-major float32 array to a fitted model; `mansour-mcallester` with gamma 0.1."
    return Group("procedures", f"Procedures: {rows:,} x 20, two classes", note, cases)
