"""Where cards stand: in levels, tidy along them, from the top down or from the left to the right.

Both ways are one: a tree is laid out along its breadth and its depth, and turned when drawn.
"""

from dataclasses import dataclass

import numpy as np

from polytomy._types import FloatArray

from .tidy import tidy
from .tree_blocks import Block, aligned, block_of
from .tree_cards import Card
from .tree_text import Ruler

STUB = 4.0  # between an answer and its card
_DOWN_GAPS = (7.0, 14.0)  # between siblings, and between cousins
_RIGHT_GAPS = (4.0, 9.0)
_STEEP = 0.13  # of the breadth a branch must cross


@dataclass(frozen=True, slots=True)
class Manner:
    """How closely a tree is laid out."""

    in_a_row: bool  # whether leaves may have all in one row, where trees grow to the right
    least_reach: float  # of branches, between two levels
    most_reach: float


AIRY, SNUG = Manner(True, 24.0, 110.0), Manner(False, 14.0, 40.0)


@dataclass(frozen=True, slots=True)
class Places:
    """Where everything stands, in points, from the upper left corner of the tree."""

    down: bool  # breadth runs to the right and depth down; if not, the other way round
    blocks: list[Block]
    middle: FloatArray  # of each card along the breadth
    start: FloatArray  # of each level's cards along the depth
    end: FloatArray  # of each level's deepest card
    answers: FloatArray  # where each level's answers begin
    breadth: float
    across: FloatArray  # how much of the breadth each card takes, or its answer

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        deep = float(self.end[-1])
        return (self.breadth, deep) if self.down else (deep, self.breadth)

    def point(self, breadth: float, depth: float) -> tuple[float, float]:
        """Return a place as x and y, upwards."""
        return (breadth, -depth) if self.down else (depth, -breadth)

    def corner(self, place: int, level: int) -> tuple[float, float]:
        """Return the upper left corner of a card."""
        block = self.blocks[place]
        if self.down:
            return self.point(self.middle[place] - block.width / 2, self.start[level])
        return self.point(self.middle[place] - block.height / 2, self.start[level])

    def thickness(self, place: int) -> float:
        """Return how deep a card is."""
        return self.blocks[place].height if self.down else self.blocks[place].width


def place(cards: list[Card], ruler: Ruler, manner: Manner = AIRY, *, down: bool) -> Places:
    """Lay out cards."""
    in_a_row = manner.in_a_row and not down
    blocks = [block_of(card, ruler, in_a_row=in_a_row) for card in cards]
    if in_a_row:
        blocks = _with_aligned_leaves(cards, blocks)
    level = np.array([card.depth for card in cards])
    wide = np.array([max(b.width, b.answer_width) for b in blocks])
    high = np.array([max(b.height, b.answer_height) for b in blocks])
    across = wide if down else high
    gaps = _DOWN_GAPS if down else _RIGHT_GAPS
    middle = tidy([card.children for card in cards], across.tolist(), *gaps)
    answer = np.array([b.answer_height if down else b.answer_width for b in blocks])
    deep = np.array([b.height if down else b.width for b in blocks])
    n_levels = int(level.max()) + 1
    answer_deep, card_deep, crossed = np.zeros(n_levels), np.zeros(n_levels), np.zeros(n_levels)
    np.maximum.at(answer_deep, level, answer)
    np.maximum.at(card_deep, level, deep)
    for at, card in enumerate(cards):
        if card.children:  # how far its outermost branches must go to the side
            reach = middle[card.children[-1]] - middle[at]
            crossed[card.depth + 1] = max(crossed[card.depth + 1], reach)
    branches = np.clip(_STEEP * crossed, manner.least_reach, manner.most_reach)
    before = np.where(np.arange(n_levels) > 0, branches + answer_deep + STUB, 0.0)
    end = np.cumsum(before + card_deep)
    start = end - card_deep
    breadth = float((middle + across / 2).max())
    return Places(down, blocks, middle, start, end, start - STUB - answer_deep, breadth, across)


def _with_aligned_leaves(cards: list[Card], blocks: list[Block]) -> list[Block]:
    """Return blocks, the leaves of each level equally wide, so that their bars can be compared."""
    widest: dict[int, float] = {}
    for card, block in zip(cards, blocks, strict=True):
        if card.is_leaf:
            widest[card.depth] = max(block.width, widest.get(card.depth, 0.0))
    return [
        aligned(block, widest[card.depth]) if card.is_leaf else block
        for card, block in zip(cards, blocks, strict=True)
    ]


def place_as(orientation: str, cards: list[Card], ruler: Ruler, broad: float) -> Places:
    """Lay out cards as asked for; ``auto`` is down where that is not too broad for a page."""
    if orientation != "auto":
        return place(cards, ruler, down=orientation == "down")
    down = place(cards, ruler, down=True)
    if down.size[0] <= broad:
        return down
    right = place(cards, ruler, down=False)
    return down if max(down.size) < max(right.size) else right
