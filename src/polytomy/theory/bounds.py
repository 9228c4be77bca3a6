"""Bounds by size: VC dimension, Occam's razor, sizes of boosted trees and of held-out samples.

The formulas are from the lecture on decision trees and pruning, with their assumptions.
"""

from collections.abc import Callable
from math import ceil, exp, inf, log, log2, sqrt
from numbers import Integral, Real
from typing import Any, NamedTuple

from polytomy._errors import ParameterError

_MOST = 2**53  # integers up to here are exact as floats

_SIZE_RATES: dict[str, Callable[[float], float]] = {
    "gini": lambda error: log(1 / error) ** 2 / error**2,
    "entropy": lambda error: log(1 / error) ** 2,
    "sqrt": lambda error: log(1 / error),
}


class VCBounds(NamedTuple):
    """Bounds on the VC dimension of a class of trees.

    Attributes
    ----------
    lower : int
        The lower bound.
    upper : float
        The upper bound.
    """

    lower: int
    upper: float


def vc_bounds(
    leaves: int, n_attributes: int | None = None, *, vc_dimension: int | None = None
) -> VCBounds:
    """Return bounds on the VC dimension of binary trees of at most s = ``leaves`` leaves.

    The bounds hold for two classes and binary splits only. Exactly one of ``n_attributes`` and
    ``vc_dimension`` must be given.

    For n Boolean attributes: s <= VC <= s log2(8n), from the number of trees,
    4^s n^(s-1) 2^s <= (8n)^s (lecture, 8.1.4). There are only 2^n examples, so neither bound
    exceeds 2^n; from s = 2^n leaves on, the dimension is 2^n. For example, 5 log2(8 * 4) = 25, but
    only 2^4 = 16 are possible.

    For splits from a class of VC dimension d: a shattered set of m examples has
    2^m <= 4^s 2^s m^(ds) (lecture, 8.1.4, which continues to O(ds log(ds))), so ``upper`` is the
    largest m with m <= 3s + d s log2(m). The lecture gives no lower bound, and s is not one,
    because two splits make at most four cells. One split with free labels shatters every set that
    the splits shatter, so ``lower`` is d, or 1 for a single leaf. For example, with s = 1 and
    d = 1, 5 <= 3 + log2(5) = 5.32 and 6 > 3 + log2(6) = 5.58.

    Parameters
    ----------
    leaves : int
        The largest number of leaves s.
    n_attributes : int or None, default=None
        The number n of Boolean attributes; each split tests one of them.
    vc_dimension : int or None, default=None
        The VC dimension d of the class of splits.

    Returns
    -------
    VCBounds
        The lower and the upper bound.

    >>> vc_bounds(3, 4), vc_bounds(5, 4)
    (VCBounds(lower=3, upper=15.0), VCBounds(lower=5, upper=16.0))
    >>> vc_bounds(1, vc_dimension=1)
    VCBounds(lower=1, upper=5.0)
    """
    s = _integer("leaves", leaves, _MOST)
    if (n_attributes is None) == (vc_dimension is None):
        raise ParameterError("vc_bounds takes either n_attributes or vc_dimension")
    if n_attributes is not None:
        n = _integer("n_attributes", n_attributes, _MOST)
        examples = 2**n if n < 64 else inf  # beyond s log2(8n) for any s
        return VCBounds(int(min(s, examples)), float(min(s * log2(8 * n), examples)))
    d = _integer("vc_dimension", vc_dimension, _MOST)
    return VCBounds(d if s > 1 else 1, float(_largest_shattered(s, d)))


def occam_bound(error: float, bits: float, m: float, delta: float = 0.05) -> float:
    """Return error + sqrt((bits ln 2 + ln(1/delta)) / (2m)), a bound on the error on new rows.

    Occam's razor: fix a prefix code for trees before seeing the sample. With probability
    1 - ``delta`` over m rows drawn independently, *every* tree has at most this error on new rows.
    Apply Hoeffding's inequality with delta 2^-bits to each tree; by Kraft's inequality those sum to
    at most delta. So the tree may depend on the sample, but the code may not.

    The value is not clipped. It is vacuous at 1 or above, and for C classes it is no better than
    guessing from 1 - 1/C on. For example, 0.1 + sqrt((100 * 0.6931 + 2.9957) / 2000).

    Parameters
    ----------
    error : float
        The error of the tree on the sample, from 0 to 1.
    bits : float
        The length of its code word.
    m : float
        The number of rows, or the sum of their weights as case counts.
    delta : float, default=0.05
        The probability with which the bound may fail, between 0 and 1.

    Returns
    -------
    float
        The bound.

    >>> round(occam_bound(0.1, 100, 1000), 4)
    0.2901
    """
    _number("error", error, "from 0 to 1", lambda x: 0 <= x <= 1)
    _number("bits", bits, "of at least 0", lambda x: 0 <= x < inf)
    _number("m", m, "above 0", lambda x: 0 < x < inf)
    check_delta(delta)
    return float(error + sqrt((bits * log(2) - log(delta)) / (2 * m)))


def tree_size_bound(index: str, gamma: float, error: float, *, constant: float = 1.0) -> float:
    """Return a number of leaves that is enough for a training error, *up to a constant*.

    The lecture, 8.1.9, after Kearns and Mansour: if on every distribution some split has an error
    of at most 1/2 - gamma, growing by the index reaches ``error`` within this size, where c is
    ``constant``:

    - ``gini``: exp(c / gamma^2 * 1/error^2 * log^2(1/error))
    - ``entropy``: exp(c / gamma^2 * log^2(1/error))
    - ``sqrt``, the lecture's variance: exp(c / gamma^2 * log(1/error))

    **The lecture writes O(...) and does not specify c.** With c = 1 the value is therefore not a
    bound for any tree; it shows how the three indices compare. Note that gamma is the weak
    *learner's* edge over guessing, from 0 to 1/2, not the advantage of the growth theorems
    (``weak_to_growth`` converts one into the other). For example, sqrt at gamma = error = 1/2 gives
    exp(4 ln 2) = 16.

    Parameters
    ----------
    index : {"gini", "entropy", "sqrt"}
        The index function.
    gamma : float
        The edge over guessing, above 0 and at most 1/2.
    error : float
        The training error to reach, above 0 and at most 1.
    constant : float, default=1.0
        The constant c, above 0.

    Returns
    -------
    float
        The number of leaves; inf if it is too large for a float.

    >>> round(tree_size_bound("sqrt", 0.5, 0.5), 6)
    16.0
    >>> tree_size_bound("gini", 0.1, 0.01)
    inf
    """
    if index not in _SIZE_RATES:
        known = ", ".join(_SIZE_RATES)
        raise ParameterError(f"index must be one of {known}, got {index!r}")
    _number("gamma", gamma, "above 0 and up to 1/2", lambda x: 0 < x <= 0.5)
    _number("error", error, "above 0 and up to 1", lambda x: 0 < x <= 1)
    _number("constant", constant, "above 0", lambda x: 0 < x < inf)
    if error == 1:
        return 1.0
    try:
        return exp(constant / gamma**2 * _SIZE_RATES[index](error))
    except (OverflowError, ZeroDivisionError):  # squares of small numbers may be 0
        return inf


def sample_size(epsilon: float, delta: float, n_hypotheses: int) -> int:
    """Return ceil(1/epsilon^2 ln(n/delta)), enough held-out rows to choose among n hypotheses.

    The lecture, 8.2.5, for the prunings of one tree: with probability 1 - ``delta`` every observed
    error is within ``epsilon`` of the true one, so the hypothesis that looks best is within
    2 epsilon of the best. Hoeffding's inequality for both sides of each, and the sum over all:
    2n exp(-2 epsilon^2 m) <= delta for m >= ln(2n/delta) / (2 epsilon^2). The lecture's m is at
    least that if n/delta >= 2, that is, except for a single hypothesis with delta above 1/2. The
    rows must be drawn independently and must not have been used to make the hypotheses. For
    example, 100 ln(10/0.05) = 529.8.

    Parameters
    ----------
    epsilon : float
        The accuracy, between 0 and 1.
    delta : float
        The probability of failure, between 0 and 1.
    n_hypotheses : int
        The number n of hypotheses.

    Returns
    -------
    int
        The number of rows.

    >>> sample_size(0.1, 0.05, 10)
    530
    """
    _number("epsilon", epsilon, "above 0 and below 1", lambda x: 0 < x < 1)
    check_delta(delta)
    n = _integer("n_hypotheses", n_hypotheses)
    return ceil((log(n) - log(delta)) / epsilon / epsilon)


def check_delta(delta: float) -> None:
    """Raise ``ParameterError`` unless delta is between 0 and 1."""
    _number("delta", delta, "above 0 and below 1", lambda x: 0 < x < 1)


def _largest_shattered(s: int, d: int) -> int:
    """Return the largest m with m <= 3s + d s log2(m), which holds for 1 and all m up to it."""
    low, high = 1, 2
    while high <= 3 * s + d * s * log2(high):
        low, high = high, 2 * high
    while high - low > 1:  # it holds for low, not for high
        middle = (low + high) // 2
        if middle <= 3 * s + d * s * log2(middle):
            low = middle
        else:
            high = middle
    return low


def _integer(name: str, value: Any, most: float = inf) -> int:
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_integer or not 1 <= int(value) <= most:
        to = "" if most == inf else f" and at most {most}"
        raise ParameterError(f"{name} must be an integer of at least 1{to}, got {value!r}")
    return int(value)


def _number(name: str, value: Any, what: str, holds: Callable[[float], bool]) -> None:
    try:
        fits = type(value) is not bool and isinstance(value, Real) and holds(float(value))
    except OverflowError:  # an integer too large for a float
        fits = False
    if not fits:
        raise ParameterError(f"{name} must be a number {what}, got {value!r}")
