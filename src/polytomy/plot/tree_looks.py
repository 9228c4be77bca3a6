"""Colours of classes: six hues, then the same hatched, and grey for the rest.

Hues are Okabe and Ito's. Words and bars say everything again, so that nothing hangs on a colour.
"""

from dataclasses import dataclass

import numpy as np

from polytomy._types import FloatArray
from polytomy.export.colours import fill

from .palette import COLOURS, INK

HUES = tuple(colour for colour in COLOURS if colour != INK)  # black is for words
GREY = "#8c8c8c"
_HATCH = "////////"
MOST = 2 * len(HUES)


@dataclass(frozen=True, slots=True)
class ClassLook:
    """How a class is drawn: the colour of its bars, and a hatch where another has that colour."""

    colour: str
    hatch: str


@dataclass(frozen=True, slots=True)
class Looks:
    """The looks of all classes; ``nth`` has -1 for those that are grey."""

    nth: list[int]
    n_classes: int

    @classmethod
    def of(cls, counts: FloatArray) -> "Looks":
        """Give a look to each class; where there are too many, to the heaviest."""
        n = len(counts)
        if n <= MOST:
            return cls(list(range(n)), n)
        heaviest = sorted(np.argsort(-counts, kind="stable")[: MOST - 1].tolist())
        nth = [-1] * n
        for i, label in enumerate(heaviest):
            nth[label] = i
        return cls(nth, n)

    def bar(self, label: int) -> ClassLook:
        """Return the look of a class in bars and in the legend."""
        i = self.nth[label]
        if i < 0:
            return ClassLook(GREY, "")
        return ClassLook(HUES[i % len(HUES)], _HATCH if i >= len(HUES) else "")

    def card(self, label: int, share: float) -> str:
        """Return the colour of a card: the class's, the stronger the larger its share."""
        i = self.nth[label]
        return fill(i % len(HUES) if i >= 0 else len(HUES), share, self.n_classes)
