"""Classification or regression: which of them the target of a data file asks for."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from polytomy._errors import DataFileError
from polytomy._types import AnyArray, FloatArray
from polytomy.table import Nominal, Table, Times

from .labelled import Task, check_classes, labels_from, plain_labels

MAX_CODES = 20
"""The most distinct whole numbers that are taken for classes."""

ROWS_PER_CODE = 5
"""The fewest rows for each of them, on average; two distinct whole numbers are always classes."""

TASK_RULE = (
    "auto takes text and true/false for classes, and numbers for numbers, except whole numbers "
    f"with at most {MAX_CODES} distinct values, each in at least {ROWS_PER_CODE} rows on average, "
    "or with only two: these are classes"
)
"""The rule of ``task="auto"`` in words."""


class TimeTargetError(DataFileError):
    """The target holds dates or times, which are neither classes nor numbers."""


def read_target(
    table: Table, target: str, task: Task | Literal["auto"], words: Sequence[str] = ()
) -> tuple[AnyArray, Task]:
    """Return the labels of a target and its task; raise an error if the two do not fit.

    Parameters
    ----------
    table : Table
        The table.
    target : str
        The name of the column to predict.
    task : {"auto", "classification", "regression"}
        The task. "auto" chooses by ``TASK_RULE``.
    words : sequence of str, default=()
        Texts in the file that were read as missing cells of the target, for errors.

    Returns
    -------
    labels : array
        Classes, or the numbers as floats.
    task : {"classification", "regression"}
        The task.

    Examples
    --------
    >>> ratings = Table.of({"stars": np.arange(60) % 5, "price": np.arange(60) / 4})
    >>> [read_target(ratings, name, "auto")[1] for name in ratings.names]
    ['classification', 'regression']
    """
    labels = labels_from(table, target, words)
    if task == "auto":
        _refuse_times(table, target)
        task = task_of(np.unique(labels), len(labels))
    if task == "classification":
        check_classes(labels, target)
        return labels, task
    numbers = numbers_from(table, target)
    if (numbers == numbers[0]).all():
        raise DataFileError(
            f"target {target!r} is {numbers[0]:g} in all {len(numbers)} rows; "
            "there is nothing to predict"
        )
    return numbers, task


def task_of(distinct: AnyArray, n_rows: int) -> Task:
    """Return the task of a target by ``TASK_RULE``.

    Parameters
    ----------
    distinct : array
        Its distinct values without missing ones; more than ``MAX_CODES`` need not be complete.
    n_rows : int
        The number of rows.

    Returns
    -------
    {"classification", "regression"}
        The task.
    """
    labels = plain_labels(distinct)
    if labels.dtype.kind == "f":
        return "regression"
    if labels.dtype.kind not in "iu":
        return "classification"
    n = len(labels)
    few = n <= 2 or (n <= MAX_CODES and n * ROWS_PER_CODE <= n_rows)
    return "classification" if few else "regression"


def numbers_from(table: Table, target: str) -> FloatArray:
    """Return a target as floats; raise an error unless all are finite numbers."""
    labels = labels_from(table, target)
    _refuse_times(table, target)
    if labels.dtype.kind not in "iuf":
        kind = "true and false" if labels.dtype.kind == "b" else "text"
        raise DataFileError(f"target {target!r} holds {kind}, but regression needs numbers")
    numbers = labels.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        raise DataFileError(
            f"target {target!r} is {numbers[wrong[0]]:g} in {table.row_name(wrong[0])}; "
            "numbers must be finite"
        )
    return numbers


def _refuse_times(table: Table, target: str) -> None:
    column = table.columns[table.names.index(target)]
    if not isinstance(column, Nominal) and isinstance(column.scale, Times):
        raise TimeTargetError(
            f"target {target!r} holds dates or times; predict a number instead, such as days since "
            "the first one"
        )
