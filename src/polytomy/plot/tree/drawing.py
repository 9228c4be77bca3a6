"""The marks of a drawn tree: branches, cards, bars, text and the legend."""

from collections import defaultdict
from typing import Any

import numpy as np
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.path import Path

from polytomy._cancellation import check
from polytomy.plot.background import Background
from polytomy.plot.text import BranchLabelBoxes, Pen, Ruler
from polytomy.tree import Tree

from .labels import Card
from .layout import BAR, BRANCH, LINE, STUB, TreeLayout
from .legend import LEGEND_TEXT, ROW, SWATCH, SWATCH_GAP, Legend
from .styles import NodeStyles, Style

_WIDEST = 13.0  # the width of a branch that holds all rows, in points
_THINNEST = 0.9
_STEPS = 24  # vertices along a bend
_OVERLAP = 1.0  # of branches with their cards, so that there is no seam
_BRANCH_TINT, _EDGE_TINT = 0.28, 0.71
_BASELINE = 0.5 * LINE + 0.35  # below the top of a line, in font sizes
_BLACK = "#000000"  # text on cards, which are light on any background
_RADIUS = 3.5  # of a card's corners

Point = tuple[float, float]


def draw_branches(
    ax: Any, tree: Tree, cards: list[Card], layout: TreeLayout, background: Background
) -> None:
    """Draw the branches, as wide as their share of the rows."""
    paths = []
    for at, card in enumerate(cards):
        shares = [tree.rows[cards[child].node] / tree.rows[0] for child in card.children]
        widths = [max(_WIDEST * float(share), _THINNEST) for share in shares]
        side = layout.middle[at] - sum(widths) / 2
        begin = layout.start[card.depth] + layout.thickness(at)
        for child, width in zip(card.children, widths, strict=True):
            bend = (layout.end[card.depth], layout.labels[card.depth + 1])
            ends = (begin - _OVERLAP, *bend, layout.start[card.depth + 1] + _OVERLAP)
            paths.append(_branch_path(layout, side + width / 2, layout.middle[child], width, ends))
            side += width
    colour = background.tint(_BRANCH_TINT)
    _add(ax, PathCollection(paths, facecolors=[colour], edgecolors="none", zorder=1))


def _branch_path(
    layout: TreeLayout, start: float, stop: float, width: float, depths: tuple[float, ...]
) -> Path:
    """Return the outline of a branch: straight, then a bend between the levels, then straight.

    Its width is constant, also along the bend.
    """
    begin, bend, bent, end = depths
    t = np.linspace(0.0, 1.0, _STEPS)
    way = t * t * (3 - 2 * t)  # along the breadth; its slope is 0 at both ends
    slope = 6 * t * (1 - t) * (stop - start) / (bent - bend)
    lean = width / 2 / np.hypot(1.0, slope)
    breadth, depth = start + way * (stop - start), bend + t * (bent - bend)
    forth = [(start - width / 2, begin)]
    forth += zip(breadth - lean, depth + lean * slope, strict=True)
    forth.append((stop - width / 2, end))
    back = [(start + width / 2, begin)]
    back += zip(breadth + lean, depth - lean * slope, strict=True)
    back.append((stop + width / 2, end))
    return Path([layout.point(*p) for p in [*forth, *back[::-1], forth[0]]], closed=True)


def draw_cards(
    ax: Any, cards: list[Card], layout: TreeLayout, styles: NodeStyles, background: Background
) -> None:
    """Draw the cards in the colours of their nodes, dashed if their children are not drawn."""
    paths, colours, dashes = [], [], []
    for at, card in enumerate(cards):
        block = layout.cards[at]
        x, y = layout.corner(at, card.depth)
        paths.append(_rounded(x, y - block.height, block.width, block.height))
        colours.append(styles.card(card.node))
        dashes.append("--" if card.hidden else "-")
    edge: dict[str, Any] = {"edgecolors": [background.tint(_EDGE_TINT)], "linewidths": 0.7}
    _add(ax, PathCollection(paths, facecolors=colours, zorder=2, linestyles=dashes, **edge))


def _rounded(x: float, y: float, width: float, height: float) -> Path:
    r = _RADIUS
    right, top = x + width, y + height
    corners: list[tuple[Point, Point, Point]] = [
        ((right - r, y), (right, y), (right, y + r)),
        ((right, top - r), (right, top), (right - r, top)),
        ((x + r, top), (x, top), (x, top - r)),
        ((x, y + r), (x, y), (x + r, y)),
    ]
    vertices: list[Point] = [(x + r, y)]
    codes = [Path.MOVETO]
    for corner in corners:
        vertices += corner
        codes += [Path.LINETO, Path.CURVE3, Path.CURVE3]
    return Path([*vertices, vertices[0]], [*codes, Path.CLOSEPOLY])


def draw_bars(ax: Any, cards: list[Card], layout: TreeLayout, styles: NodeStyles) -> None:
    """Draw a bar of the target in each card."""
    pieces: dict[Style, list[list[Point]]] = defaultdict(list)
    for at, card in enumerate(cards):
        left, top = layout.corner(at, card.depth)
        x, y, width = layout.cards[at].bar
        for start, stop, style in styles.bar(card.node):
            box = _box(left + x + start * width, top - y, (stop - start) * width, BAR)
            pieces[style].append(box)
    for style, boxes in pieces.items():
        _swatches(ax, boxes, style)


def _swatches(ax: Any, boxes: list[list[Point]], style: Style, edge: Any = "white") -> None:
    """Draw pieces of bars, or of the legend."""
    look: dict[str, Any] = {"facecolors": style.colour, "hatch": style.hatch or None, "zorder": 3}
    width = 0.5 if style.framed else 0.0
    _add(ax, PolyCollection(boxes, edgecolors=[edge], linewidths=width, **look))


def draw_labels(
    ax: Any, cards: list[Card], layout: TreeLayout, ruler: Ruler, background: Background
) -> None:
    """Write the text of the cards and of the branches."""
    boxes: list[list[Point]] = []
    for at, card in enumerate(cards):
        check()
        left, top = layout.corner(at, card.depth)
        block = layout.cards[at]
        for line in block.lines:
            side = "center" if line.centred else "left"
            pen = Pen(ruler, line.size, _BLACK, bold=line.bold)
            pen.write(ax, left + line.x, top - line.y, line.text, ha=side, zorder=4)
        if card.branch:
            wide, half = block.label_width, block.label_height / 2
            if layout.down:
                x, y, side = left + block.width / 2, top + STUB + half, "center"
                start = x - wide / 2
            else:
                x, y, side = left - STUB, top - block.height / 2, "right"
                start = x - wide
            boxes.append(_box(start - 0.6, y + half, wide + 1.2, 2 * half))
            pen, baseline = Pen(ruler, BRANCH, background.ink), y + half - _BASELINE * BRANCH
            for words in card.branch.split("\n"):
                pen.write(ax, x, baseline, words, ha=side, zorder=4)
                baseline -= LINE * BRANCH
    # a label interrupts its branch
    colours: dict[str, Any] = {"facecolors": [background.colour], "edgecolors": "none"}
    _add(ax, BranchLabelBoxes(boxes, BRANCH, zorder=1.5, **colours))


def draw_legend(ax: Any, legend: Legend, ruler: Ruler, background: Background) -> None:
    """Draw a legend above the line y = 0."""
    wide, high = SWATCH
    for entry in legend.entries:
        x, middle = entry.x, legend.height - (entry.row + 0.5) * ROW
        colour = background.ink
        if entry.style is None:
            colour = background.muted
        else:
            low, top = middle - high / 2, middle + high / 2
            box = [(x, low), (x + wide, low), (x + wide, top), (x, top)]
            _swatches(ax, [box], entry.style, background.colour)
            x += wide + SWATCH_GAP
        Pen(ruler, LEGEND_TEXT, colour).write(ax, x, middle - 0.35 * LEGEND_TEXT, entry.text)


def _box(x: float, top: float, width: float, height: float) -> list[Point]:
    return [(x, top), (x + width, top), (x + width, top - height), (x, top - height)]


def _add(ax: Any, collection: Any) -> None:
    collection.set_in_layout(False)
    ax.add_collection(collection, autolim=False)
