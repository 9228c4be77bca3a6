"""``polytomy certify``: what the theorems promise about a model, and whether it is true."""

from pathlib import Path
from typing import Any

import typer

from . import options
from .bad_input import BadInputError


def certify(
    model: options.ModelFile,
    data: options.MaybeData = None,
    target: options.MaybeTarget = None,
    weights: options.Weights = None,
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: options.TestFraction = 0.0,
    seed: options.Seed = None,
) -> None:
    """Print a model's certificate; given the table it was fitted on, check it against that.

    Give --weights, --drop-unlabelled, --test-fraction and --seed as they were given to fit. The
    exit code is 1 where anything is not as the certificate states.
    """
    from .models import load_model

    clf = load_model(model)
    if data is None and target is not None:
        raise BadInputError("--target is for checking, which needs DATA")
    if data is not None and target is None:
        raise BadInputError("checking needs the column that was fitted: add --target COL")
    if data is not None and hasattr(clf, "rounds_"):
        raise BadInputError("this model is boosted; only one tree can be checked against its table")
    report = None
    if data is not None and target is not None:
        report = _checked(clf, data, (target, weights), (drop_unlabelled, test_fraction, seed))
    typer.echo(str(clf.certificate_))
    if report is not None:
        typer.echo(f"\n{report}")
    if report is not None and not report.ok:
        raise typer.Exit(1)


def _checked(
    clf: Any,
    data: Path,
    columns: tuple[str, str | None],
    rows: tuple[bool, float, int | None],
) -> Any:
    from polytomy import verify

    from .models import names_of, read_for
    from .sample import Sample, parted
    from .target import labels_in, weights_in, with_labels
    from .wait import Waiting

    target, weights = columns
    drop_unlabelled, test_fraction, seed = rows
    with Waiting("checking"):
        sheet = read_for(clf, data, columns)
        if drop_unlabelled:
            sheet = with_labels(sheet, target)
        labels, weight = labels_in(sheet, target), weights_in(sheet, weights)
        sample, _ = parted(Sample(sheet, names_of(clf), labels, weight), test_fraction, seed)
        return verify(clf, sample.X, sample.labels, sample.weights)
