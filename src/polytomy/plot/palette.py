"""Colours, lines and markers that can be distinguished without colour vision and in grey print."""

from dataclasses import dataclass
from typing import Any

from polytomy.export.diagram import BLACK, BLUE, CLASS_COLOURS, GREEN, VERMILION

INK = BLACK  # white on a dark background
OTHERS = "#8c8c8c"  # classes and columns without a colour of their own
COLOURS = (*CLASS_COLOURS[:4], INK, *CLASS_COLOURS[4:])
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
]


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
        """Return the n-th style; there are as many as ``COLOURS``."""
        return cls(output, name, COLOURS[n], LINES[n], MARKERS[n])
