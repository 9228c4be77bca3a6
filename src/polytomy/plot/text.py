"""Text that is measured in points and scales with its axes.

This module imports matplotlib at the top, so it is itself imported only when a figure is drawn.
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

LEAST_TEXT = 7.5  # points; the smallest text of a drawing
_LEAST_PIXELS = 4.0  # smaller text is not readable and slow to draw
_MANY_PIXELS = 10.0  # larger text is as wide as measured
_SLACK = 3.0  # points by which text may exceed its measured width

# Fallback fonts for scripts that the default font may lack; those that are installed are used.
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
    """Return the user's font, with the installed fallback fonts."""
    own = FontProperties(size=size, weight="bold" if bold else "normal")
    own.set_family([*own.get_family(), *_fallback_fonts()])
    return own


@lru_cache
def _fallback_fonts() -> tuple[str, ...]:
    installed = {entry.name for entry in font_manager.fontManager.ttflist}
    return tuple(name for name in _WIDE_FONTS if name in installed)


class Ruler:
    """Measures the width of text, with a cache."""

    def __init__(self) -> None:
        self._widths: dict[tuple[str, float, bool], float] = {}
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
        if key not in self._widths:
            measured = text_to_path.get_text_width_height_descent(
                text, self.font(size, bold=bold), ismath=False
            )
            # hinting may make letters a little wider
            self._widths[key] = 1.03 * float(measured[0]) if text else 0.0
        return self._widths[key]


class DrawnText(Text):
    """Text whose size is in units of the axes, so that it scales with them.

    It is never parsed as mathematics. ``room`` is its maximum width in units of the axes; small
    text that hinting makes wider is reduced.
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
        """Return the extent of the text, in pixels."""
        self._fit(renderer)
        return super().get_window_extent(renderer, dpi)

    def draw(self, renderer: Any) -> None:
        """Draw the text at the scale of the axes, or not at all if it would be unreadable."""
        if _readable(self.axes, self._natural, renderer):
            self._fit(renderer)
            super().draw(renderer)

    def _fit(self, renderer: Any) -> None:
        """Set the font size from the scale of the axes."""
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


class BranchLabelBoxes(PolyCollection):
    """The boxes behind branch labels, drawn only if the labels are.

    If text is left out because it would be unreadable, one warning is given.
    """

    def __init__(self, boxes: list[Any], size: float, **look: Any) -> None:
        super().__init__(boxes, **look)
        self._size = size
        self._warned = False

    def draw(self, renderer: Any) -> None:
        """Draw the boxes if their labels are readable."""
        if not self._warned and not _readable(self.axes, LEAST_TEXT, renderer):
            self._warned = True
            warnings.warn(
                f"the tree is too large for its axes: text below {_LEAST_PIXELS:.0f} pixels is "
                "left out; use a larger figure or a higher dpi, or limit max_depth",
                UserWarning,
                stacklevel=2,
            )
        if _readable(self.axes, self._size, renderer):
            super().draw(renderer)


def _readable(ax: Any, size: float, renderer: Any) -> bool:
    """Return whether text of a size, in units of the axes, has enough pixels."""
    return size * _pixels_of_a_unit(ax) >= _LEAST_PIXELS or not _in_pixels(renderer)


def _pixels_of_a_unit(ax: Any) -> float:
    (x0, _), (x1, _) = ax.transData.transform([(0.0, 0.0), (1.0, 0.0)])
    return abs(float(x1 - x0))


def _in_pixels(renderer: Any) -> bool:
    """Return whether a renderer draws pixels rather than vectors."""
    return hasattr(renderer, "buffer_rgba")


@dataclass(frozen=True, slots=True)
class Pen:
    """Writes lines of text of one size and colour."""

    ruler: Ruler
    size: float
    colour: Any
    bold: bool = False

    def write(self, ax: Any, x: float, y: float, text: str, **look: Any) -> None:
        """Write a line of text with its baseline at (x, y), aligned as ``ha`` specifies."""
        room = self.ruler.width(text, self.size, bold=self.bold) + _SLACK
        font = self.ruler.font(self.size, bold=self.bold)
        ax.add_artist(DrawnText(x, y, text, font, room, color=self.colour, **look))
