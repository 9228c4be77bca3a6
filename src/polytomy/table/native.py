"""Rows and cells of the user's data in their own type, for estimators of other libraries."""

from typing import Any

import numpy as np

from polytomy._types import AnyArray

from .table import Table, as_frame


def native_rows(data: Any, rows: AnyArray) -> Any:
    """Return some rows of an array, a data frame or a Table, as the same type.

    >>> native_rows([[1, 2], [3, 4]], np.array([1])).tolist()
    [[3, 4]]
    """
    if isinstance(data, Table):
        return data.take(rows)
    frame = as_frame(data)
    return np.asarray(data)[rows] if frame is None else frame[rows].to_native()


def native_cells(data: Any, source: AnyArray) -> Any:
    """Return rows whose cells come from different rows, as the same type.

    Parameters
    ----------
    data : array, data frame or Table
        The rows.
    source : int array of shape (n_columns, n_rows)
        The row that each cell comes from.

    Returns
    -------
    array, data frame or Table
        The new rows.

    Examples
    --------
    >>> native_cells([[1, 2], [3, 4]], np.array([[0, 1], [1, 0]])).tolist()
    [[1, 4], [3, 2]]
    """
    if isinstance(data, Table):
        pairs = zip(data.columns, source, strict=True)
        return Table(tuple(c.take(rows) for c, rows in pairs), source.shape[1])
    frame = as_frame(data)
    if frame is None:
        return np.asarray(data)[source.T, np.arange(len(source))]
    import narwhals as nw  # noqa: PLC0415  # only for data frames

    columns = [
        nw.maybe_reset_index(frame.select(name)[rows])
        for name, rows in zip(frame.columns, source, strict=True)
    ]
    return nw.concat(columns, how="horizontal").to_native()
