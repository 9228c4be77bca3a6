"""How the rows of a node are distributed over a column, for drawing."""

from dataclasses import dataclass

import numpy as np

from polytomy._types import FloatArray, IntArray
from polytomy.encode import NominalColumn, OrderedColumn
from polytomy.table import Numbers

from .rows import EditRows

_BINS = 60  # of equal width
_MOST_WHOLE = 80  # whole numbers that have a bin each
_HALVES = 2.0**52  # halves lie between whole numbers below this
_TAIL = 0.005  # share of the rows at either end that may be moved into the last bin
_FAR = 0.5  # of the width of the others: ends that are farther away are moved
_SAMPLE = 50_000  # rows that the ends are estimated from


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """The rows of a node by bins of a column.

    Parameters
    ----------
    edges : ndarray or None
        For an ordered column, the ends of the bins, one more than bins, in the numbers of its
        scale. Values beyond the first and the last one are in the first and the last bin.
    codes : ndarray or None
        For categories, the code of each bin, the heaviest first.
    counts : ndarray of shape (bins, classes)
        The weight of each class in each bin; for a numeric target, the moments.
    missing : ndarray of shape (classes,)
        The same of the rows whose cell is missing.
    """

    edges: FloatArray | None
    codes: IntArray | None
    counts: FloatArray
    missing: FloatArray


def column_distribution(edited: EditRows, rows: IntArray, column: int) -> Distribution:
    """Return the distribution of some rows over a column.

    Parameters
    ----------
    edited : EditRows
        The rows of the session.
    rows : ndarray of int
        The rows of a node.
    column : int
        The column.

    Returns
    -------
    Distribution
        The bins.
    """
    spec = edited.schema[column]
    if isinstance(spec, NominalColumn):
        return _of_categories(edited, rows, column, spec.n_values)
    values = edited.values(column, rows)
    edges = _edges(spec, values)
    n, low, high = len(edges) - 1, edges[0], edges[-1]
    with np.errstate(invalid="ignore", over="ignore"):  # nan is missing; halves do not overflow
        place = (values / 2 - low / 2) / (high / 2 - low / 2) * n
        bins = np.clip(np.nan_to_num(place, nan=n, posinf=n - 1, neginf=0), 0, n - 1).astype(int)
    bins[np.isnan(values)] = n
    counts = edited.counts(bins.astype(np.int32), rows, n + 1)
    return Distribution(edges, None, counts[:n], counts[n])


def _of_categories(edited: EditRows, rows: IntArray, column: int, n: int) -> Distribution:
    codes = edited.coded.columns[column][rows].astype(np.int32)
    held = np.bincount(codes, minlength=n + 1)[:n]
    order = np.argsort(-held, kind="stable")[: np.count_nonzero(held)]
    counts = edited.counts(codes, rows, n + 1)
    return Distribution(None, order, counts[order], counts[n])


def _edges(spec: OrderedColumn, values: FloatArray) -> FloatArray:
    """Return the ends of the bins: whole numbers in the middle of a bin each, or equal ranges."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return np.array([0.0, 1.0])
    low, high = float(finite.min()), float(finite.max())
    is_small = max(abs(low), abs(high)) < _HALVES
    if is_small and high - low <= _MOST_WHOLE and _are_whole(finite):
        return np.arange(low - 0.5, high + 1.0)
    if isinstance(spec.scale, Numbers):
        low, high = _without_tails(finite, low, high)
    if not high > low:  # one value
        return np.array([low - max(abs(low), 1.0) / 2, low + max(abs(low), 1.0) / 2])
    share = np.linspace(0.0, 1.0, _BINS + 1)
    edges = low * (1 - share) + high * share
    if not (np.diff(edges) > 0).all():  # fewer numbers than bins lie between the ends
        return np.array([low, high])
    return np.asarray(edges)


def _are_whole(values: FloatArray) -> bool:
    return bool((values[:_SAMPLE] % 1 == 0).all() and (values % 1 == 0).all())


def _without_tails(values: FloatArray, low: float, high: float) -> tuple[float, float]:
    """Return the ends of the range, or of most rows if a few are far away from the others."""
    some = values[:: max(1, len(values) // _SAMPLE)]
    first, last = np.quantile(some, [_TAIL, 1 - _TAIL]).tolist()
    far = _FAR * (last - first)
    if not last > first:
        return low, high
    return (low if low >= first - far else first), (high if high <= last + far else last)
