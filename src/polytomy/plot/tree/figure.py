"""The figure of a tree."""

import warnings
from functools import partial
from typing import Any

from polytomy._errors import ParameterError
from polytomy._text import one_line
from polytomy.export import AnyModel, node_prediction
from polytomy.plot.axes import axes_or_new, ensure_matplotlib, size_of
from polytomy.plot.background import Background

from .labels import Card, cards_of
from .look import Look
from .styles import NodeStyles, styles_of

ORIENTATIONS = ("auto", "down", "right")
_LARGEST = 80.0  # inches; the text of larger trees is reduced
_MANY = 300  # leaves; more take long to draw and are hard to read


def plot_tree(
    model: AnyModel,
    ax: Any = None,
    *,
    max_depth: int | None = None,
    orientation: str = "auto",
    legend: bool = True,
    title: str | None = None,
    look: Look | None = None,
) -> Any:
    """Draw a model's tree.

    A node shows the column it splits on, its branches the values they take; branches are as wide as
    their share of the training rows. A leaf shows its predicted class and the share of the class to
    expect of new rows, and in parentheses its share of the training rows; ``!`` marks leaves whose
    shares disagree. The colour of a node is that of its class, the larger the share, the stronger,
    and a bar in each node shows the training shares of all classes. Colour-blind readers can
    distinguish the first six classes; further classes are hatched.

    For a numeric target, a leaf shows the mean to expect of new rows, and in parentheses that of
    its training rows; the larger the mean, the stronger the colour. The bar in each node shows the
    mean and its 95 % interval on a scale that all nodes share.

    A leaf of a density tree shows its density and its share of the rows; the larger the density,
    the stronger the colour. The bar in each node shows its share of the rows.

    Parameters
    ----------
    model : Model or DensityModel
        The model to draw.
    ax : matplotlib Axes, default=None
        The axes to draw on, which the tree fills. By default, a new figure of the size that the
        tree needs.
    max_depth : int, default=None
        Maximum depth of the drawing. Deeper subtrees are replaced by a dashed node with their
        number of leaves. None draws the whole tree.
    orientation : {"auto", "down", "right"}, default="auto"
        The direction in which the tree grows. ``"auto"`` is down for trees that fit on a page, and
        otherwise to the right, which leaves more room for text. On given axes, it is the direction
        that allows the larger text.
    legend : bool, default=True
        Whether to show what the colours mean.
    title : str, default=None
        The title of the figure. None shows none.
    look : Look, default=None
        The names and colours of the classes, and whether leaves show intervals. None is
        ``Look.of(model)``.

    Returns
    -------
    matplotlib Axes
        Their units are points at the natural size of the figure, so zooming enlarges text, too.
    """
    if orientation not in ORIENTATIONS:
        raise ParameterError(f"orientation must be one of {ORIENTATIONS}, got {orientation!r}")
    if max_depth is not None and (not hasattr(max_depth, "__index__") or max_depth < 1):
        raise ParameterError(
            f"max_depth must be an integer of at least 1 or None, got {max_depth!r}"
        )
    ensure_matplotlib()
    from polytomy.plot.text import Ruler  # noqa: PLC0415

    from .drawing import draw_bars, draw_branches, draw_cards, draw_labels, draw_legend  # noqa: PLC0415
    from .layout import fitted_layout, natural_layout  # noqa: PLC0415
    from .legend import lay_out_legend  # noqa: PLC0415

    tree = model.tree
    look = Look.of(model) if look is None else look
    cards, ruler = cards_of(model, max_depth, look), Ruler()
    styles = styles_of(model, look)
    _warn_of_many(cards)
    make_legend = None
    if legend:
        remarks = _remarks(model, cards, styles)
        make_legend = partial(lay_out_legend, styles.meanings(), remarks, ruler)
    if ax is None:
        figure = natural_layout(cards, ruler, orientation, make_legend)
    else:
        figure = fitted_layout(cards, ruler, orientation, make_legend, size_of(ax))
    ax = _canvas(ax, *figure.limits)
    background = Background.behind(ax)
    draw_branches(ax, tree, cards, figure.tree, background)
    draw_cards(ax, cards, figure.tree, styles, background)
    draw_bars(ax, cards, figure.tree, styles)
    draw_labels(ax, cards, figure.tree, ruler, background)
    if figure.legend is not None:
        draw_legend(ax, figure.legend, ruler, background)
    if title is not None:
        ax.set_title(one_line(title), color=background.ink)
    return ax


def _remarks(model: AnyModel, cards: list[Card], styles: NodeStyles) -> list[str]:
    """Return what a drawing shows besides colours."""
    remarks = [styles.remark()] if styles.remark() else []
    remarks += ["width of a branch: its share of the rows"] if len(cards) > 1 else []
    prediction = node_prediction(model, 0)
    if prediction.is_forecast:
        remarks.append(f"leaf: {prediction.short_legend}")
    if any(card.head[0].endswith(" !") for card in cards if card.is_leaf):
        remarks.append("!: these disagree")
    return remarks


def _warn_of_many(cards: list[Card]) -> None:
    n = sum(not card.children for card in cards)
    if n > _MANY:
        warnings.warn(
            f"drawing {n:,} leaves takes long, and the result is hard to read; "
            "max_depth= draws only the upper levels",
            UserWarning,
            stacklevel=3,
        )


def _canvas(ax: Any, across: tuple[float, float], upwards: tuple[float, float]) -> Any:
    """Return axes whose units are points from the tree's top left corner."""
    wide, high = across[1] - across[0], upwards[1] - upwards[0]
    scale = min(1.0, 72 * _LARGEST / max(wide, high)) / 72
    ax = axes_or_new(ax, wide * scale, high * scale)
    ax.set_xlim(across)
    ax.set_ylim(upwards)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax
