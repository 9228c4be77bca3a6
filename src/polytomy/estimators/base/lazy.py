"""Lazy tables as estimators take them: the rows, the target and the weights."""

from time import perf_counter
from typing import Any

import numpy as np

from polytomy._errors import TargetError
from polytomy.io import Scan, as_scan
from polytomy.table import Column, Nominal, Numbers, ScannedTable, ScanProgress, Times, as_nominal

INTERVAL = 2.0
"""The seconds between two lines about the progress of reading."""


def lazy_rows(
    scan: Scan, y: Any, sample_weight: Any, on_progress: Any = None
) -> tuple[ScannedTable, Any, Any]:
    """Return the table, the target and the weights of a scan.

    Parameters
    ----------
    scan : Scan
        The scan.
    y, sample_weight : str, array, lazy table or None
        The name of a column of the scan, the values, or a lazy table of one column. None takes the
        column that the scan names.
    on_progress : callable, default=None
        Told about the progress of reading.

    Returns
    -------
    ScannedTable
        The columns that are neither target nor weights.
    array or Nominal
        The target; None if there is none.
    array or None
        The weights.
    """
    target = y if isinstance(y, str) else None
    weights = sample_weight if isinstance(sample_weight, str) else None
    if (target, weights) != (None, None):
        scan = scan.with_roles(target, weights)
    labels = scan.target if y is None else y
    given = scan.weights if sample_weight is None else sample_weight
    table = scan.table.watched(on_progress)
    weighed = _values(scan, given, "sample_weight")
    if isinstance(weighed, Nominal):
        raise TargetError(f"weights must be numbers; column {weighed.name!r} holds text")
    return table, _values(scan, labels, "y"), weighed


def _values(scan: Scan, given: Any, name: str) -> Any:
    """Return the cells of a column that is given by name, as a lazy table, or as an array."""
    if isinstance(given, str):
        return _cells(scan, given)
    lazy = as_scan(given)
    if lazy is None:
        return given
    if len(lazy.names) != 1:
        raise TargetError(f"{name} must have one column, got {list(lazy.names)}")
    if lazy.n_rows != scan.n_rows:
        raise TargetError(f"X has {scan.n_rows} rows but {name} has {lazy.n_rows}")
    return _cells(lazy, lazy.names[0])


def _cells(scan: Scan, name: str) -> Any:
    """Return numbers, booleans and times as arrays, and anything else as categories."""
    cells = _plain(scan.read(name))
    if isinstance(cells, Nominal):
        gone = cells.codes < 0
    elif cells.dtype.kind == "M":
        gone = np.isnat(cells)
    else:
        gone = np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if gone.any():
        first = scan.row_name(int(gone.argmax()))
        raise TargetError(
            f"column {name!r} is missing in {np.count_nonzero(gone):,} of {scan.n_rows:,} rows, "
            f"first in {first}; leave these rows out"
        )
    return cells


def _plain(column: Column) -> Any:
    if isinstance(column, Nominal):
        return column
    if isinstance(column.scale, Numbers) or column.values.dtype.kind == "b":
        return column.values
    if isinstance(column.scale, Times) and column.scale.zone is None:
        return column.values.view(column.scale.dtype)
    return as_nominal(column)


def labels_of(y: Any) -> Any:
    """Return a target that may have been read in pieces as an array; others as they are."""
    return np.array(y.values.tolist()) if isinstance(y, Nominal) else y


class ScanPrinter:
    """Prints how far reading has come, every few seconds."""

    def __init__(self) -> None:
        self._last = perf_counter()

    def __call__(self, progress: ScanProgress) -> None:
        """Print the progress, if it is time to."""
        now = perf_counter()
        if now - self._last >= INTERVAL:
            self._last = now
            print(progress, flush=True)
