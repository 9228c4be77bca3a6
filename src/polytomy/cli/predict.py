"""``polytomy predict``: predict the class, number or log-density of every row of a data file."""

import csv
import gzip
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .errors import CommandError

if TYPE_CHECKING:
    from polytomy._types import AnyArray, FloatArray
    from polytomy.table import Table

_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": ",", "": ","}


def predict(
    model: options.ModelFile,
    data: options.Data,
    output: Annotated[
        Path,
        options.option(
            "File to write, .csv or .tsv, optionally with .gz; - for stdout.",
            "--output",
            "-o",
            default="-",
            metavar="FILE",
            allow_dash=True,
        ),
    ] = Path("-"),
    proba: Annotated[
        bool,
        options.option("Also write the probability of each class.", "--proba", default="off"),
    ] = False,
    interval: Annotated[
        bool,
        options.option(
            "Also write the 95 % interval of the mean. For regression trees.",
            "--interval",
            default="off",
        ),
    ] = False,
    jobs: options.Jobs = None,
) -> None:
    """Predict the class, number or log-density of every row of a data file.

    The predictions are written as CSV, one line per row of DATA. Columns are matched by name.
    Columns that the model does not use are ignored. A regression tree predicts the mean to expect.
    For a density tree, the log-density and the box of every row are written.
    """
    import numpy as np

    from polytomy.io import read_for_model

    from .files import check_output, is_density, load_model, schema_of, write_output
    from .progress import ProgressBar

    check_output(output, data, model)
    delimiter = delimiter_for(output)
    clf = load_model(model)
    clf.n_jobs = jobs
    _check_kind(clf, proba, interval)
    with ProgressBar("predicting"):
        table = read_for_model(data, schema_of(clf))
        if is_density(clf):
            boxes = {"region": np.array([r.where for r in clf.predict_region(table)], dtype=object)}
            text = to_csv(clf.score_samples(table), boxes, delimiter, "log_density")
        else:
            more = _more_columns(clf, table, proba, interval)
            text = to_csv(clf.predict(table), more, delimiter)
    is_gzip = output.suffix.lower() == ".gz"
    write_output(output, gzip.compress(text, mtime=0) if is_gzip else text)
    if str(output) != "-":
        typer.echo(f"Wrote {table.n_rows:,} predictions to {output}")


def _check_kind(clf: Any, proba: bool, interval: bool) -> None:
    """Raise an error if the model cannot predict what is asked for."""
    from .files import classes_of, ensemble_word, is_density

    if (proba or interval) and is_density(clf):
        raise CommandError("--proba and --interval are for a target, but this is a density tree")
    is_regressor = classes_of(clf) is None
    if proba and is_regressor:
        raise CommandError(
            "--proba is for classes, but this model predicts numbers"
            + ("" if ensemble_word(clf) else "; --interval writes the interval of the mean")
        )
    if interval and not is_regressor:
        raise CommandError(
            "--interval is for regression trees, but this model predicts classes; --proba writes "
            "their probabilities"
        )
    if interval and ensemble_word(clf):
        raise CommandError("--interval is for regression trees, but this model is a forest")


def _more_columns(clf: Any, table: "Table", proba: bool, interval: bool) -> "dict[str, FloatArray]":
    """Return the columns to write after the predictions."""
    if proba:
        names = [f"p_{c}" for c in clf.classes_.tolist()]
        return dict(zip(names, clf.predict_proba(table).T, strict=True))
    return (
        dict(zip(("low", "high"), clf.predict_interval(table).T, strict=True)) if interval else {}
    )


def delimiter_for(output: Path) -> str:
    """Return the delimiter for a file name; raise an error if it is not that of a CSV file."""
    plain = output.with_suffix("") if output.suffix.lower() == ".gz" else output
    if plain.suffix.lower() not in _DELIMITERS:
        raise CommandError(
            f"cannot write {output}: predictions are written as CSV; use the suffix .csv or .tsv"
        )
    return _DELIMITERS[plain.suffix.lower()]


def to_csv(
    predicted: "AnyArray",
    more: Mapping[str, "AnyArray"],
    delimiter: str,
    heading: str = "prediction",
) -> bytes:
    """Return predictions, and more columns by name, as CSV."""
    text = StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow([heading, *more])
    columns = [column.tolist() for column in (predicted, *more.values())]
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue().encode("utf-8")
