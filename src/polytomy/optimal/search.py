"""Bounds on the errors of the best tree of a size, tightened until they meet or time is up."""

from dataclasses import dataclass
from time import perf_counter

from polytomy import kernels
from polytomy._errors import ParameterError

from .rows import DistinctRows

MAX_LEAVES = 64
"""The most leaves of a tree that is searched for; beyond, only unavoidable errors are counted."""

_FIRST_GOAL = 1 / 256  # of the upper bound
_GROWTH = 1.6  # of the goal, from one proof to the next; the time of a proof grows much faster
_QUICK, _QUICK_GROWTH = 0.05, 2.5  # after a proof that took less than so many seconds


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """How far a search may go.

    Parameters
    ----------
    leaves : int
        The most leaves of a tree.
    seconds : float
        The time limit; 0 only counts what no tree can avoid.
    max_depth : int or None, default=None
        The most binary splits on a path; None for no limit.
    """

    leaves: int
    seconds: float
    max_depth: int | None = None

    def __post_init__(self) -> None:
        if self.leaves < 1:
            raise ParameterError(f"a tree has at least one leaf, got {self.leaves}")


@dataclass(frozen=True, slots=True)
class ErrorBounds:
    """Bounds on the least errors of any tree, in units of the target.

    Parameters
    ----------
    lower : int
        No tree has fewer errors.
    upper : int
        The fewest errors of a tree that is known to exist.
    """

    lower: int
    upper: int


def bound_errors(rows: DistinctRows, limits: SearchLimits, known: int | None = None) -> ErrorBounds:
    """Return bounds on the errors of the best binary tree with a number of leaves.

    Parameters
    ----------
    rows : DistinctRows
        The rows.
    limits : SearchLimits
        The number of leaves and the time limit.
    known : int or None, default=None
        The errors of a tree with so many leaves: the search ends when no tree has fewer.

    Returns
    -------
    ErrorBounds
        The bounds. They are equal if the best tree was found, or proven to be the known one.
    """
    free = rows.unavoidable
    if not rows.n_rows:
        return ErrorBounds(free, free)
    leaves = min(limits.leaves, MAX_LEAVES, rows.n_rows)
    search = kernels.optimal_search(
        (rows.codes, rows.n_codes, rows.is_nominal, rows.has_missing),
        (rows.start, rows.labels, rows.weights, rows.n_classes),
        leaves,
        limits.max_depth,
    )
    if limits.leaves > leaves == MAX_LEAVES:
        return ErrorBounds(free, search.upper(leaves) + free if known is None else known)

    def upper() -> int:
        found = search.upper(leaves)
        return found if known is None else min(found, known - free)

    now = perf_counter()
    end, goal, growth = now + limits.seconds, 0.0, _QUICK_GROWTH
    while now < end and search.lower(leaves) < (high := upper()):
        goal = max(goal * growth, goal + 1, high * _FIRST_GOAL)
        is_last = goal * growth > high
        if not search.prove(leaves, high if is_last else int(goal), end - now) and is_last:
            break
        begin, now = now, perf_counter()
        growth = _QUICK_GROWTH if now - begin < _QUICK else _GROWTH
    high = upper()
    return ErrorBounds(min(search.lower(leaves), high) + free, high + free)
