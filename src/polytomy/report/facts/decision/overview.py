"""The data: missing cells, range and distribution of each column, and how far it has drifted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._types import FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.evaluate import drift
from polytomy.export import format_time
from polytomy.report.facts.json_values import rounded, rounded_list
from polytomy.report.facts.tree.distribution import distribution_facts
from polytomy.table import Ranks, Times

from .drift import stability

_MOST_COLUMNS = 100  # those of the largest importance
_DIGITS = 5


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCounts:
    """A column of the training rows.

    Attributes
    ----------
    spec : ColumnSpec
        The column.
    counts : ndarray of int
        The number of rows of each code; the last code is that of missing cells.
    ends : tuple of float or None
        The lowest, the middle and the highest number; None for categories.
    new : ndarray of int or None, default=None
        The number of rows of each code in another table.
    """

    spec: ColumnSpec
    counts: IntArray
    ends: tuple[float, float, float] | None
    new: IntArray | None = None


def overview_facts(
    columns: Sequence[ColumnCounts], importances: FloatArray, n_rows: int, which: str
) -> dict[str, Any]:
    """Return the missing cells, the range and the distribution of each column.

    Parameters
    ----------
    columns : sequence of ColumnCounts
        The columns, counted on all rows or on some of them.
    importances : ndarray
        The importance of each column, by which columns are left out if there are many.
    n_rows : int
        The number of all rows.
    which : {"training", "test"}
        What the rows are.
    """
    order = np.argsort(-importances, kind="stable")[:_MOST_COLUMNS]
    facts: dict[str, Any] = {
        "rows": which,
        "n": n_rows,
        "columns": [{"column": j, **_column_facts(columns[j])} for j in sorted(order.tolist())],
    }
    counted = int(columns[0].counts.sum()) if columns else 0
    return facts | ({"sampled": counted} if counted < n_rows else {})


def _column_facts(column: ColumnCounts) -> dict[str, Any]:
    counts, new = column.counts, column.new
    total = max(int(counts.sum()), 1)
    both = counts if new is None else counts + new
    facts: dict[str, Any] = {"missing": rounded(counts[-1] / total, _DIGITS)}
    if isinstance(column.spec, NominalColumn):
        facts["distinct"] = int(np.count_nonzero(counts[:-1]))
    elif column.ends is not None:
        facts["ends"] = [_as_text(column.spec, end) for end in column.ends]
    if not both.sum():
        return facts
    # Bins are chosen for both tables together, so that neither has rows outside of them.
    spread = distribution_facts(column.spec, counts[:, None].astype(float), both.astype(float))
    facts |= {"labels": spread["labels"], "weights": spread["here"]}
    if new is not None and new.sum() and counts.sum():
        other = np.array(spread["parent"]) - np.array(spread["here"])
        facts["new"] = rounded_list(other)
        facts |= {"drift": stability(drift(np.array(spread["here"]), other.clip(0)))}
    return facts


def _as_text(spec: OrderedColumn, value: float) -> str:
    if isinstance(spec.scale, Ranks):
        return str(spec.scale.labels[int(value)])
    if isinstance(spec.scale, Times):
        return format_time(int(value), spec.scale, spec)
    return f"{value:.6g}"
