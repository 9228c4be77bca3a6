"""What a page shows of a node on request: what it could have asked, and how its rows lie."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polytomy._types import UNSEEN, FloatArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.export.words import answers, branch_range, say_codes, say_range
from polytomy.tree import CodeQuestion, IntervalQuestion, OwnQuestion, Question

from .numbers import plain
from .spread import spread_facts

_LONGEST = 90  # characters of an option's answers
_ANSWERS = 24  # answers that can leave a trace in so many characters
RIVALS = 5  # columns that a node could have asked instead
_NAMELESS = "…"


@dataclass(frozen=True, slots=True)
class Offer:
    """An option as a reader sees it; gain and score are over the weight of all rows."""

    arity: int
    gain: float
    score: float
    column: int  # -1 for a user's own question
    question: Question
    chosen: bool = False
    too_wide: bool = False  # more branches than the procedure took at that size


@dataclass(frozen=True, slots=True, eq=False)
class Detail:
    """The details of a node, before they are put into words."""

    menu: Sequence[Offer]
    rivals: Sequence[Offer]
    column: int  # whose spread it shows, -1 for none
    here: FloatArray | None  # weight by code and class
    parent: FloatArray | None  # weight by code


def detail_facts(schema: Schema, detail: Detail) -> dict[str, Any]:
    """Return the details of a node as plain data."""
    facts: dict[str, Any] = {"menu": [_offered(schema, offer) for offer in detail.menu]}
    if detail.rivals:
        facts["rivals"] = [
            {"column": o.column, "arity": o.arity, "gain": plain(o.gain)}
            for o in detail.rivals[:RIVALS]
        ]
    if detail.here is not None:
        spec = schema[detail.column]
        spread = spread_facts(spec, detail.here, detail.parent)
        facts["spread"] = {"column": detail.column, **spread}
    return facts


def within_budget(
    facts: Iterable[tuple[int, dict[str, Any]]], budget: int
) -> tuple[dict[str, dict[str, Any]], bool]:
    """Return details, by node, for as long as their JSON fits, and whether all of them did."""
    kept: dict[str, dict[str, Any]] = {}
    for node, detail in facts:
        budget -= len(json.dumps(detail, separators=(",", ":"))) + len(str(node)) + 4
        if budget < 0:
            return kept, False
        kept[str(node)] = detail
    return kept, True


def _offered(schema: Schema, offer: Offer) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "arity": offer.arity,
        "gain": plain(offer.gain),
        "score": plain(offer.score),
        "column": offer.column,
        "question": _in_words(schema, offer),
    }
    for mark in ("chosen", "too_wide"):
        if getattr(offer, mark):
            facts[mark] = True
    return facts


def _in_words(schema: Schema, offer: Offer) -> str:
    """Return the answers on one line, without the column's name, which is told beside them."""
    question = offer.question
    if isinstance(question, OwnQuestion):
        words = answers(question, schema)
    else:
        column = replace(schema[offer.column], name=_NAMELESS)
        width = max(16, _LONGEST // offer.arity)
        shown = range(min(offer.arity, _ANSWERS))
        words = [_nameless(_answer(question, b, column, width)) for b in shown]
    text = " | ".join(words)
    cut = len(text) > _LONGEST or len(words) < offer.arity
    return text[: _LONGEST - 1] + "…" if cut else text


def _answer(
    question: IntervalQuestion | CodeQuestion, branch: int, column: ColumnSpec, width: int
) -> str:
    if isinstance(question, CodeQuestion):
        assert isinstance(column, NominalColumn)
        return say_codes(question, branch, column, width)
    assert isinstance(column, OrderedColumn)
    seen = question.missing_branch != UNSEEN
    return say_range(branch_range(question, branch), column, missing=seen)


def _nameless(words: str) -> str:
    words = words.replace(f" < {_NAMELESS} <= ", " to ")
    for verb in ("is ", "in ", ""):
        words = words.removeprefix(f"{_NAMELESS} {verb}")
    return words
