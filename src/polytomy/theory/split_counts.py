"""The number of splits that a column offers, as a logarithm.

The best of many splits looks good by chance. How many there are decides the penalty of conservative
pruning and the adjusted p-value of a split.
"""

from functools import lru_cache
from math import comb, exp, expm1, inf, lgamma, log

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray

_TABLE = 512  # Stirling numbers of up to this many items are computed by their recurrence
_EXACT = 1000  # binomials with up to this many factors are computed as integers


def log_n_splits(family: str, n_values: int, arity: int, has_missing: bool = False) -> float:
    """Return the log of the number of splits of one arity that a column offers.

    - ``"intervals"``: b bins in k ranges can be cut in C(b-1, k-1) ways. Missing cells may join any
      branch or have their own, which makes k C(b-1, k-1) + C(b-1, k-2) ways.
    - ``"groups"``: c categories form k groups in S(c, k) ways, the Stirling number of the second
      kind. Missing cells are one more category: S(c+1, k).
    - ``"values"``: one branch for each category is one way. Missing cells may join any branch or
      have their own: k + 1 ways.

    Parameters
    ----------
    family : {"intervals", "groups", "values"}
        The family of the split.
    n_values : int
        The number of bins or categories that the column has, without missing cells.
    arity : int
        The number of branches.
    has_missing : bool, default=False
        Whether there are missing cells, which also go to one of the branches.

    Returns
    -------
    float
        The natural logarithm of the number of splits; minus infinity if there are none. For groups
        of more than 512 categories the number is approximated within one part in 8,000.

    Examples
    --------
    >>> from math import exp
    >>> round(exp(log_n_splits("intervals", 5, 3))), round(exp(log_n_splits("groups", 5, 3)))
    (6, 25)
    """
    if family == "intervals":
        return _log_ranges(n_values, arity, has_missing)
    if family == "groups":
        return _log_stirling(n_values + has_missing, arity)
    if family == "values":
        if arity > n_values + has_missing:
            return -inf
        return log(arity + 1) if has_missing else 0.0
    raise ParameterError(f"family must be intervals, groups or values, got {family!r}")


def _log_ranges(bins: int, k: int, has_missing: bool) -> float:
    ways = _log_binomial(bins - 1, k - 1)
    if not has_missing:
        return ways
    return float(np.logaddexp(log(k) + ways, _log_binomial(bins - 1, k - 2)))


@lru_cache(maxsize=4096)
def _log_binomial(n: int, k: int) -> float:
    if not 0 <= k <= n:
        return -inf
    if min(k, n - k) <= _EXACT:
        return log(comb(n, k))  # Python's log takes integers of any size
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


@lru_cache(maxsize=4096)
def _log_stirling(n: int, k: int) -> float:
    """Return the log of the Stirling number S(n, k): partitions of n items into k groups."""
    if not 1 <= k <= n:
        return -inf
    if n <= _TABLE:
        return float(_stirling_table()[n, k])
    return 0.0 if k in (1, n) else _log_stirling_approximation(n, k)


@lru_cache(maxsize=1)
def _stirling_table() -> FloatArray:
    """Return log S(n, k) for all n and k up to ``_TABLE``."""
    table = np.full((_TABLE + 1, _TABLE + 1), -inf)
    table[0, 0] = 0.0
    size = np.log(np.arange(1, _TABLE + 1))
    for n in range(1, _TABLE + 1):  # S(n, k) = k S(n-1, k) + S(n-1, k-1)
        table[n, 1:] = np.logaddexp(size + table[n - 1, 1:], table[n - 1, :-1])
    return table


def _log_stirling_approximation(n: int, k: int) -> float:
    """Return Temme's approximation of log S(n, k) for 1 < k < n.

    It is uniform in k: for n from 50 to 1,200 the error is below 0.062/n, and largest at k = n/3.
    See N. M. Temme, "Asymptotic Estimates of Stirling Numbers", 1993.
    """
    x = ratio = n / k
    for _ in range(60):  # Newton's method for x / (1 - exp(-x)) = n/k, from above
        step = (x + ratio * expm1(-x)) / (1 - ratio * exp(-x))
        x -= step
        if abs(step) <= 1e-15 * x:
            break
    t = (n - k) / k
    exponent = k * (x + log(-expm1(-x)) - t) - n * log(x) + (n - k) * log(t * k)
    return exponent + log(t / ((1 + t) * (x - t))) / 2 + _log_binomial(n, k)
