"""Bounds on the errors of the best tree of a size, tightened until they meet or time is up."""

from dataclasses import dataclass
from time import perf_counter

from polytomy import kernels
from polytomy._errors import ParameterError

from .rows import DistinctRows

MAX_LEAVES = 64
"""The most leaves of a tree that is searched for; beyond, only unavoidable errors are counted."""

_FIRST_STEP = 1 / 256  # of the upper bound: the first goal
_STEP, _QUICK_STEP = 0.6, 1.0  # of the proven bound, from one goal to the next
_QUICK = 0.05  # seconds: a quick proof is followed by a larger step
_PATIENCE = 1 / 2  # of the time that is left: the most for one goal, before a lower one is tried


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
        The errors of a tree with at most as many leaves: the search ends when no tree has fewer.

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

    most = search.upper(leaves) if known is None else known - free
    _raise_bound(search, leaves, most, limits.seconds)
    high = min(most, search.upper(leaves))
    return ErrorBounds(min(search.lower(leaves), high) + free, high + free)


def _raise_bound(search: kernels.OptimalSearch, leaves: int, known: int, seconds: float) -> None:
    """Prove larger and larger goals, until none is left or time is up.

    The time of a proof grows much faster than its goal. So steps grow while proofs succeed, and are
    halved after one that takes too long.
    """
    now = perf_counter()
    end, step, has_failed = now + seconds, 0.0, False
    while now < end:
        low, high = search.lower(leaves), min(known, search.upper(leaves))
        if low >= high:
            return
        step = step or high * _FIRST_STEP
        goal = low + max(1, int(step))
        if goal + step > high:
            goal = high
        is_least = goal == low + 1
        patience = (end - now) * (1 if is_least else _PATIENCE)
        is_proven = search.prove(leaves, goal, patience)
        begin, now = now, perf_counter()
        if not is_proven:
            if is_least:
                return
            step, has_failed = (goal - low) / 2, True
        elif not has_failed:
            share = _QUICK_STEP if now - begin < _QUICK else _STEP
            step = max(step, share * search.lower(leaves))
