"""The columns of an ensemble as plain data: what their cells are, and how much they matter."""

from collections import Counter
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import FloatArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.ensemble import Ensemble
from polytomy.export.moments import say_moment
from polytomy.table import Ranks, Times

from .numbers import exact, plain


def columns_facts(ensemble: Ensemble, importances: FloatArray) -> list[dict[str, Any]]:
    """Return each column's name, kind, values, importance and how many questions are about it."""
    asked = Counter(int(j) for m in ensemble.members for j in m.tree.feature if j >= 0)
    shares = np.asarray(importances).tolist()
    return [
        {
            "name": one_line(column.name),
            **_cells(column),
            "has_missing": column.has_missing,
            "importance": plain(shares[j]),
            "questions": asked[j],
        }
        for j, column in enumerate(ensemble.schema)
    ]


def _cells(column: ColumnSpec) -> dict[str, Any]:
    """Return what the cells of a column are."""
    if isinstance(column, NominalColumn):
        return {"kind": "categories", "categories": [one_line(c) for c in column.categories]}
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
