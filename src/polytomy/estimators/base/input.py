"""Input of the estimators: arrays, data frames, lists and lazy tables, as tables."""

from collections.abc import Sequence
from os import PathLike
from time import perf_counter
from typing import Any

import narwhals as nw
import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from polytomy._errors import ParameterError, TableError, TargetError
from polytomy._types import AnyArray
from polytomy.encode import Schema
from polytomy.io import Scan, as_scan
from polytomy.table import (
    Column,
    Nominal,
    Numbers,
    ScannedTable,
    ScanProgress,
    Table,
    Times,
    as_nominal,
    checked_names,
    frame_of,
)

from .snapshots import SnapshotEstimator

FRAMES = ("pandas", "polars", "pyarrow")  # libraries whose data frames are returned

INTERVAL = 2.0
"""The seconds between two lines about the progress of reading."""


class TableEstimator(SnapshotEstimator):
    """Base class of whatever is fitted to a table: input and threads.

    - ``_learn_table()`` and ``_known_table()``: the rows of a fit, and rows with its columns.
      ``_lazy_rows()`` reads the target and the weights of lazy data.
    - ``_threads()``: the number of threads.
    - ``_draft()`` and ``_snapshot()`` of ``SnapshotEstimator``: fits that are seen all at once.
    """

    n_features_in_: int
    feature_names_in_: AnyArray
    categorical_features: Any
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        """Declare that missing cells, text and categories are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _threads(self) -> int:
        """Return the number of threads that ``n_jobs`` asks for."""
        return int(effective_n_jobs(self.n_jobs))

    def _learn_table(self, X: Any) -> Table:
        """Return the rows of a fit as a table, and set the names of the columns."""
        data = self._checked_input(X, reset=True)
        nominal = chosen_columns(self.categorical_features, names_of(data))
        return Table.of(data, nominal=nominal)

    def _known_table(self, X: Any, schema: Schema) -> Table:
        """Return rows as a table with the columns of a schema, which are those of the fit."""
        data = self._checked_input(X, reset=False)
        table = Table.of(data, nominal=schema.of_kind("nominal"))
        # The names of a data frame have been compared; the columns of an array have none.
        return table if table.names == schema.names else table.with_names(schema.names)

    def _lazy_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """Return the table, the target and the weights of lazy data; other data as they are."""
        scan = as_scan(X)
        if scan is None:
            return X, y, sample_weight
        verbose = getattr(self, "verbose", 0)
        return lazy_rows(scan, y, sample_weight, ScanPrinter() if verbose else None)

    def _checked_input(self, X: Any, *, reset: bool) -> Any:
        """Check X with scikit-learn; set the names of its columns, or compare them."""
        if (scan := as_scan(X)) is not None:
            X = scan.table
        if isinstance(X, ScannedTable):
            return self._checked_scan(X, reset=reset)
        if isinstance(X, Table):  # of the library's own making, as scorers get it
            return X
        if isinstance(X, str | PathLike):
            raise TableError(
                f"X must be a table, got {str(X)!r}; for the rows of files, pass the result of "
                "polytomy.scan, which reads them in pieces, or of polytomy.read"
            )
        data = X
        if is_frame(X):
            checked_names(names_of(X))
        elif not _is_plain_matrix(X):
            matrix = _mixed_rows(X) if isinstance(X, list | tuple) else X
            data = check_array(matrix, dtype=None, ensure_all_finite=False, estimator=self)
        try:
            validate_data(self, data, reset=reset, skip_check_array=True)
        except ValueError as error:
            raise ValueError(_with_remedy(self, X, str(error))) from None
        return data

    def _checked_scan(self, table: ScannedTable, *, reset: bool) -> ScannedTable:
        """Set the names of the columns, or return the table with the columns of the fit."""
        if reset:
            self.n_features_in_ = len(table.names)
            self.feature_names_in_ = np.array(table.names, dtype=object)
            return table
        known = getattr(self, "feature_names_in_", None)
        if known is None:
            raise TableError(
                "the model was fitted on columns without names, so it cannot be applied to a lazy "
                "table; collect it first"
            )
        check_known_columns(known, table.names)
        return table.select(list(known))


def check_known_columns(known: Sequence[str], names: Sequence[str]) -> None:
    """Raise an error if a lazy table lacks columns of the fit; it may have others."""
    absent = [name for name in known if name not in names]
    if absent:
        raise TableError(f"the lazy table has no columns {absent}, which the model needs")


def is_frame(data: Any) -> bool:
    """Return whether data have named columns, as data frames do."""
    return hasattr(data, "columns") or hasattr(data, "column_names")


def frame_library(X: Any) -> str | None:
    """Return the library to return data frames of, for rows in this form; None for an array."""
    if isinstance(X, Table) or not is_frame(X):
        return None
    own = type(X).__module__.partition(".")[0]
    return own if own in FRAMES else FRAMES[0]


def names_of(data: Any) -> list[str]:
    """Return the names of the columns of a table; those of an array are x0, x1, ..."""
    if isinstance(data, Table):
        return list(data.names)
    if not is_frame(data):
        return [f"x{j}" for j in range(data.shape[1])]
    names = getattr(data, "column_names", None)  # a pyarrow table
    return [str(n) for n in (data.columns if names is None else names)]


def chosen_columns(chosen: Any, names: Sequence[str]) -> Sequence[str | int]:
    """Return the columns that ``categorical_features`` selects by a mask, positions or names."""
    if _is_from_dtype(chosen):
        return ()
    picks = np.asarray(chosen)
    if picks.ndim != 1 or picks.dtype.kind not in "biuUSO":
        raise ParameterError(
            f"categorical_features must be 'from_dtype', a mask, positions or names; got {chosen!r}"
        )
    if picks.dtype.kind == "b":
        if len(picks) != len(names):
            raise ParameterError(
                f"categorical_features is a mask of {len(picks)} for {len(names)} columns"
            )
        return np.flatnonzero(picks).tolist()
    return list(picks.tolist())


def columns_for(model: Any, X: Any) -> Any:
    """Return the columns of a data frame that a model was fitted on; other rows as they are."""
    wanted = getattr(model, "feature_names_in_", None)
    if wanted is None or isinstance(X, Table) or as_scan(X) is not None or not is_frame(X):
        return X
    absent = [name for name in wanted if name not in names_of(X)]
    if absent:
        raise TableError(f"X has no columns {absent[:5]}, which {type(model).__name__} needs")
    return nw.from_native(X).select([str(name) for name in wanted]).to_native()


def as_one_row(row: Any, names: Any) -> Any:
    """Return a row in a form that ``predict`` accepts; ``names`` are those of a fitted frame."""
    if is_frame(row):
        return row
    if hasattr(row, "to_frame") and hasattr(row, "index"):  # a row of a pandas frame
        return row.to_frame().T.infer_objects()
    if isinstance(row, dict):
        order = list(row) if names is None else [n for n in names if n in row]
        unknown = [n for n in row if n not in order]
        return frame_of({n: [row[n]] for n in [*order, *unknown]})
    if isinstance(row, list | tuple) and np.ndim(np.array(row, dtype=object)) == 1:
        return [list(row)]
    return np.asarray(row).reshape(1, -1) if np.ndim(row) == 1 else row


def _is_plain_matrix(X: Any) -> bool:
    """Return whether X is an array that needs none of scikit-learn's checks, which take 60 us."""
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "fiub"


def _mixed_rows(rows: Any) -> Any:
    """Return lists of text and numbers as objects; NumPy would turn the numbers into text."""
    plain = np.asarray(rows, dtype=None) if len(rows) else rows
    is_text = getattr(plain, "dtype", np.dtype(float)).kind in "US"
    return np.array(rows, dtype=object) if is_text else rows


def _is_from_dtype(chosen: Any) -> bool:
    return chosen is None or (isinstance(chosen, str) and chosen == "from_dtype")


def _with_remedy(estimator: BaseEstimator, X: Any, message: str) -> str:
    """Append how to reorder columns to scikit-learn's message, if only their order is wrong."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is None or not is_frame(X) or sorted(names_of(X)) != sorted(known):
        return message
    names = "list(model.feature_names_in_)"
    is_arrow = hasattr(X, "column_names")  # a pyarrow table is not indexed by names
    selected = f"X.select({names})" if is_arrow else f"X[{names}]"
    return f"{message}To reorder the columns: X = {selected}\n"


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
