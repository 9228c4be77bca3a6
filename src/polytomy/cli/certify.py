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
    from .files import load_predictor

    clf = load_predictor(model)
    if data is None and target is not None:
        raise CommandError("--target needs DATA, the file to verify against")
    if data is not None and target is None:
        raise CommandError("verifying needs the target: add --target COL")
    report = None
    if data is not None and target is not None:
        options_of_fit = (drop_unlabelled, test_fraction, seed)
        report = _verify(clf, data, (target, weights), options_of_fit)
    certificate = getattr(clf, "certificate_", None)
    if certificate is None and report is None:
        raise CommandError(
            "a forest has no certificate; to verify its trees, give DATA and --target"
        )
    typer.echo("\n\n".join(str(part) for part in (certificate, report) if part is not None))
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
