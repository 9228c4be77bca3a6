"""``polytomy report``: write a report about a model as one HTML page."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.io import LabelledTable


def report(
    model: options.ModelFile,
    data: options.OptionalData = None,
    *,
    output: Annotated[
        Path,
        options.option(
            "HTML file to write; - for stdout.",
            "--output",
            "-o",
            default=None,
            metavar="FILE",
            allow_dash=True,
        ),
    ],
    test: Annotated[
        Path | None,
        options.option("File with test rows.", metavar="FILE", allow_dash=True),
    ] = None,
    target: Annotated[
        str | None,
        options.option(
            "Column to predict.",
            default="the column that contains the classes, or the only other one with numbers",
            metavar="COL",
        ),
    ] = None,
    weights: options.Weights = None,
    title: Annotated[
        str | None,
        options.option("Title of the page.", default="kind of model and target", metavar="TEXT"),
    ] = None,
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: options.FitTestFraction = 0.0,
    seed: options.FitSeed = None,
    group: Annotated[
        str | None,
        options.option(
            "Column with groups of rows, to show the error rates of each group of the test rows, "
            "or of DATA without test rows. The model need not use it.",
            metavar="COL",
        ),
    ] = None,
    drift: Annotated[
        Path | None,
        options.option(
            "File with other rows, to show how far they differ from DATA. Needs no target.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Write a report about a model as one HTML page.

    The page works offline. DATA is the file the model was fitted on; with it the report shows more.
    Give --weights, --drop-unlabelled, --test-fraction and --seed the same values as for fit: the
    rows that fit held out are then the test rows of the report. The report on a density tree shows
    the mean log-density of DATA and of --test.
    """
    from polytomy.report import render

    from .files import check_output, is_density, load_model, write_output
    from .progress import ProgressBar

    check_output(output, model, data, test, drift)
    if [str(path) for path in (model, data, test)].count("-") > 1:
        raise CommandError("only one of MODEL, DATA and --test can be stdin")
    inputs = Inputs(data, test, target, weights, drop_unlabelled, test_fraction, seed, group, drift)
    with ProgressBar("writing the report"):
        clf = load_model(model)
        found = None
        if is_density(clf):
            facts = _density_facts(clf, inputs, title)
        else:
            training, test_rows = read_inputs(clf, inputs)
            found = next((r.target for r in (training, test_rows) if r is not None), None)
            heading = title if title is not None or found is None else _title(clf, found)
            more = _decision_arguments(clf, inputs, found)
            facts = clf.report_facts(**_arguments(training, test_rows, heading), **more)
        page = render(facts).encode("utf-8")
    _check_training_rows(facts, test_fraction)
    write_output(output, page)
    if found is not None and target is None:
        typer.echo(f"target: {found}", err=str(output) == "-")
    if str(output) != "-":
        typer.echo(f"Wrote {output} ({max(1, round(len(page) / 1000)):,} kB)")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files with rows, and the options that say how to read them."""

    data: Path | None
    test: Path | None
    target: str | None
    weights: str | None
    drop_unlabelled: bool
    test_fraction: float
    seed: int | None
    group: str | None = None
    drift: Path | None = None


def read_inputs(clf: Any, inputs: Inputs) -> tuple["LabelledTable | None", "LabelledTable | None"]:
    """Return the training rows and the test rows, each None if not given."""
    from .rows import split_test_rows

    _check_inputs(inputs)
    training = test = None
    target = inputs.target
    if inputs.data is not None:
        training = _read(clf, inputs.data, target, inputs)
        target = training.target
        training, test = split_test_rows(training, inputs.test_fraction, inputs.seed)
    if inputs.test is not None:
        test = _read(clf, inputs.test, target, inputs)
    return training, test


def _read(clf: Any, path: Path, target: str | None, inputs: Inputs) -> "LabelledTable":
    from polytomy.io import check_known_classes

    from .files import classes_of
    from .rows import read_rows_for

    drop = inputs.drop_unlabelled
    rows = read_rows_for(clf, path, target, inputs.weights, drop_unlabelled=drop)
    check_known_classes(rows, classes_of(clf), path)
    return rows


def _decision_arguments(clf: Any, inputs: Inputs, target: str | None) -> dict[str, Any]:
    """Return the group of each row that the model is judged by, and the rows of ``--drift``."""
    from polytomy.io import read_for_model

    from .files import schema_of

    given: dict[str, Any] = {}
    if inputs.drift is not None:
        given["drift"] = read_for_model(inputs.drift, schema_of(clf))
    if inputs.group is not None:
        given["group"] = _groups(clf, inputs, target)
    return given


def _groups(clf: Any, inputs: Inputs, target: str | None) -> Any:
    """Return the group column of the test rows, otherwise of the training rows."""
    from dataclasses import replace

    from polytomy.estimators.decisions import NamedCells
    from polytomy.io.labelled import column_cells

    from .rows import read_column, split_test_rows

    path = inputs.data if inputs.test is None else inputs.test
    if path is None or target is None:
        raise CommandError("--group needs rows: add DATA or --test")
    if str(path) == "-":
        raise CommandError("--group reads its file twice, so it cannot be stdin")
    assert inputs.group is not None
    table = read_column(path, inputs.group, target, drop_unlabelled=inputs.drop_unlabelled)
    if inputs.test is None and inputs.test_fraction:
        rows = replace(_read(clf, path, target, inputs), table=table)
        test = split_test_rows(rows, inputs.test_fraction, inputs.seed)[1]
        table = table if test is None else test.table
    return NamedCells(inputs.group, column_cells(table, inputs.group))


def _density_facts(model: Any, inputs: Inputs, title: str | None) -> dict[str, Any]:
    """Return the facts of the report on a density tree; its rows have no target."""
    from polytomy.io import read_for_model

    from .files import schema_of

    _check_inputs(inputs)
    unused = [inputs.target, inputs.weights, inputs.drop_unlabelled, inputs.test_fraction]
    if any([*unused, inputs.group, inputs.drift]):
        raise CommandError(
            "--target, --weights, --drop-unlabelled, --test-fraction, --group and --drift are for "
            "a target, but this is a density tree"
        )
    data, test = (
        None if path is None else read_for_model(path, schema_of(model))
        for path in (inputs.data, inputs.test)
    )
    facts: dict[str, Any] = model.report_facts(data, X_test=test, title=title)
    return facts


def _check_inputs(inputs: Inputs) -> None:
    if inputs.test is not None and inputs.test_fraction:
        raise CommandError("--test and --test-fraction both define the test rows; use one of them")
    given = {"--test-fraction": inputs.test_fraction != 0}
    if inputs.test is None:
        given |= {"--target": inputs.target is not None, "--weights": inputs.weights is not None}
        given |= {"--drop-unlabelled": inputs.drop_unlabelled}
    for option, is_given in given.items():
        if is_given and inputs.data is None:
            raise CommandError(f"{option} needs rows to apply to: add DATA")


def _check_training_rows(facts: dict[str, Any], test_fraction: float) -> None:
    """Warn if DATA are not the training rows; raise an error if test rows depend on that."""
    note = facts.get("rows_note")
    if note is None:
        return
    if test_fraction:
        raise CommandError(
            "this --test-fraction and --seed hold out other rows than fit did, so the test rows "
            "would include training rows; give both the same values as for fit"
        )
    typer.echo(note, err=True)


def _title(clf: Any, target: str) -> str:
    from .files import classes_of, ensemble_word

    is_regressor = classes_of(clf) is None
    names = {
        "boosted": "Boosted trees",
        "a forest": "Regression forest" if is_regressor else "Forest",
        None: "Regression tree" if is_regressor else "Decision tree",
    }
    return f"{names[ensemble_word(clf)]} for {target}"


def _arguments(
    training: "LabelledTable | None", test: "LabelledTable | None", title: str | None
) -> dict[str, Any]:
    given: dict[str, Any] = {"title": title}
    if training is not None:
        given |= {"X": training.table, "y": training.labels, "sample_weight": training.weights}
    if test is not None:
        given |= {"X_test": test.table, "y_test": test.labels, "sample_weight_test": test.weights}
    return given
