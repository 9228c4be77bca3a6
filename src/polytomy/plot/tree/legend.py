"""The styles of classes in a drawn tree, and the legend that shows them.

There are six colours, then the same colours hatched, and grey for the remaining classes. Text and
bars repeat what colours show.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from polytomy._types import FloatArray
from polytomy.export import node_colour
from polytomy.plot.names import cut
from polytomy.plot.palette import CLASS_COLOURS, OTHERS, style_numbers
from polytomy.plot.text import Ruler

LEGEND_TEXT = 8.5  # points
ROW = 14.0
SWATCH = (12.0, 7.0)  # width and height
SWATCH_GAP = 4.0  # between a swatch and its text
_BETWEEN = 14.0  # entries
_BELOW = 12.0  # between the legend and the tree
_NAME = 32  # characters of a class name
_HATCH = "////////"
_MOST = 2 * len(CLASS_COLOURS)


@dataclass(frozen=True, slots=True)
class ClassStyle:
    """The style of a class: a colour, and a hatch if another class has the same colour."""

    colour: str
    hatch: str


@dataclass(frozen=True, slots=True)
class ClassStyles:
    """The styles of all classes; ``nth`` is -1 for those that are grey."""

    nth: list[int]
    n_classes: int

    @classmethod
    def of(cls, counts: FloatArray) -> "ClassStyles":
        """Return a style for each class; of too many, only the heaviest have one."""
        n = len(counts)
        if n <= _MOST:
            return cls(list(range(n)), n)
        heaviest = sorted(np.argsort(-counts, kind="stable")[: _MOST - 1].tolist())
        nth = [-1] * n
        for i, label in zip(style_numbers(heaviest, _MOST), heaviest, strict=True):
            nth[label] = i
        return cls(nth, n)

    def bar(self, label: int) -> ClassStyle:
        """Return the style of a class in bars and in the legend."""
        i = self.nth[label]
        if i < 0:
            return ClassStyle(OTHERS, "")
        n = len(CLASS_COLOURS)
        return ClassStyle(CLASS_COLOURS[i % n], _HATCH if i >= n else "")

    def card(self, label: int, share: float) -> str:
        """Return the colour of a card: that of its class, the larger the share, the stronger."""
        i, n = self.nth[label], len(CLASS_COLOURS)
        return node_colour(i % n if i >= 0 else n, share, self.n_classes)


@dataclass(frozen=True, slots=True)
class Entry:
    """A class, or a remark without a style."""

    text: str
    style: ClassStyle | None
    x: float
    row: int


@dataclass(frozen=True, slots=True)
class Legend:
    """The layout of a legend: entries in rows."""

    entries: list[Entry]
    width: float
    height: float


LegendMaker = Callable[[float], Legend]  # the width to the legend


def lay_out_legend(
    names: list[str], styles: ClassStyles, remarks: list[str], ruler: Ruler, width: float
) -> Legend:
    """Lay out a legend in rows of about the given width."""
    shown: list[tuple[str, ClassStyle | None]] = [
        (cut(name, _NAME), styles.bar(label))
        for label, name in enumerate(names)
        if styles.nth[label] >= 0
    ]
    if len(shown) < len(names):
        others = len(names) - (_MOST - 1)
        grey = styles.bar(styles.nth.index(-1))
        shown.append((f"{others} other classes, named in their nodes", grey))
    shown += [(remark, None) for remark in remarks]
    entries, x, row, widest = [], 0.0, 0, 0.0
    for text, style in shown:
        wide = ruler.width(text, LEGEND_TEXT) + (SWATCH[0] + SWATCH_GAP if style else 0)
        if x > 0 and x + wide > width:
            x, row = 0.0, row + 1
        entries.append(Entry(text, style, x, row))
        widest = max(widest, x + wide)
        x += wide + _BETWEEN
    return Legend(entries, widest, (row + 1) * ROW + _BELOW)
