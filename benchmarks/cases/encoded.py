"""The tree alone, on a table that is encoded already."""

from collections.abc import Callable
from functools import partial
from typing import Any

from case import Case, Group, Size
from contenders import Contender, Job
from tables import Given, Recipe, table_of

WHO = ("ours", "ours, hatano", "LightGBM", "LightGBM col-wise", "XGBoost")


def started(contender: Contender, given: Given, job: Job) -> Callable[[], Any]:
    """Encode; growing is what remains."""
    encoded = contender.encode(given, job)
    return lambda: contender.grow(encoded, job)


def group(size: Size) -> Group:
    """Return the cases."""
    cases = tuple(
        Case(
            f"{rows:,} rows",
            f"encoded/{n}",
            partial(table_of, Recipe(rows)),
            size.job(),
            WHO,
            started,
            seconds=6.0,
            rounds=9,
        )
        for n in (30_000, 1_000_000)
        for rows in [size.rows(n)]
    )
    note = (
        "From the library's own form of the table (our codes, LightGBM's constructed Dataset, "
        "XGBoost's quantile matrix) to a tree."
    )
    return Group("encoded", "Encoded tables: 20 columns, 64 leaves", note, cases)
