"""The layout of a drawn tree: the size of its cards, their positions, and the fit to the axes.

A tree is laid out by breadth and depth. It grows down or to the right; only the direction in which
breadth and depth are drawn differs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from polytomy._cancellation import check
from polytomy._types import FloatArray
from polytomy.plot.text import LEAST_TEXT, Ruler

from .labels import Card, narrowed
from .legend import Legend, LegendMaker
from .tidy import tidy

# Lengths are in points.
HEAD, TAIL, BRANCH = 9.0, LEAST_TEXT, 8.0  # font sizes of a card's lines and of branch labels
LINE = 1.25  # the height of a line, in font sizes
BAR = 5.0  # the height of a bar of class shares
STUB = 4.0  # between a branch label and its card
MARGIN = 6.0  # around a drawing
_PADDING = 5.0
_BAR_WIDTH = 40.0  # at least
_BASELINE = 0.35  # below the middle of a line, in font sizes
_DOWN_GAPS = (7.0, 14.0)  # between siblings, and between cousins
_RIGHT_GAPS = (4.0, 9.0)
_STEEPNESS = 0.13  # the length of a branch per unit of breadth that it crosses
_BROAD = 900.0  # a broader tree is easier to read from left to right
_LARGEST_SCALE = 1.6  # text is not enlarged further; the remaining room goes between the cards
_WORTHWHILE = 1.08  # the factor by which a tighter layout must enlarge the text
_LEGEND_WIDTHS = (0.0, 320.0, np.inf)  # to try, unless the tree is broader


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; its baseline starts, or is centred, at (x, y) from the card's top left."""

    text: str
    x: float
    y: float
    size: float
    bold: bool = False
    centred: bool = False


@dataclass(frozen=True, slots=True)
class CardLayout:
    """The size of a card and its branch label, the card's lines, and its bar as (x, y, width)."""

    width: float
    height: float
    lines: list[Line]
    bar: tuple[float, float, float]
    label_width: float
    label_height: float


def card_layout(card: Card, ruler: Ruler, *, in_a_row: bool) -> CardLayout:
    """Lay out a card; ``in_a_row`` puts all parts of a leaf in one row."""
    check()
    lines = card.branch.split("\n") if card.branch else []
    widest = max((ruler.width(line, BRANCH) for line in lines), default=0.0)
    size = (widest, LINE * BRANCH * len(lines))
    return _row(card, ruler, size) if in_a_row and card.is_leaf else _stack(card, ruler, size)


def _widened(block: CardLayout, width: float) -> CardLayout:
    """Return a card in a row with a given width, with its bar at the end."""
    x, y, wide = block.bar
    return replace(block, width=width, bar=(x + width - block.width, y, wide))


def _row(card: Card, ruler: Ruler, label: tuple[float, float]) -> CardLayout:
    middle = _PADDING / 2 + LINE * HEAD / 2
    x = _PADDING
    lines = [Line(card.head[0], x, middle + _BASELINE * HEAD, HEAD, bold=True)]
    x += ruler.width(card.head[0], HEAD, bold=True) + 0.35 * HEAD
    lines.append(Line(card.tail, x, middle + _BASELINE * HEAD, TAIL))
    x += ruler.width(card.tail, TAIL) + _PADDING
    bar = (x, middle - BAR / 2, _BAR_WIDTH)
    return CardLayout(x + _BAR_WIDTH + _PADDING, 2 * middle, lines, bar, *label)


def _stack(card: Card, ruler: Ruler, label: tuple[float, float]) -> CardLayout:
    texts = [(text, HEAD, True) for text in card.head] + [(card.tail, TAIL, False)]
    widths = [ruler.width(text, size, bold=bold) for text, size, bold in texts]
    wide = max(*widths, _BAR_WIDTH)
    lines, y = [], 0.6 * _PADDING
    for text, size, bold in texts:
        baseline = y + LINE * size / 2 + _BASELINE * size
        lines.append(Line(text, _PADDING + wide / 2, baseline, size, bold=bold, centred=True))
        y += LINE * size
    y += 0.3 * _PADDING
    return CardLayout(wide + 2 * _PADDING, y + BAR + _PADDING, lines, (_PADDING, y, wide), *label)


@dataclass(frozen=True, slots=True)
class Spacing:
    """The spacing of a layout."""

    in_a_row: bool  # whether leaves are laid out in one row if the tree grows to the right
    shortest: float  # the length of branches between two levels
    longest: float


LOOSE, TIGHT = Spacing(True, 24.0, 110.0), Spacing(False, 14.0, 40.0)


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """The positions of cards and branch labels, from the tree's top left corner."""

    down: bool  # breadth runs to the right and depth down; if False, the other way round
    cards: list[CardLayout]
    middle: FloatArray  # of each card along the breadth
    start: FloatArray  # of each level's cards along the depth
    end: FloatArray  # of each level's deepest card
    labels: FloatArray  # where each level's branch labels begin
    breadth: float
    across: FloatArray  # the breadth of each card or its branch label, whichever is larger

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        deep = float(self.end[-1])
        return (self.breadth, deep) if self.down else (deep, self.breadth)

    def point(self, breadth: float, depth: float) -> tuple[float, float]:
        """Return a position as x and y, with y pointing up."""
        return (breadth, -depth) if self.down else (depth, -breadth)

    def corner(self, card: int, level: int) -> tuple[float, float]:
        """Return the top left corner of a card."""
        size = self.cards[card]
        across = size.width if self.down else size.height
        return self.point(self.middle[card] - across / 2, self.start[level])

    def thickness(self, card: int) -> float:
        """Return the extent of a card along the depth."""
        return self.cards[card].height if self.down else self.cards[card].width


def lay_out(cards: list[Card], ruler: Ruler, spacing: Spacing = LOOSE, *, down: bool) -> TreeLayout:
    """Lay out a tree that grows down or to the right."""
    in_a_row = spacing.in_a_row and not down
    blocks = [card_layout(card, ruler, in_a_row=in_a_row) for card in cards]
    if in_a_row:
        blocks = _with_aligned_leaves(cards, blocks)
    level = np.array([card.depth for card in cards])
    wide = np.array([max(b.width, b.label_width) for b in blocks])
    high = np.array([max(b.height, b.label_height) for b in blocks])
    across = wide if down else high
    gaps = _DOWN_GAPS if down else _RIGHT_GAPS
    middle = tidy([card.children for card in cards], across.tolist(), *gaps)
    label = np.array([b.label_height if down else b.label_width for b in blocks])
    deep = np.array([b.height if down else b.width for b in blocks])
    n_levels = int(level.max()) + 1
    label_deep, card_deep, crossed = np.zeros(n_levels), np.zeros(n_levels), np.zeros(n_levels)
    np.maximum.at(label_deep, level, label)
    np.maximum.at(card_deep, level, deep)
    for at, card in enumerate(cards):
        if card.children:  # the breadth that its outermost branches cross
            reach = middle[card.children[-1]] - middle[at]
            crossed[card.depth + 1] = max(crossed[card.depth + 1], reach)
    branches = np.clip(_STEEPNESS * crossed, spacing.shortest, spacing.longest)
    before = np.where(np.arange(n_levels) > 0, branches + label_deep + STUB, 0.0)
    end = np.cumsum(before + card_deep)
    start = end - card_deep
    breadth = float((middle + across / 2).max())
    labels = start - STUB - label_deep
    return TreeLayout(down, blocks, middle, start, end, labels, breadth, across)


def _with_aligned_leaves(cards: list[Card], blocks: list[CardLayout]) -> list[CardLayout]:
    """Make the leaves of each level equally wide, so that their bars can be compared."""
    widest: dict[int, float] = {}
    for card, block in zip(cards, blocks, strict=True):
        if card.is_leaf:
            widest[card.depth] = max(block.width, widest.get(card.depth, 0.0))
    return [
        _widened(block, widest[card.depth]) if card.is_leaf else block
        for card, block in zip(cards, blocks, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class FigureLayout:
    """The layout of a tree with its legend, and their size."""

    tree: TreeLayout
    legend: Legend | None
    width: float
    height: float  # of the tree

    @property
    def limits(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The limits of x and y, relative to the tree's top left corner, with y pointing up."""
        above = self.legend.height if self.legend else 0.0
        return (-MARGIN, self.width + MARGIN), (-self.height - MARGIN, above + MARGIN)


def natural_layout(
    cards: list[Card], ruler: Ruler, orientation: str, legends: LegendMaker | None
) -> FigureLayout:
    """Lay out a tree at its natural size."""
    tree = _oriented(orientation, cards, ruler)
    width, height = tree.size
    legend = legends(max(width, 320.0)) if legends else None
    return FigureLayout(tree, legend, max(width, legend.width) if legend else width, height)


def _oriented(orientation: str, cards: list[Card], ruler: Ruler) -> TreeLayout:
    """Lay out a tree; ``"auto"`` is down unless the tree is then too broad for a page."""
    if orientation != "auto":
        return lay_out(cards, ruler, down=orientation == "down")
    down = lay_out(cards, ruler, down=True)
    if down.size[0] <= _BROAD:
        return down
    right = lay_out(cards, ruler, down=False)
    return down if max(down.size) < max(right.size) else right


def fitted_layout(
    cards: list[Card],
    ruler: Ruler,
    orientation: str,
    legends: LegendMaker | None,
    room: tuple[float, float],
) -> FigureLayout:
    """Lay out a tree to fill a given width and height.

    The layout with the largest text is chosen; the remaining room goes between the cards.
    """
    room = max(room[0], 4 * MARGIN), max(room[1], 4 * MARGIN)
    best, largest = None, 0.0
    for tree in _layouts(cards, ruler, orientation):
        legend = _legend_for(tree, legends, room)
        scale = min(_scale(tree, legend, room), 1.0)  # a larger scale is not preferred
        if best is None or scale > _WORTHWHILE * largest:
            best, largest = (tree, legend), scale
    assert best is not None
    tree, legend = best
    scale = min(_scale(tree, legend, room), _LARGEST_SCALE)
    width, height = (length / scale - 2 * MARGIN for length in room)
    height -= legend.height if legend else 0.0
    return FigureLayout(_spread(tree, width, height), legend, width, height)


def _layouts(cards: list[Card], ruler: Ruler, orientation: str) -> Iterator[TreeLayout]:
    """Yield layouts with long lines, then those with short ones."""
    ways = {"auto": (True, False), "down": (True,), "right": (False,)}[orientation]
    for labels, spacing in ((cards, LOOSE), (cards, TIGHT), (narrowed(cards), TIGHT)):
        for down in ways:
            yield lay_out(labels, ruler, spacing, down=down)


def _legend_for(
    tree: TreeLayout, legends: LegendMaker | None, room: tuple[float, float]
) -> Legend | None:
    """Return the legend, of several widths, that leaves the tree the most room."""
    if legends is None:
        return None
    tried = [legends(max(width, tree.size[0])) for width in _LEGEND_WIDTHS]
    return max(tried, key=lambda legend: _scale(tree, legend, room))


def _scale(tree: TreeLayout, legend: Legend | None, room: tuple[float, float]) -> float:
    """Return the largest scale at which a drawing fits into the room."""
    (wide, high), above = tree.size, 0.0
    if legend is not None:
        wide, above = max(wide, legend.width), legend.height
    return min(room[0] / (wide + 2 * MARGIN), room[1] / (high + above + 2 * MARGIN))


def _spread(tree: TreeLayout, width: float, height: float) -> TreeLayout:
    """Move the cards apart until they fill a width and a height."""
    breadth, depth = (width, height) if tree.down else (height, width)
    extra = max(0.0, depth - float(tree.end[-1]))
    steps = np.arange(len(tree.end)) * (extra / max(len(tree.end) - 1, 1))
    half = tree.across / 2

    def ends(by: float) -> tuple[float, float]:
        return float((by * tree.middle - half).min()), float((by * tree.middle + half).max())

    least, most = 1.0, max(1.0, breadth / max(float(np.ptp(tree.middle)), 1e-9))
    for _ in range(40):  # bisection: the breadth increases with the factor
        by = (least + most) / 2
        low, high = ends(by)
        least, most = (by, most) if high - low <= breadth else (least, by)
    low, high = ends(least)
    shift = -low + max(0.0, breadth - (high - low)) / 2  # a tree that cannot be spread is centred
    return replace(
        tree,
        middle=least * tree.middle + shift,
        start=tree.start + steps,
        end=tree.end + steps,
        labels=tree.labels + steps,
        breadth=max(breadth, high - low),
    )
