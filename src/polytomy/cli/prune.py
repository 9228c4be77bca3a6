"""``polytomy prune``: prune a fitted tree."""

from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from . import options
from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.io import LabelledTable

    from .rows import RowOptions


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
    test_fraction: Annotated[
        float | None,
        options.option(
            "DATA is the file that fit was given with this option: choose on the rows that it "
            "held out.",
            "--test-fraction",
            metavar="F",
        ),
    ] = None,
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
        int | None,
        options.seed_option("Random seed for the folds and of --test-fraction.", "the seed of fit"),
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
    which must be held-out rows: other rows than those that were fitted, or the file that fit was
    given and --test-fraction. The error on rows that chose the size is optimistic, and a report
    says so. --select cv, --raising and --raise-any need the training data. The other methods need
    no data; if DATA is given, the error on it is reported.

    A density tree is pruned by error-budget: to --select N boxes, or to the size with the least
    loss on DATA. It is pruned as it is, since its file does not keep the tree as it was grown.
    """
    given = dict(locals())
    from polytomy.estimators import record_of

    from .files import check_output, ensemble_word, is_density, load_model, save_model
    from .output import print_summary
    from .rows import RowOptions

    path = options.one_or_many(data)
    check_output(output, path, training)
    if raise_any:
        given["raising"] = "any"
    floors = {"sensitivity": sensitivity, "specificity": specificity}
    pruner = None if method is None else make_pruner(method, given)
    clf = load_model(model)
    if (method is None) == all(floor is None for floor in floors.values()):
        others = " error-budget" if is_density(clf) else ", or --sensitivity or --specificity"
        raise CommandError(f"choose --method{others}")
    asked = RowOptions(target, weights, drop_unlabelled, test_fraction, seed)
    if is_density(clf):
        if training is not None:
            raise CommandError("--training is for a target, but this is a density tree")
        _prune_density(clf, pruner, path, asked, output)
        return
    if (word := ensemble_word(clf)) is not None:
        raise CommandError(f"only a single tree can be pruned, but this model is {word}")
    if seed is not None:
        clf.random_state = seed
    if target is None and (path or training) is not None and record_of(clf) is None:
        raise CommandError("reading rows needs the target: add --target COL")
    if test_fraction is not None and path is None:
        raise CommandError("--test-fraction needs the file that fit was given: add DATA")
    chooses = pruner is None or pruner.held_fraction is not None
    rows, training_rows = _read_rows(clf, (path, training), asked, chooses=chooses)
    if pruner is None:
        pruned = _keep_floors(clf, rows, floors, of)
    else:
        pruned = _prune(clf, pruner, rows, training_rows)
    _remember_choice(pruned, rows if chooses else None)
    save_model(pruned, output)
    print_summary(_summary(clf, pruned, rows, chosen=chooses), output)


def _prune_density(model: Any, pruner: Any, path: Any, asked: "RowOptions", output: Path) -> None:
    """Prune a density tree, whose rows have no target."""
    from polytomy.estimators import record_of
    from polytomy.io import fingerprint_of_table

    from .files import save_model
    from .output import print_summary
    from .report import CHOSEN_NOTE
    from .rows import read_rows_without_target

    if pruner is None:
        raise CommandError(
            "--sensitivity and --specificity are for classes, but this is a density tree"
        )
    chooses, record = pruner.held_fraction is not None, record_of(model)
    if chooses and path is None:
        raise CommandError(f"{pruner.name} chooses on held-out rows: add DATA, or --select N")
    mark = table = weights = None
    if path is not None:
        table, weights = read_rows_without_target(model, path, asked)
        mark = fingerprint_of_table(table, None, weights)
    if chooses and record is not None and mark == record.fingerprint:
        raise CommandError(
            "the tree was fitted on these rows, which cannot choose its size; give other rows"
        )
    held = {"X_val": table, "sample_weight_val": weights} if chooses else {}
    pruned = model.prune(pruner, **held)
    if chooses and mark is not None:
        _remember_mark(pruned, mark)
    save_model(pruned, output)
    lines = [("leaves", f"{model.n_leaves_} before, {pruned.n_leaves_} after")]
    if table is not None:
        total = table.n_rows if weights is None else weights.sum()
        before, after = (m.score(table, sample_weight=weights) / total for m in (model, pruned))
        text = f"{before:.4g} before, {after:.4g} after, on {table.n_rows:,} rows"
        lines.append(("mean log-density", f"{text} ({CHOSEN_NOTE})" if chooses else text))
    print_summary(lines, output)


def _read_rows(
    clf: Any, paths: tuple[Any, Path | None], asked: "RowOptions", *, chooses: bool
) -> "tuple[LabelledTable | None, LabelledTable | None]":
    """Return the rows to choose on and the training rows; refuse to choose on training rows."""
    from .rows import are_training_rows, other_rows, read_rows_for, split_test_rows

    rows, training = (None if p is None else read_rows_for(clf, p, asked) for p in paths)
    if asked.test_fraction is not None and rows is not None:
        fitted, rows = split_test_rows(rows, asked.test_fraction, _split_seed(clf, asked))
        if rows is None or other_rows(clf, fitted) or not are_training_rows(clf, fitted):
            raise CommandError(
                "this --test-fraction and --seed hold out other rows than fit did; give both the "
                "same values as for fit"
            )
        return rows, fitted if training is None else training
    if rows is not None and chooses and _are_fitted(clf, rows):
        problem = "the tree was fitted on these rows, which cannot choose its size"
        raise CommandError(f"{problem}; {_advice(clf)}")
    return rows, training


def _split_seed(clf: Any, asked: "RowOptions") -> int | None:
    from polytomy.estimators import record_of

    record = record_of(clf)
    return record.seed if asked.seed is None and record is not None else asked.seed


def _are_fitted(clf: Any, rows: "LabelledTable") -> bool:
    """Return whether a tree was fitted on these rows, or on most of them."""
    from polytomy.estimators import record_of
    from polytomy.io import fingerprint_of

    from .rows import are_training_rows

    record = record_of(clf)
    if record is not None and record.fingerprint is not None and record.n_rows == len(rows):
        return fingerprint_of(rows) == record.fingerprint
    return are_training_rows(clf, rows)


def _advice(clf: Any) -> str:
    from polytomy.estimators import record_of

    record = record_of(clf)
    if record is not None and record.test_fraction:
        held_out = record.n_rows - record.n_fitted
        return (
            f"--test-fraction {record.test_fraction:g} chooses on the {held_out:,} rows that fit "
            "held out"
        )
    return "give other rows, or hold some out with --test-fraction, for fit and here"


def _remember_choice(pruned: Any, rows: "LabelledTable | None") -> None:
    """Let a pruned model remember the rows that chose its size, if there are any."""
    from polytomy.io import fingerprint_of

    if rows is not None:
        _remember_mark(pruned, fingerprint_of(rows), rows.target)


def _remember_mark(pruned: Any, fingerprint: str, target: str | None = None) -> None:
    """Let a pruned model remember the fingerprint of the rows that chose its size."""
    from dataclasses import replace

    from polytomy.estimators import record_of, remember

    from .rows import record_without_file

    record = record_of(pruned) or record_without_file(pruned, target)
    remember(pruned, replace(record, chosen_on=fingerprint))


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


def _summary(
    clf: Any, pruned: Any, rows: "LabelledTable | None", *, chosen: bool
) -> list[tuple[str, str]]:
    from .report import CHOSEN_NOTE
    from .rows import describe_error

    questions = f"{clf.n_questions_:.2f} before, {pruned.n_questions_:.2f} after"
    lines = [
        ("leaves", f"{clf.n_leaves_} before, {pruned.n_leaves_} after"),
        ("questions per row", questions),
    ]
    if clf._model.pruning is not None and clf._model.grown.n_leaves != clf.n_leaves_:
        grown = f"the grown tree of {clf._model.grown.n_leaves} leaves, not the pruned one"
        lines.insert(0, ("starting from", grown))
    if hasattr(pruned, "selection_"):
        lines += [(rate.name, str(rate).partition(" ")[2]) for rate in pruned.selection_.rates]
        lines.append(("", "The tree was chosen on these rows, so check it on other rows."))
    if rows is not None:
        before, after = (describe_error(c, rows) for c in (clf, pruned))
        then = ", " if rows.task == "classification" else "; "
        text = f"{before} before{then}{after} after{then}on {len(rows):,} rows"
        lines.append(("error", f"{text} ({CHOSEN_NOTE})" if chosen else text))
    return lines
