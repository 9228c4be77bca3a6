"""``polytomy fit``: from a table to a model file."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options

if TYPE_CHECKING:
    from .sample import Request, Sample


def fit(
    data: options.Data,
    *,
    target: options.Target,
    output: options.ModelOutput,
    leaves: Annotated[
        str | None,
        typer.Option(
            metavar="N|cv|none",
            show_default="32; 2 with --boost",
            help="At most so many leaves; cv lets cross-validation choose, none sets no limit.",
        ),
    ] = None,
    procedure: Annotated[
        str | None,
        typer.Option(
            show_default="per-leaf",
            autocompletion=lambda: list(options.PROCEDURES),
            help=f"How wide a question may be: {', '.join(options.PROCEDURES)}.",
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(show_default="None", help="The advantage mansour-mcallester counts on."),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(
            show_default="gini; auto with --boost",
            autocompletion=lambda: list(options.INDICES),
            help=f"What a leaf weighs: {', '.join(options.INDICES)}.",
        ),
    ] = None,
    prune: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default="None",
            autocompletion=lambda: list(options.PRUNERS),
            help=f"Prune the grown tree: {', '.join(options.PRUNERS)}.",
        ),
    ] = None,
    overgrow: Annotated[
        float | None,
        typer.Option(
            metavar="X", show_default="1.0", help="Grow X times the leaves, then prune back."
        ),
    ] = None,
    max_arity: Annotated[
        int | None,
        typer.Option(metavar="N", show_default="8", help="The most branches of a question."),
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option(metavar="N", show_default="None", help="The most questions on a path."),
    ] = None,
    min_samples_leaf: Annotated[
        int | None, typer.Option(metavar="N", show_default="1", help="The fewest rows of a leaf.")
    ] = None,
    boost: Annotated[
        int | None,
        typer.Option(metavar="ROUNDS", help="Fit an ensemble of small trees in so many rounds."),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            show_default="auto",
            autocompletion=lambda: list(options.ALGORITHMS),
            help=f"How to boost: {', '.join(options.ALGORITHMS)}.",
        ),
    ] = None,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    numeric: options.Numeric = None,
    drop: options.Drop = None,
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: options.TestFraction = 0.0,
    seed: options.Seed = None,
    jobs: options.Jobs = None,
) -> None:
    """Grow a tree, or boost many, and write the model.

    Columns that only name or count the rows are left out, unless --categorical or --numeric names
    them. What is not given is as in polytomy.TreeClassifier and BoostedTreeClassifier.
    """
    from .models import save_model
    from .sample import Request
    from .write import check_output

    check_output(output, data)
    lists = tuple(categorical or ()), tuple(numeric or ()), tuple(drop or ())
    request = Request(data, target, weights, *lists, drop_unlabelled)
    given: dict[str, Any] = {
        "max_leaves": None if leaves is None else _budget(leaves),
        "procedure": procedure,
        "gamma": gamma,
        "index": index,
        "pruner": prune,
        "overgrow": overgrow,
        "max_arity": max_arity,
        "max_depth": max_depth,
        "min_samples_leaf": min_samples_leaf,
        "n_rounds": boost,
        "algorithm": algorithm,
        "random_state": seed,
        "n_jobs": jobs,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if leaves == "none":
        chosen["max_leaves"] = None
    clf = estimator_of(chosen)
    summary = _fitted(clf, request, test_fraction, seed)
    save_model(clf, output)
    told = "stdout" if str(output) == "-" else output
    for line in [*summary, f"{'model':<17}{told}"]:
        typer.echo(line, err=str(output) == "-")


def estimator_of(chosen: dict[str, Any]) -> Any:
    """Return the estimator that options ask for; all that is not given is its own default."""
    from polytomy import BoostedTreeClassifier, ParameterError, TreeClassifier

    if "n_rounds" not in chosen:
        if "algorithm" in chosen:
            raise ParameterError("--algorithm is for boosting: add --boost ROUNDS")
        return TreeClassifier(**chosen)
    for name, flag in (("pruner", "--prune"), ("overgrow", "--overgrow")):
        if name in chosen:
            raise ParameterError(f"{flag} is for one tree; it does not go with --boost")
    if chosen.get("max_leaves") == "cv":
        raise ParameterError("--leaves cv is for one tree; it does not go with --boost")
    return BoostedTreeClassifier(**chosen)


def _budget(leaves: str) -> int | str | None:
    if leaves in ("cv", "none"):
        return None if leaves == "none" else leaves
    try:
        return int(leaves)
    except ValueError:
        said = f"must be a whole number, cv or none, got {leaves!r}"
        raise typer.BadParameter(said, param_hint="--leaves") from None


def _fitted(clf: Any, request: "Request", test_fraction: float, seed: int | None) -> list[str]:
    """Fit on what a request names; return what there is to say about it."""
    from .sample import parted, sample_of
    from .wait import Waiting

    with Waiting("reading"):
        sample = sample_of(request)
    training, held = parted(sample, test_fraction, seed)
    if request.categorical:
        clf.set_params(categorical_features=list(request.categorical))
    if hasattr(clf, "n_rounds"):
        _boost(clf, training)
    else:
        with Waiting("growing"):
            fit_on(clf, training)
    lines = [f"{len(sample.labels):,} rows, {len(sample.names)} columns"]
    lines += [f"left out {reason}" for reason in sample.left_out]
    return [*lines, *_size(clf), *_errors(clf, training, held)]


def fit_on(clf: Any, sample: "Sample") -> Any:
    """Fit a classifier on a sample; it remembers the columns' names whatever held them."""
    import numpy as np

    clf.fit(sample.X, sample.labels, sample_weight=sample.weights)
    clf.feature_names_in_ = np.array(sample.names, dtype=object)
    return clf


def _boost(clf: Any, sample: "Sample") -> None:
    """Boost, with the estimator's own bar of rounds where there is a terminal to draw it on."""
    from rich.console import Console

    clf.verbose = int(Console(stderr=True).is_terminal)  # it prints lines to stdout elsewhere
    fit_on(clf, sample)
    clf.verbose = 0


def _size(clf: Any) -> list[str]:
    if hasattr(clf, "n_rounds_"):
        trees = len(clf.ensemble_.members)
        return [f"{'rounds':<17}{clf.n_rounds_}", f"{'trees':<17}{trees}"]
    return [f"{'leaves':<17}{clf.n_leaves_}", f"{'questions a row':<17}{clf.n_questions_:.2f}"]


def _errors(clf: Any, training: "Sample", held: "Sample | None") -> list[str]:
    rows = f"{len(training.labels):,} rows"
    of = rows if training.weights is None else f"the weight of {rows}"
    back = getattr(clf, "held_out_", None)
    kept = "" if back is None else f", {len(back):,} of them kept back for pruning"
    lines = [f"{'training error':<17}{training.error_of(clf):.1%} of {of}{kept}"]
    if held is None:
        return [*lines, f"{'test error':<17}not known; --test-fraction 0.25 keeps rows back for it"]
    rows = f"{len(held.labels):,} rows not seen"
    return [*lines, f"{'test error':<17}{held.error_of(clf):.1%} of {rows}"]
