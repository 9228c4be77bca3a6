"""The columns of an ensemble as plain data: what their cells are, and how much they matter."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.ensemble import Ensemble
from polytomy.export.moments import say_moment
from polytomy.table import Ranks, Times

from .numbers import exact, plain

_LONGEST = 200  # characters of a category that is listed where not all are

Listed = Mapping[int, IntArray]  # the codes of the categories to list, by column


def listed_categories(ensemble: Ensemble, most: int | None = None) -> dict[int, IntArray]:
    """Return the categories to list of each column that has some: all, or those that move most.

    Parameters
    ----------
    ensemble : Ensemble
        Whose columns.
    most : int, optional
        List so many of a column at most: those with the largest scores, long names left out.
    """
    merged = ensemble.additive
    functions = {} if merged is None else {f.feature: f for f in merged.functions}
    listed = {}
    for j in ensemble.schema.of_kind("nominal"):
        column = ensemble.schema[j]
        assert isinstance(column, NominalColumn)
        codes = np.arange(len(column.categories))
        if most is not None and len(codes) > most:
            if j in functions:
                codes = np.argsort(-np.abs(functions[j].scores).max(axis=1), kind="stable")
            short = [c for c in codes.tolist() if len(str(column.categories[c])) <= _LONGEST]
            codes = np.sort(np.array(short[:most] or codes[:1], dtype=np.int64))
        listed[j] = codes
    return listed


def columns_facts(
    ensemble: Ensemble, importances: FloatArray, listed: Listed | None = None
) -> list[dict[str, Any]]:
    """Return each column's name, kind, values, importance and how many questions are about it."""
    listed = listed_categories(ensemble) if listed is None else listed
    asked = Counter(int(j) for m in ensemble.members for j in m.tree.feature if j >= 0)
    shares = np.asarray(importances).tolist()
    return [
        {
            "name": one_line(column.name),
            **_cells(column, listed.get(j)),
            "has_missing": column.has_missing,
            "importance": plain(shares[j]),
            "questions": asked[j],
        }
        for j, column in enumerate(ensemble.schema)
    ]


def _cells(column: ColumnSpec, codes: IntArray | None) -> dict[str, Any]:
    """Return what the cells of a column are; ``more`` is how many categories are not listed."""
    if isinstance(column, NominalColumn):
        assert codes is not None
        names = [one_line(column.categories[code]) for code in codes.tolist()]
        more = len(column.categories) - len(names)
        return {"kind": "categories", "categories": names, **({"more": more} if more else {})}
    if isinstance(column.scale, Ranks):
        return {"kind": "labels", "labels": [one_line(label) for label in column.scale.labels]}
    facts: dict[str, Any] = {"kind": "numbers"}
    if isinstance(column.scale, Times):
        facts = {"kind": "times", "dtype": column.scale.dtype}
        if column.scale.zone is not None:
            facts["zone"] = column.scale.zone
    return facts | _range(column)


def _range(column: OrderedColumn) -> dict[str, Any]:
    """Return the range and the middle of the training values; of times in words, too.

    Bins hold about as many rows each, so a value of the bin in the middle is a usual one.
    """
    finite = np.concatenate((column.low, column.high))
    finite = finite[np.isfinite(finite)]
    if len(finite) == 0:
        return {}
    low, high = float(finite.min()), float(finite.max())
    middle = float(np.sort(finite)[len(finite) // 2])
    facts: dict[str, Any] = {"low": exact(low), "high": exact(high), "middle": exact(middle)}
    if isinstance(column.scale, Times):
        for name, ticks in (("low", low), ("high", high), ("middle", middle)):
            facts[f"{name}_text"] = say_moment(int(ticks), column.scale, column)
    return facts
