"""``polytomy studio``: grow and edit a tree by hand on a local page."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.io import ColumnRoles, LabelledTable, TrainingRecord
    from polytomy.studio import Application, StudioRows, StudioServer

DEFAULT_FRACTION = 0.25  # of the rows that are held out


class StudioCommand(options.LateHelpCommand):
    """The command ``studio``, whose help states the rule of ``--task auto``."""

    def complete_help(self, params: dict[str, Any]) -> None:
        """Complete the help of ``--task``."""
        self.complete_task(params)


def studio(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA|MODEL",
            help="Data file, as for `polytomy fit`; or a model file, followed by its data file. "
            "--teach needs none.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Argument(metavar="DATA", help="Data file that the model was fitted on."),
    ] = None,
    *,
    target: Annotated[
        str | None,
        options.option(
            "Column to predict; needed without a model.",
            "--target",
            default="that of the model",
            metavar="COL",
        ),
    ] = None,
    task: options.TaskOption = "auto",
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    numeric: options.Numeric = None,
    drop: options.Drop = None,
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: Annotated[
        float | None,
        options.option(
            "Hold out this fraction of rows for the held-out error.",
            "--test-fraction",
            default=f"{DEFAULT_FRACTION}, or what the model left out",
            metavar="F",
        ),
    ] = None,
    test: Annotated[
        Path | None,
        options.option(
            "File with rows for the held-out error; the tree is then grown on all rows of DATA.",
            "--test",
            metavar="FILE",
        ),
    ] = None,
    seed: Annotated[
        int | None, options.seed_option("Random seed of the choice of held-out rows.", "0")
    ] = None,
    port: Annotated[
        int,
        options.option("Port of the page.", "--port", default="any free one", metavar="N"),
    ] = 0,
    teach: Annotated[
        bool,
        options.option(
            "Open the classroom instead: guess splits before seeing their gains, and play the "
            "games of the theory.",
            "--teach",
            default="off",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        options.option(
            "Existing folder for the files that are saved, and for autosave.json: the model after "
            "every edit.",
            "--output",
            "-o",
            default="the browser downloads them",
            metavar="DIR",
        ),
    ] = None,
    no_browser: Annotated[
        bool, options.option("Do not open a browser.", "--no-browser", default="off")
    ] = False,
) -> None:
    """Grow and edit a tree by hand on a local page.

    The page is served to this machine only, and its URL contains a random token. Stop with Ctrl-C.
    """
    from polytomy.studio import StudioServer, Workbench, studio_application

    from .progress import ProgressBar

    given = dict(locals())
    if not 0 <= port <= 65535:
        raise typer.BadParameter(f"must be from 0 to 65535, got {port}", param_hint="--port")
    if teach:
        serve(StudioServer(_classroom(given), port), browser=not no_browser)
        return
    if file is None:
        raise CommandError("name a data file or a model file; --teach needs none")
    if test is not None and test_fraction is not None:
        raise CommandError("--test and --test-fraction cannot be used together")
    if output is not None and not output.is_dir():
        raise CommandError(f"--output must be an existing folder, got {output}")
    with ProgressBar("reading"):
        if data is not None:
            (estimator, rows, notes), record = _from_model(given), None
        else:
            estimator, rows, notes, record = _from_data(given)
        workbench = Workbench(rows, estimator, output, _reopening(given), record)
        if test is not None:
            fitted = estimator if data is not None else workbench.session.estimator()
            held_out = _read_test_rows(given, fitted, rows.training)
            workbench.hold_out(held_out)
            notes += _notes_on_test_rows(held_out, fitted, rows.training)
    for note in notes:
        typer.echo(note, err=True)
    serve(StudioServer(studio_application(workbench), port), browser=not no_browser)


def serve(server: "StudioServer", *, browser: bool) -> None:
    """Print the URL of a server, open it in a browser, and serve until Ctrl-C."""
    import webbrowser

    typer.echo(f"The studio is at {server.url}\nStop it with Ctrl-C.")
    if browser:
        webbrowser.open(server.url)
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        typer.echo("\nThe studio was stopped.")
    finally:
        server.server_close()


def _classroom(given: dict[str, Any]) -> "Application":
    """Return the classroom, about the rows of a data file if one is given."""
    from polytomy.studio.classroom import Classroom, classroom_application

    if given["data"] is not None:
        raise CommandError("--teach takes a data file, not a model")
    for name in ("test", "test_fraction"):
        if given[name] is not None:
            option = f"--{name.replace('_', '-')}"
            raise CommandError(f"{option} is not used with --teach, which holds out no rows")
    if given["file"] is None:
        return classroom_application(Classroom())
    rows, notes, _ = _read_rows(given)
    for note in notes:
        typer.echo(note, err=True)
    return classroom_application(Classroom(rows))


def _read_rows(given: dict[str, Any]) -> tuple["LabelledTable", list[str], "ColumnRoles"]:
    """Return the rows of a data file, notes on them, and the roles of their columns."""
    from polytomy.io import ColumnRoles

    from .rows import read_training_rows

    if given["target"] is None:
        raise CommandError(
            "name the column to predict with --target COL, or the data file after a model file"
        )
    lists = (tuple(given[name] or ()) for name in ("categorical", "numeric", "drop"))
    roles = ColumnRoles(given["target"], given["weights"], *lists)
    rows, notes = read_training_rows(
        given["file"], roles, drop_unlabelled=given["drop_unlabelled"], task=given["task"]
    )
    return rows, notes, roles


def _read_test_rows(
    given: dict[str, Any], estimator: Any, training: "LabelledTable"
) -> "LabelledTable":
    """Return the rows of the file with test rows, read like the training rows of an estimator."""
    from polytomy.io import ReadingOptions, read_labelled_for_model

    from .files import classes_of, schema_of
    from .rows import RowOptions, read_rows_for, reading_of

    if reading_of(estimator) is not None:
        asked = RowOptions(given["target"], given["weights"], given["drop_unlabelled"])
        return read_rows_for(estimator, given["test"], asked)
    return read_labelled_for_model(
        given["test"],
        schema_of(estimator),
        classes_of(estimator),
        target=training.target,
        weights=given["weights"],
        drop_unlabelled=given["drop_unlabelled"],
        options=ReadingOptions(formats=training.reading.formats),
    )


def _notes_on_test_rows(
    held_out: "LabelledTable", estimator: Any, training: "LabelledTable"
) -> list[str]:
    """Return a note if the test rows are those that the tree is grown on."""
    from polytomy.io import fingerprint_of

    from .rows import is_training_file

    same = len(held_out) == len(training) and fingerprint_of(held_out) == fingerprint_of(training)
    if not same and not is_training_file(estimator, held_out):
        return []
    return ["the rows of --test are those of the fit, so the held-out error is optimistic"]


def _from_data(
    given: dict[str, Any],
) -> tuple[Any, "StudioRows", list[str], "TrainingRecord"]:
    """Return an estimator that is not fitted, the rows, notes on them, and a record of them."""
    from polytomy.io import ReadingOptions
    from polytomy.studio import StudioRows

    from .fit import make_estimator
    from .rows import new_record, split_test_rows

    rows, notes, roles = _read_rows(given)
    fraction = given["test_fraction"]
    if fraction is None:
        fraction = DEFAULT_FRACTION if given["test"] is None else 0.0
    split, drops = (fraction, given["seed"]), given["drop_unlabelled"]
    training, held_out = split_test_rows(rows, *split)
    record = new_record(rows, len(training), roles, ReadingOptions(), split, drop_unlabelled=drops)
    estimator = make_estimator({}, rows.task)
    if given["categorical"]:
        estimator.set_params(categorical_features=list(given["categorical"]))
    return estimator, StudioRows(training, held_out), notes, record


def _from_model(given: dict[str, Any]) -> tuple[Any, "StudioRows", list[str]]:
    """Return the estimator of a model file, the rows, and notes on them."""
    from polytomy.studio import StudioRows

    from .files import ensemble_word, load_predictor
    from .rows import RowOptions, read_rows_for, split_of, split_test_rows

    for name in ("categorical", "numeric", "drop"):
        if given[name]:
            raise CommandError(f"--{name} is for data without a model: the model has its columns")
    estimator = load_predictor(given["file"])
    word = ensemble_word(estimator)
    if word is not None:
        raise CommandError(f"{given['file']} is {word} model; the studio edits single trees")
    asked = RowOptions(
        *(given[n] for n in ("target", "weights", "drop_unlabelled", "test_fraction", "seed"))
    )
    rows, n_fitted = read_rows_for(estimator, given["data"], asked), estimator._fit_record.n_rows
    fraction, seed, is_remembered = split_of(estimator, rows, asked)
    if asked.test_fraction is None and not is_remembered and given["test"] is None:
        fraction = DEFAULT_FRACTION if n_fitted < len(rows) else 0.0  # as an older studio held out
    training, held_out = split_test_rows(rows, fraction, seed)
    if len(training) != n_fitted:
        raise CommandError(
            f"the model was fitted on {n_fitted:,} rows, and {len(training):,} of {len(rows):,} "
            "are given; give --test-fraction and --seed the same values as for fit"
        )
    return estimator, StudioRows(training, held_out), []


def _reopening(given: dict[str, Any]) -> str:
    """Return the command that opens a model again that this studio saved."""
    from polytomy.studio import AUTOSAVE, FILES

    folder = given["output"]
    model = FILES["model"] if folder is None else folder / AUTOSAVE
    words = ["polytomy", "studio", str(model), str(given["data"] or given["file"])]
    for name in ("target", "weights", "test_fraction", "test", "seed", "output"):
        if given[name] is not None:
            words += [f"--{name.replace('_', '-')}", str(given[name])]
    words += ["--drop-unlabelled"] if given["drop_unlabelled"] else []
    return shlex.join(words)
