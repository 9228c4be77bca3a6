"""The legend of a drawn tree: what its colours mean, and remarks."""

from collections.abc import Callable
from dataclasses import dataclass

from polytomy.plot.text import Ruler

from .styles import Style

LEGEND_TEXT = 8.5  # points
ROW = 14.0
SWATCH = (12.0, 7.0)  # width and height
SWATCH_GAP = 4.0  # between a swatch and its text
_BETWEEN = 14.0  # entries
_BELOW = 12.0  # between the legend and the tree


@dataclass(frozen=True, slots=True)
class Entry:
    """What a style means, or a remark without a style."""

    text: str
    style: Style | None
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
    meanings: list[tuple[str, Style]], remarks: list[str], ruler: Ruler, width: float
) -> Legend:
    """Lay out a legend in rows of about the given width."""
    shown: list[tuple[str, Style | None]] = [*meanings, *((remark, None) for remark in remarks)]
    entries, x, row, widest = [], 0.0, 0, 0.0
    for text, style in shown:
        wide = ruler.width(text, LEGEND_TEXT) + (SWATCH[0] + SWATCH_GAP if style else 0)
        if x > 0 and x + wide > width:
            x, row = 0.0, row + 1
        entries.append(Entry(text, style, x, row))
        widest = max(widest, x + wide)
        x += wide + _BETWEEN
    return Legend(entries, widest, (row + 1) * ROW + _BELOW)
