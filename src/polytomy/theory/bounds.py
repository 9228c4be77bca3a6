"""Bounds by size: VC dimension, Occam's razor, sizes of trees and samples, pruning.

The formulas are from the lecture on decision trees and pruning, with their assumptions.
"""

from collections.abc import Callable
from math import ceil, exp, inf, log, log2, sqrt
from typing import Any, NamedTuple

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real

from .rates import phi, steps_for

_MOST = 2**53  # integers up to here are exact as floats
_LARGEST = 1e250  # a larger tree is as good as infinite; its rows would overflow

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
    return _rows_for(epsilon, delta, log(_integer("n_hypotheses", n_hypotheses)))


class Plan(NamedTuple):
    """The sizes that a PAC statement asks for.

    Attributes
    ----------
    leaves : int or float
        The number of leaves of the tree; inf if it is too large for a float.
    rows : int, float or None
        The number of training rows; None if the class of splits was not given.
    training_error : float
        The training error that a tree of this size has at most.
    gap : float
        By how much the error on new rows may exceed it.
    """

    leaves: float
    rows: float | None
    training_error: float
    gap: float


def plan(
    error: float,
    confidence: float,
    gamma: float,
    *,
    n_attributes: int | None = None,
    vc_dimension: int | None = None,
) -> Plan:
    """Return the size of the tree and of the sample for an error on new rows.

    The PAC statement: if every leaf of two classes has a binary split with an advantage of at least
    ``gamma`` (the weak tree-growth hypothesis), then a tree of this many leaves, grown on this many
    independent rows with the heaviest leaf first, has at most ``error`` on new rows with
    probability ``confidence``. Half of ``error`` is for the training rows, half for the difference.

    - The training error is at most I(T)/2 <= phi(s)/2, so s is the smallest size with
      phi(s) <= ``error``, at most ``steps_for(error, gamma)``.
    - For n Boolean attributes there are at most (8n)^s trees, and ``rows`` is the ``sample_size``
      for that many hypotheses and half of ``error``.
    - For splits of VC dimension d, m rows have at most (em/d)^d partitions by one split (Sauer and
      Shelah), so at most 8^s (em/d)^(ds) by a tree. Vapnik and Chervonenkis' inequality,
      4 (partitions of 2m rows) exp(-m gap^2 / 8) <= 1 - confidence, gives ``rows``.

    The numbers are those of the proofs, which are far from what trees need in practice.

    Parameters
    ----------
    error : float
        The largest error on new rows, above 0 and below 1.
    confidence : float
        The probability with which it must hold, between 0 and 1.
    gamma : float
        The advantage, above 0 and at most 1. ``edge_to_advantage`` gives it for a weak learner.
    n_attributes : int or None, default=None
        The number n of Boolean attributes.
    vc_dimension : int or None, default=None
        The VC dimension d of the class of splits. At most one of the two may be given.

    Returns
    -------
    Plan
        The sizes; ``rows`` is None if neither was given.

    >>> plan(0.1, 0.95, 0.3, n_attributes=20)
    Plan(leaves=97, rows=198116, training_error=0.04972508515624999, gap=0.05)
    >>> plan(0.1, 0.95, 0.3).rows is None
    True
    """
    _number("error", error, "above 0 and below 1", lambda x: 0 < x < 1)
    _number("confidence", confidence, "above 0 and below 1", lambda x: 0 < x < 1)
    _number("gamma", gamma, "above 0 and up to 1", lambda x: 0 < x <= 1)
    if n_attributes is not None and vc_dimension is not None:
        raise ParameterError("plan takes n_attributes or vc_dimension, not both")
    leaves, gap, delta = _smallest_tree(error, gamma), float(error) / 2, 1.0 - confidence
    reached = error / 2 if leaves == inf else phi(int(leaves), gamma) / 2
    rows: float | None = None
    if n_attributes is not None:
        each = log(8 * _integer("n_attributes", n_attributes, _MOST))
        rows = inf if leaves == inf else _rows_for(gap, delta, leaves * each)
    elif vc_dimension is not None:
        d = _integer("vc_dimension", vc_dimension, _MOST)
        rows = inf if leaves == inf else _vc_rows(gap, delta, int(leaves), d)
    return Plan(leaves, rows, reached, gap)


def srm_gap(
    leaves: int,
    height: int,
    m: float,
    n_splits: int,
    delta: float = 0.05,
    *,
    size: str = "leaves",
) -> float:
    """Return by how much the error of conservative pruning exceeds that of the best pruning.

    The theorem of the pruning lecture, 8.2.4, with constants:

        error(T_srm) - error(T_opt) <= 8 sqrt(s h (2 h ln n + ln(1/delta)) / m)

    with probability 1 - ``delta`` over m independent rows, where s and h are the leaves and the
    height of T_opt, the largest pruning with the least error on new rows, and T_srm is a part of
    it. It holds for two classes, binary trees, n >= 2 splits to choose from that were fixed before
    the rows were seen, and ``polytomy.prune.Conservative(delta, scale=8**0.5)``. The proof is in
    docs/how-to/pruning.md. The value is not clipped; it is vacuous at 1 or above. For example,
    8 sqrt(4 * 2 * (4 ln 10 + ln 20) / 100000).

    Parameters
    ----------
    leaves : int
        The number of leaves s of T_opt.
    height : int
        The height h of T_opt: the most splits on a path, at least 0.
    m : float
        The number of rows.
    n_splits : int
        The number n of splits that a node could have, at least 2: for Boolean columns, the columns.
    delta : float, default=0.05
        The probability with which the bound may fail, above 0 and at most 2/3.
    size : {"leaves", "nodes"}, default="leaves"
        What the penalty counts. For nodes it is larger, and the bound has 3h for 2h.

    Returns
    -------
    float
        The bound.

    >>> round(srm_gap(4, 2, 100_000, 10), 4)
    0.25
    """
    s = _integer("leaves", leaves, _MOST)
    n = _integer("n_splits", n_splits)
    if n < 2:
        raise ParameterError(f"n_splits must be at least 2, got {n_splits!r}")
    _number("height", height, f"from 0 to {s - 1}", lambda x: 0 <= x <= s - 1)
    _number("m", m, "above 0", lambda x: 0 < x < inf)
    _number("delta", delta, "above 0 and up to 2/3", lambda x: 0 < x <= 2 / 3)
    if size not in ("leaves", "nodes"):
        raise ParameterError(f"size must be 'leaves' or 'nodes', got {size!r}")
    times = 2 if size == "leaves" else 3
    return 8.0 * sqrt(s * height * (times * height * log(n) - log(delta)) / m)


def check_delta(delta: float) -> None:
    """Raise ``ParameterError`` unless delta is between 0 and 1."""
    _number("delta", delta, "above 0 and below 1", lambda x: 0 < x < 1)


def _smallest_tree(error: float, gamma: float) -> float:
    """Return the smallest s with phi(s) <= error, or inf if it is too large for a float."""
    most = steps_for(error, gamma)
    if most > _LARGEST:
        return inf
    low, high = 1, max(2, ceil(most) + 1)  # phi decreases; phi(1) = 1 > error
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if phi(middle, gamma) <= error else (middle, high)
    return high


def _vc_rows(gap: float, delta: float, leaves: int, d: int) -> int:
    """Return the smallest m with 4 * 8^s (2em/d)^(ds) exp(-m gap^2 / 8) <= delta."""

    def too_few(m: int) -> bool:
        partitions = leaves * (3 * log(2) + d * (1 + log(2 * m / d)))
        return log(4 / delta) + partitions > m * gap**2 / 8

    low, high = d, 2 * d  # d are always too few
    while too_few(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if too_few(middle) else (low, middle)
    return high


def _rows_for(epsilon: float, delta: float, log_n: float) -> int:
    """Return the lecture's number of rows for a class of e^log_n hypotheses."""
    return ceil((log_n - log(delta)) / epsilon / epsilon)


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
    if not is_integer(value) or not 1 <= int(value) <= most:
        to = "" if most == inf else f" and at most {most}"
        raise ParameterError(f"{name} must be an integer of at least 1{to}, got {value!r}")
    return int(value)


def _number(name: str, value: Any, what: str, holds: Callable[[float], bool]) -> None:
    try:
        fits = is_real(value) and holds(float(value))
    except OverflowError:  # an integer too large for a float
        fits = False
    if not fits:
        raise ParameterError(f"{name} must be a number {what}, got {value!r}")
