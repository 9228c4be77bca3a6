"""The score functions of boosted stumps: one function of each column, exact if they fit."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import FloatArray, IntArray
from polytomy.encode import NominalColumn, OrderedColumn
from polytomy.ensemble import Additive, Ensemble, ScoreFunction
from polytomy.export import (
    Range,
    category_scores,
    describe_categories,
    describe_range,
    join_neighbours,
    own_split_scores,
    ranges_of,
)
from polytomy.report.facts.columns import Listing, categories_in_ensemble
from polytomy.report.facts.json_values import rounded, unrounded

from .effects import ColumnRows, row_facts, score_axis

MOST_NUMBERS = 150_000  # scores that all functions of a page may have together
_FEWEST_RANGES = 8  # of a function, regardless of the number of columns
_RESERVED = {"missing", "(missing)", "(another value)"}  # text for cells that have no category


def score_facts(
    ensemble: Ensemble,
    merged: Additive,
    most: int = MOST_NUMBERS,
    listing: Listing | None = None,
    rows: Mapping[int, ColumnRows] | None = None,
) -> dict[str, Any]:
    """Return the score function of every column, the one with the largest effect on rows first.

    Without rows, the one with the widest range is first.

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
    functions = []
    for one in merged.by_spread():
        held = None if rows is None else rows[one.feature]
        functions.append(_function(ensemble, one, limit, listing, held))
    if rows is not None:
        functions.sort(key=lambda one: -one["effect"])
    return {
        "start": merged.start.tolist(),
        "functions": functions,
        "own": _own_stumps(ensemble, merged),
    }


def _function(
    ensemble: Ensemble,
    function: ScoreFunction,
    limit: int | None,
    listing: Listing,
    rows: ColumnRows | None,
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
        facts |= _scores_of_categories(function, column, codes, limit) | _others(function, codes)
        if rows is None:
            return facts
        places = np.full(len(column.categories), -1)
        places[codes] = facts["place"]
        return facts | row_facts(function, column, rows, places)
    facts |= _range_scores(function, column, limit)
    return facts if rows is None else facts | row_facts(function, column, rows)


def _range_scores(
    function: ScoreFunction, column: OrderedColumn, limit: int | None
) -> dict[str, Any]:
    thresholds, scores = ranges_of(function, column)
    runs, scores, off = _joined(scores, limit)
    thresholds = thresholds[[run.start - 1 for run in runs[1:]]]
    ends = [None, *thresholds.tolist(), None]
    ranges = [Range(low, high, missing=False) for low, high in pairwise(ends)]
    return {
        "words": [describe_range(one, column) for one in ranges],
        "thresholds": [unrounded(x) for x in thresholds.tolist()],
        "axis": [unrounded(x) for x in score_axis(thresholds, column)],
        "scores": scores.tolist(),
        **_error(off),
    }


def _scores_of_categories(
    function: ScoreFunction, column: NominalColumn, codes: IntArray, limit: int | None
) -> dict[str, Any]:
    scores, position = category_scores(function.scores[codes])
    runs, scores, off = _joined(scores, limit)
    place = np.searchsorted([run.stop for run in runs], position, side="right")
    sets: list[list[str]] = [[] for _ in runs]
    for code, at in zip(codes.tolist(), place.tolist(), strict=True):
        sets[at].append(_visible(column.categories[code]))
    words = [describe_categories(column.name, names) for names in sets]
    return {"words": words, "place": place.tolist(), "scores": scores.tolist(), **_error(off)}


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


def _joined(scores: FloatArray, limit: int | None) -> tuple[list[slice], FloatArray, float]:
    """Join neighbouring scores until at most ``limit`` are left, the most similar first.

    Returns the runs of scores that were joined, the middle of the scores of each run, and the
    largest error that this makes.
    """
    if limit is None or len(scores) <= limit:
        return [slice(i, i + 1) for i in range(len(scores))], scores, 0.0
    runs = join_neighbours(scores, limit)
    low = np.array([scores[run].min(axis=0) for run in runs])
    high = np.array([scores[run].max(axis=0) for run in runs])
    return runs, (low + high) / 2, float((high - low).max() / 2)


def _own_stumps(ensemble: Ensemble, merged: Additive) -> list[dict[str, Any]]:
    """Return the stumps of user-defined families: description, branches and scores."""
    stumps = []
    for member in merged.own:
        title, words, scores = own_split_scores(member, ensemble.schema)
        stumps.append({"asks": title, "words": words, "scores": scores.tolist()})
    return stumps
