"""Training data from a file: the roles of its columns, and columns that identify rows left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from polytomy._errors import DataFileError
from polytomy._types import FloatArray
from polytomy.table import OnProgress, Table

from .identifiers import IdentifierColumn, find_identifiers
from .kinds import Kind
from .labelled import LabelledTable, Task, drop_unlabelled_rows, weights_from
from .reader import check_columns, display_name, read_table
from .scanning import scan_table
from .tasks import read_target


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
class Pieces:
    """How to read a table in pieces.

    Parameters
    ----------
    cache_dir : str or path-like, default=None
        A folder for temporary files, as for ``scan``.
    on_progress : callable, default=None
        Called with a ``ScanProgress`` after every batch that is read.
    """

    cache_dir: Any = None
    on_progress: OnProgress | None = None


def read_training_data(
    path: Any,
    roles: ColumnRoles,
    *,
    drop_unlabelled: bool = False,
    task: Task | Literal["auto"] = "auto",
    pieces: Pieces | None = None,
) -> tuple[LabelledTable, list[IdentifierColumn]]:
    """Read the rows to fit a tree on.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input. A folder or a pattern of files needs ``pieces``.
    roles : ColumnRoles
        The target and the roles of other columns.
    drop_unlabelled : bool, default=False
        Whether to leave out rows whose target is missing instead of raising an error.
    task : {"auto", "classification", "regression"}, default="auto"
        Whether the target holds classes or numbers. "auto" takes text and booleans for classes, and
        whole numbers with few distinct values.
    pieces : Pieces, default=None
        How to read the table in pieces. None reads it whole.

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
    table = _read(path, roles, pieces)
    if drop_unlabelled:
        table = drop_unlabelled_rows(table, roles.target)
    labels, found_task = read_target(table.loaded([roles.target]), roles.target, task)
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


def _read(path: Any, roles: ColumnRoles, pieces: Pieces | None = None) -> Table:
    """Read a file, and check that it has the columns that the roles name."""
    kinds: dict[str, Kind] = dict.fromkeys(roles.categorical, "text")
    kinds |= dict.fromkeys(roles.numeric, "number")
    table: Table
    if pieces is None:
        table = read_table(path, drop=roles.drop, kinds=kinds, categorical=roles.categorical)
    else:
        table = scan_table(
            path,
            drop=roles.drop,
            kinds=kinds,
            categorical=roles.categorical,
            cache_dir=pieces.cache_dir,
        ).watched(pieces.on_progress)
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
    kept = {*roles.categorical, *roles.numeric}
    identifiers = find_identifiers(candidates, kept) if candidates.names else []
    left_out = {column.name for column in identifiers}
    names = [name for name in candidates.names if name not in left_out]
    if not names:
        raise DataFileError(f"{display_name(path)} has no columns left to predict from")
    return candidates.select(names), identifiers
