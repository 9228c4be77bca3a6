"""``polytomy prune``: prune a fitted tree."""

from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from . import options
from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.io import LabelledTable


def _parameter(help: str, *flags: str, **more: Any) -> Any:
    """Return an option that sets a parameter of a pruner.

    The argument of ``prune`` has the name of the parameter. The pruners that have it and its
    default are added to the help when the help is printed.
    """
    return options.option(help, *flags, default=None, **more)


def prune(
    model: options.ModelFile,
    data: options.OptionalData = None,
    *,
    output: options.ModelOutput,
    method: Annotated[
        str | None,
        options.option(
            "Pruning method: {names}. Required unless --sensitivity or --specificity is given.",
            metavar="NAME",
            autocompletion=options.pruner_names,
        ),
    ] = None,
    sensitivity: Annotated[
        float | None,
        options.option(
            "Keep the smallest tree that predicts at least this share of the rows of class --of in "
            "DATA, which must be held-out rows, as such.",
            metavar="X",
        ),
    ] = None,
    specificity: Annotated[
        float | None,
        options.option(
            "Keep the smallest tree that predicts at least this share of the other rows in DATA as "
            "another class.",
            metavar="X",
        ),
    ] = None,
    of: Annotated[
        str | None,
        options.option("The class of --sensitivity and --specificity.", "--of", metavar="CLASS"),
    ] = None,
    target: options.OptionalTarget = None,
    weights: options.Weights = None,
    drop_unlabelled: options.DropUnlabelled = False,
    training: Annotated[
        Path | None,
        options.option("The training data, if DATA is held-out data.", metavar="FILE"),
    ] = None,
    select: Annotated[
        str | None,
        _parameter(
            "How to choose the size: holdout (error on held-out rows) or cv (cross-validation); "
            "with error-budget also srm (structural risk minimisation) or a number of leaves.",
            metavar="holdout|cv|srm|N",
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        _parameter(
            "Cost per leaf, as a fraction of the total weight; none chooses it by --select.",
            metavar="X",
        ),
    ] = None,
    cost: Annotated[
        str | None,
        _parameter(
            "Cost to minimise besides leaves: index (impurity) or error.", metavar="index|error"
        ),
    ] = None,
    max_p_chance: Annotated[
        float | None, _parameter("Keep splits with at most this p-value.", metavar="P")
    ] = None,
    adjusted: Annotated[
        bool, _parameter("Adjust the p-values for the choice of the split.", "--adjusted")
    ] = False,
    confidence: Annotated[
        float | None,
        _parameter("Confidence level of the upper error limit; smaller prunes more.", metavar="X"),
    ] = None,
    delta: Annotated[
        float | None, _parameter("Probability that the guarantee fails.", metavar="X")
    ] = None,
    scale: Annotated[float | None, _parameter("Factor on the penalty.", metavar="X")] = None,
    size: Annotated[
        str | None,
        _parameter("What the size of a tree counts: leaves or nodes.", metavar="leaves|nodes"),
    ] = None,
    folds: Annotated[
        int | None, _parameter("Number of folds for --select cv.", metavar="N")
    ] = None,
    seed: Annotated[
        int | None, options.seed_option("Random seed for the folds.", "the seed of fit")
    ] = None,
    raising: Annotated[
        bool,
        _parameter("Also raise subtrees: replace a node by its heaviest child.", "--raising"),
    ] = False,
    raise_any: Annotated[
        bool,
        options.option(
            "Like --raising, but try every child of a node.", "--raise-any", default="off"
        ),
    ] = False,
) -> None:
    """Prune a tree and write the pruned model.

    Pruning always starts from the tree as it was grown, even if MODEL was pruned before.

    reduced-error, and by default error-budget and cost-complexity, choose by the error on DATA,
    which must be held-out rows. --select cv, --raising and --raise-any need the training data. The
    other methods need no data; if DATA is given, the error on it is reported.
    """
    given = dict(locals())
    from .files import check_output, ensemble_word, load_predictor, save_model
    from .output import print_summary
    from .rows import read_rows_for

    check_output(output, data, training)
    if raise_any:
        given["raising"] = "any"
    floors = {"sensitivity": sensitivity, "specificity": specificity}
    if (method is None) == all(floor is None for floor in floors.values()):
        raise CommandError("choose --method, or --sensitivity or --specificity")
    pruner = None if method is None else make_pruner(method, given)
    clf = load_predictor(model)
    if (word := ensemble_word(clf)) is not None:
        raise CommandError(f"only a single tree can be pruned, but this model is {word}")
    if seed is not None:
        clf.random_state = seed
    if target is None and (data is not None or training is not None):
        raise CommandError("reading rows needs the target: add --target COL")
    rows, training_rows = (
        None
        if path is None
        else read_rows_for(clf, path, target, weights, drop_unlabelled=drop_unlabelled)
        for path in (data, training)
    )
    if pruner is None:
        pruned = _keep_floors(clf, rows, floors, of)
    else:
        pruned = _prune(clf, pruner, rows, training_rows)
    save_model(pruned, output)
    print_summary(_summary(clf, pruned, rows), output)


class PruneCommand(options.LateHelpCommand):
    """The command ``prune``, whose help shows the parameters of the pruners."""

    def complete_help(self, params: dict[str, Any]) -> None:
        """Add the names of the pruners, and which of them have a parameter with what default."""
        from polytomy.prune import PRUNERS

        params["method"].help = params["method"].help.format(names=", ".join(PRUNERS))
        for name, param in params.items():
            defaults = {
                method: field.default
                for method, kind in PRUNERS.items()
                for field in fields(kind)  # type: ignore[arg-type]  # pruners are dataclasses
                if field.name == name and field.default is not MISSING
            }
            if defaults:
                default = next(iter(defaults.values()))
                shown = {None: "none", False: "off"}.get(default, str(default))
                text = f"{param.help} For {' and '.join(defaults)}."
                param.help = options.with_default(text, shown)


def make_pruner(method: str, given: dict[str, Any]) -> Any:
    """Return the pruner of a name with its parameters among the arguments of ``prune``."""
    from polytomy.prune import PRUNERS, resolve

    if method not in PRUNERS:
        return resolve(method)  # raises an error that lists the names
    known: dict[str, set[str]] = {
        name: {field.name for field in fields(kind)}  # type: ignore[arg-type]
        for name, kind in PRUNERS.items()
    }
    every = set().union(*known.values())
    chosen = {n: v for n, v in given.items() if n in every and v is not None and v is not False}
    unknown = [name for name in chosen if name not in known[method]]
    if unknown:
        flag = "raise-any" if chosen[unknown[0]] == "any" else unknown[0].replace("_", "-")
        raise CommandError(f"--{flag} does not apply to --method {method}")
    if method == "error-budget" and str(chosen.get("select", "")).lstrip("-").isdigit():
        chosen["select"] = int(chosen["select"])
    return PRUNERS[method](**chosen)


def _keep_floors(
    clf: Any, data: "LabelledTable | None", floors: dict[str, float | None], of: str | None
) -> Any:
    """Return the smallest tree that keeps floors on its rates on held-out rows."""
    if data is None:
        raise CommandError("--sensitivity and --specificity are those of held-out rows: add DATA")
    if data.task != "classification":
        raise CommandError("--sensitivity and --specificity are for classification")
    named = {str(c): c for c in clf.classes_.tolist()}
    if of not in named:
        raise CommandError(f"--of must be one of the classes {', '.join(list(named)[:8])}")
    path = clf.pruning_path(data.table, data.labels, sample_weight_val=data.weights)
    return path.select(of=named[of], **floors)


def _prune(
    clf: Any, pruner: Any, data: "LabelledTable | None", training: "LabelledTable | None"
) -> Any:
    from .progress import ProgressBar

    raises_subtrees = getattr(pruner, "raising", False)
    needs_held_out = pruner.held_fraction is not None
    needs_training = pruner.cross_validates or raises_subtrees
    if needs_held_out and data is None:
        raise CommandError(f"{pruner.name} chooses by the error on held-out rows: add DATA")
    if needs_training and not needs_held_out:
        training = data if training is None else training  # DATA can be nothing else
    if needs_training and training is None:
        option = "--raising" if raises_subtrees else "--select cv"
        raise CommandError(f"{option} needs the training data: add --training FILE")
    rows: dict[str, Any] = {}
    if needs_held_out and data is not None:
        rows = {"X_val": data.table, "y_val": data.labels, "sample_weight_val": data.weights}
    if training is not None:
        rows |= {"X": training.table, "y": training.labels, "sample_weight": training.weights}
    with ProgressBar("pruning"):
        return clf.prune(pruner, **rows)


def _summary(clf: Any, pruned: Any, rows: "LabelledTable | None") -> list[tuple[str, str]]:
    from .rows import describe_error

    questions = f"{clf.n_questions_:.2f} before, {pruned.n_questions_:.2f} after"
    lines = [
        ("leaves", f"{clf.n_leaves_} before, {pruned.n_leaves_} after"),
        ("questions per row", questions),
    ]
    if clf._model.pruning is not None:
        grown = f"the grown tree of {clf._model.grown.n_leaves} leaves, not the pruned one"
        lines.insert(0, ("starting from", grown))
    if hasattr(pruned, "selection_"):
        lines += [(rate.name, str(rate).partition(" ")[2]) for rate in pruned.selection_.rates]
        lines.append(("", "The tree was chosen on these rows, so check it on other rows."))
    if rows is not None:
        before, after = (describe_error(c, rows) for c in (clf, pruned))
        then = ", " if rows.task == "classification" else "; "
        text = f"{before} before{then}{after} after{then}on {len(rows):,} rows"
        lines.append(("error", text))
    return lines
