"""Encoded rows as a table again: every cell is a value of its bin."""

import numpy as np

from polytomy._types import MISSING, AnyArray
from polytomy.table import Column, Nominal, Ordered, Ranks, Table, Times

from .encoder import Coded
from .schema import ColumnSpec, NominalColumn


def decoded(coded: Coded, rows: slice | AnyArray | None = None) -> Table:
    """Return encoded rows as a table: numbers are the largest of their bin.

    A tree that was grown on the codes sends these rows to the same leaves as the original ones,
    because its thresholds lie between bins.

    Parameters
    ----------
    coded : Coded
        The codes.
    rows : slice or int array, default=None
        The rows; None for all.

    Returns
    -------
    Table
        The table.

    Examples
    --------
    >>> from polytomy.encode import encode
    >>> coded = encode(Table.of({"x": np.arange(6.0)}), max_bins=2)
    >>> decoded(coded).column("x").tolist()
    [2.0, 2.0, 2.0, 5.0, 5.0, 5.0]
    """
    chosen = slice(None) if rows is None else rows
    columns = [codes[chosen] for codes in coded.columns]
    pairs = zip(coded.schema, columns, strict=True)
    n_rows = len(columns[0]) if columns else coded.n_rows
    return Table(tuple(_column(spec, codes) for spec, codes in pairs), n_rows)


def _column(spec: ColumnSpec, codes: AnyArray) -> Column:
    if isinstance(spec, NominalColumn):
        numbers = np.append(np.arange(spec.n_values, dtype=np.int32), np.int32(MISSING))
        return Nominal(spec.name, numbers[codes], spec.categories)
    if isinstance(spec.scale, Times):
        missing, last = np.iinfo(np.int64).min, np.iinfo(np.int64).max
        is_last = spec.high >= float(last)  # as a float, this is one more
        ticks = np.where(is_last, 0.0, spec.high).astype(np.int64)
        ticks = np.where(is_last, last, np.maximum(ticks, missing + 1))
        return Ordered(spec.name, np.append(ticks, missing)[codes], spec.scale)
    if isinstance(spec.scale, Ranks):
        ranks = np.append(spec.high.astype(np.int32), np.int32(MISSING))
        return Ordered(spec.name, ranks[codes], spec.scale)
    return Ordered(spec.name, np.append(spec.high, np.nan)[codes], spec.scale)
