"""A table with the labels and weights of its rows, taken from columns of a data file."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import Any, Literal

import numpy as np

from polytomy._errors import DataFileError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.table import Column, Nominal, Numbers, Ranks, Table, Times, is_missing

from .reading import Reading, listed_words

MAX_CLASSES = 10_000
_CHUNK = 1 << 14  # rows

Task = Literal["classification", "regression"]
"""Whether labels are classes or numbers."""


class MissingLabelsError(DataFileError):
    """Some rows have no label.

    Parameters
    ----------
    message : str
        The sentence.
    words : sequence of str, default=()
        Texts in the target that count as missing.
    """

    def __init__(self, message: str, words: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.words = tuple(words)


class NotClassesError(DataFileError):
    """The target holds numbers that cannot be classes."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTable:
    """The columns of a model with the label, and the weight if there are weights, of each row.

    Parameters
    ----------
    table : Table
        The columns a model may use.
    labels : array
        The classes, without missing values: text, booleans or numbers. For regression, the numbers.
    weights : float array or None
        The weights. None means that every row has weight 1.
    target : str
        The name of the column with the labels.
    task : {"classification", "regression"}, default="classification"
        Whether the labels are classes or numbers.
    reading : Reading, default=Reading()
        How the cells of the file were read.
    """

    table: Table
    labels: AnyArray
    weights: FloatArray | None
    target: str
    task: Task = "classification"
    reading: Reading = field(default_factory=Reading)

    @property
    def strata(self) -> IntArray:
        """The groups of rows that folds and test rows spread over evenly: the classes, or one."""
        if self.task == "regression":
            return np.zeros(len(self.labels), dtype=np.int64)
        return np.asarray(np.unique(self.labels, return_inverse=True)[1])

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: IntArray) -> "LabelledTable":
        """Return some of the rows.

        Parameters
        ----------
        rows : array of int
            Row numbers.

        Returns
        -------
        LabelledTable
            These rows, in this order.
        """
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, table=self.table.take(rows), labels=self.labels[rows], weights=weights)


def drop_unlabelled_rows(table: Table, target: str) -> Table:
    """Return the rows whose target is not missing."""
    missing = missing_rows(column_cells(table.loaded([target]), target))
    return table.take(np.delete(np.arange(table.n_rows), missing)) if len(missing) else table


def labels_from(table: Table, target: str, words: Sequence[str] = ()) -> AnyArray:
    """Return the target as labels; raise an error if some are missing.

    Parameters
    ----------
    table : Table
        The table.
    target : str
        The column.
    words : sequence of str, default=()
        Texts in the file that were read as missing cells of this column, for the error.
    """
    cells = column_cells(table, target)
    missing = missing_rows(cells)
    if len(missing) == len(cells):
        raise DataFileError(f"target {target!r} is missing in all {len(cells)} rows")
    if len(missing):
        missed = f"is missing or reads {listed_words(words)}" if words else "is missing"
        raise MissingLabelsError(
            f"target {target!r} {missed} in {len(missing)} of {len(cells)} rows, first in "
            f"{table.row_name(missing[0])}; fill in these cells",
            words,
        )
    return plain_labels(cells)


def plain_labels(cells: AnyArray) -> AnyArray:
    """Return labels as text, booleans or numbers; 1 and 1.0 are the same class."""
    if cells.dtype.kind in "OMm":
        values = cells.tolist()
        if all(isinstance(v, bool) for v in values):
            return np.array(values, dtype=np.bool_)
        return np.array([str(v) for v in values])
    whole = cells.dtype.kind == "f" and (np.abs(cells) < 2**53).all() and not (cells % 1).any()
    return cells.astype(np.int64) if whole else cells


def check_classes(labels: AnyArray, target: str) -> None:
    """Raise an error unless labels are at least two classes with rows enough for each."""
    if labels.dtype.kind == "f" and (labels % 1 != 0).any():
        example = labels[labels % 1 != 0][0]
        raise NotClassesError(
            f"target {target!r} contains numbers with decimals, such as {example:g}, "
            "which are not classes"
        )
    classes = np.unique(labels)
    n, rows = len(classes), len(labels)
    if n == 1:
        raise DataFileError(
            f"target {target!r} is {classes.tolist()[0]!r} in all {rows} rows; "
            "at least two classes are needed"
        )
    if n > MAX_CLASSES or (n > rows / 2 and n > 20):
        kind = DataFileError if labels.dtype.kind in "UOb" else NotClassesError
        raise kind(
            f"target {target!r} has {n:,} distinct values in {rows:,} rows, too many for classes"
        )


def weights_from(table: Table, name: str | None) -> FloatArray | None:
    """Return a column as weights, or None without a name."""
    if name is None:
        return None
    table = table.loaded([name])
    cells = column_cells(table, name)
    if cells.dtype.kind not in "iufb":
        raise DataFileError(f"column {name!r} cannot be used as weights: it is not numeric")
    weights = np.asarray(cells, dtype=np.float64)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        value = weights[wrong[0]]
        found = "is missing" if np.isnan(value) else f"is {value:g}"
        raise DataFileError(
            f"weights must be finite and not negative; {name!r} {found} in "
            f"{table.row_name(wrong[0])}"
        )
    if not weights.any():
        raise DataFileError(f"weights {name!r} are 0 in all {len(weights)} rows")
    return weights


def column_cells(table: Table, name: str) -> AnyArray:
    """Return a column as an array of numbers, booleans, times or objects.

    Parameters
    ----------
    table : Table
        The table.
    name : str
        The name of the column.

    Returns
    -------
    array
        The cells. A missing one is NaN, NaT or None.
    """
    column = table.columns[table.names.index(name)]
    if isinstance(column, Nominal) or isinstance(column.scale, Numbers):
        return column.values
    if isinstance(column.scale, Times):
        return _times(column.values.view(column.scale.dtype), column.scale.zone)
    if column.values.dtype.kind == "b":
        return column.values
    return _objects(column.scale.labels)[column.values]  # a missing cell is -1, the last entry


def _times(values: AnyArray, zone: str | None) -> AnyArray:
    """Return times in at most microseconds; those with a time zone as datetimes in UTC."""
    if values.dtype.kind == "M" and np.datetime_data(values.dtype)[0] in ("ns", "ps", "fs", "as"):
        values = values.astype("datetime64[us]")
    if zone is None:
        return values
    return _objects(v if v is None else v.replace(tzinfo=UTC) for v in values.tolist())[:-1]


def _objects(values: Any) -> AnyArray:
    """Return values and a None as an array of objects."""
    return np.array([*values, None], dtype=object)


def missing_rows(cells: AnyArray) -> IntArray:
    """Return the row numbers of missing cells."""
    if cells.dtype.kind == "f":
        return np.flatnonzero(np.isnan(cells))
    if cells.dtype.kind in "mM":
        return np.flatnonzero(np.isnat(cells))
    if cells.dtype.kind != "O":
        return np.empty(0, dtype=np.int64)
    return np.array([i for i, v in enumerate(cells.tolist()) if is_missing(v)], dtype=np.int64)


def categories_in(column: Column) -> tuple[list[Any], int]:
    """Return the categories that occur in a column, and its number of missing cells."""
    if isinstance(column, Nominal):
        codes, categories = column.codes, column.categories
    elif isinstance(column.scale, Ranks):
        codes, categories = column.values.astype(np.int32), column.scale.labels
    else:
        return [], 0
    seen = np.zeros(len(categories), dtype=bool)
    for start in range(0, len(codes), _CHUNK):
        part = codes[start : start + _CHUNK]
        seen[part[part >= 0]] = True
        if seen.all():  # often after a few thousand rows
            break
    present = np.flatnonzero(seen).tolist()
    return [categories[i] for i in present], int(np.count_nonzero(codes < 0))
