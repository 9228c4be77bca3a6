"""The marks of a drawn tree: branches as wide as their share of the rows, cards, bars and words."""

from collections import defaultdict
from typing import Any

import numpy as np
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.path import Path

from polytomy.tree import Tree

from .paper import Paper
from .tree_blocks import ANSWER, BAR, LINE
from .tree_cards import Card
from .tree_looks import Looks
from .tree_places import STUB, Places
from .tree_text import Grounds, Pen, Ruler

_STREAM = 13.0  # the width of a branch that holds all rows
_THINNEST = 0.9
_STEPS = 24  # points along a bend
_UNDER = 1.0  # branches reach so far under their cards, which leaves no seam
_BRANCH, _EDGE = 0.28, 0.71  # strengths of ink
_BASELINE = 0.5 * LINE + 0.35  # of the size of text, below the top of its line
_BLACK = "#000000"  # on cards, which are light on any paper
_ROUND = 3.5  # of a card's corners

Point = tuple[float, float]


def draw_branches(ax: Any, tree: Tree, cards: list[Card], places: Places, paper: Paper) -> None:
    """Draw a stream from each card to its children; it parts as the rows do."""
    paths = []
    for at, card in enumerate(cards):
        shares = [tree.rows[cards[child].node] / tree.rows[0] for child in card.children]
        widths = [max(_STREAM * float(share), _THINNEST) for share in shares]
        side = places.middle[at] - sum(widths) / 2
        begin = places.start[card.depth] + places.thickness(at)
        for child, width in zip(card.children, widths, strict=True):
            bend = (places.end[card.depth], places.answers[card.depth + 1])
            ends = (begin - _UNDER, *bend, places.start[card.depth + 1] + _UNDER)
            paths.append(_stream(places, side + width / 2, places.middle[child], width, ends))
            side += width
    _add(ax, PathCollection(paths, facecolors=[paper.tint(_BRANCH)], edgecolors="none", zorder=1))


def _stream(
    places: Places, start: float, stop: float, width: float, depths: tuple[float, ...]
) -> Path:
    """Return a branch: straight out of its card, a bend between the levels, straight on.

    It is equally wide everywhere, also where it runs sideways.
    """
    begin, bend, bent, end = depths
    t = np.linspace(0.0, 1.0, _STEPS)
    way = t * t * (3 - 2 * t)  # of the breadth; it starts and ends straight
    slope = 6 * t * (1 - t) * (stop - start) / (bent - bend)
    lean = width / 2 / np.hypot(1.0, slope)
    breadth, depth = start + way * (stop - start), bend + t * (bent - bend)
    forth = [(start - width / 2, begin)]
    forth += zip(breadth - lean, depth + lean * slope, strict=True)
    forth.append((stop - width / 2, end))
    back = [(start + width / 2, begin)]
    back += zip(breadth + lean, depth - lean * slope, strict=True)
    back.append((stop + width / 2, end))
    return Path([places.point(*p) for p in [*forth, *back[::-1], forth[0]]], closed=True)


def draw_cards(
    ax: Any, tree: Tree, cards: list[Card], places: Places, looks: Looks, paper: Paper
) -> None:
    """Draw the cards, in the colours of their classes; those that hide something are dashed."""
    paths, colours, dashes = [], [], []
    for at, card in enumerate(cards):
        block = places.blocks[at]
        x, y = places.corner(at, card.depth)
        paths.append(_rounded(x, y - block.height, block.width, block.height))
        label, counts = int(tree.label[card.node]), tree.counts[card.node]
        colours.append(looks.card(label, float(counts[label] / counts.sum())))
        dashes.append("--" if card.hidden else "-")
    edge: dict[str, Any] = {"edgecolors": [paper.tint(_EDGE)], "linewidths": 0.7}
    _add(ax, PathCollection(paths, facecolors=colours, zorder=2, linestyles=dashes, **edge))


def _rounded(x: float, y: float, width: float, height: float) -> Path:
    r = _ROUND
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


def draw_bars(ax: Any, tree: Tree, cards: list[Card], places: Places, looks: Looks) -> None:
    """Draw the shares of the classes in each card, in the order of the classes."""
    pieces: dict[tuple[str, str], list[list[Point]]] = defaultdict(list)
    for at, card in enumerate(cards):
        left, top = places.corner(at, card.depth)
        x, y, width = places.blocks[at].bar
        x, y = left + x, top - y
        counts = tree.counts[card.node]
        for label, share in enumerate((counts / counts.sum()).tolist()):
            if share > 0:
                look = looks.bar(label)
                step = share * width
                pieces[look.colour, look.hatch].append(_box(x, y, step, BAR))
                x += step
    for (colour, hatch), boxes in pieces.items():
        swatches(ax, boxes, colour, hatch)


def swatches(
    ax: Any, boxes: list[list[Point]], colour: str, hatch: str, edge: Any = "white"
) -> None:
    """Draw pieces of bars, or of a legend, in the look of a class."""
    rim: dict[str, Any] = {"edgecolors": [edge], "linewidths": 0.5}
    _add(ax, PolyCollection(boxes, facecolors=colour, hatch=hatch or None, zorder=3, **rim))


def draw_words(ax: Any, cards: list[Card], places: Places, ruler: Ruler, paper: Paper) -> None:
    """Write what cards say, and the answers that lead to them."""
    grounds: list[list[Point]] = []
    for at, card in enumerate(cards):
        left, top = places.corner(at, card.depth)
        block = places.blocks[at]
        for line in block.lines:
            side = "center" if line.centred else "left"
            pen = Pen(ruler, line.size, _BLACK, bold=line.bold)
            pen.write(ax, left + line.x, top - line.y, line.text, ha=side, zorder=4)
        if card.answer:
            wide, half = block.answer_width, block.answer_height / 2
            if places.down:
                x, y, side = left + block.width / 2, top + STUB + half, "center"
                start = x - wide / 2
            else:
                x, y, side = left - STUB, top - block.height / 2, "right"
                start = x - wide
            grounds.append(_box(start - 0.6, y + half, wide + 1.2, 2 * half))
            pen, baseline = Pen(ruler, ANSWER, paper.ink), y + half - _BASELINE * ANSWER
            for words in card.answer.split("\n"):
                pen.write(ax, x, baseline, words, ha=side, zorder=4)
                baseline -= LINE * ANSWER
    # an answer interrupts its branch
    _add(ax, Grounds(grounds, ANSWER, facecolors=[paper.colour], edgecolors="none", zorder=1.5))


def _box(x: float, top: float, width: float, height: float) -> list[Point]:
    return [(x, top), (x + width, top), (x + width, top - height), (x, top - height)]


def _add(ax: Any, collection: Any) -> None:
    collection.set_in_layout(False)
    ax.add_collection(collection, autolim=False)
