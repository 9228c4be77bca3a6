"""The built-in index functions on count vectors, in plain NumPy.

Each maps counts of shape (..., classes) to ``F(c) = |c| I(c / |c|)``, homogeneous of degree 1 and
concave. These forms avoid the cancellation of the textbook ones, as do those of the C++ core.
``squared_error`` and ``poisson`` do the same for the moments of a numeric target.
"""

import numpy as np

from polytomy._types import TIE, FloatArray


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


def squared_error(moments: FloatArray) -> FloatArray:
    """Return the sum of squared deviations from the mean, ``q - s^2 / n``.

    The moments of a node are the weight n of its rows, and the sums s and q of their weighted
    deviations, and squared deviations, from some number. A result within rounding of 0 is 0.
    """
    m = np.asarray(moments, dtype=np.float64)
    n, s, q = m[..., 0], m[..., 1], m[..., 2]
    value = q - s * s / np.where(n > 0, n, 1.0)
    return np.asarray(np.where(value > TIE * q, value, 0.0))


def poisson(moments: FloatArray) -> FloatArray:
    """Return half the Poisson deviance from the mean, ``l - s ln(s / n)``.

    The moments of a node are the weight n of its rows, the sum s of its weighted numbers, that of
    their squares, and the sum l of ``w y ln y``. A result within rounding of 0 is 0.
    """
    m = np.asarray(moments, dtype=np.float64)
    n, s, logs = m[..., 0], m[..., 1], m[..., 3]
    part = np.where(s > 0, s, 1.0) / np.where(n > 0, n, 1.0)
    value = logs - np.where(s > 0, s * np.log(part), 0.0)
    return np.asarray(np.where(value > TIE * np.maximum(s, np.abs(logs)), value, 0.0))


def poisson_of_components(counts: FloatArray) -> FloatArray:
    """Return ``-a ln(a / (a + b))``, of which the kernels know how to search splits."""
    c = np.asarray(counts, dtype=np.float64)
    a, b = c[..., 0], c[..., 1]
    return np.asarray(a * np.log1p(b / np.where(a > 0, a, 1.0)))


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
