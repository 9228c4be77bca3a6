"""The built-in index functions on count vectors, in plain NumPy.

Each maps counts of shape (..., classes) to ``F(c) = |c| I(c / |c|)``, homogeneous of degree 1 and
concave. These forms avoid the cancellation of the textbook ones, as do those of the C++ core.
"""

import numpy as np

from polytomy._types import FloatArray


def sqrt(counts: FloatArray) -> FloatArray:
    """Return Kearns and Mansour's index ``(sum sqrt c)^2 - n``; 2 sqrt(q(1-q)) for two classes."""
    roots = np.sqrt(np.asarray(counts, dtype=np.float64))
    before = np.cumsum(roots, axis=-1) - roots
    return np.asarray(2.0 * (before * roots).sum(axis=-1))


def gini(counts: FloatArray) -> FloatArray:
    """Return CART's index ``2 (n - sum c^2 / n)``; 4q(1-q) for two classes."""
    c = np.asarray(counts, dtype=np.float64)
    n = c.sum(axis=-1, keepdims=True)
    cross = (c * (n - c)).sum(axis=-1)
    return np.asarray(2.0 * cross / np.where(n > 0, n, 1.0)[..., 0])


def entropy(counts: FloatArray) -> FloatArray:
    """Return C4.5's index in bits, ``-sum c log2(c / n)``."""
    c = np.asarray(counts, dtype=np.float64)
    n = c.sum(axis=-1, keepdims=True)
    major = 2 * c > n
    nats = np.zeros_like(c)
    # If c/n is close to 1, log1p keeps the precision that rounding would lose.
    np.divide(n - c, c, out=nats, where=major)
    np.log1p(nats, out=nats, where=major)
    minor = (c > 0) & ~major
    np.divide(c, n, out=nats, where=minor)
    np.log(nats, out=nats, where=minor)
    return np.asarray((c * np.abs(nats)).sum(axis=-1) / np.log(2.0))


def pairs(counts: FloatArray) -> FloatArray:
    """Return AdaBoost.MH's Z, the sum of ``sqrt`` over pairs of components.

    A node's vector has two components for each class: the weight of the rows of that class, and
    that of the others.
    """
    c = np.asarray(counts, dtype=np.float64)
    return np.asarray(2.0 * np.sqrt(c[..., 0::2] * c[..., 1::2]).sum(axis=-1))


def error(counts: FloatArray) -> FloatArray:
    """Return twice the error of the majority class, ``2 (n - max c)``; not strictly concave."""
    c = np.asarray(counts, dtype=np.float64)
    return np.asarray(2.0 * (c.sum(axis=-1) - c.max(axis=-1)))


def likelihood(counts: FloatArray) -> FloatArray:
    """Return ``n (40 - ln(n / L))`` of rows n in a length L: the last component is the length.

    The term 40 n cancels from gains, so these are gains of log-likelihood. It keeps the values
    positive for integers n < 2^53 and L >= 1.
    """
    n, length = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    held = n > 0
    ratio = np.divide(length, n, out=np.ones_like(n), where=held)
    return np.asarray(n * (40.0 + np.log(ratio)))


def squared_density(counts: FloatArray) -> FloatArray:
    """Return ``n (2^22 - n / V)`` of rows n in a volume V, for the integrated squared error.

    The linear term cancels from gains and keeps the values positive.
    """
    n, volume = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    return np.asarray(n * (2.0**22 - np.divide(n, volume, out=np.zeros_like(n), where=n > 0)))
