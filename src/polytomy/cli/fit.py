"""``polytomy fit``: fit a tree, a boosted model or a forest to a data file."""

from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polytomy._text import count, percent

from . import constraints, options
from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.io import ColumnRoles, LabelledTable, Task


_TREE_ONLY = {
    "pruner": "--prune",
    "overgrow": "--overgrow",
    "question_price": "--question-price",
    "branch_price": "--branch-price",
    "honest": "--honest",
    "effort": "--effort",
    "teacher": "--teacher",
    "search": "--search",
    "time_limit": "--time-limit",
    "cost_matrix": "--cost",
    **constraints.FLAGS,
}  # options that apply to a single tree
_OF_TASK = {
    "cost_matrix": "classification",
    "index": "classification",
    "criterion": "regression",
}  # options of one task only


_ENSEMBLES = {"--boost": "n_rounds", "--forest": "n_estimators"}  # options of many trees


def _parameter(help: str, *flags: str, **more: Any) -> Any:
    """Return an option that sets a parameter of the estimator and has its default.

    The argument of ``fit`` has the name of the parameter. Its default is added to the help when
    the help is printed; ``{names}`` stands for the values the parameter can have.
    """
    return options.option(help, *flags, default=None, **more)


def fit(
    data: options.DataFiles,
    *,
    target: options.Target,
    output: options.ModelOutput,
    force: options.Force = False,
    task: options.TaskOption = "auto",
    max_leaves: Annotated[
        str | None,
        _parameter(
            "Maximum number of leaves (of each tree, with --boost or --forest). cv chooses it by "
            "cross-validation, none sets no limit.",
            "--leaves",
            metavar="N|cv|none",
        ),
    ] = None,
    effort: Annotated[
        str | None,
        _parameter(
            "Time to spend on a better tree of the same size: {names}. fast has a quick teacher "
            "for classes on up to 8,000 rows, the others a larger one; thorough also searches.",
            metavar="NAME",
            autocompletion=options.effort_names,
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        options.option(
            "Model whose forecasts replace part of the labels that the tree is grown on: forest, "
            "boosted or forest+boosted (for classes), or none.",
            default="that of --effort",
            metavar="NAME|none",
            autocompletion=options.teacher_names,
        ),
    ] = None,
    search: Annotated[
        str | None,
        options.option(
            "Levels of nodes whose best few splits are tried: 0, 1, 2, or BEAM,DEPTH for the "
            "number of splits and of levels. priced only.",
            default="that of --effort",
            metavar="N|BEAM,DEPTH",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        _parameter("Seconds after which the search tries no further splits.", metavar="S"),
    ] = None,
    procedure: Annotated[
        str | None,
        _parameter(
            "Growth procedure: {names}.",
            metavar="NAME",
            autocompletion=options.procedure_names,
        ),
    ] = None,
    question_price: Annotated[
        float | None,
        options.option(
            "What one more question for every row must save, as a fraction of what the tree saves; "
            "larger values give wider trees. priced only.",
            default="that of --effort",
            metavar="X",
        ),
    ] = None,
    branch_price: Annotated[
        float | None,
        options.option(
            "How many times the worth of the last leaf a further branch of a wide split must gain. "
            "priced only.",
            default="1 for classes where the effort fast searches, else 2",
            metavar="X",
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        _parameter("Assumed advantage, from 0 to 1. mansour-mcallester only.", metavar="X"),
    ] = None,
    index: Annotated[
        str | None,
        _parameter(
            "Impurity measure of classes: {names}.",
            metavar="NAME",
            autocompletion=options.index_names,
        ),
    ] = None,
    criterion: Annotated[
        str | None,
        _parameter(
            "Impurity measure of numbers: {names}; poisson is for counts.",
            metavar="NAME",
            autocompletion=options.criterion_names,
        ),
    ] = None,
    pruner: Annotated[
        str | None,
        _parameter(
            "Prune the grown tree: {names}.",
            "--prune",
            metavar="METHOD",
            autocompletion=options.pruner_names,
        ),
    ] = None,
    overgrow: Annotated[
        float | None,
        _parameter(
            "Grow this many times the maximum number of leaves, then prune back to it.",
            metavar="X",
        ),
    ] = None,
    cost_matrix: options.Costs = None,
    max_arity: Annotated[
        int | None,
        _parameter(
            "Maximum number of branches of a split. A tree then merges splits on the same column, "
            "so its nodes can have more.",
            metavar="N",
        ),
    ] = None,
    max_depth: Annotated[int | None, _parameter("Maximum depth of a tree.", metavar="N")] = None,
    min_samples_leaf: Annotated[
        int | None, _parameter("Minimum number of rows in a leaf.", metavar="N")
    ] = None,
    monotonic_cst: constraints.Monotonic = None,
    never_ask: constraints.NeverAsk = None,
    columns_first: constraints.ColumnsFirst = None,
    only_after: constraints.OnlyAfter = None,
    column_cost: constraints.ColumnCost = None,
    min_child_share: constraints.MinChildShare = None,
    min_difference: constraints.MinDifference = None,
    honest: Annotated[
        bool | None,
        options.option(
            "Learn by cross-fitting the class shares or means to expect of new rows (--honest), or "
            "keep those of the training rows.",
            "--honest/--no-honest",
            default="honest",
        ),
    ] = None,
    n_rounds: Annotated[
        int | None,
        options.option(
            "Boost: fit an ensemble of small trees in this many rounds.",
            "--boost",
            default="one tree",
            metavar="ROUNDS",
        ),
    ] = None,
    n_estimators: Annotated[
        int | None,
        options.option(
            "Fit a forest of this many trees, each on random rows and columns.",
            "--forest",
            default="one tree",
            metavar="TREES",
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        _parameter(
            "Boosting algorithm: {names}.",
            metavar="NAME",
            autocompletion=options.algorithm_names,
        ),
    ] = None,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    numeric: options.Numeric = None,
    drop: options.Drop = None,
    sep: options.Sep = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    dayfirst: options.DayFirst = None,
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: options.TestFraction = 0.0,
    random_state: Annotated[
        int | None,
        options.seed_option(
            "Random seed for test rows, rows held out for pruning, folds, forests and teachers.",
            "0 for test rows, otherwise none",
        ),
    ] = None,
    lazy: options.Lazy = False,
    cache: options.Cache = None,
    table: options.TableName = None,
    scheduler: options.Scheduler = None,
    n_jobs: options.Jobs = None,
) -> None:
    """Fit a decision tree, a boosted model or a forest to a data file.

    The target may hold classes, or numbers for a regression tree or forest; see --task.

    Columns that only identify rows (row numbers, mostly distinct text) are left out unless they are
    named in --categorical or --numeric. Numbers with currency signs, percent signs, thousands
    separators or decimal commas, and dates, are read as such; a line says so for each column.

    Several files, a folder or a pattern are read in pieces, several times, so that the table may be
    larger than memory. The model is the same. So it is with --table and --scheduler, where rows
    stay in a database or on the workers of a cluster; then columns that identify rows are not
    looked for, and text is not converted.
    """
    given = dict(locals())
    from polytomy.estimators import remember
    from polytomy.io import ColumnRoles

    from .elsewhere import refuse_database
    from .files import check_output, check_overwrite, save_model
    from .output import print_summary
    from .progress import ProgressBar
    from .rows import check_roles, pieces_of, read_training_rows, record_without_file

    given["data"] = path = options.one_or_many(data)
    given["reading"] = options.reading_options(given)
    check_output(output, path)
    check_overwrite(output, force)
    parameters = _parameters(given)
    wanted = requested_task(task, parameters)
    lists = tuple(categorical or ()), tuple(numeric or ()), tuple(drop or ())
    roles = ColumnRoles(target, weights, *lists)
    if table is not None or scheduler is not None:
        _check_elsewhere(given)
        check_roles(roles)
        fitted = _fit_elsewhere(given, roles, wanted, parameters)
        remember(fitted, record_without_file(fitted, roles.target, roles.weights))
        save_model(fitted, output)
        print_summary(_summary_elsewhere(fitted), output)
        return
    refuse_database(path)
    with ProgressBar("reading") as bar:
        pieces = pieces_of(path, lazy, cache, bar)
        common: dict[str, Any] = {"drop_unlabelled": drop_unlabelled, "task": wanted}
        rows, notes = read_training_rows(
            path, roles, pieces=pieces, options=given["reading"], **common
        )
    if "cost_matrix" in parameters:
        parameters["cost_matrix"] = options.parse_costs(parameters["cost_matrix"], rows.labels)
    clf = make_estimator(parameters, rows.task)
    if roles.categorical:
        clf.set_params(categorical_features=list(roles.categorical))
    summary = _fit(clf, rows, notes, roles, given)
    save_model(clf, output)
    print_summary(summary, output)


def _check_elsewhere(given: dict[str, Any]) -> None:
    """Raise an error for options that need the rows in this process."""
    if given["table"] is not None and given["scheduler"] is not None:
        raise CommandError("--table and --scheduler cannot be used together")
    flag = "--scheduler" if given["table"] is None else "--table"
    if isinstance(given["data"], list):
        raise CommandError(f"{flag} needs a single DATA")
    for name, other in {
        "lazy": "--lazy",
        "cache": "--cache",
        "numeric": "--numeric",
        "drop_unlabelled": "--drop-unlabelled",
        "test_fraction": "--test-fraction",
        "sep": "--sep",
        "decimal": "--decimal",
        "encoding": "--encoding",
        "dayfirst": "--dayfirst" if given["dayfirst"] else "--monthfirst",
    }.items():
        if given[name] or (name == "dayfirst" and given[name] is not None):
            raise CommandError(f"{other} cannot be used with {flag}: the rows are elsewhere")
    if given["table"] is not None and (given["n_rounds"] or given["n_estimators"]):
        raise CommandError("--table fits a single tree, without --boost or --forest")


def _fit_elsewhere(
    given: dict[str, Any], roles: "ColumnRoles", task: str, parameters: dict[str, Any]
) -> Any:
    """Fit on rows in a database or on a cluster."""
    from .elsewhere import fit_in_database, fit_on_cluster

    def estimator(task: "Task", classes: Callable[[], Any]) -> Any:
        costs = parameters.get("cost_matrix")
        read = {} if costs is None else {"cost_matrix": options.parse_costs(costs, classes())}
        made = make_estimator(parameters | read, task)
        if roles.categorical and given["table"] is None:
            made.set_params(categorical_features=list(roles.categorical))
        return made

    try:
        if given["table"] is not None:
            return fit_in_database(given["data"], given["table"], roles, task, estimator)
        return fit_on_cluster(given["data"], given["scheduler"], roles, task, estimator)
    except ValueError as error:
        if "Unknown label type" not in str(error):
            raise
        raise CommandError(
            f"the target {roles.target!r} holds numbers that are not classes; "
            "--task regression fits a regression tree"
        ) from None


def _summary_elsewhere(clf: Any) -> list[tuple[str, str]]:
    """Return what is known of a fit without its rows."""
    from .files import ensemble_word

    lines = _size(clf)
    if ensemble_word(clf) is None:
        model = clf._model
        rows = f"{int(model.tree.rows[0]):,} rows"
        error = f"mean squared error {model.training_error:.4g} on {rows}"
        if not model.is_numeric:
            cost = "" if model.costs is None else f" (cost {model.training_cost:.4g} per row)"
            error = f"{percent(model.training_error, 1)}{cost} of {rows}"
        lines = [
            ("", f"{rows}, {count(len(model.schema), 'column')}"),
            *lines,
            ("training error", error),
        ]
    if hasattr(clf, "queries_"):
        lines.append(("queries", str(clf.queries_)))
    return lines


class FitCommand(options.LateHelpCommand):
    """The command ``fit``, whose help shows the defaults of the estimators."""

    def complete_help(self, params: dict[str, Any]) -> None:
        """Add the values that parameters can have, and the defaults of the estimators."""
        self.complete_task(params)
        names = {
            "effort": options.effort_names,
            "procedure": options.procedure_names,
            "index": options.index_names,
            "criterion": options.criterion_names,
            "pruner": options.pruner_names,
            "algorithm": options.algorithm_names,
        }
        for name, default in estimator_defaults().items():
            if name not in params or "[default:" in params[name].help:
                continue
            text = params[name].help
            if name in names:
                text = text.format(names=", ".join(names[name]()))
            params[name].help = options.with_default(text, default)


def estimator_defaults() -> dict[str, str]:
    """Return the default of each parameter of the estimators, as text."""
    from polytomy import BoostedTreeClassifier, ForestClassifier, TreeClassifier, TreeRegressor

    regressor, tree, boosted, forest = (
        {name: _as_text(p.default) for name, p in signature(cls).parameters.items()}
        for cls in (TreeRegressor, TreeClassifier, BoostedTreeClassifier, ForestClassifier)
    )
    found = {**regressor, **forest, **boosted, **tree}
    for flag, others in (("--boost", boosted), ("--forest", forest)):
        for name in tree.keys() & others.keys():
            if tree[name] != others[name]:
                found[name] += f", or {others[name]} with {flag}"
    return found


def _as_text(default: Any) -> str:
    return "none" if default is None else str(default)


def _parameters(given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of the estimators among the arguments of ``fit``."""
    known = estimator_defaults()
    chosen = {name: v for name, v in given.items() if name in known and v is not None}
    if "max_leaves" in chosen:
        chosen["max_leaves"] = _parse_leaves(chosen["max_leaves"])
    if chosen.get("teacher") == "none":
        chosen["teacher"] = False
    if "search" in chosen:
        chosen["search"] = _parse_search(chosen["search"])
    return chosen | constraints.parse_constraints(chosen)


def _parse_leaves(leaves: str) -> int | str | None:
    if leaves in ("cv", "none"):
        return None if leaves == "none" else leaves
    try:
        return int(leaves)
    except ValueError:
        message = f"must be an integer, cv or none, got {leaves!r}"
        raise typer.BadParameter(message, param_hint="--leaves") from None


def _parse_search(search: str) -> int | tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in search.split(","))
    except ValueError:
        message = f"must be 0, 1, 2 or BEAM,DEPTH, got {search!r}"
        raise typer.BadParameter(message, param_hint="--search") from None
    return numbers[0] if len(numbers) == 1 else numbers


def requested_task(task: str, parameters: dict[str, Any]) -> str:
    """Return the task that the options ask for; auto if they leave it to the target.

    Raises an error if options contradict each other.
    """
    if _ensemble_flag(parameters) == "--boost":
        if task == "regression":
            raise CommandError("--boost fits classes and cannot be used with --task regression")
        task = "classification"
    for name, own in _OF_TASK.items():
        if name in parameters and task not in ("auto", own):
            raise CommandError(f"--{name.split('_')[0]} is for {own}, not for {task}")
        task = own if name in parameters else task
    return task


def _ensemble_flag(parameters: dict[str, Any]) -> str | None:
    """Return the option that asks for many trees, or None; raise an error if others exclude it."""
    chosen = [flag for flag, name in _ENSEMBLES.items() if name in parameters]
    if len(chosen) == 2:
        raise CommandError("--boost and --forest cannot be used together")
    if "algorithm" in parameters and chosen != ["--boost"]:
        raise CommandError("--algorithm is for boosting: add --boost ROUNDS")
    if not chosen:
        return None
    single = [flag for name, flag in _TREE_ONLY.items() if name in parameters]
    if parameters.get("max_leaves") == "cv":
        single.append("--leaves cv")
    if single:
        raise CommandError(
            f"{single[0]} applies to a single tree and cannot be used with {chosen[0]}"
        )
    return chosen[0]


def make_estimator(parameters: dict[str, Any], task: "Task" = "classification") -> Any:
    """Return a boosted classifier for a number of rounds, a forest for one of trees, or a tree."""
    from polytomy import (
        BoostedTreeClassifier,
        ForestClassifier,
        ForestRegressor,
        TreeClassifier,
        TreeRegressor,
    )

    if "n_rounds" in parameters:
        return BoostedTreeClassifier(**parameters)
    is_regression = task == "regression"
    if "n_estimators" in parameters:
        return (ForestRegressor if is_regression else ForestClassifier)(**parameters)
    return (TreeRegressor if is_regression else TreeClassifier)(**parameters)


def _fit(
    clf: Any,
    rows: "LabelledTable",
    notes: list[str],
    roles: "ColumnRoles",
    given: dict[str, Any],
) -> list[tuple[str, str]]:
    """Fit an estimator, let it remember its training data, and return a summary."""
    from polytomy.estimators import remember

    from .files import ensemble_word
    from .progress import ProgressBar
    from .rows import fit_rows, new_record, split_test_rows

    split = given["test_fraction"], given["random_state"]
    training, test = split_test_rows(rows, *split)
    if ensemble_word(clf) is not None:
        _fit_ensemble(clf, training)
    else:
        with ProgressBar("growing") as bar:
            fit_rows(clf, training, bar)
    drops = given["drop_unlabelled"]
    record = new_record(rows, len(training), roles, given["reading"], split, drop_unlabelled=drops)
    remember(clf, record)
    lines = [("", f"{len(rows):,} rows, {count(len(rows.table.names), 'column')}")]
    lines += [("", note) for note in notes]
    return [*lines, *_size(clf), *_errors(clf, training, test)]


def _fit_ensemble(clf: Any, rows: "LabelledTable") -> None:
    """Fit many trees, with a progress bar if stderr is a terminal."""
    from rich.console import Console

    from .rows import fit_rows

    clf.verbose = int(Console(stderr=True).is_terminal)  # otherwise it would print to stdout
    fit_rows(clf, rows)
    clf.verbose = 0


def _size(clf: Any) -> list[tuple[str, str]]:
    from polytomy.export import describe_origin

    from .files import classes_of, ensemble_word
    from .rows import describe_squared_error

    word = ensemble_word(clf)
    if word == "a forest":
        error = percent(clf.oob_error_, 1)
        if classes_of(clf) is None:
            error = describe_squared_error(clf.oob_score_, clf.oob_error_)
        return [("trees", str(len(clf))), ("out-of-bag error", error)]
    if word == "boosted":
        return [("rounds", str(clf.n_rounds_)), ("trees", str(len(clf.ensemble_.members)))]
    origin = [("", sentence) for sentence in describe_origin(clf._model)]
    size = [("leaves", str(clf.n_leaves_)), ("questions per row", f"{clf.n_questions_:.2f}")]
    return [*origin, *size]


def _errors(
    clf: Any, training: "LabelledTable", test: "LabelledTable | None"
) -> list[tuple[str, str]]:
    from .rows import describe_error

    is_class, n = training.task == "classification", f"{len(training):,}"
    of = "of" if is_class else "on"
    rows = f"{n} rows"
    if training.weights is not None:
        rows = f"the weight of {rows}" if is_class else f"{n} weighted rows"
    held_out = getattr(clf, "held_out_", None)
    note = "" if held_out is None else f", of which {len(held_out):,} were held out for pruning"
    lines = [("training error", f"{describe_error(clf, training)} {of} {rows}{note}")]
    if test is None:
        return [*lines, ("test error", "not measured (add --test-fraction 0.25)")]
    error = f"{describe_error(clf, test)} {of} {len(test):,} held-out rows"
    return [*lines, ("test error", error)]
