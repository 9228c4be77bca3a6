"""``polytomy predict``: a model's answers for the rows of a table."""

import csv
import gzip
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .bad_input import BadInputError

if TYPE_CHECKING:
    from polytomy._types import AnyArray, FloatArray

_SUFFIXES = {".csv": ",", ".tsv": "\t", ".txt": ",", "": ","}


def predict(
    model: options.ModelFile,
    data: options.Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            allow_dash=True,
            help="A .csv or .tsv, plain or .gz; - is stdout.",
        ),
    ] = Path("-"),
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each class.")
    ] = False,
    jobs: options.Jobs = None,
) -> None:
    """Write a line with the class for every row of DATA, in its order.

    Columns go by their names; those the model does not know are ignored.
    """
    from .models import load_model, names_of, read_for
    from .wait import Waiting
    from .write import check_output, write_bytes

    check_output(output, data, model)
    delimiter = delimiter_of(output)
    clf = load_model(model)
    clf.n_jobs = jobs
    with Waiting("predicting"):
        X = read_for(clf, data).select(names_of(clf))
        shares = clf.predict_proba(X) if proba else None
        written = as_csv(clf.predict(X), clf.classes_, shares, delimiter)
    zipped = output.suffix.lower() == ".gz"
    write_bytes(output, gzip.compress(written, mtime=0) if zipped else written)
    if str(output) != "-":
        typer.echo(f"Wrote {X.shape[0]:,} predictions to {output}")


def delimiter_of(output: Path) -> str:
    """Return what goes between cells in a file of this name, or refuse to call it that."""
    plain = output.with_suffix("") if output.suffix.lower() == ".gz" else output
    if plain.suffix.lower() not in _SUFFIXES:
        raise BadInputError(
            f"predictions are written as CSV: call the file .csv or .tsv instead of {output}"
        )
    return _SUFFIXES[plain.suffix.lower()]


def as_csv(
    predicted: "AnyArray", classes: "AnyArray", shares: "FloatArray | None", delimiter: str
) -> bytes:
    """Return predictions, and the shares of the classes if there are any, as lines of text."""
    text = StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    if shares is None:
        writer.writerow(["prediction"])
        writer.writerows([p] for p in predicted.tolist())
    else:
        writer.writerow(["prediction", *(f"p_{c}" for c in classes.tolist())])
        pairs = zip(predicted.tolist(), shares.tolist(), strict=True)
        writer.writerows([p, *row] for p, row in pairs)
    return text.getvalue().encode("utf-8")
