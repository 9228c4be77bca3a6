"""Class shares of a leaf, and how sure the rows make them."""

from dataclasses import dataclass
from math import sqrt

from polytomy._types import FloatArray
from polytomy.tree import majority


@dataclass(frozen=True, slots=True)
class Share:
    """The largest class of a leaf, its share, and the share's Wilson interval."""

    name: str
    share: float
    low: float
    high: float
    weight: float

    def __str__(self) -> str:
        """Return ``benign 98% [96-99]``."""
        return f"{self.name} {self.share:.0%} [{100 * self.low:.0f}-{100 * self.high:.0f}]"


def wilson(share: float, n: float, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return the Wilson score interval of a share seen in n cases (95 % by default).

    >>> tuple(round(x, 3) for x in wilson(1.0, 7))
    (0.646, 1.0)
    """
    if n <= 0:
        return 0.0, 1.0
    centre = share + z * z / (2 * n)
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # rounding aside, it brackets


def largest_share(counts: FloatArray, names: list[str]) -> Share:
    """Return the largest class of a count vector; ties go to the lower class."""
    best = int(majority(counts))
    weight = float(counts.sum())
    share = float(counts[best]) / weight
    return Share(names[best], share, *wilson(share, weight), weight)
