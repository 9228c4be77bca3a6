"""A member of an ensemble: a tree with a score for each leaf, rounded so that sums are exact."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polytomy._errors import ParameterError, TreeError
from polytomy._types import FloatArray
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
