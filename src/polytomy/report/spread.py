"""How the rows of a node lie over a column, in a few bins, beside those of its parent."""

from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.export.moments import say_moment
from polytomy.table import Ranks, Times

from .numbers import plain_list

_MOST = 14  # bins, "other" and "missing" aside
_WIDE = 12  # steps that numbers and times are cut into, at most
_TAIL = 0.01  # of the weight at either end may lie beyond the steps
_CLASSES = 4  # with more, the bins are not told by class
_DIGITS = 6
_LONGEST = 24  # characters of a category


def spread_facts(spec: ColumnSpec, here: FloatArray, parent: FloatArray | None) -> dict[str, Any]:
    """Return the weights of a node's rows, and of its parent's, in the same bins.

    Parameters
    ----------
    spec : ColumnSpec
        The column.
    here : ndarray of shape (codes, classes)
        The weights at the node.
    parent : ndarray of shape (codes,), optional
        The weights at its parent.
    """
    whole = here.sum(axis=1) if parent is None else parent
    bins, labels = _binned(spec, whole[: spec.n_values])
    if len(here) > spec.n_values:
        bins = np.append(bins, len(labels))
        if whole[-1] > 0:
            labels = [*labels, "missing"]
    by_class = np.zeros((len(labels) + 1, here.shape[1]))
    np.add.at(by_class, bins, here)
    by_class = by_class[: len(labels)]
    facts: dict[str, Any] = {"labels": labels, "here": _weights(by_class.sum(axis=1))}
    if parent is not None:
        facts["parent"] = _weights(np.bincount(bins, parent, len(labels))[: len(labels)])
    if here.shape[1] <= _CLASSES:
        facts["by_class"] = [_weights(weights) for weights in by_class.T]
    return facts


def _weights(values: AnyArray) -> list[int | float]:
    return plain_list(values.tolist(), _DIGITS)


def _binned(spec: ColumnSpec, whole: FloatArray) -> tuple[IntArray, list[str]]:
    """Return the bin of every code, and the bins' names."""
    if isinstance(spec, NominalColumn):
        return _categories(spec, whole)
    held = np.flatnonzero(whole > 0)
    if len(held) <= _MOST and _one_value_each(spec, held):
        bins = np.searchsorted(held, np.arange(len(whole))).clip(max=max(len(held) - 1, 0))
        return bins, _names(spec, spec.low[held].tolist())
    if isinstance(spec.scale, Ranks):
        return _labels(spec, spec.scale, held, len(whole))
    return _steps(spec, whole, held)


def _one_value_each(spec: OrderedColumn, held: IntArray) -> bool:
    return bool((spec.low[held] == spec.high[held]).all())


def _categories(spec: NominalColumn, whole: FloatArray) -> tuple[IntArray, list[str]]:
    order = np.argsort(-whole, kind="stable")
    held = order[: np.count_nonzero(whole)]
    shown = held if len(held) <= _MOST else held[: _MOST - 1]
    bins = np.full(len(whole), len(shown), dtype=np.int64)
    bins[shown] = np.arange(len(shown))
    labels = [_short(spec.categories[code]) for code in shown.tolist()]
    return bins, labels if len(held) == len(shown) else [*labels, "other"]


def _labels(
    spec: OrderedColumn, scale: Ranks, held: IntArray, n_codes: int
) -> tuple[IntArray, list[str]]:
    """Join neighbouring labels, as many in each bin."""
    first, last = int(held[0]), int(held[-1])
    width = ceil((last - first + 1) / _MOST)
    bins = ((np.arange(n_codes).clip(first, last) - first) // width).astype(np.int64)
    names = []
    for start in range(first, last + 1, width):
        ends = float(spec.low[start]), float(spec.high[min(start + width - 1, last)])
        low, high = (_short(scale.labels[int(x)]) for x in ends)
        names.append(low if low == high else f"{low} … {high}")
    return bins, names


def _steps(spec: OrderedColumn, whole: FloatArray, held: IntArray) -> tuple[IntArray, list[str]]:
    """Cut the range where most of the weight lies into equal steps, of round numbers if it can."""
    middle = np.clip(spec.low / 2 + spec.high / 2, -1e300, 1e300)
    share = np.cumsum(whole[held]) / whole[held].sum()
    low = float(middle[held[np.searchsorted(share, _TAIL)]])
    high = float(middle[held[np.searchsorted(share, 1 - _TAIL)]])
    edges = _edges(spec, low, high)
    bins = np.searchsorted(edges, middle, side="left")
    names = _names(spec, edges)
    inner = [f"{a} to {b}" for a, b in pairwise(names)]
    labels = [f"up to {names[0]}", *inner, f"above {names[-1]}"]
    used = np.unique(bins[held])
    first, last = int(used[0]), int(used[-1])
    return bins.clip(first, last) - first, labels[first : last + 1]


def _edges(spec: OrderedColumn, low: float, high: float) -> list[float]:
    if not high > low:
        return [low]
    width = (high - low) / _WIDE
    if isinstance(spec.scale, Times):
        ticks = max(ceil(width), 1)
        ends = (float(floor(low) + i * ticks) for i in range(1, _WIDE))
        return [end for end in ends if end < high] or [low]
    size = 10.0 ** floor(log10(width)) if width > 1e-300 else width
    step = next((size * m for m in (1, 2, 2.5, 5, 10) if size * m >= width), width)
    start = floor(low / step) + 1
    edges = [round((start + i) * step, 12 - floor(log10(step))) for i in range(_WIDE + 1)]
    return [e for e in edges if low <= e < high and isfinite(e)] or [low]


def _names(spec: OrderedColumn, values: list[float]) -> list[str]:
    """Return values in words; numbers with the fewest digits, from six on, that part them."""
    if isinstance(spec.scale, Ranks):
        return [_short(spec.scale.labels[int(x)]) for x in values]
    if isinstance(spec.scale, Times):
        return [say_moment(int(x), spec.scale, spec) for x in values]
    names: list[str] = []
    for digits in (6, 10, 17):
        names = [f"{x:.{digits}g}" for x in values]
        if len(set(names)) == len(names):
            break
    return names


def _short(value: Any) -> str:
    text = one_line(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
