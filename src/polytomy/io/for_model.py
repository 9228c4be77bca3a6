"""Data for a fitted model: cells are read as the types that the model's columns had in training."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from polytomy._errors import DataFileError
from polytomy._types import AnyArray
from polytomy.encode import NominalColumn, Schema
from polytomy.table import OnProgress, Ranks, Table, Times

from .kinds import Kind
from .labelled import (
    LabelledTable,
    column_cells,
    drop_unlabelled_rows,
    labels_from,
    missing_rows,
    weights_from,
)
from .reader import check_columns, display_name, read_table
from .scanning import can_be_scanned, names_many, scan_table
from .tasks import numbers_from

_LISTED = 5  # classes or columns in a message


class TargetNotFoundError(DataFileError):
    """The target was not named, and no column or more than one could be it."""


def read_for_model(path: Any, schema: Schema) -> Table:
    """Read the columns of a fitted model from a file.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.
    schema : Schema
        The columns the model was fitted on.

    Returns
    -------
    Table
        The columns of the model, in its order.
    """
    categorical = [spec.name for spec in schema if spec.kind == "nominal"]
    return read_table(
        path, columns=schema.names, kinds=_kinds_of_schema(schema), categorical=categorical
    )


def read_parts_for_model(
    path: Any, schema: Schema, on_progress: OnProgress | None = None
) -> Iterator[Table]:
    """Read the columns of a fitted model from files, some rows at a time.

    CSV files and standard input are read whole, unless a folder or a pattern names them.

    Parameters
    ----------
    path : str or path-like
        The file, a folder, a pattern such as ``"data/*.parquet"``, or "-" for standard input.
    schema : Schema
        The columns the model was fitted on.
    on_progress : callable, default=None
        Called with a ``ScanProgress`` after every batch that is read.

    Yields
    ------
    Table
        The columns of the model, in its order, of the next rows.
    """
    if not names_many(path) and not can_be_scanned(path):
        yield read_for_model(path, schema)
        return
    table = scan_table(
        path,
        columns=schema.names,
        kinds=_kinds_of_schema(schema),
        categorical=[spec.name for spec in schema if spec.kind == "nominal"],
    )
    for _, part in table.watched(on_progress).parts():
        yield part


def read_labelled_for_model(
    path: Any,
    schema: Schema,
    classes: AnyArray | None,
    *,
    target: str | None = None,
    weights: str | None = None,
    drop_unlabelled: bool = False,
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

    Returns
    -------
    LabelledTable
        The rows. Their labels need not all be classes of the model; see ``check_known_classes``.
    """
    kinds = _kinds_of_schema(schema)
    if target is not None and classes is None:
        kinds[target] = "number"
    elif target is not None:
        kinds |= _kind_of_values(target, np.asarray(classes).tolist())
        if kinds.get(target) == "integer":
            kinds[target] = "number"  # 1.0 is class 1, too
    extra = [name for name in (target, weights) if name is not None]
    wanted = [*schema.names, *extra]
    categorical = [spec.name for spec in schema if spec.kind == "nominal"]
    table: Table = (scan_table if names_many(path) else read_table)(
        path, columns=None if target is None else wanted, kinds=kinds, categorical=categorical
    )
    check_columns(wanted, table.names, display_name(path))
    if target is None:
        others = [name for name in table.names if name not in (*schema.names, weights)]
        target = _find_target(table.select(others), classes, display_name(path))
    if drop_unlabelled:
        table = drop_unlabelled_rows(table, target)
    predictors, case_weights = table.select(schema.names), weights_from(table, weights)
    labelled = table.loaded([target])
    if classes is None:
        numbers = numbers_from(labelled, target)
        return LabelledTable(predictors, numbers, case_weights, target, "regression")
    labels = _as_classes(labels_from(labelled, target), classes)
    return LabelledTable(predictors, labels, case_weights, target)


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
