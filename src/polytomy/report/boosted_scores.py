"""The score functions of stumps as plain data: exact, as long as the page stays small."""

from itertools import pairwise
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import FloatArray, IntArray
from polytomy.encode import NominalColumn, OrderedColumn
from polytomy.ensemble import Additive, Ensemble, ScoreFunction
from polytomy.export.words import Range, answers, say_range, say_set
from polytomy.table import Ranks
from polytomy.tree import OwnQuestion

from .boosted_columns import Listed, listed_categories
from .numbers import exact, plain

BUDGET = 150_000  # numbers that all score functions of a page may hold together
_FEWEST = 8  # ranges a function keeps, however many columns there are
_SPECIAL = {"missing", "(missing)", "(another value)"}  # words for cells that are no category


def scores_facts(
    ensemble: Ensemble, merged: Additive, budget: int = BUDGET, listed: Listed | None = None
) -> dict[str, Any]:
    """Return what every column adds to the votes, the column that moves them most first.

    A function has ``words`` and ``scores`` for each range of values (ascending, ``thresholds``
    between them) or set of categories (the highest score first; ``place`` tells the set of each
    category that is listed). Above the budget, neighbours that differ least are joined to their
    middle, and the function says so: it is ``joined``, and off by at most ``off``. Where not all
    categories are listed, ``others`` tells how many are not, and from what to what they add.
    """
    listed = listed_categories(ensemble) if listed is None else listed
    numbers = sum(len(listed.get(f.feature, f.scores)) for f in merged.functions)
    most = None
    if numbers * ensemble.n_outputs > budget:
        most = max(_FEWEST, budget // max(1, len(merged.functions) * ensemble.n_outputs))
    return {
        "start": merged.start.tolist(),
        "functions": [_function(ensemble, f, most, listed) for f in merged.by_spread()],
        "own": _own(ensemble, merged),
    }


def _function(
    ensemble: Ensemble, function: ScoreFunction, most: int | None, listed: Listed
) -> dict[str, Any]:
    column = ensemble.schema[function.feature]
    known: dict[str, Any] = {
        "column": function.feature,
        "spread": function.spread,
        "stumps": function.members,
        "missing": function.missing.tolist(),
        "unseen": function.unseen.tolist(),
    }
    if isinstance(column, NominalColumn):
        codes = listed[function.feature]
        return known | _of_categories(function, column, codes, most) | _others(function, codes)
    return known | _of_ranges(function, column, most)


def _of_ranges(function: ScoreFunction, column: OrderedColumn, most: int | None) -> dict[str, Any]:
    thresholds, scores = _held_ranges(function, column)
    thresholds, scores, off = _joined(thresholds, scores, most)
    ends = [None, *thresholds.tolist(), None]
    known = [Range(low, high, missing=False) for low, high in pairwise(ends)]
    return {
        "words": [say_range(one, column) for one in known],
        "thresholds": [exact(x) for x in thresholds.tolist()],
        "scores": scores.tolist(),
        **_said(off),
    }


def _held_ranges(function: ScoreFunction, column: OrderedColumn) -> tuple[FloatArray, FloatArray]:
    """Return thresholds and scores, without ranges between two labels that hold neither."""
    assert function.thresholds is not None
    if not isinstance(column.scale, Ranks):
        return function.thresholds, function.scores
    places = np.arange(len(column.scale.labels))
    held = np.unique(np.searchsorted(function.thresholds, places))
    return function.thresholds[held[1:] - 1], function.scores[held]


def _of_categories(
    function: ScoreFunction, column: NominalColumn, codes: IntArray, most: int | None
) -> dict[str, Any]:
    scores, of_code = np.unique(function.scores[codes], axis=0, return_inverse=True)
    widest = int(np.argmax(np.ptp(scores, axis=0)))
    order = np.argsort(-scores[:, widest], kind="stable")
    place = np.argsort(order)[of_code.ravel()]
    ends, joined, off = _joined(np.arange(0.5, len(order) - 1), scores[order], most)
    place = np.searchsorted(ends, place)
    held: list[list[str]] = [[] for _ in joined]
    for code, at in zip(codes.tolist(), place.tolist(), strict=True):
        held[at].append(_seen(column.categories[code]))
    words = [say_set(column.name, names, missing=False, other=False) for names in held]
    return {"words": words, "place": place.tolist(), "scores": joined.tolist(), **_said(off)}


def _others(function: ScoreFunction, codes: IntArray) -> dict[str, Any]:
    """Return how many categories are not listed, and from what to what they add to each output."""
    rest = np.delete(function.scores, codes, axis=0)
    if len(rest) == 0:
        return {}
    low, high = rest.min(axis=0), rest.max(axis=0)
    return {"others": {"count": len(rest), "low": low.tolist(), "high": high.tolist()}}


def _seen(category: Any) -> str:
    """Return a category as it can be seen: blanks, and what looks like no category, in quotes."""
    text = one_line(category)
    return f"“{text}”" if not text.strip() or text in _SPECIAL else text


def _said(off: float) -> dict[str, Any]:
    return {"joined": True, "off": plain(off)} if off else {}


def _joined(
    ends: FloatArray, scores: FloatArray, most: int | None
) -> tuple[FloatArray, FloatArray, float]:
    """Join neighbours, those that differ least first, to their middle; ``ends`` part them.

    Returns what is left of both, and by how much a score is off at most.
    """
    if most is None or len(scores) <= most:
        return ends, scores, 0.0
    low, high = scores.copy(), scores.copy()
    width = _widths(low, high, np.arange(len(low) - 1))
    while len(low) > most:
        at = int(np.argmin(width))
        low[at] = np.minimum(low[at], low[at + 1])
        high[at] = np.maximum(high[at], high[at + 1])
        low, high = np.delete(low, at + 1, axis=0), np.delete(high, at + 1, axis=0)
        ends, width = np.delete(ends, at), np.delete(width, at)
        near = np.arange(max(at - 1, 0), min(at + 1, len(low) - 1))
        width[near] = _widths(low, high, near)
    return ends, (low + high) / 2, float((high - low).max() / 2)


def _widths(low: FloatArray, high: FloatArray, at: IntArray) -> FloatArray:
    """Return from what to what two neighbours would reach, joined."""
    together = np.maximum(high[at], high[at + 1]) - np.minimum(low[at], low[at + 1])
    return np.asarray(together.max(axis=1))


def _own(ensemble: Ensemble, merged: Additive) -> list[dict[str, Any]]:
    """Return the stumps with a user's own question: what it asks, and what each answer adds."""
    asked = []
    for member in merged.own:
        question = member.tree.question(0)
        assert isinstance(question, OwnQuestion)
        what, _ = question.branching.describe(ensemble.schema.names)
        added = member.scores[member.tree.children(0)]
        words = answers(question, ensemble.schema)
        asked.append({"asks": what, "words": words, "scores": added.tolist()})
    return asked
