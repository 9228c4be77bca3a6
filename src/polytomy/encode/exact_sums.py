"""Sums of floats that do not depend on the order of the terms.

Every term is split into multiples of three powers of two, and a rest that is dropped. The multiples
are so coarse that float64 adds them without rounding, so that the sums of parts of the rows, in any
order, add up to those of all rows, bit for bit. The rest is below 2^-100 of the sum for as many as
a hundred million terms.
"""

from math import frexp, ldexp
from typing import NamedTuple

import numpy as np

from polytomy import kernels
from polytomy._types import AnyArray, FloatArray

_LEVELS = 3


class GroupSums(NamedTuple):
    """Sums of terms by group, as three floats each.

    Parameters
    ----------
    levels : float64 array of shape (3, groups, terms)
        The sums of the multiples of each power of two, the largest first.
    """

    levels: FloatArray

    def __add__(self, other: "GroupSums") -> "GroupSums":  # type: ignore[override]
        """Return the sums over both sets of rows."""
        return GroupSums(self.levels + other.levels)

    def total(self) -> FloatArray:
        """Return the sums as one float each, of shape (groups, terms)."""
        high, middle, low = self.levels
        return np.asarray(high + (middle + low))


class TermBound(NamedTuple):
    """What must be known of a term to add it up exactly.

    Parameters
    ----------
    most : float
        A bound on the sum of its absolute values over all rows.
    n_rows : int
        The number of all rows.
    """

    most: float
    n_rows: int

    def anchors(self) -> list[float]:
        """Return the large numbers that a term is added to and freed of, one for each level.

        A float plus 1.5 * 2^e, if that is larger, is rounded to a multiple of 2^(e - 52).
        """
        first, step = frexp(self.most)[1] + 1, self.n_rows.bit_length() - 52
        return [ldexp(1.5, first + level * step) for level in range(_LEVELS)]


def group_sums(
    group: AnyArray, n_groups: int, terms: list[FloatArray], bounds: list[TermBound]
) -> GroupSums:
    """Return the sums of several terms of each row, by group.

    Parameters
    ----------
    group : int array
        The group of each row.
    n_groups : int
        The number of groups.
    terms : list of float64 arrays
        The terms, one for each row.
    bounds : list of TermBound
        The bounds of the terms. Sums can be added if they were made with the same bounds.

    Returns
    -------
    GroupSums
        The sums.

    Examples
    --------
    >>> sums = group_sums(np.array([1, 1, 1]), 2, [np.array([0.1, 0.2, -0.3])], [TermBound(1.0, 3)])
    >>> sums.total().tolist() == [[0.0], [0.1 + (0.2 - 0.3)]]
    True
    """
    anchors = np.array([bound.anchors() for bound in bounds]).reshape(len(terms), _LEVELS)
    sums = np.zeros((n_groups, len(terms) * _LEVELS))
    kernels.group_sums(group.astype(np.int32, copy=False), terms, anchors, sums)
    return GroupSums(np.moveaxis(sums.reshape(n_groups, len(terms), _LEVELS), 2, 0))
