"""Honest means: forecasts of a numeric target for new rows, and intervals of these means.

The mean of the rows that chose a leaf is too extreme, just as a class share is. It is shrunk in the
same way (see ``shares``), and both numbers are learned from the same folds. The interval of a mean
has the half-width of a sample of n / dispersion rows, and reaches further on the side of the
training mean. The variance of the rows of a leaf is estimated from its own rows and, as if they
were five more, from the variance within all leaves.
"""

from collections.abc import Sequence

import numpy as np

from polytomy._types import AnyArray, FloatArray
from polytomy.index import squared_error

from .learning import (
    SHRINKAGES,
    FoldLeaves,
    HalfWidths,
    Honesty,
    Z,
    join_folds,
    judged_leaves,
    learn_dispersion,
    shrunken,
    surprise_of_shrinkage,
)

_PRIOR_ROWS = 5.0  # rows that the variance within all leaves counts for at one leaf


def honest_means(moments: FloatArray, parent: AnyArray, shrinkage: float) -> FloatArray:
    """Return the mean to expect of new rows at each node, shrunk along the path.

    Parameters
    ----------
    moments : ndarray of shape (n_nodes, 3)
        The weight of the training rows of each node, and the sums of their weighted deviations and
        squared deviations from some number.
    parent : ndarray of int
        The parent of each node, -1 for the root; parents come first.
    shrinkage : float
        The strength of the shrinkage, in rows; 0 for the training means.

    Returns
    -------
    ndarray of shape (n_nodes,)
        The means, as deviations from the same number.

    Examples
    --------
    >>> moments = np.array([[10.0, 0.0, 50.0], [5.0, -10.0, 25.0], [5.0, 10.0, 25.0]])
    >>> honest_means(moments, np.array([-1, 0, 0]), 10.0).tolist()
    [0.0, -1.0, 1.0]
    """
    return np.ascontiguousarray(_shrunken(moments, parent, np.array([shrinkage]))[:, 0])


def mean_intervals(
    moments: FloatArray, is_leaf: AnyArray, means: FloatArray, dispersion: float
) -> tuple[FloatArray, FloatArray]:
    """Return 95 % intervals for the mean of new rows at each node.

    Parameters
    ----------
    moments : ndarray of shape (n_nodes, 3)
        The moments of the training rows of each node; weights are numbers of cases.
    is_leaf : ndarray of bool
        Whether each node is a leaf.
    means : ndarray of shape (n_nodes,)
        The honest means.
    dispersion : float
        The variance of a new mean relative to that of a sample as large as the node.

    Returns
    -------
    low, high : ndarrays of shape (n_nodes,)
        The ends of the intervals. They enclose the honest and the training means.
    """
    training = moments[:, 1] / moments[:, 0]
    spread = variances(moments, squared_error(moments[is_leaf]).sum(), moments[is_leaf, 0].sum())
    below, above = _half_widths(training - means, spread, moments[:, 0] / dispersion)
    return np.minimum(means - below, training), np.maximum(means + above, training)


def variances(moments: FloatArray, left: float, weight: float) -> FloatArray:
    """Return the variance of the rows of each node, with the help of that within all leaves.

    Parameters
    ----------
    moments : ndarray of shape (n_nodes, 3)
        The moments of each node.
    left : float
        The squared error of all leaves.
    weight : float
        Their weight.

    Returns
    -------
    ndarray of shape (n_nodes,)
        The variances.
    """
    within = left / weight
    own = squared_error(moments)
    return np.asarray((own + _PRIOR_ROWS * within) / (moments[:, 0] - 1 + _PRIOR_ROWS))


def learn_honest_means(folds: Sequence[FoldLeaves]) -> Honesty:
    """Learn from cross-fitted trees how far the means at leaves regress, and how much they vary.

    Parameters
    ----------
    folds : sequence of FoldLeaves
        A tree and its held-out rows for each fold, with moments for counts, all about the same
        number; weights are numbers of cases.

    Returns
    -------
    Honesty
        The shrinkage of least squared error and the dispersion of greatest likelihood on the
        held-out rows, both given the prior. Without held-out rows these are the prior's medians.

    Examples
    --------
    >>> moments = np.array([[100.0, 0.0, 125.0], [50.0, -25.0, 62.5], [50.0, 25.0, 62.5]])
    >>> held_out = np.array([[25.0, -5.0, 31.0], [25.0, 5.0, 31.0]])
    >>> fold = FoldLeaves(moments, np.array([-1, 0, 0]), np.array([1, 2]), held_out)
    >>> learned = learn_honest_means([fold] * 5)
    >>> learned.shrinkage, learned.claimed, learned.expected, round(learned.observed, 3)
    (64.0, 1.0, 1.29, 1.211)
    """
    if not folds:
        return Honesty()
    moments, parent, leaves, held_out = join_folds(folds)
    n, s, q = held_out[:, 0], held_out[:, 1], held_out[:, 2]
    means = _shrunken(moments, parent, SHRINKAGES)[leaves]
    errors = q[:, None] - 2 * means * s[:, None] + means**2 * n[:, None]  # by leaf and shrinkage
    total, rows = errors.sum(axis=0), float(n.sum())
    noise = max(float(total.min()) / rows, 0.0) if rows > 0 else 0.0
    misfit = 0.5 * (total - total.min()) / noise if noise > 0 else np.zeros(len(SHRINKAGES))
    best = int(np.argmin(misfit + surprise_of_shrinkage()))

    moments = moments[leaves]
    training, left = moments[:, 1] / moments[:, 0], squared_error(moments)
    judged = judged_leaves(n)
    spread = variances(moments, left.sum(), moments[:, 0].sum())[judged]
    mean, gap = means[judged, best], (training - means[:, best])[judged]
    unit = float(np.sqrt(spread.mean())) if judged.any() and spread.mean() > 0 else 1.0
    nowhere = np.zeros(len(mean))
    dispersion, covered = learn_dispersion(
        (s[judged] / n[judged] - mean) / unit,
        _half_widths(nowhere, spread / unit**2, n[judged]),
        lambda d: _half_widths(gap / unit, spread / unit**2, moments[judged, 0] / d),
    )
    per_row = 1 / rows if rows > 0 else 0.0
    own = q - 2 * training * s + training**2 * n
    return Honesty(
        shrinkage=float(SHRINKAGES[best]),
        dispersion=dispersion,
        folds=len(folds),
        rows=rows,
        leaves=int(np.count_nonzero(judged)),
        covered=covered,
        claimed=float((n * (left / moments[:, 0])).sum()) * per_row,
        expected=max(float(own.sum()) * per_row, 0.0),
        observed=max(float(total[best]) * per_row, 0.0),
    )


def _half_widths(gap: FloatArray, variance: FloatArray, rows: FloatArray) -> HalfWidths:
    """Return how far the intervals reach; ``gap`` is the training mean less the honest one."""
    half = Z * np.sqrt(variance / rows)
    return np.hypot(half, np.minimum(gap, 0)), np.hypot(half, np.maximum(gap, 0))


def _shrunken(moments: FloatArray, parent: AnyArray, shrinkages: FloatArray) -> FloatArray:
    """Return the honest means of the nodes of one or more trees by node and shrinkage."""
    weight = moments[:, 0]
    return shrunken((moments[:, 1] / weight)[:, None], weight, parent, shrinkages)[0][:, :, 0]
