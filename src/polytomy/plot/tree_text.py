"""Text that keeps its place in a drawing: measured in points, and drawn as large as the axes are.

This module imports matplotlib; only what draws imports it, and late.
"""

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from matplotlib import font_manager
from matplotlib.collections import PolyCollection
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

LEAST_TEXT = 7.5  # points: there is no smaller text in a drawing
_LEAST_PIXELS = 4.0  # smaller text is a smear, and takes its time
_MANY_PIXELS = 10.0  # larger text is as wide as measured
_SLACK = 3.0  # points by which text may be wider than measured

# Fonts with the letters that a system's usual one may lack; those that are there stand by.
_WIDE_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Hiragino Sans",
    "PingFang SC",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
    "WenQuanYi Zen Hei",
    "Arial Unicode MS",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Emoji",
)


def font(size: float, *, bold: bool = False) -> FontProperties:
    """Return the user's font, with fonts of other scripts to stand by."""
    own = FontProperties(size=size, weight="bold" if bold else "normal")
    own.set_family([*own.get_family(), *_standing_by()])
    return own


@lru_cache
def _standing_by() -> tuple[str, ...]:
    there = {entry.name for entry in font_manager.fontManager.ttflist}
    return tuple(name for name in _WIDE_FONTS if name in there)


class Ruler:
    """Measures text; each word once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, float, bool], float] = {}
        self._fonts: dict[tuple[float, bool], FontProperties] = {}

    def font(self, size: float, *, bold: bool = False) -> FontProperties:
        """Return the font of a size."""
        key = (size, bold)
        if key not in self._fonts:
            self._fonts[key] = font(size, bold=bold)
        return self._fonts[key]

    def width(self, text: str, size: float, *, bold: bool = False) -> float:
        """Return the width of a line in points."""
        key = (text, size, bold)
        if key not in self._known:
            measured = text_to_path.get_text_width_height_descent(
                text, self.font(size, bold=bold), ismath=False
            )
            # fitted to pixels, letters may come out a little wider
            self._known[key] = 1.03 * float(measured[0]) if text else 0.0
        return self._known[key]


class DrawnText(Text):
    """Text whose size is in units of the axes, so that it shrinks and grows with all else.

    It is as it stands: dollars and underscores are no mathematics. ``room`` is its width in the
    axes; where letters are fitted to few pixels and come out wider, they are made smaller.
    """

    def __init__(
        self, x: float, y: float, text: str, font: FontProperties, room: float, **look: Any
    ) -> None:
        super().__init__(
            x, y, text, fontproperties=font, parse_math=False, usetex=False, clip_on=True, **look
        )
        self._natural = float(font.get_size_in_points())
        self._room = room
        self.set_in_layout(False)

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Any:
        """Return where the text is, in pixels."""
        self._fit(renderer)
        return super().get_window_extent(renderer, dpi)

    def draw(self, renderer: Any) -> None:
        """Draw the text as large as the axes want it; not at all in pixels too few to read it."""
        if _readable(self.axes, self._natural, renderer):
            self._fit(renderer)
            super().draw(renderer)

    def _fit(self, renderer: Any) -> None:
        """Set the size."""
        scale = _pixels_of_a_unit(self.axes)
        pixels, room = self._natural * scale, self._room * scale
        self._set_pixels(pixels)
        if pixels < _MANY_PIXELS and _in_pixels(renderer):
            look = self.get_fontproperties()
            wide = renderer.get_text_width_height_descent(self.get_text(), look, False)[0]
            if wide > room:
                self._set_pixels(pixels * room / wide)

    def _set_pixels(self, size: float) -> None:
        assert self.figure is not None
        self.set_fontsize(max(size * 72 / self.figure.dpi, 0.1))


class Grounds(PolyCollection):
    """What is behind the answers: it parts their branches, and is there only where they are.

    It says so, once, where text is left out.
    """

    def __init__(self, boxes: list[Any], size: float, **look: Any) -> None:
        super().__init__(boxes, **look)
        self._size = size
        self._told = False

    def draw(self, renderer: Any) -> None:
        """Draw the grounds of answers that can be read."""
        if not self._told and not _readable(self.axes, LEAST_TEXT, renderer):
            self._told = True
            warnings.warn(
                "the tree is too large for its axes: text of less than "
                f"{_LEAST_PIXELS:.0f} pixels is left out; draw on a larger figure, with more dpi, "
                "or only the upper levels with max_depth=",
                UserWarning,
                stacklevel=2,
            )
        if _readable(self.axes, self._size, renderer):
            super().draw(renderer)


def _readable(ax: Any, size: float, renderer: Any) -> bool:
    """Say whether text of a size, in units of the axes, has pixels enough."""
    return size * _pixels_of_a_unit(ax) >= _LEAST_PIXELS or not _in_pixels(renderer)


def _pixels_of_a_unit(ax: Any) -> float:
    (x0, _), (x1, _) = ax.transData.transform([(0.0, 0.0), (1.0, 0.0)])
    return abs(float(x1 - x0))


def _in_pixels(renderer: Any) -> bool:
    """Say whether a renderer paints pixels, to which letters are fitted."""
    return hasattr(renderer, "buffer_rgba")


@dataclass(frozen=True, slots=True)
class Pen:
    """Writes lines of one size and colour."""

    ruler: Ruler
    size: float
    colour: Any
    bold: bool = False

    def write(self, ax: Any, x: float, y: float, text: str, **look: Any) -> None:
        """Write a line of text; (x, y) is where its baseline begins, or as ``ha`` says."""
        room = self.ruler.width(text, self.size, bold=self.bold) + _SLACK
        font = self.ruler.font(self.size, bold=self.bold)
        ax.add_artist(DrawnText(x, y, text, font, room, color=self.colour, **look))
