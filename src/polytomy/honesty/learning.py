"""What cross-fitting learns about leaves: how far their values regress, and how much they vary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray

Z = 1.959963984540054  # the quantile of the normal distribution for 95 % intervals

# The prior: a median for each number, and a standard deviation of 1 for its logarithm. The medians
# were chosen on 23 tables, where 8 to 16 and 1 to 2 do about as well.
_SHRINKAGE, _DISPERSION = 16.0, 1.5
SHRINKAGES: FloatArray = _SHRINKAGE * 2.0 ** np.arange(-5.0, 6.0)
_DISPERSIONS: FloatArray = _DISPERSION * 2.0 ** np.arange(-1.5, 4.5, 0.5)
_LEAST_HELD_OUT = 5.0  # leaves with fewer held-out rows say little about the dispersion
_NO_WIDTH = 1e-9  # half-widths of rounding errors: a share of 1 has nothing above it

HalfWidths = tuple[FloatArray, FloatArray]
"""How far intervals reach below and above."""


@dataclass(frozen=True, slots=True)
class Honesty:
    """What cross-fitting learned about the leaves of a tree.

    ``Honesty()`` is the prior: nothing learned.

    Attributes
    ----------
    shrinkage : float, default=16.0
        The weight of a node at which its children keep half of their deviation from it.
    dispersion : float, default=1.5
        The variance of a new share relative to that of a sample as large as the node.
    folds : int, default=0
        The number of folds.
    rows : float, default=0.0
        The weight of the held-out rows, all folds together.
    leaves : int, default=0
        The number of fold trees' leaves with enough held-out rows to judge their interval.
    covered : int, default=0
        The number of these leaves whose interval covers the held-out share.
    claimed : float, default=0.0
        The mean training share of the leaf's majority class over the held-out rows; for a numeric
        target, the mean squared error of the training rows.
    expected : float, default=0.0
        The mean honest share of this class over the held-out rows; for a numeric target, the mean
        squared error of the training means on the held-out rows.
    observed : float, default=0.0
        The fraction of held-out rows that are of this class; for a numeric target, the mean squared
        error of the honest means.
    log_loss : float, default=0.0
        The mean log loss of the honest shares on the held-out rows; 0 for a numeric target.
    mark : int, default=0
        A checksum of the target of the rows that were divided into folds, in their order; 0 if
        it is not known.
    """

    shrinkage: float = _SHRINKAGE
    dispersion: float = _DISPERSION
    folds: int = 0
    rows: float = 0.0
    leaves: int = 0
    covered: int = 0
    claimed: float = 0.0
    expected: float = 0.0
    observed: float = 0.0
    log_loss: float = 0.0
    mark: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.shrinkage < inf:
            raise ParameterError(f"shrinkage must be a number >= 0, got {self.shrinkage!r}")
        if not 0 < self.dispersion < inf:
            raise ParameterError(f"dispersion must be a number > 0, got {self.dispersion!r}")


class FoldLeaves(NamedTuple):
    """A tree grown without one fold, and that fold's rows at its leaves.

    Attributes
    ----------
    counts : ndarray of shape (n_nodes, n_classes)
        The weight of each class of training rows at each node, or their moments.
    parent : ndarray of int
        The parent of each node, -1 for the root; parents come first.
    leaves : ndarray of int
        The node numbers of the leaves.
    held_out : ndarray of shape (n_leaves, n_classes)
        The weight of each class of held-out rows at these leaves, or their moments.
    """

    counts: FloatArray
    parent: AnyArray
    leaves: AnyArray
    held_out: FloatArray


def join_folds(folds: Sequence[FoldLeaves]) -> FoldLeaves:
    """Return the trees of all folds as one, with a root for each."""
    starts = np.cumsum([0] + [len(fold.parent) for fold in folds[:-1]]).tolist()
    by_start = list(zip(starts, folds, strict=True))
    return FoldLeaves(
        np.concatenate([fold.counts for fold in folds]),
        np.concatenate([np.where(fold.parent < 0, -1, fold.parent + s) for s, fold in by_start]),
        np.concatenate([fold.leaves + s for s, fold in by_start]),
        np.concatenate([fold.held_out for fold in folds]),
    )


def shrunken(
    values: FloatArray, weight: FloatArray, parent: AnyArray, shrinkages: FloatArray
) -> tuple[FloatArray, AnyArray]:
    """Shrink the values of the nodes of one or more trees towards those of the nodes above.

    Parameters
    ----------
    values : ndarray of shape (n_nodes, n_values)
        The training values of each node.
    weight : ndarray of shape (n_nodes,)
        The weight of each node.
    parent : ndarray of int
        The parent of each node, -1 for a root; parents come first.
    shrinkages : ndarray of shape (n_shrinkages,)
        The strengths of the shrinkage.

    Returns
    -------
    ndarray of shape (n_nodes, n_shrinkages, n_values)
        The shrunken values.
    ndarray of int
        The root above each node.
    """
    up = np.where(parent < 0, np.arange(len(parent)), parent)
    above = weight[up][:, None]
    steps = (values - values[up])[:, None, :] * (above / (above + shrinkages))[:, :, None]
    # ``steps`` has the sum of the steps from each node to just below ``up``. Doubling the distance
    # needs as many passes as the depth has binary digits. The step of a root is 0.
    while (parent[up] >= 0).any():
        steps += steps[up]
        up = up[up]
    steps += values[up][:, None, :]
    return steps, up


def surprise_of_shrinkage() -> FloatArray:
    """Return minus the log density of the prior at each of ``SHRINKAGES``, up to a constant."""
    return _surprise(SHRINKAGES, _SHRINKAGE)


def judged_leaves(held: FloatArray) -> AnyArray:
    """Return which leaves have enough held-out rows to judge their intervals."""
    return np.asarray(held >= _LEAST_HELD_OUT)


def learn_dispersion(
    deviation: FloatArray, sampling: HalfWidths, own: Callable[[FloatArray], HalfWidths]
) -> tuple[float, int]:
    """Return the dispersion of greatest posterior, and how many leaves its intervals cover.

    A held-out value deviates from the honest one for two reasons, the leaf's own deviation and the
    sampling of the held-out rows. Their half-widths are combined in quadrature and used as 1.96
    standard deviations on either side of a two-piece normal distribution.

    Parameters
    ----------
    deviation : ndarray of shape (n_leaves,)
        The held-out value less the honest value of each leaf.
    sampling : pair of ndarrays of shape (n_leaves,)
        The half-widths of the sampling error of the held-out values.
    own : callable
        Returns the half-widths of the intervals, by dispersion and leaf, for a column of
        dispersions.

    Returns
    -------
    float
        The dispersion.
    int
        The number of leaves whose interval covers the held-out value.
    """
    widths = own(_DISPERSIONS[:, None])
    below, above = np.hypot(widths[0], sampling[0]), np.hypot(widths[1], sampling[1])
    half = np.maximum(np.where(deviation > 0, above, below), _NO_WIDTH)
    width = np.maximum(below + above, _NO_WIDTH)
    misfits = (np.log(width) + 0.5 * np.square(Z * deviation / half)).sum(axis=1)
    best = int(np.argmin(misfits + _surprise(_DISPERSIONS, _DISPERSION)))
    covered = np.count_nonzero(np.abs(deviation) <= half[best])
    return float(_DISPERSIONS[best]), int(covered)


def _surprise(values: FloatArray, median: float) -> FloatArray:
    """Return minus the log density of the prior, up to a constant."""
    return np.asarray(0.5 * np.square(np.log(values / median)))
