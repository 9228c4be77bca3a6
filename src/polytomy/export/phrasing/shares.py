"""Class shares of nodes, and their confidence intervals."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray
from polytomy.model import Model
from polytomy.tree import majority


@dataclass(frozen=True, slots=True)
class Share:
    """The majority class of a node, its share, the share's Wilson interval, the node's weight."""

    name: str
    share: float
    low: float
    high: float
    weight: float

    def __str__(self) -> str:
        """Return ``benign 98% [96-99]``."""
        return f"{self.name} {self.share:.0%} [{100 * self.low:.0f}-{100 * self.high:.0f}]"


def wilson(share: float, n: float, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion.

    Parameters
    ----------
    share : float
        The observed proportion.
    n : float
        The number of cases.
    z : float, default=1.959963984540054
        The quantile of the normal distribution; the default gives a 95 % interval.

    Returns
    -------
    tuple of float
        The lower and the upper end.

    Examples
    --------
    >>> tuple(round(x, 3) for x in wilson(1.0, 7))
    (0.646, 1.0)
    """
    if n <= 0:
        return 0.0, 1.0
    centre = share + z * z / (2 * n)
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # despite rounding


def largest_share(counts: FloatArray, names: list[str]) -> Share:
    """Return the majority class of a count vector and its share; the lower class wins ties."""
    best = int(majority(counts))
    weight = float(counts.sum())
    share = float(counts[best]) / weight
    return Share(names[best], share, *wilson(share, weight), weight)


def class_shares(model: Model, smoothing: float = 0.0) -> FloatArray:
    """Return the class shares of each node, as ``predict_proba`` does for leaves.

    Parameters
    ----------
    model : Model
        The model.
    smoothing : float, default=0.0
        Weight added to each class.

    Returns
    -------
    ndarray of shape (n_nodes, n_classes)
    """
    if not 0 <= smoothing < np.inf:
        raise ParameterError(f"smoothing must be a number of at least 0, got {smoothing!r}")
    counts = model.tree.counts + smoothing
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))
