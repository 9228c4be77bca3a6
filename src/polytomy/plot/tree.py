"""A tree as a figure for papers and notebooks."""

import warnings
from functools import partial
from typing import Any

from polytomy._errors import ParameterError
from polytomy.model import Model

from .axes import axes_or_new, ensure_matplotlib, size_of
from .paper import Paper
from .tree_cards import Card, cards_of
from .tree_looks import Looks

ORIENTATIONS = ("auto", "down", "right")
_LARGEST = 80.0  # inches: a figure is no larger, its text then smaller
_MANY = 300  # leaves: more take long to draw, and nobody reads them


def plot_tree(
    model: Model,
    ax: Any = None,
    *,
    max_depth: int | None = None,
    orientation: str = "auto",
    legend: bool = True,
) -> Any:
    """Draw a model's tree.

    A node says what it asks, its branches what they answer; they are as wide as their share of the
    training rows. A leaf says its largest class, that class's share, and its rows. Colours are the
    classes', the stronger the larger the share, and a bar in each node shows the shares of all
    classes. Colour-blind readers can tell the first six apart; further ones are hatched, and beyond
    twelve classes the lighter ones are grey.

    Parameters
    ----------
    model : Model
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; the tree is made to fit, and to fill them. By default on a new figure, as
        large as the tree needs.
    max_depth : int, optional
        Below so many questions, a dashed node says how many leaves follow.
    orientation : {"auto", "down", "right"}
        Where the tree grows to. ``"auto"`` is down for trees that fit on a page, and else to the
        right, which leaves room for words; on axes given, it is where text can be larger.
    legend : bool
        Whether to show which colour is which class.

    Returns
    -------
    matplotlib Axes
        Its units are points at the figure's natural size: zooming in makes text larger too.
    """
    if orientation not in ORIENTATIONS:
        raise ParameterError(f"orientation must be one of {ORIENTATIONS}, got {orientation!r}")
    if max_depth is not None and (not hasattr(max_depth, "__index__") or max_depth < 1):
        raise ParameterError(f"max_depth must be a whole number from 1 or None, got {max_depth!r}")
    ensure_matplotlib()
    from . import tree_fit, tree_legend, tree_marks, tree_text  # noqa: PLC0415

    tree = model.tree
    cards, looks, ruler = cards_of(model, max_depth), Looks.of(tree.counts[0]), tree_text.Ruler()
    _warn_of_many(cards)
    legends = None
    if legend:
        remark = "width of a branch: its share of the rows" if len(cards) > 1 else ""
        legends = partial(tree_legend.legend_of, model.class_names, looks, remark, ruler)
    if ax is None:
        sheet = tree_fit.natural(cards, ruler, orientation, legends)
    else:
        sheet = tree_fit.fitted(cards, ruler, orientation, legends, size_of(ax))
    places, ax = sheet.places, _canvas(ax, *sheet.limits)
    paper = Paper.behind(ax)
    tree_marks.draw_branches(ax, tree, cards, places, paper)
    tree_marks.draw_cards(ax, tree, cards, places, looks, paper)
    tree_marks.draw_bars(ax, tree, cards, places, looks)
    tree_marks.draw_words(ax, cards, places, ruler, paper)
    if sheet.legend is not None:
        tree_legend.draw_legend(ax, sheet.legend, ruler, paper)
    return ax


def _warn_of_many(cards: list[Card]) -> None:
    n = sum(not card.children for card in cards)
    if n > _MANY:
        warnings.warn(
            f"a drawing of {n:,} leaves takes long and is hard to read; "
            "max_depth= draws only the upper levels",
            UserWarning,
            stacklevel=3,
        )


def _canvas(ax: Any, across: tuple[float, float], upwards: tuple[float, float]) -> Any:
    """Return axes in points, from the tree's upper left corner."""
    wide, high = across[1] - across[0], upwards[1] - upwards[0]
    scale = min(1.0, 72 * _LARGEST / max(wide, high)) / 72
    ax = axes_or_new(ax, wide * scale, high * scale)
    ax.set_xlim(across)
    ax.set_ylim(upwards)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax
