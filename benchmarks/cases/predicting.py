"""Predicting the classes of many rows."""

from collections.abc import Callable
from functools import partial
from typing import Any

from case import ALL, Case, Group, Size
from contenders import Contender, Job
from tables import Given, Recipe, table_of

GROWN_ON = 50_000  # rows, not timed


def started(contender: Contender, given: Given, job: Job) -> Callable[[], Any]:
    """Fit on a part of the rows; predicting all of them is what remains."""
    model = contender.fit(given.first(GROWN_ON), job)
    return lambda: contender.predict(model, given, job)


def group(size: Size) -> Group:
    """Return the cases."""
    rows = size.rows(1_000_000)
    who = tuple(name for name in ALL if name != "LightGBM col-wise")
    make = partial(table_of, Recipe(rows))
    settings = {"who": who, "start": started, "seconds": 7.0}
    settings["always"] = ("LightGBM", "DecisionTree")
    settings["memory"] = size.looked_at("ours", "DecisionTree")
    cases = (Case("64 leaves", "predict/64", make, size.job(), **settings),)
    note = (
        f"Classes of all rows of the raw float32 array, from models fitted on {GROWN_ON:,} of them."
    )
    return Group("predict", f"Predict: {rows:,} x 20", note, cases)
