"""The rows of a data file as the options describe them: training and test rows, their error."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polytomy._resample import hold_out
from polytomy.io import (
    Pieces,
    display_name,
    names_many,
    read_labelled_for_model,
    read_table,
    read_training_data,
    scan_table,
)
from polytomy.io.labelled import drop_unlabelled_rows
from polytomy.io.reader import check_columns
from polytomy.table import ScannedTable, Table

from .errors import CommandError
from .files import STDIO, classes_of, schema_of

if TYPE_CHECKING:
    from polytomy.io import ColumnRoles, LabelledTable

    from .progress import ProgressBar


def pieces_of(path: Path, lazy: bool, cache: Path | None, bar: "ProgressBar") -> "Pieces | None":
    """Return how to read a table in pieces; None if it is read whole."""
    if cache is not None and not cache.is_dir():
        raise CommandError(f"--cache must be an existing folder, got {cache}")
    if not (lazy or cache is not None or names_many(path)):
        return None
    if str(path) == STDIO:
        raise CommandError("stdin cannot be read in pieces; write it to a file first")
    return Pieces(cache, bar.show)


def read_training_rows(
    path: Path,
    roles: "ColumnRoles",
    *,
    drop_unlabelled: bool,
    task: Any = "auto",
    pieces: "Pieces | None" = None,
) -> tuple["LabelledTable", list[str]]:
    """Return the rows to fit on, a line about the task, and one about each column left out."""
    _check_roles(roles)
    if pieces is None and names_many(path):
        raise CommandError(f"{path} is read in pieces, which this command cannot do")
    rows, identifiers = read_training_data(
        path, roles, drop_unlabelled=drop_unlabelled, task=task, pieces=pieces
    )
    notes = [] if task != "auto" else _note_on_task(rows)
    notes += [
        f"left out column {c.name}: {c.reason} (use --{c.keep_as} {c.name} to keep it)"
        for c in identifiers
    ]
    return rows, notes


def _note_on_task(rows: "LabelledTable") -> list[str]:
    """Return the line that tells which task was chosen for a numeric target."""
    n = len(np.unique(rows.labels))
    if rows.labels.dtype.kind not in "iuf" or n == 2:
        return []
    chosen, other = (
        ("numbers: fitting a regression model", "classification")
        if rows.task == "regression"
        else ("whole numbers: taken for classes", "regression")
    )
    may_override = not (rows.labels % 1 != 0).any()  # numbers with decimals cannot be classes
    ending = f"; --task {other} overrides" if may_override else ""
    return [f"{rows.target} has {n:,} distinct {chosen}{ending}"]


def _check_roles(roles: "ColumnRoles") -> None:
    """Raise an error if a column has two roles."""
    both = sorted(set(roles.categorical) & set(roles.numeric))
    if both:
        raise CommandError(f"column {both[0]!r} cannot be both --categorical and --numeric")
    lists = {"--categorical": roles.categorical, "--numeric": roles.numeric, "--drop": roles.drop}
    for name, role in ((roles.target, "the target"), (roles.weights, "the weights")):
        for option, names in lists.items():
            if name in names:
                raise CommandError(f"column {name!r} is {role} and cannot be given to {option}")
    if roles.weights == roles.target:
        raise CommandError(f"column {roles.target!r} cannot be both the target and the weights")


def read_rows_for(
    clf: Any,
    path: Path,
    target: str | None,
    weights: str | None,
    *,
    drop_unlabelled: bool = False,
) -> "LabelledTable":
    """Return the rows of a file with the columns and classes of a fitted model."""
    return read_labelled_for_model(
        path,
        schema_of(clf),
        classes_of(clf),
        target=target,
        weights=weights,
        drop_unlabelled=drop_unlabelled,
    )


def read_column(path: Path, name: str, target: str, *, drop_unlabelled: bool) -> Table:
    """Return one more column of the rows that ``read_rows_for`` returns, as a table."""
    table: Table = (scan_table if names_many(path) else read_table)(
        path, columns=list(dict.fromkeys([name, target]))
    )
    check_columns([name, target], table.names, display_name(path))
    if drop_unlabelled:
        table = drop_unlabelled_rows(table, target)
    return table.loaded([name])


def split_test_rows(
    rows: "LabelledTable", fraction: float, seed: int | None
) -> tuple["LabelledTable", "LabelledTable | None"]:
    """Split rows into training and test rows, stratified by class; None without test rows."""
    if not 0 <= fraction < 1:
        raise CommandError(f"--test-fraction must be at least 0 and less than 1, got {fraction:g}")
    if fraction == 0:
        return rows, None
    training, test = hold_out(rows.strata, fraction, np.random.RandomState(seed or 0))
    if not len(test):
        raise CommandError(
            f"--test-fraction {fraction:g} of {len(rows)} rows is less than one row; "
            "use a larger fraction"
        )
    return rows.take(training), rows.take(test)


def fit_rows(clf: Any, rows: "LabelledTable", bar: "ProgressBar | None" = None) -> Any:
    """Fit an estimator; its ``feature_names_in_`` are the names of the columns."""
    table = rows.table
    if isinstance(table, ScannedTable):
        table = table.watched(None if bar is None else bar.show)
    clf.fit(table, rows.labels, sample_weight=rows.weights)
    clf.feature_names_in_ = np.array(rows.table.names, dtype=object)
    return clf


def error_rate(predicted: Any, rows: "LabelledTable") -> float:
    """Return the fraction of the weight of rows that is predicted wrongly."""
    return float(np.average(predicted != rows.labels, weights=rows.weights))


def mean_squared_error(predicted: Any, rows: "LabelledTable") -> float:
    """Return the weighted mean of the squared errors of predicted numbers."""
    return float(np.average((predicted - rows.labels) ** 2, weights=rows.weights))


def mean_absolute_error(predicted: Any, rows: "LabelledTable") -> float:
    """Return the weighted mean of the absolute errors of predicted numbers."""
    return float(np.average(np.abs(predicted - rows.labels), weights=rows.weights))


def r2(predicted: Any, rows: "LabelledTable") -> float:
    """Return the fraction of the variance of the numbers that is explained; NaN without any."""
    mean = np.average(rows.labels, weights=rows.weights)
    variance = mean_squared_error(mean, rows)
    return 1 - mean_squared_error(predicted, rows) / variance if variance > 0 else float("nan")


def describe_error(clf: Any, rows: "LabelledTable") -> str:
    """Return the error of a model on rows: a percentage, or R2 and the mean squared error."""
    predicted = clf.predict(rows.table)
    if rows.task == "classification":
        error, costs = f"{error_rate(predicted, rows):.1%}", getattr(clf._model, "costs", None)
        if costs is None:
            return error
        return f"{error} (cost {clf.cost(rows.table, rows.labels, rows.weights):.4g} per row)"
    return describe_squared_error(r2(predicted, rows), mean_squared_error(predicted, rows))


def describe_squared_error(score: float, error: float) -> str:
    """Return R2 and a mean squared error as text."""
    return f"R2 {score:.3f}, mean squared error {error:.4g}"
