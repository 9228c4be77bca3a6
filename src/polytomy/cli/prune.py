"""``polytomy prune``: a smaller tree out of a fitted one."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .bad_input import BadInputError

if TYPE_CHECKING:
    from .sample import Sample


def prune(
    model: options.ModelFile,
    data: options.MaybeData = None,
    *,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=lambda: list(options.PRUNERS),
            help=f"How: {', '.join(options.PRUNERS)}.",
        ),
    ],
    output: options.ModelOutput,
    target: options.MaybeTarget = None,
    weights: options.Weights = None,
    training: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The rows fitted on, where DATA are held-out ones."),
    ] = None,
    select: Annotated[
        str | None,
        typer.Option(
            metavar="holdout|srm|cv|N",
            help="What error-budget and cost-complexity choose by; error-budget: or N leaves.",
        ),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="cost-complexity: the price of a leaf.")
    ] = None,
    cost: Annotated[
        str | None, typer.Option(metavar="index|error", help="cost-complexity: the cost.")
    ] = None,
    max_p_chance: Annotated[
        float | None, typer.Option(metavar="P", help="chi-square: how likely chance may be.")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="pessimistic: the limit's, less prunes more.")
    ] = None,
    delta: Annotated[
        float | None, typer.Option(help="conservative: the chance of an error.")
    ] = None,
    scale: Annotated[
        float | None, typer.Option(help="conservative: a factor on the penalty.")
    ] = None,
    folds: Annotated[int | None, typer.Option(help="The folds of --select cv.")] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**32 - 1,
            metavar="N",
            show_default="fit's",
            help="Which rows are in which fold.",
        ),
    ] = None,
    raising: Annotated[
        bool, typer.Option("--raising", help="reduced-error, pessimistic: raise subtrees, too.")
    ] = False,
) -> None:
    """Prune a tree and write the smaller model; pruning starts from the tree as it was grown.

    reduced-error, and error-budget and cost-complexity unless told otherwise, choose by DATA, which
    must be rows the tree was not grown on. --select cv and --raising need the rows it was grown on.
    The other methods need no rows; given some, the error on them is told.
    """
    from .models import load_model, save_model
    from .write import check_output

    check_output(output, data, training)
    asked = {"select": select, "alpha": alpha, "cost": cost, "max_p_chance": max_p_chance}
    asked |= {"confidence": confidence, "delta": delta, "scale": scale, "folds": folds}
    pruner = pruner_of(method, {**asked, "raising": raising or None})
    clf = load_model(model)
    if not hasattr(clf, "prune"):
        raise BadInputError("this model is boosted; only one tree can be pruned")
    if seed is not None:
        clf.random_state = seed
    columns = target, weights
    rows, known = (_rows(clf, path, columns) for path in (data, training))
    smaller = _pruned(clf, pruner, rows, known)
    save_model(smaller, output)
    for line in _told(clf, smaller, rows, output):
        typer.echo(line, err=str(output) == "-")


def pruner_of(method: str, asked: dict[str, Any]) -> Any:
    """Return the pruner of a name with the parameters that were given."""
    from polytomy.prune import PRUNERS, resolve

    if method not in PRUNERS:
        return resolve(method)  # which says what there is
    kind = PRUNERS[method]
    given = {name: value for name, value in asked.items() if value is not None}
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # pruners are such
    strange = [name for name in given if name not in known]
    if strange:
        raise BadInputError(f"--{strange[0].replace('_', '-')} does not go with --method {method}")
    if method == "error-budget" and str(given.get("select", "")).lstrip("-").isdigit():
        given["select"] = int(given["select"])
    return kind(**given)


def _rows(clf: Any, path: Path | None, columns: tuple[str | None, str | None]) -> "Sample | None":
    from .models import names_of, read_for
    from .sample import Sample
    from .target import labels_in, weights_in

    target, weights = columns
    if path is None:
        return None
    if target is None:
        raise BadInputError("rows need the column that was fitted: add --target COL")
    sheet = read_for(clf, path, columns)
    return Sample(sheet, names_of(clf), labels_in(sheet, target), weights_in(sheet, weights))


def _pruned(clf: Any, pruner: Any, data: "Sample | None", training: "Sample | None") -> Any:
    from .wait import Waiting

    raises = getattr(pruner, "raising", False)
    holds_out = pruner.held_fraction is not None
    if holds_out and data is None:
        raise BadInputError(f"{pruner.name} chooses by rows the tree was not grown on: add DATA")
    if (pruner.cross_validates or raises) and not holds_out:
        training = training or data  # there is nothing else that DATA could be
    if (pruner.cross_validates or raises) and training is None:
        what = "--raising" if raises else "--select cv"
        raise BadInputError(f"{what} needs the rows the tree was grown on: add --training FILE")
    held: dict[str, Any] = {}
    if holds_out and data is not None:
        held = {"X_val": data.X, "y_val": data.labels, "sample_weight_val": data.weights}
    if training is not None:
        held |= {"X": training.X, "y": training.labels, "sample_weight": training.weights}
    with Waiting("pruning"):
        return clf.prune(pruner, **held)


def _told(clf: Any, smaller: Any, rows: "Sample | None", output: Path) -> list[str]:
    lines = [
        f"{'leaves':<17}{clf.n_leaves_} before, {smaller.n_leaves_} now",
        f"{'questions a row':<17}{clf.n_questions_:.2f} before, {smaller.n_questions_:.2f} now",
    ]
    if clf._model.pruning is not None:
        whole = f"the grown tree of {clf._model.grown.n_leaves} leaves, not the pruned one"
        lines.insert(0, f"{'starts from':<17}{whole}")
    if rows is not None:
        before, now = rows.error_of(clf), rows.error_of(smaller)
        said = f"{before:.1%} before, {now:.1%} now, on the {len(rows.labels):,} rows given"
        lines.append(f"{'error':<17}{said}")
    return [*lines, f"{'model':<17}{'stdout' if str(output) == '-' else output}"]
