"""Arguments and options that several commands share."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from polytomy.io import ReadingOptions

_MAX_SEED = 2**32 - 1


def option(help: str, *flags: str, default: str | None = "none", **more: Any) -> Any:
    """Return a typer option whose help states the default; None if there is no default."""
    text = help if default is None else with_default(help, default)
    return typer.Option(*flags, help=text, show_default=False, **more)


def with_default(help: str, default: str) -> str:
    """Return a help text that ends with the default."""
    return f"{help} [default: {default}]"


class LateHelpCommand(TyperCommand):
    """A command whose help is completed with names and defaults of the library when it is printed.

    The library takes a second to import, so no other command should wait for it.
    """

    def complete_help(self, params: dict[str, Any]) -> None:
        """Complete the help of the options, given by name."""

    def complete_task(self, params: dict[str, Any]) -> None:
        """Complete the help of ``--task`` with the rule of auto."""
        from polytomy.io import TASK_RULE

        params["task"].help = params["task"].help.format(rule=TASK_RULE)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        self.complete_help({param.name: param for param in self.params if param.name})
        super().format_help(ctx, formatter)


def procedure_names() -> list[str]:
    """Return the names of the growth procedures."""
    from polytomy.theory import PROCEDURES

    return list(PROCEDURES)


def index_names() -> list[str]:
    """Return the names of the index functions."""
    from polytomy.index import INDICES

    return list(INDICES)


def criterion_names() -> list[str]:
    """Return the names of the criteria of regression trees."""
    from polytomy.index import NUMERIC

    return list(NUMERIC)


def task_names() -> list[str]:
    """Return the values of ``--task``."""
    return ["auto", "classification", "regression"]


def pruner_names() -> list[str]:
    """Return the names of the pruning methods."""
    from polytomy.prune import PRUNERS

    return list(PRUNERS)


def effort_names() -> list[str]:
    """Return the values of ``--effort``."""
    from polytomy.estimators.fitting.effort import EFFORTS

    return list(EFFORTS)


def teacher_names() -> list[str]:
    """Return the values of ``--teacher``."""
    from polytomy.estimators.fitting.teacher import NAMES

    return [*NAMES, "none"]


def algorithm_names() -> list[str]:
    """Return the names of the boosting algorithms."""
    from polytomy.boost import ALGORITHMS

    return list(ALGORITHMS)


def _check_seed(seed: int | None) -> int | None:
    if seed is not None and not 0 <= seed <= _MAX_SEED:
        raise typer.BadParameter(f"must be an integer from 0 to {_MAX_SEED}, got {seed}")
    return seed


def _check_jobs(jobs: int | None) -> int | None:
    if jobs == 0:
        raise typer.BadParameter("must not be 0; -1 uses all processors")
    return jobs


def _split_names(values: list[str] | None) -> list[str] | None:
    """Return names that may be given in several options, or in one, separated by commas."""
    if values is None:
        return None
    names = [n.strip() for value in values for row in csv.reader([value]) for n in row]
    if "" in names:
        raise typer.BadParameter("a name is empty; quote a name that contains a comma")
    return names


def _check_task(task: str) -> str:
    if task not in task_names():
        raise typer.BadParameter(f"must be one of {', '.join(task_names())}, got {task!r}")
    return task


def reading_options(given: dict[str, Any]) -> "ReadingOptions":
    """Return how to read text, from the arguments of a command."""
    from polytomy.io import DataFileError, ReadingOptions

    try:
        return ReadingOptions(given["sep"], given["decimal"], given["encoding"], given["dayfirst"])
    except DataFileError as error:
        raise typer.BadParameter(f"--{error}") from None


def one_or_many(paths: list[Path] | None) -> Any:
    """Return the only path of a list, or the list; None without any."""
    if not paths:
        return None
    if len(paths) > 1 and any(str(path) == "-" for path in paths):
        raise typer.BadParameter("stdin cannot be read together with files")
    return paths[0] if len(paths) == 1 else paths


def seed_option(help: str, default: str) -> Any:
    """Return the option ``--seed``."""
    return option(help, "--seed", default=default, metavar="N", callback=_check_seed)


def parse_costs(given: list[str], labels: Any) -> dict[tuple[Any, Any], float]:
    """Return the costs of mistakes, given as TRUE:PREDICTED=COST, by pairs of classes.

    ``labels`` are the classes of the rows. A class may contain colons and equals signs.
    """
    import numpy as np

    known = {str(c): c for c in np.unique(labels).tolist()}
    found: dict[tuple[Any, Any], float] = {}
    for text in given:
        pair, _, cost = text.rpartition("=")
        at = [i for i, c in enumerate(pair) if c == ":" and {pair[:i], pair[i + 1 :]} <= set(known)]
        try:
            number = float(cost)
        except ValueError:
            at, number = [], 0.0
        if len(at) != 1:
            classes = ", ".join(list(known)[:8])
            message = f"must be TRUE:PREDICTED=COST with classes among {classes}; got {text!r}"
            raise typer.BadParameter(message, param_hint="--cost")
        found[known[pair[: at[0]]], known[pair[at[0] + 1 :]]] = number
    return found


Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        allow_dash=True,
        help=(
            "Data file: CSV, TSV, Parquet, Arrow or Feather, plain or compressed; - for stdin. "
            "Or a folder, or a quoted pattern such as 'data/*.parquet', which is read in pieces."
        ),
    ),
]
DataFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA",
        allow_dash=True,
        help=(
            "Data file: CSV, TSV, Parquet, Arrow or Feather, plain or compressed; - for stdin. "
            "Or several files, a folder, or a quoted pattern such as 'data/*.parquet', which are "
            "read as one table, in pieces."
        ),
    ),
]
OptionalData = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="DATA",
        allow_dash=True,
        help="Data file or files, as for `polytomy fit`; - for stdin.",
    ),
]
Sep = Annotated[
    str | None,
    option(
        "Delimiter of CSV files: one character, or tab.",
        default="found in the header",
        metavar="CHAR",
    ),
]
Decimal = Annotated[
    str | None,
    option(
        "Decimal mark, for numbers such as 1,234 in which it could separate thousands.",
        default="found in the file",
        metavar=".|,",
    ),
]
Encoding = Annotated[
    str | None,
    option(
        "Encoding of CSV files.",
        default="UTF-8 or UTF-16, and Windows-1252 for other text",
        metavar="NAME",
    ),
]
DayFirst = Annotated[
    bool | None,
    option(
        "Whether dates such as 01/02/2026 begin with the day or the month.",
        "--dayfirst/--monthfirst",
        default="found in the file, or left as text",
    ),
]
ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", allow_dash=True, help="Model file from `polytomy fit`; - for stdin."
    ),
]
Target = Annotated[str, option("Column to predict.", "--target", default=None, metavar="COL")]
TaskOption = Annotated[
    str,
    option(
        "Whether the target holds classes or numbers: auto, classification or regression. {rule}.",
        "--task",
        default="auto",
        metavar="NAME",
        autocompletion=task_names,
        callback=_check_task,
    ),
]
OptionalTarget = Annotated[
    str | None,
    option("Column to predict.", "--target", default="as the model remembers", metavar="COL"),
]
ModelOutput = Annotated[
    Path,
    option(
        "Model file to write; - for stdout.",
        "--output",
        "-o",
        default=None,
        metavar="FILE",
        allow_dash=True,
    ),
]
Force = Annotated[
    bool,
    option("Replace an existing model file without asking.", "--force", default="off"),
]
Weights = Annotated[
    str | None,
    option("Column with the weights of the rows.", "--weights", metavar="COL"),
]
Categorical = Annotated[
    list[str] | None,
    option(
        "Treat these columns as categorical.",
        metavar="COL,...",
        callback=_split_names,
    ),
]
Numeric = Annotated[
    list[str] | None,
    option(
        "Treat these columns as numeric; text in them is an error.",
        metavar="COL,...",
        callback=_split_names,
    ),
]
Lazy = Annotated[
    bool,
    option("Read the data file in pieces, as a folder or a pattern is.", "--lazy", default="off"),
]
Cache = Annotated[
    Path | None,
    option(
        "Folder for temporary files that hold the codes of the columns instead of memory; "
        "implies --lazy.",
        "--cache",
        default="memory",
        metavar="DIR",
    ),
]
TableName = Annotated[
    str | None,
    option(
        "DATA is a DuckDB file: fit on this table of it, whose rows stay in the database.",
        "--table",
        metavar="NAME",
    ),
]
Scheduler = Annotated[
    str | None,
    option(
        "Fit on the workers of the Dask cluster with this scheduler, which read DATA themselves: "
        "Parquet, Arrow or CSV files.",
        "--scheduler",
        metavar="ADDRESS",
    ),
]
Costs = Annotated[
    list[str] | None,
    option(
        "Cost of a row of class TRUE that is predicted as PREDICTED; others cost 1. "
        "Can be repeated.",
        "--cost",
        default="1 for every mistake",
        metavar="TRUE:PREDICTED=COST",
    ),
]
Drop = Annotated[
    list[str] | None,
    option(
        "Leave these columns out.",
        metavar="COL,...",
        callback=_split_names,
    ),
]
Keep = Annotated[
    list[str] | None,
    option(
        "Also write these columns of DATA, before the predictions.",
        metavar="COL,...",
        callback=_split_names,
    ),
]
DropUnlabelled = Annotated[
    bool,
    option("Leave out rows whose target is missing.", "--drop-unlabelled", default="off"),
]
TestFraction = Annotated[
    float,
    option(
        "Hold out this fraction of rows and report the error on it.",
        "--test-fraction",
        default="0",
        metavar="F",
    ),
]
FitTestFraction = Annotated[
    float | None,
    option(
        "Fraction of rows that fit held out with this option.",
        "--test-fraction",
        default="as the model remembers, if DATA is its training file",
        metavar="F",
    ),
]
FitSeed = Annotated[
    int | None, seed_option("Random seed that was given to fit.", "as the model remembers, or 0")
]
Jobs = Annotated[
    int | None,
    option(
        "Number of threads; -1 uses all processors. The result does not depend on it.",
        "--jobs",
        default="1",
        metavar="N",
        callback=_check_jobs,
    ),
]
