"""``polytomy fit``: fit a tree, a boosted model or a forest to a data file."""

from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .errors import CommandError

if TYPE_CHECKING:
    from pathlib import Path

    from polytomy.io import ColumnRoles, LabelledTable


_TREE_ONLY = {
    "pruner": "--prune",
    "overgrow": "--overgrow",
    "question_price": "--question-price",
    "branch_price": "--branch-price",
    "honest": "--honest",
}  # options that apply to a single tree


def _parameter(help: str, *flags: str, **more: Any) -> Any:
    """Return an option that sets a parameter of the estimator and has its default.

    The argument of ``fit`` has the name of the parameter. Its default is added to the help when
    the help is printed; ``{names}`` stands for the values the parameter can have.
    """
    return options.option(help, *flags, default=None, **more)


def fit(
    data: options.Data,
    *,
    target: options.Target,
    output: options.ModelOutput,
    max_leaves: Annotated[
        str | None,
        _parameter(
            "Maximum number of leaves (of each tree, with --boost or --forest). cv chooses it by "
            "cross-validation, none sets no limit.",
            "--leaves",
            metavar="N|cv|none",
        ),
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
        _parameter(
            "What one more question for every row must save, as a fraction of what the tree saves; "
            "larger values give wider trees. priced only.",
            metavar="X",
        ),
    ] = None,
    branch_price: Annotated[
        float | None,
        _parameter(
            "How many times the worth of the last leaf a further branch of a wide split must gain. "
            "priced only.",
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
            "Impurity measure: {names}.",
            metavar="NAME",
            autocompletion=options.index_names,
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
    max_arity: Annotated[
        int | None, _parameter("Maximum number of branches of a split.", metavar="N")
    ] = None,
    max_depth: Annotated[int | None, _parameter("Maximum depth of a tree.", metavar="N")] = None,
    min_samples_leaf: Annotated[
        int | None, _parameter("Minimum number of rows in a leaf.", metavar="N")
    ] = None,
    honest: Annotated[
        bool | None,
        options.option(
            "Learn by cross-fitting the class shares to expect of new rows (--honest), or keep "
            "those of the training rows.",
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
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: options.TestFraction = 0.0,
    random_state: Annotated[
        int | None,
        options.seed_option(
            "Random seed for test rows, rows held out for pruning, folds, and forests.",
            "0 for test rows, otherwise none",
        ),
    ] = None,
    n_jobs: options.Jobs = None,
) -> None:
    """Fit a decision tree, a boosted model or a forest to a data file.

    Columns that only identify rows (row numbers, mostly distinct text) are left out unless they are
    named in --categorical or --numeric.
    """
    given = dict(locals())
    from polytomy.io import ColumnRoles

    from .files import check_output, save_model
    from .output import print_summary

    check_output(output, data)
    clf = make_estimator(_parameters(given))
    lists = tuple(categorical or ()), tuple(numeric or ()), tuple(drop or ())
    roles = ColumnRoles(target, weights, *lists)
    summary = _fit(clf, data, roles, drop_unlabelled, (test_fraction, random_state))
    save_model(clf, output)
    print_summary(summary, output)


class FitCommand(options.LateHelpCommand):
    """The command ``fit``, whose help shows the defaults of the estimators."""

    def complete_help(self, params: dict[str, Any]) -> None:
        """Add the values that parameters can have, and the defaults of the estimators."""
        names = {
            "procedure": options.procedure_names,
            "index": options.index_names,
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
    from polytomy import BoostedTreeClassifier, ForestClassifier, TreeClassifier

    tree, boosted, forest = (
        {name: _as_text(p.default) for name, p in signature(cls).parameters.items()}
        for cls in (TreeClassifier, BoostedTreeClassifier, ForestClassifier)
    )
    found = {**forest, **boosted, **tree}
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
    return chosen


def _parse_leaves(leaves: str) -> int | str | None:
    if leaves in ("cv", "none"):
        return None if leaves == "none" else leaves
    try:
        return int(leaves)
    except ValueError:
        message = f"must be an integer, cv or none, got {leaves!r}"
        raise typer.BadParameter(message, param_hint="--leaves") from None


def make_estimator(parameters: dict[str, Any]) -> Any:
    """Return a boosted classifier for a number of rounds, a forest for one of trees, or a tree."""
    from polytomy import BoostedTreeClassifier, ForestClassifier, TreeClassifier

    kinds: dict[str, Any] = {"--boost": BoostedTreeClassifier, "--forest": ForestClassifier}
    names = {"--boost": "n_rounds", "--forest": "n_estimators"}
    chosen = [flag for flag, name in names.items() if name in parameters]
    if len(chosen) == 2:
        raise CommandError("--boost and --forest cannot be used together")
    if "algorithm" in parameters and chosen != ["--boost"]:
        raise CommandError("--algorithm is for boosting: add --boost ROUNDS")
    if not chosen:
        return TreeClassifier(**parameters)
    for name, flag in _TREE_ONLY.items():
        if name in parameters:
            raise CommandError(
                f"{flag} applies to a single tree and cannot be used with {chosen[0]}"
            )
    if parameters.get("max_leaves") == "cv":
        raise CommandError(
            f"--leaves cv applies to a single tree and cannot be used with {chosen[0]}"
        )
    return kinds[chosen[0]](**parameters)


def _fit(
    clf: Any,
    data: "Path",
    roles: "ColumnRoles",
    drop_unlabelled: bool,
    split: tuple[float, int | None],
) -> list[tuple[str, str]]:
    """Fit a classifier to a file and return a summary."""
    from .files import ensemble_word
    from .progress import ProgressBar
    from .rows import fit_rows, read_training_rows, split_test_rows

    with ProgressBar("reading"):
        rows, notes = read_training_rows(data, roles, drop_unlabelled=drop_unlabelled)
    training, test = split_test_rows(rows, *split)
    if roles.categorical:
        clf.set_params(categorical_features=list(roles.categorical))
    if ensemble_word(clf) is not None:
        _fit_ensemble(clf, training)
    else:
        with ProgressBar("growing"):
            fit_rows(clf, training)
    lines = [("", f"{len(rows):,} rows, {len(rows.table.columns)} columns")]
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
    from .files import ensemble_word

    word = ensemble_word(clf)
    if word == "a forest":
        error = ("out-of-bag error", f"{clf.oob_error_:.1%}")
        return [("trees", str(len(clf))), error]
    if word == "boosted":
        return [("rounds", str(clf.n_rounds_)), ("trees", str(len(clf.ensemble_.members)))]
    return [("leaves", str(clf.n_leaves_)), ("questions per row", f"{clf.n_questions_:.2f}")]


def _errors(
    clf: Any, training: "LabelledTable", test: "LabelledTable | None"
) -> list[tuple[str, str]]:
    from .rows import error_rate

    rows = f"{len(training):,} rows"
    of = rows if training.weights is None else f"the weight of {rows}"
    held_out = getattr(clf, "held_out_", None)
    note = "" if held_out is None else f", of which {len(held_out):,} were held out for pruning"
    error = error_rate(clf.predict(training.table), training)
    lines = [("training error", f"{error:.1%} of {of}{note}")]
    if test is None:
        return [*lines, ("test error", "not measured (add --test-fraction 0.25)")]
    error = error_rate(clf.predict(test.table), test)
    return [*lines, ("test error", f"{error:.1%} of {len(test):,} held-out rows")]
