"""``polytomy predict``: predict the class of every row of a data file."""

import csv
import gzip
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .errors import CommandError

if TYPE_CHECKING:
    from polytomy._types import AnyArray, FloatArray

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
    jobs: options.Jobs = None,
) -> None:
    """Predict the class of every row of a data file, or its log-density.

    The predictions are written as CSV, one line per row of DATA. Columns are matched by name.
    Columns that the model does not use are ignored. For a density tree, the log-density and the
    box of every row are written.
    """
    from polytomy.io import read_for_model

    from .files import check_output, is_density, load_model, schema_of, write_output
    from .progress import ProgressBar

    check_output(output, data, model)
    delimiter = delimiter_for(output)
    clf = load_model(model)
    clf.n_jobs = jobs
    if proba and is_density(clf):
        raise CommandError("--proba applies to a classifier, but this is a density tree")
    with ProgressBar("predicting"):
        table = read_for_model(data, schema_of(clf))
        if is_density(clf):
            text = densities_to_csv(clf, table, delimiter)
        else:
            probabilities = clf.predict_proba(table) if proba else None
            text = to_csv(clf.predict(table), clf.classes_, probabilities, delimiter)
    is_gzip = output.suffix.lower() == ".gz"
    write_output(output, gzip.compress(text, mtime=0) if is_gzip else text)
    if str(output) != "-":
        typer.echo(f"Wrote {table.n_rows:,} predictions to {output}")


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
    classes: "AnyArray",
    probabilities: "FloatArray | None",
    delimiter: str,
) -> bytes:
    """Return predictions, and the probabilities of the classes if given, as CSV."""
    text = StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    if probabilities is None:
        writer.writerow(["prediction"])
        writer.writerows([p] for p in predicted.tolist())
    else:
        writer.writerow(["prediction", *(f"p_{c}" for c in classes.tolist())])
        pairs = zip(predicted.tolist(), probabilities.tolist(), strict=True)
        writer.writerows([p, *row] for p, row in pairs)
    return text.getvalue().encode("utf-8")


def densities_to_csv(model: Any, table: Any, delimiter: str) -> bytes:
    """Return the log-density and the box of each row as CSV."""
    text = StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["log_density", "region"])
    regions = [region.where for region in model.predict_region(table)]
    writer.writerows(zip(model.score_samples(table).tolist(), regions, strict=True))
    return text.getvalue().encode("utf-8")
