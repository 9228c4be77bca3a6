"""The distribution of a node's rows over a column, in a few bins, next to its parent's rows."""

from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Any

import numpy as np

from polytomy._text import one_line, shorten
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.export import format_time
from polytomy.report.facts.json_values import rounded_list, unrounded
from polytomy.table import Ranks, Times

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
    *,
    is_numeric: bool = False,
    most_classes: int = _MOST_CLASSES,
) -> dict[str, Any]:
    """Return the weights of a node's rows and of its parent's rows in the same bins.

    Parameters
    ----------
    spec : ColumnSpec
        The column.
    here : array of shape (codes, classes)
        The weights at the node. For a numeric target, the weight and the weighted sum of the
        numbers.
    parent : array of shape (codes,), optional
        The weights at its parent.
    is_numeric : bool, default=False
        Whether the target is numeric; then each bin has the mean of its rows, or None.
    most_classes : int, default=4
        With more classes the bins are not divided by class.
    """
    own = here[:, 0] if is_numeric else here.sum(axis=1)
    whole = own if parent is None else parent
    bins, labels = _binned(spec, whole[: spec.n_values])
    if len(here) > spec.n_values:
        bins = np.append(bins, len(labels))
        if whole[-1] > 0:
            labels = [*labels, "missing"]
    binned = np.zeros((len(labels) + 1, here.shape[1]))
    np.add.at(binned, bins, here)
    binned = binned[: len(labels)]
    weights = binned[:, 0] if is_numeric else binned.sum(axis=1)
    facts: dict[str, Any] = {"labels": labels, "here": _weights(weights)}
    if parent is not None:
        facts["parent"] = _weights(np.bincount(bins, parent, len(labels))[: len(labels)])
    if is_numeric:
        facts["means"] = [unrounded(s / w) if w > 0 else None for w, s in binned.tolist()]
    elif here.shape[1] <= most_classes:
        facts["by_class"] = [_weights(weights) for weights in binned.T]
    return facts


def _weights(values: AnyArray) -> list[int | float]:
    return rounded_list(values.tolist(), _DIGITS)


def _binned(spec: ColumnSpec, whole: FloatArray) -> tuple[IntArray, list[str]]:
    """Return the bin of every code, and the labels of the bins."""
    if isinstance(spec, NominalColumn):
        return _category_bins(spec, whole)
    held = np.flatnonzero(whole > 0)
    if len(held) <= _MOST_BINS and _one_value_each(spec, held):
        bins = np.searchsorted(held, np.arange(len(whole))).clip(max=max(len(held) - 1, 0))
        return bins, _value_labels(spec, spec.low[held].tolist())
    if isinstance(spec.scale, Ranks):
        return _rank_bins(spec, spec.scale, held, len(whole))
    return _range_bins(spec, whole, held)


def _one_value_each(spec: OrderedColumn, held: IntArray) -> bool:
    return bool((spec.low[held] == spec.high[held]).all())


def _category_bins(spec: NominalColumn, whole: FloatArray) -> tuple[IntArray, list[str]]:
    """Give the heaviest categories a bin each, and put the rest into one bin."""
    order = np.argsort(-whole, kind="stable")
    held = order[: np.count_nonzero(whole)]
    shown = held if len(held) <= _MOST_BINS else held[: _MOST_BINS - 1]
    bins = np.full(len(whole), len(shown), dtype=np.int64)
    bins[shown] = np.arange(len(shown))
    labels = [shorten(one_line(spec.categories[code]), _LONGEST) for code in shown.tolist()]
    return bins, labels if len(held) == len(shown) else [*labels, "other"]


def _rank_bins(
    spec: OrderedColumn, scale: Ranks, held: IntArray, n_codes: int
) -> tuple[IntArray, list[str]]:
    """Join neighbouring labels of an ordered column, equally many in each bin."""
    first, last = int(held[0]), int(held[-1])
    width = ceil((last - first + 1) / _MOST_BINS)
    bins = ((np.arange(n_codes).clip(first, last) - first) // width).astype(np.int64)
    labels = []
    for start in range(first, last + 1, width):
        ends = float(spec.low[start]), float(spec.high[min(start + width - 1, last)])
        low, high = (shorten(one_line(scale.labels[int(x)]), _LONGEST) for x in ends)
        labels.append(low if low == high else f"{low} … {high}")
    return bins, labels


def _range_bins(
    spec: OrderedColumn, whole: FloatArray, held: IntArray
) -> tuple[IntArray, list[str]]:
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
    return bins.clip(first, last) - first, labels[first : last + 1]


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
