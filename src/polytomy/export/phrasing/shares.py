"""Class shares of nodes, and their confidence intervals."""

from dataclasses import dataclass

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray
from polytomy.honesty import wilson
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
        Weight added to each class; not to honest shares.

    Returns
    -------
    ndarray of shape (n_nodes, n_classes)
    """
    if not 0 <= smoothing < np.inf:
        raise ParameterError(f"smoothing must be a number of at least 0, got {smoothing!r}")
    if model.honesty is not None or smoothing == 0:
        return model.shares
    counts = model.case_counts + smoothing
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))
