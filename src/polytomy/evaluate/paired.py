"""Two models on the same rows: the difference of their errors or losses, and a paired test."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import bdtr, stdtr, stdtrit

from polytomy._types import FloatArray
from polytomy.honesty.learning import Z

from .rows import checked_weights, effective_rows, finite, flags, same_length


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The difference of two models on the same rows.

    Attributes
    ----------
    a, b : float
        The mean of each model.
    difference : float
        b minus a: negative if b is better.
    low, high : float
        The 95 % interval of the difference.
    p_value : float
        The two-sided p-value of no difference.
    test : str
        The name of the test.
    """

    a: float
    b: float
    difference: float
    low: float
    high: float
    p_value: float
    test: str


def compare_errors(wrong_a: Any, wrong_b: Any, weights: Any = None) -> PairedTest:
    """Return the difference of two error rates, with McNemar's exact test.

    Only rows that one model predicts wrongly and the other does not bear on the difference. If
    neither model is better, each of the two is wrong on such a row with probability 1/2.

    Parameters
    ----------
    wrong_a, wrong_b : arrays of bool
        Whether each model predicts each row wrongly.
    weights : array of float, default=None
        The weight of each row; None gives every row weight 1. If weights differ, a paired t-test
        takes the place of McNemar's.

    Returns
    -------
    PairedTest
        The difference. Its interval is that of Bonett and Price.

    Examples
    --------
    >>> wrong_a, wrong_b = [True] * 8 + [False] * 92, [True] + [False] * 99
    >>> found = compare_errors(wrong_a, wrong_b)
    >>> round(found.difference, 3), round(found.p_value, 4), found.test
    (-0.07, 0.0156, "McNemar's exact test")
    """
    first, second = flags(wrong_a, "wrong_a"), flags(wrong_b, "wrong_b")
    same_length(first, second, "wrong_a", "wrong_b")
    w = checked_weights(weights, len(first))
    first, second, w = first[w > 0], second[w > 0], w[w > 0]
    if not len(w):
        return _none("McNemar's exact test")
    only_a, only_b = w[first & ~second], w[second & ~first]
    total, rows = float(w.sum()), effective_rows(w)
    a, b = float(w[first].sum()) / total, float(w[second].sum()) / total
    difference = float(only_b.sum() - only_a.sum()) / total
    # One row is added to either kind, as Bonett and Price do, so that no interval is empty.
    p, q = ((float(x.sum()) / total * rows + 1) / (rows + 2) for x in (only_a, only_b))
    half = Z * sqrt(max(p + q - (p - q) ** 2, 0.0) / (rows + 2))
    low, high = max(q - p - half, -1.0), min(q - p + half, 1.0)
    if (w == w[0]).all():
        p_value, test = _mcnemar(len(only_a), len(only_b)), "McNemar's exact test"
    else:
        of_losses = compare_losses(first.astype(float), second.astype(float), w)
        p_value, test = of_losses.p_value, of_losses.test
    return PairedTest(a, b, difference, low, high, p_value, test)


def _mcnemar(only_a: int, only_b: int) -> float:
    """Return the two-sided p-value of a fair coin."""
    n = only_a + only_b
    return 1.0 if n == 0 else min(2 * float(bdtr(min(only_a, only_b), n, 0.5)), 1.0)


def compare_losses(losses_a: Any, losses_b: Any, weights: Any = None) -> PairedTest:
    """Return the difference of two mean losses, with a paired t-test.

    Parameters
    ----------
    losses_a, losses_b : arrays of float
        The loss of each model on each row, such as ``log_losses``.
    weights : array of float, default=None
        The weight of each row; None gives every row weight 1.

    Returns
    -------
    PairedTest
        The difference. The test and the interval take the effective number of rows, see
        ``effective_rows``.

    Examples
    --------
    >>> found = compare_losses([0.2, 0.4, 0.9, 0.5], [0.1, 0.4, 0.7, 0.4])
    >>> round(found.difference, 3), round(found.p_value, 3), found.test
    (-0.1, 0.092, 'paired t-test')
    """
    first, second = finite(losses_a, "losses_a"), finite(losses_b, "losses_b")
    same_length(first, second, "losses_a", "losses_b")
    w = checked_weights(weights, len(first))
    rows = effective_rows(w)
    if rows == 0:
        return _none("paired t-test")
    a, b = (float(np.average(losses, weights=w)) for losses in (first, second))
    far: FloatArray = second - first
    mean = float(np.average(far, weights=w))
    if rows <= 1:
        return PairedTest(a, b, mean, -np.inf, np.inf, 1.0, "paired t-test")
    variance = float(np.average((far - mean) ** 2, weights=w)) * rows / (rows - 1)
    error = sqrt(variance / rows)
    half = float(stdtrit(rows - 1, 0.975)) * error
    if error > 0:
        p_value = 2 * float(stdtr(rows - 1, -abs(mean) / error))
    else:
        p_value = 1.0 if mean == 0 else 0.0
    return PairedTest(a, b, mean, mean - half, mean + half, p_value, "paired t-test")


def _none(test: str) -> PairedTest:
    nan = float("nan")
    return PairedTest(nan, nan, nan, nan, nan, nan, test)
