"""Options of ``polytomy fit`` that restrict the tree: columns, their order and cost, branches."""

import csv
from typing import Annotated, Any

import typer

from . import options

FLAGS = {
    "monotonic_cst": "--monotonic",
    "never_ask": "--never-ask",
    "columns_first": "--columns-first",
    "only_after": "--only-after",
    "column_cost": "--column-cost",
    "min_child_share": "--min-child-share",
    "min_difference": "--min-difference",
}
"""The option of each parameter."""

_REPEAT = "Can be repeated; a name with a comma is put in double quotes."

Monotonic = Annotated[
    list[str] | None,
    options.option(
        f"Let the prediction only rise (1) or only fall (-1) along a column. {_REPEAT}",
        FLAGS["monotonic_cst"],
        metavar="COL=1|-1,...",
    ),
]
NeverAsk = Annotated[
    list[str] | None,
    options.option(
        f"Never split on these columns; they stay part of the table. {_REPEAT}",
        FLAGS["never_ask"],
        metavar="COL,...",
    ),
]
ColumnsFirst = Annotated[
    list[str] | None,
    options.option(
        f"Ask about these columns before any other, as long as they gain. {_REPEAT}",
        FLAGS["columns_first"],
        metavar="COL,...",
    ),
]
OnlyAfter = Annotated[
    list[str] | None,
    options.option(
        "Ask about a column only below one of the others. Can be repeated.",
        FLAGS["only_after"],
        metavar="COL:OTHER,...",
    ),
]
ColumnCost = Annotated[
    list[str] | None,
    options.option(
        "What asking all rows about a column must save, as a fraction of what the tree saves. "
        f"{_REPEAT}",
        FLAGS["column_cost"],
        metavar="COL=X,...",
    ),
]
MinChildShare = Annotated[
    float | None,
    options.option(
        "Least weight of a branch, as a share of its node's.",
        FLAGS["min_child_share"],
        default="0",
        metavar="X",
    ),
]
MinDifference = Annotated[
    float | None,
    options.option(
        "Least difference between neighbouring branches, in the share of the second class or the "
        "mean.",
        FLAGS["min_difference"],
        default="0",
        metavar="X",
    ),
]


def parse_constraints(chosen: dict[str, Any]) -> dict[str, Any]:
    """Return the constraints among the options of ``fit`` as parameters of the estimators.

    Parameters
    ----------
    chosen : dict
        The options that are set, by the names of the parameters.

    Returns
    -------
    dict
        Those that are constraints, with lists and dicts instead of text.
    """
    found: dict[str, Any] = {}
    for name in ("never_ask", "columns_first"):
        if name in chosen:
            found[name] = [part for text in chosen[name] for part in _parts(text)]
    if "only_after" in chosen:
        found["only_after"] = dict(_after(text) for text in chosen["only_after"])
    for name in ("column_cost", "monotonic_cst"):
        if name in chosen:
            parts = [part for text in chosen[name] for part in _parts(text)]
            found[name] = dict(_number(part, FLAGS[name]) for part in parts)
    return found


def _parts(text: str) -> list[str]:
    """Return the parts of a list that commas separate, except in double quotes."""
    return [part.strip() for part in next(csv.reader([text], skipinitialspace=True))]


def _after(text: str) -> tuple[str, list[str]]:
    column, colon, others = text.partition(":")
    if not colon or not column or not others:
        message = f"must be COL:OTHER,..., got {text!r}"
        raise typer.BadParameter(message, param_hint=FLAGS["only_after"])
    return column.strip(), _parts(others)


def _number(text: str, flag: str) -> tuple[str, float]:
    column, _, number = text.rpartition("=")
    try:
        return column.strip(), float(number)
    except ValueError:
        message = f"must be COL=NUMBER, got {text!r}"
        raise typer.BadParameter(message, param_hint=flag) from None
