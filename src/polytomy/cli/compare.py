"""``polytomy compare``: two models on new rows, or several libraries by cross-validation."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .compare_models import ComparedModels, compare_models
from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.io import LabelledTable

    from .cross_validation import Candidate, Measure, Result

_BUDGETS = (8, 32)
_FOLDS = 5


def compare(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES",
            allow_dash=True,
            help="Two model files and a file with rows that neither was fitted on; or a data file.",
        ),
    ],
    *,
    target: Annotated[
        str | None,
        options.option(
            "Column to predict.",
            default="of two models: the column that contains the classes",
            metavar="COL",
        ),
    ] = None,
    disagreements: Annotated[
        Path | None,
        options.option(
            "Write the rows on which the two models disagree to this file, .csv or .tsv.",
            metavar="FILE",
            allow_dash=True,
        ),
    ] = None,
    leaves: Annotated[
        list[int] | None,
        options.option(
            "Maximum number of leaves. Can be repeated.",
            default=" and ".join(map(str, _BUDGETS)),
            metavar="N",
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        options.option("Also compare mansour-mcallester with this gamma.", metavar="X"),
    ] = None,
    effort: Annotated[
        list[str] | None,
        options.option(
            "Also compare trees of this effort, balanced or thorough. Can be repeated.",
            metavar="NAME",
            autocompletion=options.effort_names,
        ),
    ] = None,
    folds: Annotated[
        int,
        options.option("Number of cross-validation folds.", default=str(_FOLDS), metavar="N"),
    ] = _FOLDS,
    task: options.TaskOption = "auto",
    scoring: Annotated[
        str | None,
        options.option(
            "What to compare: error, log_loss or roc_auc for classes, squared_error, "
            "absolute_error or r2 for numbers.",
            default="error, or squared_error for numbers",
            metavar="NAME",
        ),
    ] = None,
    cost: options.Costs = None,
    seed: Annotated[int, options.seed_option("Random seed for the folds.", "0")] = 0,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    numeric: options.Numeric = None,
    drop: options.Drop = None,
    sep: options.Sep = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    dayfirst: options.DayFirst = None,
    drop_unlabelled: options.DropUnlabelled = False,
    jobs: options.Jobs = None,
) -> None:
    """Compare two models on new rows, or trees of several libraries by cross-validation.

    With two models, prints the difference of their errors and log losses with paired tests, and
    the rows on which they disagree; also that of their mean costs with --cost, or if both were
    fitted with the same costs.

    With a data file alone, compares trees of polytomy, scikit-learn and LightGBM on the same folds.
    Prints the error (the mean squared error for numbers), or another score, with its standard
    deviation, the number of leaves, the questions per row and the seconds to fit, as means over the
    folds. LightGBM is left out if it is not installed.

    With --cost, trees are compared by the mean cost of a row. Other libraries get class weights
    of the worst mistake of each class, and predict the class of least cost by their shares.
    """
    reading = options.reading_options(dict(locals()))
    if len(files) == 3:
        own = {"--leaves": leaves, "--gamma": gamma, "--effort": effort, "--scoring": scoring}
        own |= {"--folds": folds != _FOLDS, "--task": task != "auto", "--seed": seed}
        own |= {"--categorical": categorical, "--numeric": numeric, "--drop": drop}
        _refuse(own, "libraries")
        a, b, data = files
        how = target, weights, drop_unlabelled, jobs, disagreements, cost
        compare_models(ComparedModels(a, b, data, *how))
        return
    _refuse({"--disagreements": disagreements}, "two models")
    data, target = _data_and_target(files, target)
    from rich.console import Console

    from polytomy.io import ColumnRoles

    from .cross_validation import candidates, cost_measure, costs_of, measure_of
    from .progress import ProgressBar
    from .rows import read_training_rows

    budgets = leaves or list(_BUDGETS)
    if min(budgets) < 2:
        raise typer.BadParameter("must be at least 2", param_hint="--leaves")
    _check_efforts(effort or ())
    measure_of(scoring, task)  # raises an error if the name is wrong for the task, if it is known
    lists = tuple(categorical or ()), tuple(numeric or ()), tuple(drop or ())
    roles = ColumnRoles(target, weights, *lists)
    with ProgressBar("reading"):
        rows, notes = read_training_rows(
            data, roles, drop_unlabelled=drop_unlabelled, task=task, options=reading
        )
    measure = measure_of(scoring, rows.task)
    costs = None
    if cost:
        if rows.task != "classification":
            raise CommandError("--cost is for classification")
        costs = costs_of(options.parse_costs(cost, rows.labels), rows)
        measure = measure if scoring is not None else cost_measure(costs)
    trees = candidates(budgets, gamma, jobs, list(lists[0]), measure, effort or (), costs)
    results = _results(rows, trees, folds, seed, measure)
    console = Console(highlight=False)
    for note in notes:
        console.print(note, markup=False)
    console.print(_table(results, len(rows), folds, measure))


def _refuse(given: dict[str, Any], purpose: str) -> None:
    """Raise an error if an option is given that is for another kind of comparison."""
    for option, value in given.items():
        if value:
            raise CommandError(f"{option} is for a comparison of {purpose}")


def _data_and_target(files: Sequence[Path], target: str | None) -> tuple[Path, str]:
    """Return the data file and the target of a cross-validation."""
    if len(files) != 1:
        raise CommandError(
            "give a data file to cross-validate trees, or two models and a data file to compare "
            f"these; got {len(files)} files"
        )
    if target is None:
        raise CommandError("name the column to predict with --target COL, or give two models")
    return files[0], target


def _check_efforts(efforts: Sequence[str]) -> None:
    known = options.effort_names()[1:]  # the first is that of all other trees
    for name in efforts:
        if name not in known:
            message = f"must be {' or '.join(known)}, got {name!r}"
            raise typer.BadParameter(message, param_hint="--effort")


class CompareCommand(options.LateHelpCommand):
    """The command ``compare``, whose help states the rule of ``--task auto``."""

    def complete_help(self, params: dict[str, Any]) -> None:
        """Add the rule."""
        self.complete_task(params)


def _results(
    rows: "LabelledTable", trees: "Sequence[Candidate]", folds: int, seed: int, measure: "Measure"
) -> "list[Result]":
    from .cross_validation import cross_validate, folds_of
    from .progress import ProgressBar

    if not 2 <= folds <= len(rows):
        raise CommandError(
            f"--folds must be from 2 to the number of rows ({len(rows)}), got {folds}"
        )
    parts = folds_of(rows.strata, folds, seed)
    with ProgressBar("comparing", total=len(parts) * len(trees)) as progress:
        return [cross_validate(tree, rows, parts, progress.step, measure) for tree in trees]


def _table(results: "Sequence[Result]", n_rows: int, folds: int, measure: "Measure") -> Any:
    from rich import box
    from rich.table import Table

    caption = (
        f"{folds}-fold cross-validation on {n_rows:,} rows; ± is the standard deviation over the "
        "folds. scikit-learn gets one-hot categories; LightGBM fits one round."
    )
    style: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "collapse_padding": True}
    table = Table(caption=caption, caption_justify="left", **style)
    table.add_column("tree", no_wrap=True)
    for name in ("budget", measure.heading, "±", "leaves", "questions", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    scores = [result.score for result in results]
    best = max(scores) if measure.larger_is_better else min(scores)
    for result in results:
        table.add_row(
            result.name,
            result.budget,
            measure.form(result.score),
            measure.form(result.deviation),
            f"{result.leaves:.1f}",
            f"{result.questions:.2f}",
            f"{result.seconds:.3f}",
            style="bold" if result.score == best else None,
        )
    return table
