"""``polytomy certify``: print a model's certificate and verify it against the training data."""

from pathlib import Path
from typing import Any

import typer

from . import options
from .errors import FAILED, CommandError


def certify(
    model: options.ModelFile,
    data: options.OptionalData = None,
    target: options.OptionalTarget = None,
    weights: options.Weights = None,
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: options.FitTestFraction = 0.0,
    seed: options.FitSeed = None,
) -> None:
    """Print a model's certificate and verify it.

    To verify the certificate, give DATA, the file the model was fitted on, and --target. Give
    --weights, --drop-unlabelled, --test-fraction and --seed the same values as for fit. The exit
    code is 1 if there are discrepancies.
    """
    from .files import load_classifier

    clf = load_classifier(model)
    if data is None and target is not None:
        raise CommandError("--target needs DATA, the file to verify against")
    if data is not None and target is None:
        raise CommandError("verifying needs the target: add --target COL")
    report = None
    if data is not None and target is not None:
        options_of_fit = (drop_unlabelled, test_fraction, seed)
        report = _verify(clf, data, (target, weights), options_of_fit)
    typer.echo(str(clf.certificate_))
    if report is not None:
        typer.echo(f"\n{report}")
    if report is not None and not report.ok:
        raise typer.Exit(FAILED)


def _verify(
    clf: Any,
    data: Path,
    columns: tuple[str, str | None],
    options_of_fit: tuple[bool, float, int | None],
) -> Any:
    from polytomy import verify

    from .progress import ProgressBar
    from .rows import read_rows_for, split_test_rows

    drop_unlabelled, test_fraction, seed = options_of_fit
    with ProgressBar("verifying"):
        rows = read_rows_for(clf, data, *columns, drop_unlabelled=drop_unlabelled)
        training, _ = split_test_rows(rows, test_fraction, seed)
        return verify(clf, training.table, training.labels, training.weights)
