"""Data for a fitted model: cells are read as the types that the model's columns had in training."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np

from polytomy._errors import DataFileError
from polytomy._types import AnyArray, FloatArray
from polytomy.encode import NominalColumn, Schema
from polytomy.table import OnProgress, Ranks, Table, Times

from .kinds import Kind
from .labelled import (
    LabelledTable,
    categories_in,
    column_cells,
    drop_unlabelled_rows,
    labels_from,
    missing_rows,
    weights_from,
)
from .reader import display_name, read_file
from .reading import Reading, ReadingOptions
from .scanning import can_be_scanned, names_many, scan_file
from .tasks import numbers_from

_LISTED = 5  # classes or columns in a message


class TargetNotFoundError(DataFileError):
    """The target was not named, and no column or more than one could be it."""


class NewDataWarning(UserWarning):
    """New data differ from the training data in a way that makes predictions doubtful."""


def read_for_model(path: Any, schema: Schema, options: ReadingOptions | None = None) -> Table:
    """Read the columns of a fitted model from a file.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.
    schema : Schema
        The columns the model was fitted on.
    options : ReadingOptions, default=None
        How to read text, with the formats of the training data.

    Returns
    -------
    Table
        The columns of the model, in its order.

    Warns
    -----
    NewDataWarning
        If text is read in another way than in training, or no category of a column is known.
    """
    return read_weighted_for_model(path, schema, None, options)[0]


def read_weighted_for_model(
    path: Any, schema: Schema, weights: str | None, options: ReadingOptions | None = None
) -> tuple[Table, FloatArray | None]:
    """Read the columns of a fitted model and the weights of the rows from a file.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.
    schema : Schema
        The columns the model was fitted on.
    weights : str or None
        The column with the weights of the rows.
    options : ReadingOptions, default=None
        How to read text, with the formats of the training data.

    Returns
    -------
    table : Table
        The columns of the model, in its order.
    weights : ndarray or None
        The weights of the rows; None without a column of weights.
    """
    kinds: dict[str, Kind] = {} if weights is None else {weights: "number"}
    whole, _ = _read_whole(path, schema, kinds, options)
    table = whole.select(schema.names)
    seen = KnownCategories(schema)
    seen.add(table)
    seen.warn(display_name(path))
    return table, weights_from(whole, weights)


def _read_whole(
    path: Any,
    schema: Schema,
    kinds: Mapping[str, Kind],
    options: ReadingOptions | None,
    verbatim: Sequence[str] = (),
) -> tuple[Table, Table | None]:
    """Return the columns of the model and of ``kinds``, and some of the model's as they are."""
    names = [*schema.names, *(n for n in kinds if n not in schema.names)]
    given = _kinds_of_schema(schema) | dict(kinds)
    file = read_file(path, columns=names, kinds=given, options=options, verbatim=verbatim)
    warn_of_formats(file.reading, options)
    as_it_is = Table.of(file.verbatim) if verbatim else None
    return file.table(_nominal_names(schema)), as_it_is


def _nominal_names(schema: Schema) -> list[str]:
    return [spec.name for spec in schema if spec.kind == "nominal"]


def warn_of_formats(reading: Reading, options: ReadingOptions | None) -> None:
    """Warn of text that is read in another way than in the training data.

    Parameters
    ----------
    reading : Reading
        How the file was read.
    options : ReadingOptions or None
        The formats of the training data.
    """
    known: Mapping[str, str] = {} if options is None else options.formats
    for note in reading.notes:
        if note.column in known or note.column in reading.formats:
            warnings.warn(f"unlike the training data, {note.text}", NewDataWarning, stacklevel=3)


class KnownCategories:
    """Finds the columns of new data in which no category is known.

    Parameters
    ----------
    schema : Schema
        The columns of the model.
    """

    def __init__(self, schema: Schema) -> None:
        self._known = {s.name: set(s.categories) for s in schema if isinstance(s, NominalColumn)}
        self._unknown: dict[str, Any] = {}  # an unknown category of columns without known ones

    def add(self, table: Table) -> None:
        """Add rows."""
        for column in table.columns:
            known = self._known.get(column.name)
            if known is None:
                continue
            held, _ = categories_in(column)
            if not known.isdisjoint(held):
                del self._known[column.name]
                self._unknown.pop(column.name, None)
            elif held:
                self._unknown.setdefault(column.name, held[0])

    def warn(self, source: str) -> None:
        """Warn of columns without any known category."""
        if self._unknown:
            listed = ", ".join(f"{name!r} (such as {v!r})" for name, v in self._unknown.items())
            columns = "column" if len(self._unknown) == 1 else "columns"
            message = f"{source} has no category that the model knows in {columns} {listed}"
            warnings.warn(message, NewDataWarning, stacklevel=3)


def read_parts_for_model(
    path: Any,
    schema: Schema,
    on_progress: OnProgress | None = None,
    *,
    options: ReadingOptions | None = None,
    keep: Sequence[str] = (),
) -> Iterator[tuple[Table, Table | None]]:
    """Read the columns of a fitted model from files, some rows at a time.

    CSV files and standard input are read whole, unless a folder, a pattern or a list names them.

    Parameters
    ----------
    path : str, path-like or list of them
        The file, a folder, a pattern such as ``"data/*.parquet"``, or "-" for standard input.
    schema : Schema
        The columns the model was fitted on.
    on_progress : callable, default=None
        Called with a ``ScanProgress`` after every batch that is read.
    options : ReadingOptions, default=None
        How to read text, with the formats of the training data.
    keep : sequence of str, default=()
        Columns to return as they are, whether the model has them or not.

    Yields
    ------
    table : Table
        The columns of the model, in its order, of the next rows.
    kept : Table or None
        The columns of ``keep``.
    """
    seen = KnownCategories(schema)
    others: dict[str, Kind] = {name: "text" for name in keep if name not in schema.names}
    own = [name for name in dict.fromkeys(keep) if name in schema.names]

    def split(whole: Table, as_it_is: Table | None) -> tuple[Table, Table | None]:
        table = whole.select(schema.names)
        seen.add(table)
        if not keep:
            return table, None
        held = {c.name: c for c in (*whole.columns, *(as_it_is.columns if as_it_is else ()))}
        return table, Table(tuple(held[name] for name in dict.fromkeys(keep)), whole.n_rows)

    if not names_many(path) and not can_be_scanned(path):
        yield split(*_read_whole(path, schema, others, options, own))
    else:
        scanned, reading = scan_file(
            path,
            columns=[*schema.names, *others],
            kinds=_kinds_of_schema(schema) | others,
            categorical=_nominal_names(schema),
            options=options,
        )
        warn_of_formats(reading, options)
        texts = _scanned_as_it_is(path, own, options) if own else repeat(None)
        parts = (part for _, part in scanned.watched(on_progress).parts())
        for part, as_it_is in zip(parts, texts, strict=bool(own)):
            yield split(part, as_it_is)
    seen.warn(display_name(path))


def _scanned_as_it_is(
    path: Any, names: Sequence[str], options: ReadingOptions | None
) -> Iterator[Table]:
    """Yield some columns of files with their text as it is, in the parts that ``scan_file`` has."""
    kinds: dict[str, Kind] = dict.fromkeys(names, "text")
    plain = replace(options or ReadingOptions(), formats={})
    scanned, _ = scan_file(path, columns=names, kinds=kinds, options=plain)
    return (part for _, part in scanned.parts())


def read_labelled_for_model(
    path: Any,
    schema: Schema,
    classes: AnyArray | None,
    *,
    target: str | None = None,
    weights: str | None = None,
    drop_unlabelled: bool = False,
    options: ReadingOptions | None = None,
) -> LabelledTable:
    """Read the columns of a fitted model, labels and weights from a file.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.
    schema : Schema
        The columns the model was fitted on.
    classes : array or None
        The classes of the model; None for a regression tree.
    target : str, default=None
        The column with the labels. None takes the only column that is not one of the model's and
        contains nothing but its classes or, for a regression tree, numbers.
    weights : str, default=None
        The column with the weights of the rows.
    drop_unlabelled : bool, default=False
        Whether to leave out rows whose target is missing instead of raising an error.
    options : ReadingOptions, default=None
        How to read text, with the formats of the training data.

    Returns
    -------
    LabelledTable
        The rows. Their labels need not all be classes of the model; see ``check_known_classes``.
    """
    kinds = _kinds_with_target(schema, target, classes)
    extra = [name for name in (target, weights) if name is not None]
    wanted = [*schema.names, *extra]
    common: dict[str, Any] = {"kinds": kinds, "options": options, "needed": wanted}
    common["columns"] = None if target is None else wanted
    table: Table
    if names_many(path):
        table, reading = scan_file(path, categorical=_nominal_names(schema), **common)
    else:
        file = read_file(path, **common)
        table, reading = file.table(_nominal_names(schema)), file.reading
    warn_of_formats(reading.of(wanted), options)
    if target is None:
        others = [name for name in table.names if name not in (*schema.names, weights)]
        target = _find_target(table.select(others), classes, display_name(path))
    if drop_unlabelled:
        table = drop_unlabelled_rows(table, target)
    predictors, case_weights = table.select(schema.names), weights_from(table, weights)
    labelled = table.loaded([target])
    if classes is None:
        numbers = numbers_from(labelled, target)
        return LabelledTable(predictors, numbers, case_weights, target, "regression", reading)
    labels = _as_classes(labels_from(labelled, target), classes)
    return LabelledTable(predictors, labels, case_weights, target, reading=reading)


def differing_formats(
    path: Any,
    schema: Schema,
    classes: AnyArray | None,
    options: ReadingOptions,
    *,
    target: str | None = None,
    weights: str | None = None,
) -> tuple[int, dict[str, tuple[str | None, str | None]]]:
    """Compare the formats that a model remembers with those that its training file has.

    Parameters
    ----------
    path : str or path-like
        The training file.
    schema : Schema
        The columns the model was fitted on.
    classes : array or None
        The classes of the model; None without classes.
    options : ReadingOptions
        How text was read in training.
    target, weights : str, default=None
        The columns with the labels and the weights.

    Returns
    -------
    compared : int
        The number of columns with a format.
    differing : dict from str to (str or None, str or None)
        The remembered format and that of the file, for each column in which they differ. Cells
        that have a type in the file, and so no format, do not differ.
    """
    names = [*schema.names, *(n for n in (target, weights) if n is not None)]
    known = {name: options.formats.get(name) for name in names}
    given = replace(options, formats={})
    kinds = _kinds_with_target(schema, target, classes)
    differing: dict[str, tuple[str | None, str | None]] = {}
    with_format = {name for name, form in known.items() if form is not None}
    # The other columns show the decimal mark and the order of dates, unless they were left out.
    for columns in (names, None):
        if names_many(path):
            has_types = True  # it may
            _, reading = scan_file(path, columns=columns, kinds=kinds, options=given)
        else:
            file = read_file(path, columns=columns, kinds=kinds, options=given)
            has_types, reading = not isinstance(file.data, Mapping), file.reading
        found = {name: reading.formats.get(name) for name in names}
        with_format |= {name for name, form in found.items() if form is not None}
        differing = {
            name: (known[name], form)
            for name, form in found.items()
            if form != known[name]
            and not (has_types and form is None)
            and (columns is not None or name in differing)
        }
        if not differing:
            break
    return len(with_format), differing


def check_known_classes(data: LabelledTable, classes: AnyArray | None, path: Any) -> None:
    """Raise an error if a label is not a class of the model.

    Parameters
    ----------
    data : LabelledTable
        The rows with their labels.
    classes : array or None
        The classes of the model; None for a regression tree, whose labels can be any numbers.
    path : str or path-like
        The file, for the message.

    Raises
    ------
    DataFileError
        If a label is not a class of the model.
    """
    if classes is None:
        return
    unknown = np.flatnonzero(~np.isin(data.labels, classes))
    if len(unknown):
        raise DataFileError(
            f"target {data.target!r} of {display_name(path)} is "
            f"{data.labels[unknown[0]].tolist()!r} in row {unknown[0] + 1}, which is not a class "
            f"of the model ({_listed(classes)})"
        )


def _find_target(table: Table, classes: AnyArray | None, source: str) -> str:
    if classes is None:
        found = [n for n in table.names if column_cells(table, n).dtype.kind in "iuf"]
        nothing = f"no other column of {source} contains numbers"
        several = f"other columns of {source} contain numbers"
    else:
        found = [n for n in table.names if _contains_classes(column_cells(table, n), classes)]
        nothing = f"no column of {source} contains only the model's classes ({_listed(classes)})"
        several = f"columns of {source} contain the model's classes"
    if not found:
        raise TargetNotFoundError(nothing)
    if len(found) > 1:
        names = ", ".join(map(repr, found[:_LISTED])) + (", ..." if len(found) > _LISTED else "")
        raise TargetNotFoundError(f"{len(found)} {several}: {names}")
    return found[0]


def _contains_classes(cells: AnyArray, classes: AnyArray) -> bool:
    """Return whether there are cells that are not missing, and all of them are classes."""
    values = np.delete(cells, missing_rows(cells))
    if not len(values) or _is_boolean(values) != _is_boolean(classes):  # 1 is not True here
        return False
    return set(_as_classes(values, classes).tolist()) <= set(np.asarray(classes).tolist())


def _is_boolean(values: AnyArray) -> bool:
    return all(isinstance(v, bool) for v in np.asarray(values).tolist())


def _as_classes(labels: AnyArray, classes: AnyArray) -> AnyArray:
    """Return labels as text if the classes are: all labels of a file may look like numbers."""
    if np.asarray(classes).dtype.kind in "UO" and labels.dtype.kind not in "UO":
        return np.array([str(v) for v in labels.tolist()])
    return labels


def _listed(classes: AnyArray) -> str:
    names = [str(c) for c in np.asarray(classes).tolist()]
    return ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")


def _kinds_with_target(
    schema: Schema, target: str | None, classes: AnyArray | None
) -> dict[str, Kind]:
    """Return the kinds of CSV cells that the columns and the target of a model need."""
    kinds = _kinds_of_schema(schema)
    if target is not None and classes is None:
        kinds[target] = "number"
    elif target is not None:
        kinds |= _kind_of_values(target, np.asarray(classes).tolist())
        if kinds.get(target) == "integer":
            kinds[target] = "number"  # 1.0 is class 1, too
    return kinds


def _kinds_of_schema(schema: Schema) -> dict[str, Kind]:
    """Return the kinds of CSV cells that the columns of a model need."""
    kinds: dict[str, Kind] = {}
    for spec in schema:
        if isinstance(spec, NominalColumn):
            kinds |= _kind_of_values(spec.name, spec.categories)
        elif isinstance(spec.scale, Times):
            if spec.scale.dtype.startswith("datetime64"):
                kinds[spec.name] = "time" if spec.scale.zone is None else "zoned time"
        elif isinstance(spec.scale, Ranks):
            kinds |= _kind_of_values(spec.name, spec.scale.labels)
        else:
            kinds[spec.name] = "number"
    return kinds


def _kind_of_values(name: str, values: Sequence[Any]) -> dict[str, Kind]:
    """Return the kind of CSV cells that these values can be equal to, or an empty dict."""
    kind_of: dict[type, Kind] = {str: "text", bool: "boolean", int: "integer", float: "number"}
    types = {type(v) for v in values}
    only = next(iter(types)) if len(types) == 1 else None
    return {name: kind_of[only]} if only in kind_of else {}
