"""The details of a node: alternatives to its split, and the distribution of its rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from polytomy._types import FloatArray
from polytomy.encode import Schema
from polytomy.export import describe_branch, describe_branches
from polytomy.report.facts.json_values import json_size, rounded
from polytomy.tree import CustomSplit, NodeSplit

from .distribution import distribution_facts

MOST_COLUMNS = 5  # other columns whose best split is shown
_LONGEST = 90  # characters of the text of a split
_MOST_BRANCHES = 24  # branches that can be seen in a text of that length


@dataclass(frozen=True, slots=True)
class Alternative:
    """A split that a node has or could have had.

    ``gain`` and ``score`` (gain over price) are divided by the weight of all rows.
    """

    arity: int
    gain: float
    score: float
    column: int  # -1 for a split of a user-defined family
    split: NodeSplit
    chosen: bool = False
    too_wide: bool = False  # more branches than the procedure accepted at that size


@dataclass(frozen=True, slots=True, eq=False)
class NodeDetails:
    """The best split for each number of branches and for each other column, and the node's rows."""

    menu: Sequence[Alternative]
    rivals: Sequence[Alternative]
    column: int  # of the distribution; -1 for none
    here: FloatArray | None  # weight by code and class; for numbers their weight and sum by code
    parent: FloatArray | None  # weight by code


def detail_facts(
    schema: Schema, details: NodeDetails, *, is_numeric: bool = False
) -> dict[str, Any]:
    """Return the details of a node as plain data."""
    facts: dict[str, Any] = {"menu": [_alternative(schema, one) for one in details.menu]}
    if details.rivals:
        facts["rivals"] = [
            {"column": one.column, "arity": one.arity, "gain": rounded(one.gain)}
            for one in details.rivals[:MOST_COLUMNS]
        ]
    if details.here is not None:
        spec = schema[details.column]
        own = next((one.split for one in details.menu if one.chosen), None)
        weights = details.here, details.parent
        distribution = distribution_facts(spec, *weights, own, is_numeric=is_numeric)
        facts["spread"] = {"column": details.column, **distribution}
    return facts


def within_budget(
    facts: Iterable[tuple[int, dict[str, Any]]], budget: int
) -> tuple[dict[str, dict[str, Any]], bool]:
    """Return details by node until their JSON exceeds the budget, and whether all of them fit."""
    kept: dict[str, dict[str, Any]] = {}
    for node, detail in facts:
        budget -= json_size(detail) + len(str(node)) + 4
        if budget < 0:
            return kept, False
        kept[str(node)] = detail
    return kept, True


def _alternative(schema: Schema, alternative: Alternative) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "arity": alternative.arity,
        "gain": rounded(alternative.gain),
        "score": rounded(alternative.score),
        "column": alternative.column,
        "question": _text(schema, alternative),
    }
    for mark in ("chosen", "too_wide"):
        if getattr(alternative, mark):
            facts[mark] = True
    return facts


def _text(schema: Schema, alternative: Alternative) -> str:
    """Return the branches of a split on one line, without the column's name."""
    split = alternative.split
    if isinstance(split, CustomSplit):
        branches = describe_branches(split, schema)
    else:
        column = schema[alternative.column]
        width = max(16, _LONGEST // alternative.arity)
        shown = range(min(alternative.arity, _MOST_BRANCHES))
        branches = [describe_branch(split, b, column, width, named=False) for b in shown]
    text = " | ".join(branches)
    cut = len(text) > _LONGEST or len(branches) < alternative.arity
    return text[: _LONGEST - 1] + "…" if cut else text
