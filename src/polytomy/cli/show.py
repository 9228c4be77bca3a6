"""``polytomy show``: print a model as text."""

from typing import TYPE_CHECKING, Annotated, Any

from . import options
from .errors import CommandError

if TYPE_CHECKING:
    from .report import Inputs


def show(
    model: options.ModelFile,
    data: options.OptionalData = None,
    *,
    width: Annotated[
        int | None,
        options.option(
            "Maximum line length.", default="width of the terminal, or 100", metavar="N"
        ),
    ] = None,
    depth: Annotated[
        int | None, options.option("Show only this many levels.", default="all", metavar="N")
    ] = None,
    p_chance: Annotated[
        bool,
        options.option(
            "Show each split's p-value, adjusted for its choice and plain.",
            "--p-chance",
            default="off",
        ),
    ] = False,
    gains: Annotated[
        bool,
        options.option(
            "Print the information gain of every column at a node instead: its best split of each "
            "number of branches. Needs DATA, the file the model was fitted on.",
            "--gains",
            default="off",
        ),
    ] = False,
    node: Annotated[
        int | None,
        options.option("Node for --gains, as numbered by apply.", default="0, the root"),
    ] = None,
    target: options.OptionalTarget = None,
    weights: options.Weights = None,
    drop_unlabelled: options.DropUnlabelled = False,
    test_fraction: options.FitTestFraction = None,
    seed: options.FitSeed = None,
) -> None:
    """Print a model as text.

    A tree is printed as such, a boosted model as the votes that each column adds, a forest as a
    summary of its trees, and a density tree with the share and the density of each box.

    With --gains, DATA is the file the model was fitted on. Give --target, --weights,
    --drop-unlabelled, --test-fraction and --seed the same values as for fit.
    """
    from rich.console import Console

    from .files import class_names, load_model
    from .output import MAX_WIDTH, colour_classes
    from .report import Inputs
    from .rows import RowOptions

    clf = load_model(model)
    given = RowOptions(target, weights, drop_unlabelled, test_fraction, seed)
    inputs = Inputs(options.one_or_many(data), None, given)
    _check_gains(inputs, gains, node)
    console = Console(highlight=False, soft_wrap=True)
    if width is None:
        width = console.width if console.is_terminal else MAX_WIDTH
    text = _gains(clf, inputs, node or 0, width) if gains else _text(clf, width, depth, p_chance)
    console.print(colour_classes(text, class_names(clf)))


def _text(clf: Any, width: int, depth: int | None, p_chance: bool) -> str:
    from .files import ensemble_word, is_density

    if is_density(clf):
        if p_chance:
            raise CommandError("--p-chance is for a target, but this is a density tree")
        return str(clf.to_text(max_width=width, max_depth=depth))
    if (word := ensemble_word(clf)) is None:
        return str(clf.to_text(max_width=width, max_depth=depth, p_chance=p_chance))
    if depth is not None or p_chance:
        raise CommandError(
            f"--depth and --p-chance apply to a single tree, but this model is {word}"
        )
    return str(clf.to_text(max_width=width))


def _check_gains(inputs: "Inputs", gains: bool, node: int | None) -> None:
    """Raise an error if options are given that only apply to --gains, or if it lacks the rows."""
    if gains and inputs.data is None:
        raise CommandError("--gains needs the rows that the model was fitted on: add DATA")
    given = {
        "DATA": inputs.data is not None,
        "--node": node is not None,
        "--target": inputs.rows.target is not None,
        "--weights": inputs.rows.weights is not None,
        "--drop-unlabelled": inputs.rows.drop_unlabelled,
        "--test-fraction": inputs.rows.test_fraction is not None,
    }
    for name, is_given in given.items():
        if is_given and not gains:
            raise CommandError(f"{name} is for --gains only")


def _gains(clf: Any, inputs: "Inputs", node: int, width: int) -> str:
    from .report import read_inputs

    if not hasattr(clf, "split_table"):
        raise CommandError("--gains is for a classification tree")
    rows = read_inputs(clf, inputs)[0]
    assert rows is not None
    table = clf.split_table(rows.table, rows.labels, rows.weights, node=node)
    return str(table.to_text(width))
