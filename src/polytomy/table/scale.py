"""What the numbers of an ordered column stand for: plain numbers, times, or labels in order."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Numbers:
    """Plain numbers."""


@dataclass(frozen=True, slots=True)
class Times:
    """Ticks of a NumPy time: ``datetime64[us]``, ``timedelta64[D]``, ...; least means missing."""

    dtype: str
    zone: str | None = None

    def at(self, ticks: float) -> Any:
        """Return the time at so many ticks, rounded to a whole one."""
        return np.array(round(ticks), dtype=np.int64).view(self.dtype)[()]


@dataclass(frozen=True, slots=True)
class Ranks:
    """Labels in order; a number is the place of its label. -1 is missing, -2 a label not known."""

    labels: tuple[Any, ...]


Scale = Numbers | Times | Ranks
