"""Pessimistic pruning, as in C4.5: training errors raised to an upper confidence limit."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.special import betaincinv

from polytomy._types import TIE, AnyArray, FloatArray, IntArray
from polytomy.tree import Tree

from .bottom_up import cheapest
from .counts import case_weight
from .pruner import Evidence, Pruner, check_flag, check_number, needed
from .raising import Leaf, raise_subtrees


@dataclass(frozen=True, slots=True)
class Pessimistic(Pruner):
    """Prune where a leaf's estimated errors are no more than its subtree's.

    A leaf of weight N with E training errors is taken to err N * U(E, N), where U is the upper
    confidence limit of a binomial rate: the rate at which E errors or fewer have probability
    ``confidence``. A subtree is taken to err the sum over its leaves.

    Two details differ from C4.5's program. The limit is exact for any E, where C4.5 interpolates
    below one error and approximates above (its U(1, 16) is 0.157, the exact one 0.160). And C4.5
    allows a leaf a tenth of an error more than the subtree, which we do not.

    Parameters
    ----------
    confidence : float
        C4.5's CF, in (0, 1); smaller prunes more.
    raising : bool
        Also try the subtree of the child with the most training weight in its parent's place.
    """

    name: ClassVar[str] = "pessimistic"
    confidence: float = 0.25
    raising: bool = False

    def __post_init__(self) -> None:
        check_number("confidence", self.confidence, lambda x: 0 < x < 1, "between 0 and 1")
        check_flag("raising", self.raising)

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:  # noqa: ARG002  # the tree is enough
        """Return the nodes that become leaves; without raising, whatever ``raising`` says."""
        return pessimistic(tree, self.confidence)

    def prune(self, tree: Tree, evidence: Evidence) -> tuple[Tree, IntArray]:
        """Return the pruned tree, subtrees raised if asked for, and the old nodes' places."""
        if not self.raising:
            return Pruner.prune(self, tree, evidence)
        case_weight(tree, "pessimistic pruning")
        training = needed(evidence.training_rows, self.name, "the training rows for raising")
        unit = training.target.unit
        estimate = partial(_estimate, confidence=self.confidence, unit=unit)
        return raise_subtrees(tree, estimate, training, None)


def upper_limit(errors: AnyArray, weight: AnyArray, confidence: float = 0.25) -> FloatArray:
    """Return the rate p at which ``errors`` or fewer of ``weight`` cases have that probability.

    >>> round(float(upper_limit(0, 6)), 3), round(float(upper_limit(1, 16)), 3)
    (0.206, 0.16)
    """
    errors, weight = np.asarray(errors, dtype=float), np.asarray(weight, dtype=float)
    # the beta function extends the binomial sum to weights that are no whole numbers
    return np.asarray(betaincinv(errors + 1, weight - errors, 1 - confidence))


def estimated_errors(counts: FloatArray, confidence: float = 0.25) -> FloatArray:
    """Return what leaves with such counts, shape (leaves, classes), are taken to err."""
    weight = counts.sum(axis=1)
    return np.asarray(weight * upper_limit(weight - counts.max(axis=1), weight, confidence))


def pessimistic(tree: Tree, confidence: float = 0.25) -> IntArray:
    """Return the nodes that become leaves."""
    case_weight(tree, "pessimistic pruning")
    return cheapest(tree, estimated_errors(tree.counts, confidence).tolist(), TIE)


def _estimate(leaf: Leaf, confidence: float, unit: float) -> FloatArray:
    return estimated_errors(np.asarray(leaf.training * unit), confidence)
