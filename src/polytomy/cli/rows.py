"""The rows of a data file as the options describe them: training and test rows, their error."""

import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polytomy import __version__
from polytomy._resample import hold_out
from polytomy._text import one_line, percent
from polytomy.certify.verify import Ledger, Report
from polytomy.estimators import record_of
from polytomy.io import (
    Pieces,
    TrainingRecord,
    differing_formats,
    display_name,
    fingerprint_of,
    fingerprint_of_table,
    names_many,
    read_labelled_for_model,
    read_table,
    read_training_data,
    read_weighted_for_model,
    scan_table,
)
from polytomy.io.labelled import drop_unlabelled_rows
from polytomy.io.reader import check_columns
from polytomy.table import ScannedTable, Table

from .errors import CommandError
from .files import STDIO, classes_of, schema_of

if TYPE_CHECKING:
    from polytomy._types import FloatArray
    from polytomy.io import ColumnRoles, LabelledTable, Reading, ReadingOptions
    from polytomy.table import Table

    from .progress import ProgressBar


def pieces_of(path: Any, lazy: bool, cache: Path | None, bar: "ProgressBar") -> "Pieces | None":
    """Return how to read a table in pieces; None if it is read whole."""
    if cache is not None and not cache.is_dir():
        raise CommandError(f"--cache must be an existing folder, got {cache}")
    if not (lazy or cache is not None or names_many(path)):
        return None
    if str(path) == STDIO:
        raise CommandError("stdin cannot be read in pieces; write it to a file first")
    return Pieces(cache, bar.show)


def read_training_rows(
    path: Any,
    roles: "ColumnRoles",
    *,
    drop_unlabelled: bool,
    task: Any = "auto",
    pieces: "Pieces | None" = None,
    options: "ReadingOptions | None" = None,
) -> tuple["LabelledTable", list[str]]:
    """Return the rows to fit on, and lines about the task, the cells and columns left out."""
    check_roles(roles)
    if pieces is None and names_many(path):
        raise CommandError(f"{display_name(path)} is read in pieces, which this command cannot do")
    rows, identifiers = read_training_data(
        path, roles, drop_unlabelled=drop_unlabelled, task=task, pieces=pieces, options=options
    )
    notes = [] if task != "auto" else _note_on_task(rows)
    left_out = {column.name for column in identifiers}
    kept = [n for n in rows.reading.notes if n.column not in left_out or n.stays_text]
    notes += [note.for_command_line for note in kept]
    for c in identifiers:
        remedy = f" (use --{c.keep_as} {c.name} to keep it)" if c.keep_as else ""
        notes.append(f"left out column {c.name}: {c.reason}{remedy}")
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


def check_roles(roles: "ColumnRoles") -> None:
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


def reading_of(clf: Any) -> "ReadingOptions | None":
    """Return how the text of a model's training data was read, if that is known."""
    record = record_of(clf)
    return None if record is None else record.reading


@dataclass(frozen=True, slots=True)
class RowOptions:
    """The options of a command that say which rows of a file are meant; None if not given.

    What is not given is taken from the model, if it remembers its training data.
    """

    target: str | None = None
    weights: str | None = None
    drop_unlabelled: bool = False
    test_fraction: float | None = None
    seed: int | None = None


def read_rows_for(clf: Any, path: Any, options: RowOptions) -> "LabelledTable":
    """Return the rows of a file with the columns and classes of a fitted model."""
    record = record_of(clf)
    target, weights, drop_unlabelled = options.target, options.weights, options.drop_unlabelled
    if record is not None:
        same = target in (None, record.target)
        target = record.target if target is None else target
        weights = record.weights if weights is None and same else weights
        drop_unlabelled = drops_unlabelled(clf, options)
    return read_labelled_for_model(
        path,
        schema_of(clf),
        classes_of(clf),
        target=target,
        weights=weights,
        drop_unlabelled=drop_unlabelled,
        options=reading_of(clf),
    )


def verify_formats(clf: Any, path: Any, options: RowOptions) -> Report:
    """Check the formats of numbers and dates that a model remembers against its training file."""
    ledger, record = Ledger(), record_of(clf)
    if record is None:
        return ledger.report()
    if str(path) == STDIO:
        if record.reading.formats:
            ledger.note("the formats of numbers and dates: stdin is read only once.")
        return ledger.report()
    target = record.target if options.target is None else options.target
    weights = record.weights if options.weights is None else options.weights
    compared, differing = differing_formats(
        path, schema_of(clf), classes_of(clf), record.reading, target=target, weights=weights
    )
    if compared:
        ledger.begin("formats of numbers and dates in the training file")
        ledger.count(compared - len(differing))
    for name, (stated, found) in differing.items():
        words = [f"as {form}" if form else "without a format" for form in (stated, found)]
        where = f"training.reading.formats, column {one_line(name)}"
        ledger.holds(False, where, f"is read {words[0]}, but the file is written {words[1]}")
    return ledger.report()


def read_rows_without_target(
    model: Any, path: Any, options: RowOptions
) -> tuple["Table", "FloatArray | None"]:
    """Return the rows of a file with the columns of a density tree, and their weights."""
    record, weights = record_of(model), options.weights
    if options.target is not None or options.drop_unlabelled or options.test_fraction:
        raise CommandError(
            "--target, --drop-unlabelled and --test-fraction are for a target, but this is a "
            "density tree"
        )
    if names_many(path):
        raise CommandError(
            f"{display_name(path)} is read in pieces, which commands for density trees cannot do"
        )
    if record is not None and weights is None:
        weights = record.weights
    return read_weighted_for_model(path, schema_of(model), weights, reading_of(model))


@dataclass(frozen=True, slots=True)
class SplitRows:
    """Rows that a model was fitted on, and the test rows of the same file.

    Attributes
    ----------
    training, test : LabelledTable
        The rows; ``test`` is None without test rows.
    note : str or None
        A sentence if the split is the one that the model remembers.
    """

    training: "LabelledTable"
    test: "LabelledTable | None"
    note: str | None = None


def split_like_fit(clf: Any, rows: "LabelledTable", options: RowOptions) -> SplitRows:
    """Split rows as fit did: by the options, or as the model remembers if the file is the same."""
    fraction, seed, is_remembered = split_of(clf, rows, options)
    training, test = split_test_rows(rows, fraction, seed)
    if not is_remembered:
        return SplitRows(training, test)
    n_test = 0 if test is None else len(test)
    note = (
        f"This is the training file: {len(training):,} rows were fitted and {n_test:,} held out "
        f"(--test-fraction {fraction:g} --seed {seed})."
    )
    return SplitRows(training, test, note)


def split_of(
    clf: Any, rows: "LabelledTable", options: RowOptions
) -> tuple[float, int | None, bool]:
    """Return the fraction and the seed of test rows, and whether the model remembers them."""
    record = record_of(clf)
    seed = options.seed
    if record is not None and seed is None:
        seed = record.seed
    if options.test_fraction is not None or record is None or not record.test_fraction:
        return options.test_fraction or 0.0, seed, False
    if not is_training_file(clf, rows):
        return 0.0, seed, False
    return record.test_fraction, record.seed, True


def is_training_file(clf: Any, rows: "LabelledTable") -> bool:
    """Return whether rows are all those of the file that a model remembers to be fitted on."""
    record = record_of(clf)
    if record is None or record.fingerprint is None or record.n_rows != len(rows):
        return False
    return fingerprint_of(rows) == record.fingerprint


def drops_unlabelled(clf: Any, options: RowOptions) -> bool:
    """Return whether rows without a target are left out, by an option or as in training."""
    record = record_of(clf)
    return options.drop_unlabelled or (record is not None and record.drop_unlabelled)


def rows_fitted(clf: Any) -> int | None:
    """Return the number of rows that a model was fitted on, if that is known."""
    record = record_of(clf)
    if record is not None:
        return record.n_fitted
    fit_record = getattr(clf, "_fit_record", None)
    return None if fit_record is None else int(fit_record.n_rows)


def other_rows(clf: Any, rows: "LabelledTable") -> str | None:
    """Return what is wrong if rows are not as many as the model was fitted on; otherwise None."""
    n_fitted = rows_fitted(clf)
    if n_fitted is None or n_fitted == len(rows):
        return None
    return (
        f"{n_fitted:,} rows were fitted, {len(rows):,} given; give the file that fit was given, "
        "with the same --test-fraction and --seed"
    )


def are_training_rows(clf: Any, rows: "LabelledTable") -> bool:
    """Return whether as many rows reach each leaf of a tree as did in training."""
    n_fitted = rows_fitted(clf)
    tree = clf.tree_
    if n_fitted != len(rows) or n_fitted != int(tree.rows[0]):
        return False
    reached = np.bincount(clf.apply(rows.table), minlength=len(tree.rows))
    leaves = np.flatnonzero(reached)
    return bool((reached[leaves] == tree.rows[leaves]).all())


def record_without_file(
    clf: Any, target: str | None, weights: str | None = None
) -> "TrainingRecord":
    """Return the record of a model whose training rows are not in this process."""
    n = rows_fitted(clf) or 1
    return TrainingRecord(target, n, n, __version__, _now(), weights=weights)


def new_record(
    rows: "LabelledTable",
    n_fitted: int,
    roles: "ColumnRoles",
    reading: "ReadingOptions",
    split: tuple[float, int | None],
    *,
    drop_unlabelled: bool,
) -> "TrainingRecord":
    """Return what a model file remembers of its training data.

    ``split`` is the fraction of the rows that was held out, and the random seed that chose them.
    """
    fraction, seed = split
    return TrainingRecord(
        target=roles.target,
        n_rows=len(rows),
        n_fitted=n_fitted,
        version=__version__,
        time=_now(),
        test_fraction=float(fraction),
        seed=seed or 0,
        weights=roles.weights,
        drop_unlabelled=drop_unlabelled,
        reading=replace(reading, formats=rows.reading.formats),
        fingerprint=fingerprint_of(rows),
    )


def record_of_table(
    table: "Table",
    weights: Any,
    weights_name: str | None,
    reading: "Reading",
    options: "ReadingOptions",
) -> "TrainingRecord":
    """Return what the file of a density tree remembers of its rows, which have no target."""
    return TrainingRecord(
        target=None,
        n_rows=table.n_rows,
        n_fitted=table.n_rows,
        version=__version__,
        time=_now(),
        weights=weights_name,
        reading=replace(options, formats=reading.formats),
        fingerprint=fingerprint_of_table(table, None, weights),
    )


def _now() -> str:
    """Return the time in UTC; SOURCE_DATE_EPOCH makes model files reproducible."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


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
    return with_names(clf, rows.table)


def with_names(model: Any, table: "Table") -> Any:
    """Return an estimator whose ``feature_names_in_`` are the names of a table's columns."""
    model.feature_names_in_ = np.array(table.names, dtype=object)
    return model


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
        error = percent(error_rate(predicted, rows), 1)
        costs = getattr(clf._model, "costs", None)
        if costs is None:
            return error
        return f"{error} (cost {clf.cost(rows.table, rows.labels, rows.weights):.4g} per row)"
    return describe_squared_error(r2(predicted, rows), mean_squared_error(predicted, rows))


def describe_squared_error(score: float, error: float) -> str:
    """Return R2 and a mean squared error as text."""
    return f"R2 {score:.3f}, mean squared error {error:.4g}"
