"""What the page shows of a node: alternatives, and distributions over columns, as plain data."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._text import one_line, shorten
from polytomy._types import FloatArray
from polytomy.edits import Distribution, Rival
from polytomy.encode import NominalColumn, Schema
from polytomy.estimators import EditSession
from polytomy.estimators.editing.results import AlternativeSplit, EditResult
from polytomy.report.facts.json_values import rounded, rounded_list, unrounded
from polytomy.report.facts.tree.edits import figure_facts
from polytomy.tree import CategorySplit, IntervalSplit

MISSING = -1  # in the place of a code
_MOST_COLUMNS = 60  # columns of a node whose splits are described; the best ones
_SMALL_ROWS = 4_000  # rows of a small distribution
_SMALL_BINS = 24
_MOST_CATEGORIES = 60  # categories of a distribution that are listed
_LONGEST = 200  # characters of a category


def node_facts(session: EditSession, node: int) -> dict[str, Any]:
    """Return the splits that a node could have: those of each column, the best column first.

    A column has its best split of each arity, and a small distribution; only the best columns have
    them if there are many.
    """
    rivals = session.best_splits(node)
    best: dict[int, float] = {}
    for rival in rivals:
        column = rival.split.feature
        best[column] = max(best.get(column, 0.0), rival.gain)
    own = session.tree_.split(node)
    chosen = own.feature if isinstance(own, IntervalSplit | CategorySplit) else None
    columns = sorted(best, key=lambda column: (-best[column], column))[:_MOST_COLUMNS]
    if chosen is not None and chosen not in columns:
        columns.append(chosen)
    options: dict[int, list[dict[str, Any]]] = {column: [] for column in columns}
    drawn = {column: _small(session, node, column) for column in columns}
    found = session.alternatives(node, columns)
    for split, rival in zip(found, found.rivals, strict=True):
        column = rival.split.feature
        options[column].append({**split_facts(split), "cuts": drawn[column].places(rival)})
    return {
        "node": node,
        "rows": int(session.tree_.rows[node]),
        "columns": [
            {
                "column": column,
                "options": sorted(options[column], key=lambda option: option["arity"]),
                "small": drawn[column].heights,
            }
            for column in columns
        ],
        "own": chosen,
    }


def column_facts(session: EditSession, schema: Schema, node: int, column: int) -> dict[str, Any]:
    """Return the splits of a node on one column, and its distribution.

    ``own`` is the split of the node, if it is on this column.
    """
    spec, found = schema[column], session.alternatives(node, [column])
    options = [
        {**split_facts(split), **stated(rival, spec.n_values)}
        for split, rival in zip(found, found.rivals, strict=True)
    ]
    facts: dict[str, Any] = {"node": node, "column": column}
    facts["options"] = sorted(options, key=lambda option: option["arity"])
    facts |= distribution_facts(session.distribution(node, column), schema, column, session)
    own = session.tree_.split(node)
    if isinstance(own, IntervalSplit | CategorySplit) and own.feature == column:
        facts["own"] = stated(Rival(own, 0.0, None), spec.n_values)
    return facts


def split_facts(split: AlternativeSplit) -> dict[str, Any]:
    """Return a split with what it gains."""
    return {
        "arity": split.branches,
        "text": shorten(one_line(split.split), _LONGEST),
        "gain": rounded(split.gain),
        "forgone": rounded(split.forgone),
        "error": rounded(split.error),
        "chosen": split.chosen,
    }


def stated(rival: Rival, n_values: int) -> dict[str, Any]:
    """Return a split as the page states it: thresholds in the numbers of the scale, or codes."""
    split = rival.split
    if isinstance(split, IntervalSplit):
        ranges, missing = len(split.thresholds) + 1, split.missing_branch
        place = None if missing < 0 else "own" if missing >= ranges else missing
        cuts = [unrounded(t) for t in split.thresholds.tolist()]
        return {"thresholds": cuts, "missing": place}
    groups: list[list[int]] = [[] for _ in range(split.arity)]
    for code, branch in enumerate(split.code_to_branch.tolist()[:n_values]):
        if branch >= 0:
            groups[branch].append(code)
    if split.missing_branch >= 0:
        groups[split.missing_branch].append(MISSING)
    return {"groups": groups}


def distribution_facts(
    found: Distribution, schema: Schema, column: int, session: EditSession
) -> dict[str, Any]:
    """Return a distribution: weights by bin and class, or weights and means by bin."""
    centre = session.tree_.centre
    facts: dict[str, Any] = {"missing": _weight(found.missing[None], centre)[0]}
    if found.edges is not None:
        facts["edges"] = [unrounded(edge) for edge in found.edges.tolist()]
        return facts | _bins(found.counts, centre)
    spec = schema[column]
    assert isinstance(spec, NominalColumn)
    assert found.codes is not None
    codes = found.codes[:_MOST_CATEGORIES].tolist()
    facts["codes"] = codes
    facts["names"] = [shorten(one_line(spec.categories[code]), _LONGEST) for code in codes]
    facts["others"] = len(found.codes) - len(codes)
    return facts | _bins(found.counts[:_MOST_CATEGORIES], centre)


def _bins(counts: FloatArray, centre: float | None) -> dict[str, Any]:
    if centre is None:
        return {"counts": [rounded_list(row, 8) for row in counts.tolist()]}
    weight = counts[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = centre + counts[:, 1] / weight
    return {
        "counts": [[rounded(w, 8)] for w in weight.tolist()],
        "means": [
            unrounded(m) if w > 0 else None for m, w in zip(means.tolist(), weight, strict=True)
        ],
    }


def _weight(counts: FloatArray, centre: float | None) -> list[int | float]:
    weight = counts.sum(axis=1) if centre is None else counts[:, 0]
    return rounded_list(weight.tolist(), 8)


@dataclass(frozen=True, slots=True)
class _Small:
    """A small distribution: the heights of its bars from 0 to 1, and the ends of its values."""

    heights: list[float]
    ends: tuple[float, float] | None

    def places(self, rival: Rival) -> list[float]:
        """Return where the thresholds of a split lie, from 0 to 1."""
        if self.ends is None or not isinstance(rival.split, IntervalSplit):
            return []
        low, high = self.ends
        shares = (rival.split.thresholds / 2 - low / 2) / (high / 2 - low / 2)
        return [round(share, 3) for share in shares.clip(0.0, 1.0).tolist()]


def _small(session: EditSession, node: int, column: int) -> _Small:
    """Return the small distribution of a column, about that of a sample of the node's rows."""
    found = session.distribution(node, column, _SMALL_ROWS)
    weight = np.array(_weight(found.counts, session.tree_.centre), dtype=np.float64)
    if found.edges is not None and len(weight) > _SMALL_BINS:
        at = np.arange(len(weight)) * _SMALL_BINS // len(weight)
        weight = np.asarray(np.bincount(at, weight), dtype=np.float64)
    weight = weight[:_SMALL_BINS]
    heights = [round(w, 3) for w in (weight / (weight.max(initial=0.0) or 1.0)).tolist()]
    ends = None if found.edges is None else (float(found.edges[0]), float(found.edges[-1]))
    return _Small(heights, ends)


def price_facts(done: EditResult) -> dict[str, Any]:
    """Return an edit with its price as plain data."""
    return {
        "text": done.entry["text"],
        "node": done.node,
        "nodes": list(done.nodes),
        "forgone": rounded(done.gain_forgone),
        "before": figure_facts(done.before),
        "after": figure_facts(done.after),
    }
