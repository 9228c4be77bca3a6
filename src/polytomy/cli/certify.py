"""``polytomy certify``: print a model's certificate and verify it against the training data."""

from typing import TYPE_CHECKING, Any

import typer

from . import options
from .errors import FAILED, CommandError

if TYPE_CHECKING:
    from .rows import RowOptions


def certify(
    model: options.ModelFile,
    data: options.OptionalData = None,
    target: options.OptionalTarget = None,
    weights: options.Weights = None,
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: options.FitTestFraction = None,
    seed: options.FitSeed = None,
) -> None:
    """Print a model's certificate and verify it.

    To verify the certificate, give DATA, the file the model was fitted on. A model from `polytomy
    fit` or `polytomy studio` remembers the target, the weights and the rows that were held out, and
    so do models that are made from it. For other models, give --target, --weights,
    --drop-unlabelled, --test-fraction and --seed the same values as for fit. The exit code is 1 if
    there are discrepancies. A forest and a density tree have no certificate, but DATA verifies
    them.
    """
    from polytomy.estimators import record_of

    from .files import is_density, load_model
    from .rows import RowOptions

    clf = load_model(model)
    path = options.one_or_many(data)
    if is_density(clf):
        _certify_density(clf, path, RowOptions(target, weights, drop_unlabelled, test_fraction))
        return
    if path is None and target is not None:
        raise CommandError("--target needs DATA, the file to verify against")
    if path is not None and target is None and record_of(clf) is None:
        raise CommandError("verifying needs the target: add --target COL")
    report = None
    if path is not None:
        report = _verify(
            clf, path, RowOptions(target, weights, drop_unlabelled, test_fraction, seed)
        )
    certificate = getattr(clf, "certificate_", None)
    if certificate is None and report is None:
        raise CommandError(
            "a forest has no certificate; to verify its trees, give DATA and --target"
        )
    typer.echo("\n\n".join(str(part) for part in (certificate, report) if part is not None))
    if report is not None and not getattr(report, "ok", False):
        raise typer.Exit(FAILED)


def _certify_density(model: Any, path: Any, given: "RowOptions") -> None:
    """Print the report of the verifier of a density tree."""
    from polytomy import verify

    from .progress import ProgressBar
    from .rows import read_rows_without_target, verify_formats

    if path is None:
        raise CommandError("a density tree has no certificate; to verify it, give DATA")
    with ProgressBar("verifying"):
        table, weights = read_rows_without_target(model, path, given)
        report = verify(model, table, sample_weight=weights)
        report += verify_formats(model, path, given)
    typer.echo(str(report))
    if not report.ok:
        raise typer.Exit(FAILED)


def _verify(clf: Any, path: Any, given: "RowOptions") -> Any:
    """Return the report of the verifier, or a sentence if the rows cannot be the training rows."""
    from polytomy import verify

    from .progress import ProgressBar
    from .rows import other_rows, read_rows_for, split_like_fit, verify_formats

    with ProgressBar("verifying"):
        split = split_like_fit(clf, read_rows_for(clf, path, given), given)
        problem = other_rows(clf, split.training)
        if problem is not None:
            return f"Not verified: {problem}."
        rows = split.training
        report = verify(clf, rows.table, rows.labels, rows.weights)
        report += verify_formats(clf, path, given)
    if split.note is not None:
        typer.echo(split.note, err=True)
    return report
