"""The legend of a drawn tree: the classes with their colours, in rows above the tree."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .names import cut
from .paper import Paper
from .tree_looks import MOST, ClassLook, Looks
from .tree_marks import swatches
from .tree_text import Pen, Ruler

_SIZE = 8.5
_ROW = 14.0
_SWATCH = (12.0, 7.0)
_BETWEEN = 14.0  # entries
_BELOW = 12.0  # the legend, above the tree
_NAME = 32  # characters of a class


@dataclass(frozen=True, slots=True)
class Entry:
    """A class, or a remark without a look."""

    text: str
    look: ClassLook | None
    x: float
    row: int


@dataclass(frozen=True, slots=True)
class Legend:
    """Entries in rows."""

    entries: list[Entry]
    width: float
    height: float


LegendMaker = Callable[[float], Legend]  # of about the width given


def legend_of(names: list[str], looks: Looks, remark: str, ruler: Ruler, width: float) -> Legend:
    """Lay out a legend in about the width given."""
    shown: list[tuple[str, ClassLook | None]] = [
        (cut(name, _NAME), looks.bar(label))
        for label, name in enumerate(names)
        if looks.nth[label] >= 0
    ]
    if len(shown) < len(names):
        others = len(names) - (MOST - 1)
        grey = looks.bar(looks.nth.index(-1))
        shown.append((f"{others} other classes, named where they are", grey))
    if remark:
        shown.append((remark, None))
    entries, x, row, widest = [], 0.0, 0, 0.0
    for text, look in shown:
        wide = ruler.width(text, _SIZE) + (_SWATCH[0] + 4 if look else 0)
        if x > 0 and x + wide > width:
            x, row = 0.0, row + 1
        entries.append(Entry(text, look, x, row))
        widest = max(widest, x + wide)
        x += wide + _BETWEEN
    return Legend(entries, widest, (row + 1) * _ROW + _BELOW)


def draw_legend(ax: Any, legend: Legend, ruler: Ruler, paper: Paper) -> None:
    """Draw a legend that ends above the line y = 0."""
    wide, high = _SWATCH
    for entry in legend.entries:
        x, middle = entry.x, legend.height - (entry.row + 0.5) * _ROW
        colour = paper.ink
        if entry.look is None:
            colour = paper.quiet
        else:
            low, top = middle - high / 2, middle + high / 2
            box = [(x, low), (x + wide, low), (x + wide, top), (x, top)]
            swatches(ax, [box], entry.look.colour, entry.look.hatch, paper.colour)
            x += wide + 4
        Pen(ruler, _SIZE, colour).write(ax, x, middle - 0.35 * _SIZE, entry.text)
