"""Colours and lines that colour-blind readers and grey print can tell apart."""

from dataclasses import dataclass
from typing import Any

# Okabe and Ito's, the strongest first; yellow is left out, it vanishes on white.
BLUE, VERMILION = "#0072B2", "#D55E00"
INK = "#000000"  # and on dark paper, white
COLOURS = (BLUE, VERMILION, "#009E73", "#CC79A7", INK, "#56B4E9", "#E69F00")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (2, 1)), (0, (8, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MOST_LOOKS = len(COLOURS)


@dataclass(frozen=True, slots=True)
class Look:
    """How one output is drawn: which one, its name, colour, line and marker."""

    output: int
    name: str
    colour: Any
    line: Any
    marker: str

    @classmethod
    def nth(cls, n: int, output: int, name: str) -> "Look":
        """Return the n-th look."""
        return cls(output, name, COLOURS[n], LINES[n], MARKERS[n])
