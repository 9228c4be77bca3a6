"""The score functions of boosted stumps: one function of each column, exact if they fit."""

from itertools import pairwise
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import FloatArray, IntArray
from polytomy.encode import NominalColumn, OrderedColumn
from polytomy.ensemble import Additive, Ensemble, ScoreFunction
from polytomy.export.words import Range, answers, say_range, say_set
from polytomy.report.facts.columns import Listing, categories_in_ensemble
from polytomy.report.facts.json_values import rounded, unrounded
from polytomy.table import Ranks
from polytomy.tree import CustomSplit

MOST_NUMBERS = 150_000  # scores that all functions of a page may have together
_FEWEST_RANGES = 8  # of a function, regardless of the number of columns
_RESERVED = {"missing", "(missing)", "(another value)"}  # text for cells that have no category


def score_facts(
    ensemble: Ensemble, merged: Additive, most: int = MOST_NUMBERS, listing: Listing | None = None
) -> dict[str, Any]:
    """Return the score function of every column, the one with the widest range first.

    A function has ``words`` and ``scores`` for each range of values (ascending, separated by
    ``thresholds``) or each set of categories (highest score first; ``place`` gives the set of each
    listed category). If there are more than ``most`` scores, neighbouring ranges with similar
    scores are joined: such a function has ``joined`` and the largest error ``off``. If not all
    categories are listed, ``others`` gives the number of the rest and the range of their scores.
    """
    listing = categories_in_ensemble(ensemble) if listing is None else listing
    numbers = sum(
        len(listing[f.feature].codes) if f.feature in listing else len(f.scores)
        for f in merged.functions
    )
    limit = None
    if numbers * ensemble.n_outputs > most:
        limit = max(_FEWEST_RANGES, most // max(1, len(merged.functions) * ensemble.n_outputs))
    return {
        "start": merged.start.tolist(),
        "functions": [_function(ensemble, f, limit, listing) for f in merged.by_spread()],
        "own": _own_stumps(ensemble, merged),
    }


def _function(
    ensemble: Ensemble, function: ScoreFunction, limit: int | None, listing: Listing
) -> dict[str, Any]:
    column = ensemble.schema[function.feature]
    facts: dict[str, Any] = {
        "column": function.feature,
        "spread": function.spread,
        "stumps": function.members,
        "missing": function.missing.tolist(),
        "unseen": function.unseen.tolist(),
    }
    if isinstance(column, NominalColumn):
        codes = listing[function.feature].codes
        return facts | _category_scores(function, column, codes, limit) | _others(function, codes)
    return facts | _range_scores(function, column, limit)


def _range_scores(
    function: ScoreFunction, column: OrderedColumn, limit: int | None
) -> dict[str, Any]:
    thresholds, scores = _occupied_ranges(function, column)
    thresholds, scores, off = _joined(thresholds, scores, limit)
    ends = [None, *thresholds.tolist(), None]
    ranges = [Range(low, high, missing=False) for low, high in pairwise(ends)]
    return {
        "words": [say_range(one, column) for one in ranges],
        "thresholds": [unrounded(x) for x in thresholds.tolist()],
        "scores": scores.tolist(),
        **_error(off),
    }


def _occupied_ranges(
    function: ScoreFunction, column: OrderedColumn
) -> tuple[FloatArray, FloatArray]:
    """Return thresholds and scores, without ranges that lie between two labels."""
    assert function.thresholds is not None
    if not isinstance(column.scale, Ranks):
        return function.thresholds, function.scores
    labels = np.arange(len(column.scale.labels))
    occupied = np.unique(np.searchsorted(function.thresholds, labels))
    return function.thresholds[occupied[1:] - 1], function.scores[occupied]


def _category_scores(
    function: ScoreFunction, column: NominalColumn, codes: IntArray, limit: int | None
) -> dict[str, Any]:
    scores, of_code = np.unique(function.scores[codes], axis=0, return_inverse=True)
    widest = int(np.argmax(np.ptp(scores, axis=0)))
    order = np.argsort(-scores[:, widest], kind="stable")
    place = np.argsort(order)[of_code.ravel()]
    ends, joined, off = _joined(np.arange(0.5, len(order) - 1), scores[order], limit)
    place = np.searchsorted(ends, place)
    sets: list[list[str]] = [[] for _ in joined]
    for code, at in zip(codes.tolist(), place.tolist(), strict=True):
        sets[at].append(_visible(column.categories[code]))
    words = [say_set(column.name, names, missing=False, other=False) for names in sets]
    return {"words": words, "place": place.tolist(), "scores": joined.tolist(), **_error(off)}


def _others(function: ScoreFunction, codes: IntArray) -> dict[str, Any]:
    """Return the number of categories that are not listed, and the range of their scores."""
    rest = np.delete(function.scores, codes, axis=0)
    if len(rest) == 0:
        return {}
    low, high = rest.min(axis=0), rest.max(axis=0)
    return {"others": {"count": len(rest), "low": low.tolist(), "high": high.tolist()}}


def _visible(category: Any) -> str:
    """Return a category as text, in quotes if it is blank or looks like a missing cell."""
    text = one_line(category)
    return f"“{text}”" if not text.strip() or text in _RESERVED else text


def _error(off: float) -> dict[str, Any]:
    return {"joined": True, "off": rounded(off)} if off else {}


def _joined(
    ends: FloatArray, scores: FloatArray, limit: int | None
) -> tuple[FloatArray, FloatArray, float]:
    """Join neighbouring scores until at most ``limit`` are left, the most similar first.

    A joined score is the middle of the scores it replaces. Returns the remaining ``ends`` between
    neighbours, the remaining scores, and the largest error of a score.
    """
    if limit is None or len(scores) <= limit:
        return ends, scores, 0.0
    low, high = scores.copy(), scores.copy()
    width = _joined_widths(low, high, np.arange(len(low) - 1))
    while len(low) > limit:
        at = int(np.argmin(width))
        low[at] = np.minimum(low[at], low[at + 1])
        high[at] = np.maximum(high[at], high[at + 1])
        low, high = np.delete(low, at + 1, axis=0), np.delete(high, at + 1, axis=0)
        ends, width = np.delete(ends, at), np.delete(width, at)
        near = np.arange(max(at - 1, 0), min(at + 1, len(low) - 1))
        width[near] = _joined_widths(low, high, near)
    return ends, (low + high) / 2, float((high - low).max() / 2)


def _joined_widths(low: FloatArray, high: FloatArray, at: IntArray) -> FloatArray:
    """Return the range of scores that each range and its right neighbour have together."""
    together = np.maximum(high[at], high[at + 1]) - np.minimum(low[at], low[at + 1])
    return np.asarray(together.max(axis=1))


def _own_stumps(ensemble: Ensemble, merged: Additive) -> list[dict[str, Any]]:
    """Return the stumps of user-defined families: description, branches and scores."""
    stumps = []
    for member in merged.own:
        split = member.tree.split(0)
        assert isinstance(split, CustomSplit)
        description, _ = split.branching.describe(ensemble.schema.names)
        scores = member.scores[member.tree.children(0)]
        words = answers(split, ensemble.schema)
        stumps.append({"asks": description, "words": words, "scores": scores.tolist()})
    return stumps
