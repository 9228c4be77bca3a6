"""``polytomy show``: a model in the terminal."""

from typing import Annotated, Any

import typer

from . import options
from .bad_input import BadInputError

WIDTH = 100  # where there is no terminal to ask


def show(
    model: options.ModelFile,
    width: Annotated[
        int | None,
        typer.Option(
            metavar="N", show_default="the terminal's", help="Cut lines to so many characters."
        ),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(metavar="N", help="Draw so many questions deep.")
    ] = None,
    p_chance: Annotated[
        bool,
        typer.Option("--p-chance", help="Say how likely chance makes each question as telling."),
    ] = False,
) -> None:
    """Draw the tree; of a boosted model, what each column adds to the votes."""
    from rich.console import Console

    from .models import load_model
    from .paint import coloured

    clf = load_model(model)
    console = Console(highlight=False, soft_wrap=True)
    wide = width or (console.width if console.is_terminal else WIDTH)
    console.print(coloured(_text(clf, wide, depth, p_chance), [str(c) for c in clf.classes_]))


def _text(clf: Any, width: int, depth: int | None, p_chance: bool) -> str:
    if not hasattr(clf, "rounds_"):
        return str(clf.to_text(max_width=width, max_depth=depth, p_chance=p_chance))
    if depth is not None or p_chance:
        raise BadInputError("--depth and --p-chance are for one tree, and this model is boosted")
    return str(clf.to_text(max_width=width))
