"""Colours, lines and markers that can be distinguished without colour vision and in grey print."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polytomy.export.diagram import (
    BLACK,
    BLUE,
    CLASS_COLOURS,
    GREEN,
    GREY,
    VERMILION,
    class_colour,
)

INK = BLACK  # white on a dark background
OTHERS = GREY  # columns without a colour of their own
COLOURS = (*CLASS_COLOURS, INK)
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (2, 1)), (0, (8, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

__all__ = [
    "BLUE",
    "CLASS_COLOURS",
    "COLOURS",
    "GREEN",
    "INK",
    "LINES",
    "MARKERS",
    "OTHERS",
    "VERMILION",
    "OutputStyle",
    "class_colour",
    "style_numbers",
]


def style_numbers(classes: Sequence[int], n_styles: int) -> list[int]:
    """Return a different style number for each of the chosen classes of a figure.

    The first classes keep their own numbers, and so their lines in all figures; further classes
    take the remaining numbers in order.

    Parameters
    ----------
    classes : sequence of int
        The classes, ascending; at most ``n_styles``.
    n_styles : int
        The number of styles.

    Examples
    --------
    >>> style_numbers([1, 4, 9, 12], 7)
    [1, 4, 0, 2]
    """
    own = len(CLASS_COLOURS)
    free = iter(sorted(set(range(n_styles)) - {c for c in classes if c < own}))
    return [c if c < own else next(free) for c in classes]


@dataclass(frozen=True, slots=True)
class OutputStyle:
    """The style of one output of an ensemble: its name, colour, line and marker."""

    output: int
    name: str
    colour: Any
    line: Any
    marker: str

    @classmethod
    def nth(cls, n: int, output: int, name: str) -> "OutputStyle":
        """Return the n-th line and marker, of which there are seven, in the colour of the class."""
        return cls(output, name, class_colour(output), LINES[n], MARKERS[n])
