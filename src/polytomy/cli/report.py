"""``polytomy report``: a model as one HTML page to look at, keep and send."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .bad_input import BadInputError

if TYPE_CHECKING:
    from .sample import Sample


def report(
    model: options.ModelFile,
    data: options.MaybeData = None,
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", allow_dash=True, help="The page; - is stdout."
        ),
    ],
    test: Annotated[
        Path | None,
        typer.Option(metavar="DATA", allow_dash=True, help="Rows the model was not fitted on."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            show_default="the one that holds the classes",
            help="The column the model tells.",
        ),
    ] = None,
    weights: options.Weights = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the page is called.")
    ] = None,
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: options.TestFraction = 0.0,
    seed: options.Seed = None,
) -> None:
    """Write a model as one HTML page that needs no network; with DATA, what they tell, too.

    DATA are the rows the model was fitted on. Give --weights, --drop-unlabelled, --test-fraction
    and --seed as they were given to fit; the rows then kept back are the page's test rows.
    """
    from polytomy.report.html import render

    from .models import load_model
    from .report_rows import Asked, rows_for
    from .wait import Waiting
    from .write import check_output, write_bytes

    check_output(output, model, data, test)
    if [str(path) for path in (model, data, test)].count("-") > 1:
        raise BadInputError("only one of MODEL, DATA and --test can be stdin")
    asked = Asked(data, test, target, weights, drop_unlabelled, test_fraction, seed)
    with Waiting("reporting"):
        clf = load_model(model)
        rows = rows_for(clf, asked)
        called = title if title is not None or rows.target is None else _title(clf, rows.target)
        facts = clf.report_facts(**_given(rows.training, rows.test, called))
        page = render(facts).encode("utf-8")
    _tell_of_strangers(facts, test_fraction)
    write_bytes(output, page)
    if rows.target is not None and target is None:
        typer.echo(f"target: {rows.target}", err=str(output) == "-")
    if str(output) != "-":
        typer.echo(f"Wrote {output} ({max(1, round(len(page) / 1000)):,} kB)")


def _tell_of_strangers(facts: dict[str, Any], test_fraction: float) -> None:
    """Say where the rows are not those fitted on; refuse test rows that may be among those."""
    note = facts.get("rows_note")
    if note is None:
        return
    if test_fraction:
        raise BadInputError(
            "--test-fraction and --seed leave other rows than the model was fitted on, so what "
            "they keep back are no test rows; give both as fit had them"
        )
    typer.echo(note, err=True)


def _title(clf: Any, target: str) -> str:
    return f"{'Boosted trees' if hasattr(clf, 'rounds_') else 'Decision tree'} for {target}"


def _given(training: "Sample | None", test: "Sample | None", title: str | None) -> dict[str, Any]:
    given: dict[str, Any] = {"title": title}
    if training is not None:
        given |= {"X": training.X, "y": training.labels, "sample_weight": training.weights}
    if test is not None:
        given |= {"X_test": test.X, "y_test": test.labels, "sample_weight_test": test.weights}
    return given
