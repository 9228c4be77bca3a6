"""A tree as a figure for papers and notebooks."""

from typing import Any

from polytomy._errors import ParameterError
from polytomy.model import Model

from .axes import axes_or_new, ensure_matplotlib
from .tree_cards import cards_of
from .tree_looks import Looks

ORIENTATIONS = ("auto", "down", "right")
_BROAD = 900.0  # points: a broader tree is easier to read from the left to the right
_LARGEST = 80.0  # inches: a figure is no larger, its text then smaller
_MARGIN = 6.0


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
        Where to draw; the tree is made to fit. By default on a new figure, as large as the tree
        needs.
    max_depth : int, optional
        Below so many questions, a dashed node says how many leaves follow.
    orientation : {"auto", "down", "right"}
        Where the tree grows to. ``"auto"`` is down for trees that fit on a page, and else to the
        right, which leaves room for words.
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
    from . import tree_legend, tree_marks, tree_places, tree_text  # noqa: PLC0415

    tree, names = model.tree, model.class_names
    cards, looks, ruler = cards_of(model, max_depth), Looks.of(tree.counts[0]), tree_text.Ruler()
    places = tree_places.place_as(orientation, cards, ruler, _BROAD)
    (width, height), above = places.size, 0.0
    key = None
    if legend:
        remark = "width of a branch: its share of the rows" if len(cards) > 1 else ""
        key = tree_legend.legend_of(names, looks, remark, ruler, max(width, 320.0))
        width, above = max(width, key.width), key.height
    ax = _canvas(ax, width, height, above)
    tree_marks.draw_branches(ax, tree, cards, places)
    tree_marks.draw_cards(ax, tree, cards, places, looks)
    tree_marks.draw_bars(ax, tree, cards, places, looks)
    tree_marks.draw_words(ax, cards, places, ruler)
    if key is not None:
        tree_legend.draw_legend(ax, key, ruler)
    return ax


def _canvas(ax: Any, width: float, height: float, above: float) -> Any:
    """Return axes in points, from the tree's upper left corner, with room for the legend above."""
    wide, high = width + 2 * _MARGIN, height + above + 2 * _MARGIN
    scale = min(1.0, 72 * _LARGEST / max(wide, high)) / 72
    ax = axes_or_new(ax, wide * scale, high * scale)
    ax.set_xlim(-_MARGIN, width + _MARGIN)
    ax.set_ylim(-height - _MARGIN, above + _MARGIN)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax
