"""How large each card and each answer is, and where inside a card its words and its bar stand."""

from dataclasses import dataclass, replace

from .tree_cards import Card
from .tree_text import LEAST_TEXT, Ruler

HEAD, TAIL, ANSWER = 9.0, LEAST_TEXT, 8.0  # sizes of text, in points
LINE = 1.25  # of the size
BAR = 5.0  # the height of a bar of shares
PAD = 5.0
_BAR_WIDTH = 40.0  # the least
_BASELINE = 0.35  # of the size, below the middle of a line


@dataclass(frozen=True, slots=True)
class Line:
    """Text with the place of its baseline's start or middle, from the card's upper left corner."""

    text: str
    x: float
    y: float
    size: float
    bold: bool = False
    centred: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A card laid out: its size, its lines, and its bar as (x, y, width) of the upper left end."""

    width: float
    height: float
    lines: list[Line]
    bar: tuple[float, float, float]
    answer_width: float
    answer_height: float


def block_of(card: Card, ruler: Ruler, *, in_a_row: bool) -> Block:
    """Lay out a card; leaves may have all in one row, which makes them low and wide."""
    lines = card.answer.split("\n") if card.answer else []
    widest = max((ruler.width(line, ANSWER) for line in lines), default=0.0)
    size = (widest, LINE * ANSWER * len(lines))
    return _row(card, ruler, size) if in_a_row and card.is_leaf else _stack(card, ruler, size)


def aligned(block: Block, width: float) -> Block:
    """Return a block of a row as wide as others, its bar at its end."""
    x, y, wide = block.bar
    return replace(block, width=width, bar=(x + width - block.width, y, wide))


def _row(card: Card, ruler: Ruler, answer: tuple[float, float]) -> Block:
    middle = PAD / 2 + LINE * HEAD / 2
    x = PAD
    lines = [Line(card.head[0], x, middle + _BASELINE * HEAD, HEAD, bold=True)]
    x += ruler.width(card.head[0], HEAD, bold=True) + 0.35 * HEAD
    lines.append(Line(card.tail, x, middle + _BASELINE * HEAD, TAIL))
    x += ruler.width(card.tail, TAIL) + PAD
    bar = (x, middle - BAR / 2, _BAR_WIDTH)
    return Block(x + _BAR_WIDTH + PAD, 2 * middle, lines, bar, *answer)


def _stack(card: Card, ruler: Ruler, answer: tuple[float, float]) -> Block:
    texts = [(text, HEAD, True) for text in card.head] + [(card.tail, TAIL, False)]
    widths = [ruler.width(text, size, bold=bold) for text, size, bold in texts]
    wide = max(*widths, _BAR_WIDTH)
    lines, y = [], 0.6 * PAD
    for text, size, bold in texts:
        baseline = y + LINE * size / 2 + _BASELINE * size
        lines.append(Line(text, PAD + wide / 2, baseline, size, bold=bold, centred=True))
        y += LINE * size
    y += 0.3 * PAD
    return Block(wide + 2 * PAD, y + BAR + PAD, lines, (PAD, y, wide), *answer)
