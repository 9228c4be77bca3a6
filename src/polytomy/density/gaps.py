"""Gaps: empty bins where neighbouring values are far apart.

A box may be empty, but thresholds lie between bins. So that both ends of a gap can be cut, the gap
between two bins that are far apart becomes a bin of its own, without rows. The rest of the space
between them belongs to the cells of the values at its ends.
"""

from dataclasses import replace

import numpy as np

from polytomy._types import AnyArray
from polytomy.encode import Coded, ColumnSpec, OrderedColumn, Schema, code_dtype
from polytomy.table import Ranks

WIDE = 4.0  # a gap is this many times as wide as the median distance of neighbouring bins


def open_gaps(coded: Coded) -> Coded:
    """Return encoded rows whose ordered columns have bins for their wide gaps.

    Parameters
    ----------
    coded : Coded
        The rows.

    Returns
    -------
    Coded
        The rows, with other codes if a column has wide gaps.

    Examples
    --------
    >>> from polytomy.encode import encode
    >>> from polytomy.table import Table
    >>> coded = open_gaps(encode(Table.of({"x": np.array([1.0, 2.0, 3.0, 9.0])})))
    >>> coded.schema[0].low.tolist(), coded.schema[0].high.tolist(), coded.columns[0].tolist()
    ([1.0, 2.0, 3.0, 4.0, 9.0], [1.0, 2.0, 3.0, 8.0, 9.0], [0, 1, 2, 4])
    """
    specs, columns = zip(*map(_opened, coded.schema, coded.columns), strict=True)
    return Coded(Schema(tuple(specs)), tuple(columns), coded.n_rows)


def _opened(spec: ColumnSpec, codes: AnyArray) -> tuple[ColumnSpec, AnyArray]:
    if not isinstance(spec, OrderedColumn) or isinstance(spec.scale, Ranks) or spec.n_values < 3:
        return spec, codes
    gap = spec.low[1:] / 2 - spec.high[:-1] / 2  # half of it: the whole may overflow
    step = float(np.median(gap))
    before = np.flatnonzero(gap > WIDE * step) if step > 0 else np.empty(0, dtype=np.int64)
    first, last = spec.high[before] + 2 * step, spec.low[before + 1] - 2 * step
    fits = (spec.high[before] < first) & (first <= last) & (last < spec.low[before + 1])
    before, first, last = before[fits], first[fits], last[fits]
    if not len(before):
        return spec, codes
    low, high = np.insert(spec.low, before + 1, first), np.insert(spec.high, before + 1, last)
    new_code = np.arange(spec.n_values + 1) + np.searchsorted(before, np.arange(spec.n_values + 1))
    wide = new_code.astype(code_dtype(len(low) + spec.has_missing))
    return replace(spec, low=low, high=high), wide[codes]
