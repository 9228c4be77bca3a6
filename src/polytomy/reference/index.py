"""Index functions: how impure a node is, as a function of its class counts.

A node has a **count vector** c: the total weight of each class among its rows. The papers write
an index I(q) of the class shares q = c / |c|. Here every index is written for the counts,
F(c) = |c| I(c / |c|), which avoids weighting by shares of rows:

    index of a tree    I(T) = sum of F over its leaves / weight of the sample
    gain of a split         = F(node) - sum of F over the children
    advantage               = gain / F(node)

All four functions are 1 at two equal classes of total weight 1, 0 at a pure node, and at least
twice the error of the majority class. They work on the last axis, so a matrix with a row for each
child gives one value per child.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Index = Callable[[Any], Any]
"""A function F of count vectors."""

TIE = 1e-12
"""Two numbers closer than this, as a share of the node's F, count as equal."""


def sqrt(counts: ArrayLike) -> NDArray[np.float64]:
    """Return ``(sum of sqrt(c))^2 - |c|``; for two classes I(q) = 2 sqrt(q (1 - q)).

    Source: Kearns and Mansour; Lemma 3.1 of Mansour and McAllester (1999).

    Parameters
    ----------
    counts : array of shape (..., classes)
        Count vectors.

    Returns
    -------
    ndarray of float
        F of each count vector.

    Examples
    --------
    >>> float(sqrt([1, 1])), float(sqrt([9, 1])), float(sqrt([4, 0]))
    (2.0, 6.0, 0.0)
    """
    c = np.asarray(counts, dtype=float)
    return np.asarray(np.sqrt(c).sum(axis=-1) ** 2 - c.sum(axis=-1))


def gini(counts: ArrayLike) -> NDArray[np.float64]:
    """Return ``2 (|c| - sum of c^2 / |c|)``; for two classes I(q) = 4 q (1 - q).

    Source: CART; section 3 of Mansour and McAllester (1999).

    Parameters
    ----------
    counts : array of shape (..., classes)
        Count vectors.

    Returns
    -------
    ndarray of float
        F of each count vector.

    Examples
    --------
    >>> float(gini([1, 1])), float(gini([3, 1])), float(gini([4, 0]))
    (2.0, 3.0, 0.0)
    """
    c = np.asarray(counts, dtype=float)
    return np.asarray(2 * (c * (1 - shares(c))).sum(axis=-1))


def entropy(counts: ArrayLike) -> NDArray[np.float64]:
    """Return ``-sum of c log2(c / |c|)``; for two classes I(q) is the entropy in bits.

    Source: ID3 and C4.5; section 2.3 of Hatano (2004).

    Parameters
    ----------
    counts : array of shape (..., classes)
        Count vectors.

    Returns
    -------
    ndarray of float
        F of each count vector.

    Examples
    --------
    >>> float(entropy([2, 2])), float(entropy([4, 2, 2])), float(entropy([4, 0]))
    (4.0, 12.0, 0.0)
    """
    c = np.asarray(counts, dtype=float)
    q = shares(c)
    return np.asarray((c * -np.log2(np.where(q > 0, q, 1))).sum(axis=-1))


def error(counts: ArrayLike) -> NDArray[np.float64]:
    """Return ``2 (|c| - max c)``, twice the error of the majority class.

    Useful for teaching: a split can separate the classes better and still gain nothing.

    Parameters
    ----------
    counts : array of shape (..., classes)
        Count vectors.

    Returns
    -------
    ndarray of float
        F of each count vector.

    Examples
    --------
    >>> float(error([2, 2])), float(error([5, 2, 1]))
    (4.0, 6.0)
    """
    c = np.asarray(counts, dtype=float)
    return np.asarray(2 * (c.sum(axis=-1) - c.max(axis=-1)))


def shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the class shares ``q = c / |c|``; zeros for an empty node.

    >>> shares(np.array([[3.0, 1.0], [0.0, 0.0]])).tolist()
    [[0.75, 0.25], [0.0, 0.0]]
    """
    n = counts.sum(axis=-1, keepdims=True)
    return counts / np.where(n > 0, n, 1)


def gain(index: Index, children: NDArray[Any]) -> float:
    """Return the gain of a split: F(node) less the sum of F over the children.

    Source: Hatano (2004), definition 2, where it is divided by the node's weight.

    Parameters
    ----------
    index : callable
        The index function F.
    children : ndarray of shape (children, classes)
        The count vector of each child; that of the node is their sum.

    Returns
    -------
    float
        The gain; 0 if it is within rounding (``TIE``) of 0.

    Examples
    --------
    >>> gain(gini, np.array([[4, 0], [0, 4]])), gain(gini, np.array([[2, 2], [1, 1]]))
    (8.0, 0.0)
    """
    value = float(index(children.sum(axis=0)))
    found = value - float(np.sum(index(children)))
    return found if found > TIE * value else 0.0


def first_largest(numbers: NDArray[Any]) -> int:
    """Return the place of the largest number; the first on a tie, within ``TIE`` of the sum.

    >>> first_largest(np.array([1, 3, 3]))
    1
    """
    return int((numbers >= numbers.max() - TIE * numbers.sum()).argmax())


INDICES: dict[str, Index] = {"sqrt": sqrt, "gini": gini, "entropy": entropy, "error": error}
"""The index functions by name."""
