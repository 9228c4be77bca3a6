"""Sums over rows that lie in several parts.

A computation that needs sums over all rows is a generator: it yields those over its own rows, and
is sent those over all rows. If one process has all rows, they are the same.
"""

from collections.abc import Generator, Sequence
from functools import reduce
from typing import Any, TypeAlias, TypeVar

Sums: TypeAlias = tuple[Any, ...]
"""Sums over some rows: each is an ``ExactSum``, ``RowSums`` or ``Largest``, which can be added."""

Result = TypeVar("Result")
Summing: TypeAlias = Generator[Sums, Sums, Result]
"""A computation on some rows that needs sums over all rows."""


class Largest(float):
    """A number of which the largest over all rows is wanted.

    >>> Largest(1.0) + Largest(2.0)
    2.0
    """

    def __add__(self, other: float) -> "Largest":
        """Return the larger one of two."""
        return Largest(max(self, other))


def added(parts: Sequence[Sums]) -> Sums:
    """Return the sums over the rows of all parts.

    Parameters
    ----------
    parts : sequence of tuple
        The sums over the rows of each part, at least one.

    Returns
    -------
    tuple
        The sums.

    Examples
    --------
    >>> added([(Largest(1.0),), (Largest(3.0),)])
    (3.0,)
    """
    return tuple(reduce(lambda a, b: a + b, sums) for sums in zip(*parts, strict=True))


def alone(steps: Summing[Result]) -> Result:
    """Return the result of a computation whose rows are all rows."""
    try:
        sums = next(steps)
        while True:
            sums = steps.send(sums)
    except StopIteration as done:
        result: Result = done.value
        return result
