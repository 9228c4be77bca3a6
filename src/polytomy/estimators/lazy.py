"""Lazy tables as estimators take them: the rows, the target and the weights."""

from time import perf_counter
from typing import Any

from polytomy._errors import TargetError
from polytomy.io import Scan, as_scan
from polytomy.table import Column, Nominal, Numbers, Ordered, ScannedTable, ScanProgress, as_nominal


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
    return table, _values(scan, labels, "y"), _values(scan, given, "sample_weight")


def _values(scan: Scan, given: Any, name: str) -> Any:
    """Return the cells of a column that is given by name, as a lazy table, or as an array."""
    if isinstance(given, str):
        return _cells(scan.read(given))
    lazy = as_scan(given)
    if lazy is None:
        return given
    if len(lazy.names) != 1:
        raise TargetError(f"{name} must have one column, got {list(lazy.names)}")
    if lazy.n_rows != scan.n_rows:
        raise TargetError(f"X has {scan.n_rows} rows but {name} has {lazy.n_rows}")
    return _cells(lazy.read(lazy.names[0]))


def _cells(column: Column) -> Any:
    """Return numbers and booleans as arrays, and anything else as categories."""
    if isinstance(column, Ordered) and (
        isinstance(column.scale, Numbers) or column.values.dtype.kind == "b"
    ):
        return column.values
    if isinstance(column, Nominal):
        return column
    return as_nominal(column)


class ScanPrinter:
    """Prints how far reading has come, every two seconds."""

    def __init__(self) -> None:
        self._last = perf_counter()

    def __call__(self, progress: ScanProgress) -> None:
        """Print the progress, if it is time to."""
        now = perf_counter()
        if now - self._last >= 2:
            self._last = now
            print(progress, flush=True)
