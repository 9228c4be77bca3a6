"""``polytomy show``: print a model as text."""

from typing import Annotated, Any

from . import options
from .errors import CommandError


def show(
    model: options.ModelFile,
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
) -> None:
    """Print a model as text.

    A tree is printed as such, a boosted model as the votes that each column adds, a forest as a
    summary of its trees, and a density tree with the share and the density of each box.
    """
    from rich.console import Console

    from .files import class_names, load_model
    from .output import MAX_WIDTH, colour_classes

    clf = load_model(model)
    console = Console(highlight=False, soft_wrap=True)
    max_width = width or (console.width if console.is_terminal else MAX_WIDTH)
    text = _text(clf, max_width, depth, p_chance)
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
