"""From weak learning to tree growth: the edge of a split over guessing, and the advantage it gives.

Take a leaf with two classes and weight its rows so that both classes have the weight 1/2. A share
a_i of one class and b_i of the other goes to child i. Guessing has an error of 1/2; the split, with
the better class predicted in each child, has 1/2 - delta, where delta = sum |a_i - b_i| / 4 is its
*edge*. With the ``sqrt`` index, the children keep sum sqrt(a_i b_i) of the leaf's impurity for any
shares of the classes, and that is at most sqrt(1 - 4 delta^2) by Cauchy's inequality:

    sum sqrt(a b) = sum sqrt(min(a, b) max(a, b)) <= sqrt((1 - 2 delta)(1 + 2 delta)).

So the advantage is at least 1 - sqrt(1 - 4 delta^2) >= 2 delta^2. Two children with the shares
1/2 + delta and 1/2 - delta have exactly this advantage.
"""

from math import sqrt
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_real
from polytomy._types import FloatArray


def weak_to_growth(delta: float) -> float:
    """Return the gamma of the weak tree-growth hypothesis that weak learning implies: delta^2/16.

    Lemma 3.1 of Mansour and McAllester (Kearns and Mansour), for the ``sqrt`` index: if some binary
    split has an error of at most 1/2 - delta on every distribution, it gains at least delta^2/16 of
    a leaf's impurity once the sample is balanced. For example, 0.4^2/16. ``edge_to_advantage``
    gives more than 32 times as much.

    Parameters
    ----------
    delta : float
        The edge over guessing, from 0 to 1/2.

    Returns
    -------
    float
        The gamma.

    >>> round(weak_to_growth(0.4), 6)
    0.01
    """
    return _checked_edge(delta) ** 2 / 16


def edge_to_advantage(delta: float) -> float:
    """Return 1 - sqrt(1 - 4 delta^2) >= 2 delta^2, the advantage that an edge guarantees.

    It holds for the ``sqrt`` index, two classes, and a split into any number of children whose
    error is 1/2 - delta when both classes have the same weight. No larger value holds for all of
    them. For example, 1 - sqrt(1 - 4 * 0.3^2) = 1 - 0.8.

    Parameters
    ----------
    delta : float
        The edge over guessing, from 0 to 1/2.

    Returns
    -------
    float
        The gamma of the weak tree-growth hypothesis, from 0 to 1.

    >>> round(edge_to_advantage(0.3), 6)
    0.2
    """
    square = 4 * _checked_edge(delta) ** 2
    return square / (1 + sqrt(1 - square))  # no cancellation for a small delta


def balanced_edge(children: Any) -> float:
    """Return the edge of a split over guessing when both classes have the same weight.

    Parameters
    ----------
    children : array of shape (k, 2)
        The weight of each class in each child, finite and at least 0.

    Returns
    -------
    float
        The edge, from 0 to 1/2; 0 if a class is absent.

    >>> balanced_edge([[30, 10], [10, 70]])  # shares 3/4 and 1/8: (5/8 + 5/8) / 4
    0.3125
    """
    counts: FloatArray = np.asarray(children, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[1] != 2 or len(counts) == 0:
        raise ParameterError(f"children must have the shape (k, 2), got {counts.shape}")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise ParameterError("the weights of the children must be finite and at least 0")
    largest = counts.max(axis=0)
    if not largest.all():
        return 0.0
    counts = counts / largest  # sums of large weights must not overflow
    shares = counts / counts.sum(axis=0)
    return float(min(np.abs(shares[:, 0] - shares[:, 1]).sum() / 4, 0.5))


def _checked_edge(delta: float) -> float:
    if not is_real(delta) or not 0 <= delta <= 0.5:
        raise ParameterError(f"delta must be from 0 to 1/2, got {delta!r}")
    return float(delta)
