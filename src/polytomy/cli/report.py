"""``polytomy report``: write a report about a model as one HTML page."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.io import LabelledTable

    from .rows import RowOptions


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
            default="as the model remembers, or the only other column with its classes or numbers",
            metavar="COL",
        ),
    ] = None,
    weights: options.Weights = None,
    title: Annotated[
        str | None,
        options.option("Title of the page.", default="kind of model and target", metavar="TEXT"),
    ] = None,
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: options.FitTestFraction = None,
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
    The rows that fit held out are the test rows of the report; a model from `polytomy fit`
    remembers them. For other models, give --weights, --drop-unlabelled, --test-fraction and --seed
    the same values as for fit. The report on a density tree shows the mean log-density of DATA and
    of --test.
    """
    from polytomy.report import render

    from .files import check_output, is_density, load_model, write_output
    from .progress import ProgressBar
    from .rows import RowOptions

    path = options.one_or_many(data)
    check_output(output, model, path, test, drift)
    if [str(given) for given in (model, path, test)].count("-") > 1:
        raise CommandError("only one of MODEL, DATA and --test can be stdin")
    rows = RowOptions(target, weights, drop_unlabelled, test_fraction, seed)
    inputs = Inputs(path, test, rows, group, drift)
    with ProgressBar("writing the report"):
        clf = load_model(model)
        found = note = None
        if is_density(clf):
            facts = _density_facts(clf, inputs, title)
        else:
            training, test_rows, note = read_inputs(clf, inputs)
            found = next((r.target for r in (training, test_rows) if r is not None), None)
            heading = title if title is not None or found is None else _title(clf, found)
            more = _decision_arguments(clf, inputs, found)
            facts = clf.report_facts(**_arguments(training, test_rows, heading), **more)
            _label_chosen(clf, test_rows, facts)
        page = render(facts).encode("utf-8")
    _check_training_rows(facts, test_fraction or 0.0)
    write_output(output, page)
    if note is not None:
        typer.echo(note, err=True)
    if found is not None and target is None:
        typer.echo(f"target: {found}", err=str(output) == "-")
    if str(output) != "-":
        typer.echo(f"Wrote {output} ({max(1, round(len(page) / 1000)):,} kB)")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files with rows, and the options that say how to read them."""

    data: Any
    test: Path | None
    rows: "RowOptions"
    group: str | None = None
    drift: Path | None = None


def read_inputs(
    clf: Any, inputs: Inputs
) -> tuple["LabelledTable | None", "LabelledTable | None", str | None]:
    """Return the training rows and the test rows, None if not given, and a note on the split."""
    from .rows import split_like_fit

    _check_inputs(inputs)
    training = test = note = None
    given = inputs.rows
    if inputs.data is not None:
        rows = _read(clf, inputs.data, given)
        given = replace(given, target=rows.target)
        split = split_like_fit(clf, rows, given)
        training, test, note = split.training, split.test, split.note
    if inputs.test is not None:
        test = _read(clf, inputs.test, given)
    return training, test, note


def _read(clf: Any, path: Any, given: "RowOptions") -> "LabelledTable":
    from polytomy.io import check_known_classes

    from .files import classes_of
    from .rows import read_rows_for

    rows = read_rows_for(clf, path, given)
    check_known_classes(rows, classes_of(clf), path)
    return rows


def _label_chosen(clf: Any, test: "LabelledTable | None", facts: dict[str, Any]) -> None:
    """Say so in the facts if the size of the tree was chosen on the test rows."""
    from polytomy.estimators import record_of
    from polytomy.io import fingerprint_of

    record = record_of(clf)
    if record is None or record.chosen_on is None or test is None:
        return
    if fingerprint_of(test) == record.chosen_on:
        facts["summary"]["test_chose_size"] = True


CHOSEN_NOTE = "chosen on these rows, optimistic"
"""What is said of an error on rows that chose the size of the tree."""


def _decision_arguments(clf: Any, inputs: Inputs, target: str | None) -> dict[str, Any]:
    """Return the group of each row that the model is judged by, and the rows of ``--drift``."""
    from polytomy.io import read_for_model

    from .files import schema_of
    from .rows import reading_of

    given: dict[str, Any] = {}
    if inputs.drift is not None:
        given["drift"] = read_for_model(inputs.drift, schema_of(clf), reading_of(clf))
    if inputs.group is not None:
        given["group"] = _groups(clf, inputs, target)
    return given


def _groups(clf: Any, inputs: Inputs, target: str | None) -> Any:
    """Return the group column of the test rows, otherwise of the training rows."""
    from polytomy.estimators.reading.decisions import NamedCells
    from polytomy.io import column_cells

    from .rows import drops_unlabelled, read_column, split_of, split_test_rows

    path = inputs.data if inputs.test is None else inputs.test
    if path is None or target is None:
        raise CommandError("--group needs rows: add DATA or --test")
    if str(path) == "-":
        raise CommandError("--group reads its file twice, so it cannot be stdin")
    assert inputs.group is not None
    asked = replace(inputs.rows, target=target)
    drop = drops_unlabelled(clf, asked)
    table = read_column(path, inputs.group, target, drop_unlabelled=drop)
    if inputs.test is None:
        rows = _read(clf, path, asked)
        fraction, seed, _ = split_of(clf, rows, asked)
        test = split_test_rows(replace(rows, table=table), fraction, seed)[1]
        table = table if test is None else test.table
    return NamedCells(inputs.group, column_cells(table, inputs.group))


def _density_facts(model: Any, inputs: Inputs, title: str | None) -> dict[str, Any]:
    """Return the facts of the report on a density tree; its rows have no target."""
    from .rows import read_rows_without_target

    _check_inputs(inputs)
    if inputs.group is not None or inputs.drift is not None:
        raise CommandError("--group and --drift are for a target, but this is a density tree")
    given: dict[str, Any] = {"title": title}
    for path, ending in ((inputs.data, ""), (inputs.test, "_test")):
        if path is not None:
            table, weights = read_rows_without_target(model, path, inputs.rows)
            given |= {f"X{ending}": table, f"sample_weight{ending}": weights}
    facts: dict[str, Any] = model.report_facts(**given)
    return facts


def _check_inputs(inputs: Inputs) -> None:
    rows = inputs.rows
    if inputs.test is not None and rows.test_fraction:
        raise CommandError("--test and --test-fraction both define the test rows; use one of them")
    given = {"--test-fraction": bool(rows.test_fraction)}
    if inputs.test is None:
        given |= {"--target": rows.target is not None, "--weights": rows.weights is not None}
        given |= {"--drop-unlabelled": rows.drop_unlabelled}
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
