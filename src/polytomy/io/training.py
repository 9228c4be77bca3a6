"""Training data from a file: the roles of its columns, and columns that identify rows left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from polytomy._errors import DataFileError
from polytomy._types import FloatArray
from polytomy.table import Column, Nominal, Numbers, Table

from .kinds import Kind
from .labelled import (
    LabelledTable,
    Task,
    categories_in,
    drop_unlabelled_rows,
    weights_from,
)
from .reader import check_columns, display_name, read_table
from .tasks import read_target

MAX_CATEGORIES = 100_000
_FEW_ROWS = 20  # in a table this small, distinct texts do not mean that a column identifies rows


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """The columns of a file that are not read as ordinary predictors.

    Parameters
    ----------
    target : str or None
        The column to predict, if there is one.
    weights : str, default=None
        The column with the weights of the rows.
    categorical, numeric : sequence of str, default=()
        Columns to treat as categorical, and columns that must be numeric.
    drop : sequence of str, default=()
        Columns to leave out.
    """

    target: str | None
    weights: str | None = None
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    drop: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class IdentifierColumn:
    """A column that identifies rows and was left out, because a tree could only memorise it.

    Attributes
    ----------
    name : str
        The name of the column.
    reason : str
        Why it was left out, such as "row number".
    keep_as : {"categorical", "numeric"}
        The field of ``ColumnRoles`` that keeps the column if it is listed there.
    """

    name: str
    reason: str
    keep_as: str


def read_training_data(
    path: Any,
    roles: ColumnRoles,
    *,
    drop_unlabelled: bool = False,
    task: Task | Literal["auto"] = "auto",
) -> tuple[LabelledTable, list[IdentifierColumn]]:
    """Read the rows to fit a tree on.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.
    roles : ColumnRoles
        The target and the roles of other columns.
    drop_unlabelled : bool, default=False
        Whether to leave out rows whose target is missing instead of raising an error.
    task : {"auto", "classification", "regression"}, default="auto"
        Whether the target holds classes or numbers. "auto" takes text and booleans for classes, and
        whole numbers with few distinct values.

    Returns
    -------
    data : LabelledTable
        The predictors, labels and weights.
    identifiers : list of IdentifierColumn
        Columns that were left out because they only number or name the rows.

    Raises
    ------
    DataFileError
        If the file cannot be read, or a column cannot be used in its role.
    """
    assert roles.target is not None
    table = _read(path, roles)
    if drop_unlabelled:
        table = drop_unlabelled_rows(table, roles.target)
    labels, found_task = read_target(table, roles.target, task)
    weights = weights_from(table, roles.weights)
    predictors, identifiers = _predictors(path, table, roles)
    return LabelledTable(predictors, labels, weights, roles.target, found_task), identifiers


def read_unlabelled_data(
    path: Any, roles: ColumnRoles
) -> tuple[Table, FloatArray | None, list[IdentifierColumn]]:
    """Read the rows to fit a density to.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.
    roles : ColumnRoles
        The roles of the columns; a target is left out.

    Returns
    -------
    table : Table
        The columns.
    weights : ndarray or None
        The weights of the rows.
    identifiers : list of IdentifierColumn
        Columns that were left out because they only number or name the rows.

    Raises
    ------
    DataFileError
        If the file cannot be read, or a column cannot be used in its role.
    """
    table = _read(path, roles)
    weights = weights_from(table, roles.weights)
    columns, identifiers = _predictors(path, table, roles)
    return columns, weights, identifiers


def _read(path: Any, roles: ColumnRoles) -> Table:
    """Read a file, and check that it has the columns that the roles name."""
    kinds: dict[str, Kind] = dict.fromkeys(roles.categorical, "text")
    kinds |= dict.fromkeys(roles.numeric, "number")
    table = read_table(path, drop=roles.drop, kinds=kinds, categorical=roles.categorical)
    named = [*_not_predictors(roles), *roles.categorical, *roles.numeric]
    check_columns(named, table.names, display_name(path))
    return table


def _not_predictors(roles: ColumnRoles) -> list[str]:
    return [name for name in (roles.target, roles.weights) if name is not None]


def _predictors(
    path: Any, table: Table, roles: ColumnRoles
) -> tuple[Table, list[IdentifierColumn]]:
    """Return the columns that are neither target nor weights, and the identifiers left out."""
    candidates = table.select([n for n in table.names if n not in _not_predictors(roles)])
    identifiers = _identifiers(candidates, {*roles.categorical, *roles.numeric})
    left_out = {column.name for column in identifiers}
    predictors = [c for c in candidates.columns if c.name not in left_out]
    if not predictors:
        raise DataFileError(f"{display_name(path)} has no columns left to predict from")
    for column in predictors:
        _check_categories(column, table.n_rows)
    return Table(tuple(predictors), table.n_rows), identifiers


def _identifiers(table: Table, kept: set[str]) -> list[IdentifierColumn]:
    found = (identifier(c, table.n_rows) for c in table.columns if c.name not in kept)
    return [column for column in found if column is not None]


def identifier(column: Column, n_rows: int) -> IdentifierColumn | None:
    """Return why a column identifies rows: it counts them, or is mostly distinct text; or None."""
    if n_rows <= _FEW_ROWS:
        return None
    if not isinstance(column, Nominal) and isinstance(column.scale, Numbers):
        values = column.values
        counts_rows = (
            values.dtype.kind in "iu"
            and int(values[0]) in (0, 1)
            and bool((np.diff(values) == 1).all())
        )
        return IdentifierColumn(column.name, "row number", "numeric") if counts_rows else None
    categories, n_missing = categories_in(column)
    if not all(isinstance(c, str) for c in categories):
        return None
    if len(categories) <= (n_rows - n_missing) / 2:
        return None
    reason = f"{len(categories):,} distinct values in {n_rows:,} rows"
    return IdentifierColumn(column.name, reason, "categorical")


def _check_categories(column: Column, n_rows: int) -> None:
    """Raise an error if a column has too many categories."""
    n = sum(isinstance(c, str) for c in categories_in(column)[0])
    if n > MAX_CATEGORIES:
        raise DataFileError(
            f"column {column.name!r} has {n:,} categories in {n_rows:,} rows, more than the "
            f"{MAX_CATEGORIES:,} supported; drop this column"
        )
