"""The distribution of a node's rows over a column, in a few bins, next to its parent's rows."""

from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Any

import numpy as np

from polytomy._text import one_line, shorten
from polytomy._types import UNSEEN, AnyArray, FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.export import format_time
from polytomy.report.facts.json_values import rounded_list, unrounded
from polytomy.table import Ranks, Times
from polytomy.tree import CategorySplit, NodeSplit

_MOST_BINS = 14  # not counting "other" and "missing"
_MOST_STEPS = 12  # equal steps into which a range of numbers or times is divided
_TAIL = 0.01  # share of the weight at either end that may lie outside the steps
_MOST_CLASSES = 4  # by which bins are divided
_DIGITS = 6
_LONGEST = 24  # characters of a category


def distribution_facts(
    spec: ColumnSpec,
    here: FloatArray,
    parent: FloatArray | None,
    split: NodeSplit | None = None,
    *,
    is_numeric: bool = False,
    most_classes: int = _MOST_CLASSES,
) -> dict[str, Any]:
    """Return the weights of a node's rows and of its parent's rows in the same bins.

    So that thresholds can be drawn, bins of an ordered column have either ``values``, one for each
    bin, or ``ends``, one more than bins. Categories are sorted by the branches of the split, if
    there is one, and ``cuts`` are the positions between the branches.

    Parameters
    ----------
    spec : ColumnSpec
        The column.
    here : array of shape (codes, classes)
        The weights at the node. For a numeric target, the weight and the weighted sum of the
        numbers.
    parent : array of shape (codes,), optional
        The weights at its parent.
    split : NodeSplit, optional
        The split of the node, on the column.
    is_numeric : bool, default=False
        Whether the target is numeric; then each bin has the mean of its rows, or None.
    most_classes : int, default=4
        With more classes the bins are not divided by class.
    """
    own = here[:, 0] if is_numeric else here.sum(axis=1)
    whole = own if parent is None else parent
    of_code = split.code_to_branch if isinstance(split, CategorySplit) else None
    bins, labels, places = _binned(spec, whole[: spec.n_values], of_code)
    if len(here) > spec.n_values:
        bins = np.append(bins, len(labels))
        if whole[-1] > 0:
            labels = [*labels, "missing"]
    binned = np.zeros((len(labels) + 1, here.shape[1]))
    np.add.at(binned, bins, here)
    binned = binned[: len(labels)]
    weights = binned[:, 0] if is_numeric else binned.sum(axis=1)
    facts: dict[str, Any] = {"labels": labels, "here": _weights(weights), **places}
    if parent is not None:
        facts["parent"] = _weights(np.bincount(bins, parent, len(labels))[: len(labels)])
    if is_numeric:
        facts["means"] = [unrounded(s / w) if w > 0 else None for w, s in binned.tolist()]
    elif here.shape[1] <= most_classes:
        facts["by_class"] = [_weights(weights) for weights in binned.T]
    return facts


def _weights(values: AnyArray) -> list[int | float]:
    return rounded_list(values.tolist(), _DIGITS)


_Binned = tuple[IntArray, list[str], dict[str, list[Any]]]
"""The bin of every code, the labels of the bins, and where their values lie."""


def _binned(spec: ColumnSpec, whole: FloatArray, branches: AnyArray | None) -> _Binned:
    if isinstance(spec, NominalColumn):
        return _category_bins(spec, whole, branches)
    held = np.flatnonzero(whole > 0)
    if len(held) <= _MOST_BINS and _one_value_each(spec, held):
        bins = np.searchsorted(held, np.arange(len(whole))).clip(max=max(len(held) - 1, 0))
        values = spec.low[held].tolist()
        return bins, _value_labels(spec, values), {"values": [unrounded(x) for x in values]}
    if isinstance(spec.scale, Ranks):
        return _rank_bins(spec, spec.scale, held, len(whole))
    return _range_bins(spec, whole, held)


def _one_value_each(spec: OrderedColumn, held: IntArray) -> bool:
    return bool((spec.low[held] == spec.high[held]).all())


def _category_bins(spec: NominalColumn, whole: FloatArray, branches: AnyArray | None) -> _Binned:
    """Give the heaviest categories a bin each, by branch, and put the rest into one bin."""
    order = np.argsort(-whole, kind="stable")
    held = order[: np.count_nonzero(whole)]
    shown = held if len(held) <= _MOST_BINS else held[: _MOST_BINS - 1]
    cuts: dict[str, list[Any]] = {}
    if branches is not None:
        taken = np.append(branches, np.full(len(whole), UNSEEN))[shown]
        by_branch = np.argsort(np.where(taken == UNSEEN, len(whole), taken), kind="stable")
        shown, taken = shown[by_branch], taken[by_branch]
        cuts = {"cuts": (np.flatnonzero(np.diff(taken)) + 1).tolist()}
    bins = np.full(len(whole), len(shown), dtype=np.int64)
    bins[shown] = np.arange(len(shown))
    labels = [shorten(one_line(spec.categories[code]), _LONGEST) for code in shown.tolist()]
    return bins, labels if len(held) == len(shown) else [*labels, "other"], cuts


def _rank_bins(spec: OrderedColumn, scale: Ranks, held: IntArray, n_codes: int) -> _Binned:
    """Join neighbouring labels of an ordered column, equally many in each bin."""
    first, last = int(held[0]), int(held[-1])
    width = ceil((last - first + 1) / _MOST_BINS)
    bins = ((np.arange(n_codes).clip(first, last) - first) // width).astype(np.int64)
    labels = []
    for start in range(first, last + 1, width):
        ends = float(spec.low[start]), float(spec.high[min(start + width - 1, last)])
        low, high = (shorten(one_line(scale.labels[int(x)]), _LONGEST) for x in ends)
        labels.append(low if low == high else f"{low} … {high}")
    edges = [float(spec.low[first]) - 0.5 + width * i for i in range(len(labels) + 1)]
    return bins, labels, {"ends": [unrounded(x) for x in edges]}


def _range_bins(spec: OrderedColumn, whole: FloatArray, held: IntArray) -> _Binned:
    """Divide the range that holds most of the weight into equal steps, at round numbers."""
    middle = np.clip(spec.low / 2 + spec.high / 2, -1e300, 1e300)
    share = np.cumsum(whole[held]) / whole[held].sum()
    low = float(middle[held[np.searchsorted(share, _TAIL)]])
    high = float(middle[held[np.searchsorted(share, 1 - _TAIL)]])
    edges = _edges(spec, low, high)
    bins = np.searchsorted(edges, middle, side="left")
    ends = _value_labels(spec, edges)
    inner = [f"{a} to {b}" for a, b in pairwise(ends)]
    labels = [f"up to {ends[0]}", *inner, f"above {ends[-1]}"]
    used = np.unique(bins[held])
    first, last = int(used[0]), int(used[-1])
    outer = np.clip([spec.low[held[0]], spec.high[held[-1]]], -1e300, 1e300).tolist()
    bounds = [outer[0], *edges[first:last], outer[1]]
    where = {"ends": [unrounded(float(x)) for x in bounds]}
    return bins.clip(first, last) - first, labels[first : last + 1], where


def _edges(spec: OrderedColumn, low: float, high: float) -> list[float]:
    if not high > low:
        return [low]
    width = (high - low) / _MOST_STEPS
    if isinstance(spec.scale, Times):
        ticks = max(ceil(width), 1)
        ends = (float(floor(low) + i * ticks) for i in range(1, _MOST_STEPS))
        return [end for end in ends if end < high] or [low]
    size = 10.0 ** floor(log10(width)) if width > 1e-300 else width
    step = next((size * m for m in (1, 2, 2.5, 5, 10) if size * m >= width), width)
    start = floor(low / step) + 1
    edges = [round((start + i) * step, 12 - floor(log10(step))) for i in range(_MOST_STEPS + 1)]
    return [e for e in edges if low <= e < high and isfinite(e)] or [low]


def _value_labels(spec: OrderedColumn, values: list[float]) -> list[str]:
    """Return values as text; numbers with enough digits to tell them apart, at least six."""
    if isinstance(spec.scale, Ranks):
        return [shorten(one_line(spec.scale.labels[int(x)]), _LONGEST) for x in values]
    if isinstance(spec.scale, Times):
        return [format_time(int(x), spec.scale, spec) for x in values]
    labels: list[str] = []
    for digits in (6, 10, 17):
        labels = [f"{x:.{digits}g}" for x in values]
        if len(set(labels)) == len(labels):
            break
    return labels
