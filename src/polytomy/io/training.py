"""Training data from a file: the roles of its columns, and columns that identify rows left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from polytomy._errors import DataFileError
from polytomy._text import count
from polytomy._types import FloatArray
from polytomy.table import OnProgress, Table

from .identifiers import IdentifierColumn, find_identifiers
from .kinds import Kind
from .labelled import LabelledTable, Task, drop_unlabelled_rows, weights_from
from .reader import display_name, read_file
from .reading import Note, Reading, ReadingOptions, listed_words
from .scanning import scan_file
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
    options: ReadingOptions | None = None,
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
        whole numbers with few distinct values. With "classification", a word such as "unknown"
        among numbers is a class; otherwise it is a missing target.
    pieces : Pieces, default=None
        How to read the table in pieces. None reads it whole.
    options : ReadingOptions, default=None
        How to read text; None finds it in the file.

    Returns
    -------
    data : LabelledTable
        The predictors, labels and weights, and how they were read.
    identifiers : list of IdentifierColumn
        Columns that were left out because they only number or name the rows.

    Raises
    ------
    DataFileError
        If the file cannot be read, or a column cannot be used in its role.
    """
    assert roles.target is not None
    table, reading = _read(path, roles, options, pieces)
    words = reading.placeholders(roles.target)
    if words and task == "classification":
        table, reading = _read(path, roles, options, pieces, {roles.target: "text"})
        words = ()
    if drop_unlabelled:
        given, table = table, drop_unlabelled_rows(table, roles.target)
        reading = _with_note_on_rows(reading, given.n_rows - table.n_rows, roles.target, words)
    labels, found_task = read_target(table.loaded([roles.target]), roles.target, task, words)
    weights = weights_from(table, roles.weights)
    predictors, identifiers = _predictors(path, table, roles, reading)
    data = LabelledTable(predictors, labels, weights, roles.target, found_task, reading)
    return data, identifiers


def read_unlabelled_data(
    path: Any, roles: ColumnRoles, options: ReadingOptions | None = None
) -> tuple[Table, FloatArray | None, list[IdentifierColumn], Reading]:
    """Read the rows to fit a density to.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.
    roles : ColumnRoles
        The roles of the columns; a target is left out.
    options : ReadingOptions, default=None
        How to read text; None finds it in the file.

    Returns
    -------
    table : Table
        The columns.
    weights : ndarray or None
        The weights of the rows.
    identifiers : list of IdentifierColumn
        Columns that were left out because they only number or name the rows.
    reading : Reading
        How the cells of the file were read.

    Raises
    ------
    DataFileError
        If the file cannot be read, or a column cannot be used in its role.
    """
    table, reading = _read(path, roles, options)
    weights = weights_from(table, roles.weights)
    columns, identifiers = _predictors(path, table, roles, reading)
    return columns, weights, identifiers, reading


def _with_note_on_rows(
    reading: Reading, n_dropped: int, target: str, words: tuple[str, ...]
) -> Reading:
    """Return how a file was read, with a note on the rows without a target that were left out."""
    if n_dropped == 0:
        return reading
    rows = count(n_dropped, "row")
    note = Note(f"left out {rows} without a target", column=target)
    if words:
        text = f"left out {rows} whose target is missing or reads {listed_words(words)}"
        effect = f"keeps {'it as a class' if len(words) == 1 else 'these as classes'}"
        note = Note(text, "task", "classification", effect, target)
    others = tuple(n for n in reading.notes if n.column != target or not n.placeholders)
    return replace(reading, notes=(*others, note))


def _read(
    path: Any,
    roles: ColumnRoles,
    options: ReadingOptions | None,
    pieces: Pieces | None = None,
    more: Mapping[str, Kind] | None = None,
) -> tuple[Table, Reading]:
    """Read a file, and check that it has the columns that the roles name."""
    kinds: dict[str, Kind] = dict.fromkeys(roles.categorical, "text")
    kinds |= dict.fromkeys(roles.numeric, "number")
    kinds |= more or {}
    common: dict[str, Any] = {"drop": roles.drop, "kinds": kinds, "options": options}
    common["needed"] = [*_not_predictors(roles), *roles.categorical, *roles.numeric]
    if pieces is None:
        file = read_file(path, **common)
        return file.table(roles.categorical), file.reading
    table, reading = scan_file(
        path, categorical=roles.categorical, cache_dir=pieces.cache_dir, **common
    )
    return table.watched(pieces.on_progress), reading


def _not_predictors(roles: ColumnRoles) -> list[str]:
    return [name for name in (roles.target, roles.weights) if name is not None]


def _predictors(
    path: Any, table: Table, roles: ColumnRoles, reading: Reading
) -> tuple[Table, list[IdentifierColumn]]:
    """Return the columns that are neither target nor weights, and the identifiers left out.

    Numbers and dates that stay text are left out like identifiers, but for another reason.
    """
    candidates = table.select([n for n in table.names if n not in _not_predictors(roles)])
    kept = {*roles.categorical, *roles.numeric}
    identifiers = find_identifiers(candidates, kept) if candidates.names else []
    left_out = {column.name for column in identifiers}
    names = [name for name in candidates.names if name not in left_out]
    obstacles = {name: note for name in left_out if (note := reading.obstacle(name)) is not None}
    if not names:
        listed = "; ".join(
            obstacles[c.name].text
            if c.name in obstacles
            else f"column {c.name} identifies rows: {c.reason}"
            for c in identifiers
        )
        why = f" ({listed})" if listed else ""
        raise DataFileError(f"{display_name(path)} has no columns left to predict from{why}")
    return candidates.select(names), [
        replace(c, reason="it stays text", keep_as="") if c.name in obstacles else c
        for c in identifiers
    ]
