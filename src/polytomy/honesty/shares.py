"""Honest class shares: forecasts for new rows and their intervals, learned by cross-fitting.

The rows that chose a leaf flatter it: its training share is too extreme, and an interval around
that share is too narrow and in the wrong place. Two numbers correct both. Cross-fitting learns
them: grow trees on four fifths of the rows, and compare their leaves with the other fifth.

The *shrinkage* pulls the share of every node towards those of its ancestors (hierarchical
shrinkage; Agarwal et al., 2022). With lambda for the shrinkage and n for the weight of a node,

    share(child) = share(parent) + (training(child) - training(parent)) / (1 + lambda / n(parent)).

The *dispersion* is the variance of a new share about the honest one, relative to that of a sample
of n rows. The interval is Wilson's for n / dispersion rows around the honest share, and reaches
further on the side of the training share, since some leaves are as pure as they look:

    above^2 = wilson_above^2 + max(0, training - share)^2, and likewise below.

Hence it always contains the training share, too. Both numbers have a log-normal prior, so that
a few rows cannot move them far.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import AnyArray, FloatArray

from .learning import (
    SHRINKAGES,
    FoldLeaves,
    Honesty,
    Z,
    join_folds,
    judged_leaves,
    learn_dispersion,
    shrunken,
    surprise_of_shrinkage,
)


def honest_shares(counts: FloatArray, parent: AnyArray, shrinkage: float) -> FloatArray:
    """Return the class shares to expect of new rows at each node, shrunk along the path.

    At the end all shares are mixed with equal ones, as if the root had one more row.

    Parameters
    ----------
    counts : ndarray of shape (n_nodes, n_classes)
        The weight of each class of training rows at each node.
    parent : ndarray of int
        The parent of each node, -1 for the root; parents come first.
    shrinkage : float
        The strength of the shrinkage, in rows; 0 for the training shares.

    Returns
    -------
    ndarray of shape (n_nodes, n_classes)
        Positive shares; those of a node add up to 1.

    Examples
    --------
    >>> counts = np.array([[5.0, 5.0], [5.0, 0.0], [0.0, 5.0]])
    >>> honest_shares(counts, np.array([-1, 0, 0]), 10.0).round(3).tolist()
    [[0.5, 0.5], [0.727, 0.273], [0.273, 0.727]]
    """
    return np.ascontiguousarray(_shrunken(counts, parent, np.array([shrinkage]))[:, 0])


def honest_intervals(
    counts: FloatArray, shares: FloatArray, honesty: Honesty
) -> tuple[FloatArray, FloatArray]:
    """Return 95 % intervals for the share of each class among new rows at each node.

    Parameters
    ----------
    counts : ndarray of shape (n_nodes, n_classes)
        The weight of each class of training rows at each node.
    shares : ndarray of shape (n_nodes, n_classes)
        The honest shares.
    honesty : Honesty
        What cross-fitting learned.

    Returns
    -------
    low, high : ndarrays of shape (n_nodes, n_classes)
        The ends of the intervals, from 0 to 1. They enclose the honest and the training shares.

    Examples
    --------
    >>> counts = np.array([[5.0, 5.0], [5.0, 0.0], [0.0, 5.0]])
    >>> shares = honest_shares(counts, np.array([-1, 0, 0]), 10.0)
    >>> low, high = honest_intervals(counts, shares, Honesty())
    >>> low[1].round(2).tolist(), high[1].round(2).tolist()
    ([0.26, 0.0], [1.0, 0.74])
    """
    weight = _weights(counts)[:, None]
    training = counts / weight
    below, above = _half_widths(shares, training, weight / honesty.dispersion)
    low = np.minimum(np.maximum(shares - below, 0.0), training)  # despite rounding
    high = np.maximum(np.minimum(shares + above, 1.0), training)
    return low, high


def wilson(share: AnyArray | float, n: AnyArray | float, z: float = Z) -> tuple[Any, Any]:
    """Return the Wilson score interval of a proportion.

    Parameters
    ----------
    share : float or ndarray
        The observed proportion.
    n : float or ndarray
        The number of cases.
    z : float, default=1.959963984540054
        The quantile of the normal distribution; the default gives a 95 % interval.

    Returns
    -------
    low, high : floats or ndarrays
        The ends of the interval; 0 and 1 if there are no cases.

    Examples
    --------
    >>> tuple(round(x, 3) for x in wilson(1.0, 7))
    (0.646, 1.0)
    """
    below, above = _half_widths(np.asarray(share), np.asarray(share), np.maximum(n, 0.0), z)
    low, high = np.maximum(share - below, 0.0), np.minimum(share + above, 1.0)
    if np.ndim(low) == 0:
        return float(low), float(high)
    return low, high


def learn_honesty(folds: Sequence[FoldLeaves]) -> Honesty:
    """Learn from cross-fitted trees how far the shares at leaves regress, and how much they vary.

    Draw the folds without regard to the classes. Stratified folds give the training rows and the
    held-out rows of a large leaf nearly the same shares, which hides how much new shares vary.

    Parameters
    ----------
    folds : sequence of FoldLeaves
        A tree and its held-out rows for each fold; all trees have the same classes.

    Returns
    -------
    Honesty
        The shrinkage of least log loss and the dispersion of greatest likelihood on the held-out
        rows, both given the prior. Without held-out rows these are the prior's medians.

    Examples
    --------
    >>> counts = np.array([[50.0, 50.0], [40.0, 10.0], [10.0, 40.0]])
    >>> held_out = np.array([[15.0, 10.0], [10.0, 15.0]])
    >>> fold = FoldLeaves(counts, np.array([-1, 0, 0]), np.array([1, 2]), held_out)
    >>> learned = learn_honesty([fold] * 5)
    >>> learned.shrinkage, learned.claimed, round(learned.expected, 2), learned.observed
    (128.0, 0.8, 0.63, 0.6)
    """
    if not folds:
        return Honesty()
    counts, parent, leaves, held_out = join_folds(folds)
    shares = _shrunken(counts, parent, SHRINKAGES)[leaves]
    leaf, label = np.nonzero(held_out)
    # Not by BLAS: its last digits depend on the processor, and it ends the process if there is no
    # memory for its buffers.
    losses = -(held_out[leaf, label, None] * np.log(shares[leaf, :, label])).sum(axis=0)
    best = int(np.argmin(losses + surprise_of_shrinkage()))

    at = np.arange(len(leaves))
    counts = counts[leaves]
    top = counts.argmax(axis=1)
    weight, held = counts.sum(axis=1), held_out.sum(axis=1)
    share, training, hits = shares[at, best, top], counts[at, top] / weight, held_out[at, top]
    judged = judged_leaves(held)
    share_, training_, held_ = share[judged], training[judged], held[judged]
    dispersion, covered = learn_dispersion(
        hits[judged] / held_ - share_,
        _half_widths(share_, share_, held_),
        lambda dispersion: _half_widths(share_, training_, weight[judged] / dispersion),
    )
    rows = float(held.sum())
    per_row = 1 / rows if rows > 0 else 0.0
    return Honesty(
        shrinkage=float(SHRINKAGES[best]),
        dispersion=dispersion,
        folds=len(folds),
        rows=rows,
        leaves=int(np.count_nonzero(judged)),
        covered=covered,
        claimed=float((held * training).sum()) * per_row,
        expected=float((held * share).sum()) * per_row,
        observed=float(hits.sum()) * per_row,
        log_loss=float(losses[best]) * per_row,
    )


def _half_widths(
    share: FloatArray, training: FloatArray, rows: FloatArray, z: float = Z
) -> tuple[FloatArray, FloatArray]:
    """Return how far the intervals reach below and above the shares."""
    square = z * z
    centre = (0.5 - share) * (square / (rows + square))  # of Wilson's interval, from the share
    half = np.sqrt(rows * share * (1 - share) + 0.25 * square) * (z / (rows + square))
    gap = training - share
    return np.hypot(half - centre, np.minimum(gap, 0)), np.hypot(half + centre, np.maximum(gap, 0))


def _shrunken(counts: FloatArray, parent: AnyArray, shrinkages: FloatArray) -> FloatArray:
    """Return the honest shares of the nodes of one or more trees by node, shrinkage and class."""
    weight = _weights(counts)
    shares, root = shrunken(counts / weight[:, None], weight, parent, shrinkages)
    total = weight[root][:, None, None]
    np.maximum(shares, 0.0, out=shares)  # despite rounding
    shares *= total / (total + 1)
    shares += 1 / (counts.shape[1] * (total + 1))
    return np.minimum(shares, 1.0, out=shares)


def _weights(counts: FloatArray) -> FloatArray:
    """Return the weight of each node; raise ``TreeError`` if a node has none."""
    weight: FloatArray = counts.sum(axis=1)
    if not weight.min() > 0:
        raise TreeError(f"node {int(np.argmin(weight))} has no training rows")
    return weight
