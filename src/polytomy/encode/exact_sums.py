"""Sums of floats that do not depend on the order of the terms.

Every term is split into a multiple of one power of two, a multiple of a smaller one, and a rest
that is dropped. The multiples are so coarse that float64 adds them without rounding, so that the
sums of parts of the rows, in any order, add up to those of all rows, bit for bit.
"""

from math import frexp, ldexp
from typing import NamedTuple

import numpy as np

from polytomy._types import AnyArray, FloatArray

_CHUNK = 1 << 14
_MOST_TERMS = 32  # log2 of their number


class GroupSums(NamedTuple):
    """Sums of terms by group, as two floats each.

    Parameters
    ----------
    high, low : float64 arrays of shape (groups, terms)
        The sums of the coarse multiples and of the fine ones.
    """

    high: FloatArray
    low: FloatArray

    def __add__(self, other: "GroupSums") -> "GroupSums":  # type: ignore[override]
        """Return the sums over both sets of rows."""
        return GroupSums(self.high + other.high, self.low + other.low)

    def total(self) -> FloatArray:
        """Return the sums as one float each."""
        return self.high + self.low


class TermSplitter:
    """Splits terms into multiples of two powers of two.

    Parameters
    ----------
    most : float
        A bound on the sum of the terms' absolute values, over all rows.

    Examples
    --------
    >>> high, low = TermSplitter(8.0).split(np.array([0.1, 3.0]))
    >>> (high + low).tolist()
    [0.1, 3.0]
    """

    def __init__(self, most: float) -> None:
        exponent = frexp(most)[1] + 1
        # The sum of a float and 1.5 * 2^e, if that is larger, is a multiple of 2^(e - 52).
        self._coarse = ldexp(1.5, exponent)
        self._fine = ldexp(1.5, exponent - 52 + _MOST_TERMS)

    def split(self, terms: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return both multiples of each term."""
        high = terms + self._coarse
        high -= self._coarse
        low = terms - high
        low += self._fine
        low -= self._fine
        return high, low


def group_sums(
    group: AnyArray, n_groups: int, terms: list[FloatArray], most: list[float]
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
    most : list of float
        Bounds on the sums of the absolute values of each term over all rows, those of other parts
        included. Sums can be added if they were made with the same bounds.

    Returns
    -------
    GroupSums
        The sums.

    Examples
    --------
    >>> sums = group_sums(np.array([1, 1, 1]), 2, [np.array([0.1, 0.2, -0.3])], [1.0])
    >>> sums.total().tolist() == [[0.0], [0.1 + (0.2 - 0.3)]]
    True
    """
    high, low = (np.zeros((n_groups, len(terms))) for _ in range(2))
    for i, (term, bound) in enumerate(zip(terms, most, strict=True)):
        splitter = TermSplitter(bound)
        for start in range(0, len(group), _CHUNK):
            part = slice(start, start + _CHUNK)
            for out, multiple in zip((high, low), splitter.split(term[part]), strict=True):
                out[:, i] += np.bincount(group[part], weights=multiple, minlength=n_groups)
    return GroupSums(high, low)
