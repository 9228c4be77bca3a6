"""Stratified held-out rows and cross-validation folds."""

from typing import TypeAlias

import numpy as np

from polytomy._types import AnyArray, IntArray

Random: TypeAlias = np.random.RandomState | np.random.Generator


def hold_out(
    labels: AnyArray, fraction: float, random: Random, *, at_least: int = 0
) -> tuple[IntArray, IntArray]:
    """Split rows at random into a training part and a held-out part, stratified by class.

    Each class gives its share, rounded by largest remainders so that the parts have the right total
    size. At least one row of every class stays in the training part.

    Parameters
    ----------
    labels : integer array
        The class number of each row.
    fraction : float
        The fraction of rows to hold out.
    random : RandomState or Generator
        The source of randomness.
    at_least : int, default=0
        The smallest number of rows to hold out, as far as the classes allow.

    Returns
    -------
    training, held_out : integer arrays
        Row numbers in ascending order. ``held_out`` is empty if the fraction rounds to no row.

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 0, 1, 1])
    >>> training, held_out = hold_out(labels, 0.5, np.random.RandomState(0))
    >>> np.bincount(labels[held_out]).tolist()
    [2, 1]
    """
    sizes = np.bincount(labels)
    wanted = fraction * sizes
    taken = np.minimum(np.floor(wanted), np.maximum(sizes - 1, 0)).astype(np.int64)
    room = taken < sizes - 1
    left = max(round(fraction * len(labels)), at_least) - int(taken.sum())
    by_remainder = np.argsort(-(wanted - taken) * room, kind="stable")
    taken[by_remainder[: max(left, 0)]] += room[by_remainder[: max(left, 0)]]
    held = _rank_in_class(labels, random) < taken[labels]
    return np.flatnonzero(~held), np.flatnonzero(held)


def assign_folds(labels: AnyArray, n_folds: int, random: Random) -> IntArray:
    """Return a fold number for each row; every class is spread over the folds evenly.

    Parameters
    ----------
    labels : integer array
        The class number of each row.
    n_folds : int
        The number of folds.
    random : RandomState or Generator
        The source of randomness.

    Returns
    -------
    integer array
        The fold of each row, from 0 to ``n_folds - 1``.

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 1, 1, 1])
    >>> folds = assign_folds(labels, 3, np.random.RandomState(0))
    >>> sorted(folds[labels == 1].tolist())
    [0, 1, 2]
    """
    class_start = np.concatenate(([0], np.cumsum(np.bincount(labels))))[labels]
    # Each class continues where the previous one stopped, so that the folds have equal sizes.
    return np.asarray((_rank_in_class(labels, random) + class_start) % n_folds)


def _rank_in_class(labels: AnyArray, random: Random) -> IntArray:
    """Return each row's position in a random order of the rows of its class."""
    order = random.permutation(len(labels))
    sizes = np.bincount(labels)
    by_class = order[np.argsort(labels[order], kind="stable")]
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    rank = np.empty(len(labels), dtype=np.int64)
    rank[by_class] = np.arange(len(labels)) - np.repeat(starts, sizes)
    return rank
