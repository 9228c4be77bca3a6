"""Drift: how far the shares of rows in some cells, such as leaves, are from those of a reference.

The population stability index (PSI) of shares p of the reference and q of new rows is the sum of
(q - p) ln(q / p). If nothing drifted, PSI / (1/n + 1/m) of n reference rows and m new rows has
about a chi-square distribution with one degree of freedom fewer than there are cells; if the true
index is d, a noncentral one with noncentrality d / (1/n + 1/m), which gives the interval.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc, chndtr, chndtrinc

from polytomy._errors import ParameterError
from polytomy._types import FloatArray
from polytomy.honesty.learning import Z

from .rows import finite, same_length

_HALF = 0.5  # a row, added to every cell if one is empty
_TAIL = 0.025  # on either side of a 95 % interval
_LARGEST = 1e5  # noncentrality above which the normal distribution is as good


@dataclass(frozen=True, eq=False)
class Drift:
    """The population stability index of new rows against a reference.

    Attributes
    ----------
    psi : float
        The index: 0 for equal shares. By custom, below 0.1 is small, and above 0.25 large.
    low, high : float
        Its 95 % interval.
    expected : float
        The mean of the index without any drift, from the numbers of rows alone.
    p_value : float
        The probability of an index this large without any drift.
    parts : ndarray of float
        The part of each cell in the index.
    reference, new : ndarrays of float
        The shares of the cells.
    smoothed : bool
        Whether half a row was added to every cell, because one was empty.
    """

    psi: float
    low: float
    high: float
    expected: float
    p_value: float
    parts: FloatArray
    reference: FloatArray
    new: FloatArray
    smoothed: bool


def drift(
    reference: Any, new: Any, *, reference_rows: float | None = None, new_rows: float | None = None
) -> Drift:
    """Return the population stability index of new rows against a reference, by cells.

    Parameters
    ----------
    reference, new : arrays of float
        The number or weight of the rows in each cell, such as a leaf or a bin of scores. Cells that
        are empty in both are ignored.
    reference_rows, new_rows : float, default=None
        The effective numbers of rows, if ``reference`` and ``new`` are weights; by default the sums
        of the cells. See ``effective_rows``.

    Returns
    -------
    Drift
        The index with its interval.

    Examples
    --------
    >>> found = drift([500, 300, 200], [400, 300, 300])
    >>> round(found.psi, 4), round(found.low, 4), round(found.high, 4), found.p_value < 1e-6
    (0.0629, 0.025, 0.1122, True)
    """
    old, now = finite(reference, "reference"), finite(new, "new")
    same_length(old, now, "reference", "new")
    if (old < 0).any() or (now < 0).any():
        raise ParameterError("numbers of rows must not be negative")
    if not (old.sum() > 0 and now.sum() > 0):
        raise ParameterError("drift needs rows in the reference and new rows")
    n = float(old.sum()) if reference_rows is None else float(reference_rows)
    m = float(now.sum()) if new_rows is None else float(new_rows)
    if not (n > 0 and m > 0):
        raise ParameterError("the effective numbers of rows must be positive")
    used = (old > 0) | (now > 0)
    shares, smoothed = _shares(old[used] / old.sum(), now[used] / now.sum(), n, m)
    p, q = shares
    parts = np.zeros(len(old))
    parts[used] = (q - p) * np.log(q / p)
    psi, unit, freedom = float(parts.sum()), 1 / n + 1 / m, int(used.sum()) - 1
    low, high = _interval(psi / unit, freedom)
    p_value = float(chdtrc(freedom, psi / unit)) if freedom else 1.0
    return Drift(
        psi,
        low * unit,
        high * unit,
        freedom * unit,
        p_value,
        parts,
        old / old.sum(),
        now / now.sum(),
        smoothed,
    )


def _shares(
    p: FloatArray, q: FloatArray, n: float, m: float
) -> tuple[tuple[FloatArray, FloatArray], bool]:
    """Return shares without zeros, and whether rows had to be added for that."""
    if (p > 0).all() and (q > 0).all():
        return (p, q), False
    cells = len(p)
    return (
        (p * n + _HALF) / (n + _HALF * cells),
        (q * m + _HALF) / (m + _HALF * cells),
    ), True


def _interval(statistic: float, freedom: int) -> tuple[float, float]:
    """Return the noncentralities at which a statistic is at either end of its 95 % range."""
    if freedom == 0:
        return 0.0, 0.0
    if statistic > _LARGEST:
        middle, half = statistic - freedom, 2 * Z * np.sqrt(statistic)
        return max(float(middle - half), 0.0), float(middle + half)
    ends = []
    for probability in (1 - _TAIL, _TAIL):
        outside = chndtr(statistic, freedom, 0.0) <= probability
        ends.append(0.0 if outside else float(chndtrinc(statistic, freedom, probability)))
    return ends[0], ends[1]
