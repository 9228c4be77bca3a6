"""A member of an ensemble: a tree with a score for each leaf, rounded so that sums are exact."""

from dataclasses import dataclass
from math import frexp, ldexp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polytomy._errors import ParameterError, TreeError
from polytomy._types import FloatArray
from polytomy.encode import NumericTarget
from polytomy.tree import LEAF, Tree

QUANTUM = 2.0**-40  # scores are integer multiples of this
REACH = 2.0**12  # sums of scores are exact below this


def quantized(scores: ArrayLike) -> FloatArray:
    """Round scores to multiples of 2**-40, about 1e-12.

    Sums of such numbers are exact in float64, in any order of addition, while they stay below
    2**12 in size, since there are fewer than 2**53 multiples up to there. So the votes of an
    ensemble depend neither on the order of its members, nor on the number of threads, nor on
    whether they are computed stage by stage or by merged stumps: all give the same bits.

    Examples
    --------
    >>> tenth = quantized(0.1)
    >>> bool(tenth == 0.1), bool(abs(tenth - 0.1) <= 2**-41)
    (False, True)
    >>> bool(tenth + tenth + tenth - tenth - tenth == tenth), 0.1 + 0.1 + 0.1 - 0.1 - 0.1 == 0.1
    (True, False)
    """
    given = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(given).all():
        raise ParameterError("scores must be finite numbers; use smoothing for pure leaves")
    return np.asarray(np.rint(given / QUANTUM) * QUANTUM + 0.0)  # no -0.0


@dataclass(frozen=True, eq=False)
class Member:
    """A tree and the score that each of its leaves adds to each output.

    ``scores`` has a row for each node and a column for each output. The rows of inner nodes are 0.
    The scores are ``quantized``.
    """

    tree: Tree
    scores: FloatArray

    def __post_init__(self) -> None:
        scores = np.array(self.scores, dtype=np.float64, order="C")
        if scores.ndim != 2 or len(scores) != self.tree.n_nodes:
            raise TreeError(
                f"a tree of {self.tree.n_nodes} nodes needs a row of scores for each, "
                f"got an array of shape {scores.shape}"
            )
        if not np.array_equal(scores, quantized(scores)):
            raise TreeError("scores must be quantized, so that their sums are exact")
        if scores[self.tree.kind != LEAF].any():
            raise TreeError("only leaves vote: the scores of inner nodes must be 0")
        scores += 0.0
        scores.setflags(write=False)
        object.__setattr__(self, "scores", scores)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickle or a copy, with read-only arrays."""
        self.__dict__.update(state)
        self.scores.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        """Return whether the trees and all scores are equal."""
        if not isinstance(other, Member):
            return NotImplemented
        return self.tree == other.tree and np.array_equal(self.scores, other.scores)

    __hash__ = None  # type: ignore[assignment]  # arrays are compared by value


@dataclass(frozen=True, slots=True)
class VoteScale:
    """How votes stand for numbers: a vote v is the number ``centre + unit * v``.

    Parameters
    ----------
    centre : float
        The number that votes of 0 stand for, which the moments of the trees are about.
    unit : float
        The number that a vote of 1 adds: a power of two, so that scaling does not round.

    Examples
    --------
    >>> scale = VoteScale.of(NumericTarget.of_numbers([10.0, 20.0, 30.0]))
    >>> scale, scale.mean(np.array([[-1.25], [0.0]]), 2).tolist()
    (VoteScale(centre=20.0, unit=16.0), [10.0, 20.0])
    """

    centre: float
    unit: float

    @classmethod
    def of(cls, target: NumericTarget) -> "VoteScale":
        """Return the scale on which the votes for a target lie between -1 and 1."""
        most = float(np.abs(target.values - target.centre).max())
        return cls(target.centre, ldexp(1.0, frexp(most)[1]) if most > 0 else 1.0)

    def mean(self, votes: FloatArray, trees: Any) -> FloatArray:
        """Return the mean number that trees vote for.

        Parameters
        ----------
        votes : ndarray of shape (n_rows, 1)
            The sums of the votes.
        trees : int or array of int
            The number of trees, of all rows or of each.

        Returns
        -------
        ndarray of shape (n_rows,)
            The numbers; NaN for rows without trees.
        """
        n = np.broadcast_to(trees, len(votes))
        means = np.full(len(votes), np.nan)
        np.divide(votes[:, 0], n, out=means, where=n > 0)
        return np.asarray(self.centre + self.unit * means)


def shares_member(tree: Tree) -> Member:
    """Return a member of a forest: every leaf votes with the class shares of its training rows.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    Member
        The tree and its scores.
    """
    leaves = tree.leaves()
    scores = np.zeros(tree.counts.shape)
    held = tree.counts[leaves]
    scores[leaves] = quantized(held / held.sum(axis=1, keepdims=True))
    return Member(tree, scores)


def means_member(tree: Tree, scale: VoteScale) -> Member:
    """Return a member of a forest for numbers: every leaf votes with the mean of its rows.

    Parameters
    ----------
    tree : Tree
        A tree of a numeric target.
    scale : VoteScale
        The scale of the votes; it has the centre of the tree.

    Returns
    -------
    Member
        The tree and its scores.
    """
    if tree.centre != scale.centre:
        raise TreeError(f"the tree is about {tree.centre}, but its votes about {scale.centre}")
    leaves = tree.leaves()
    scores = np.zeros((tree.n_nodes, 1))
    moments = tree.counts[leaves]
    scores[leaves, 0] = quantized(moments[:, 1] / moments[:, 0] / scale.unit)
    return Member(tree, scores)
