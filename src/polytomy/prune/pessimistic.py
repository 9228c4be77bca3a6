"""Pessimistic pruning, as in C4.5: compare upper confidence limits of the training errors."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.special import betaincinv

from polytomy._types import TIE, AnyArray, FloatArray, IntArray
from polytomy.tree import Tree

from .bottom_up import cheapest
from .pruner import Evidence, Pruner, check_number, check_raising, needed
from .subtree_raising import LeafCounts, raise_subtrees
from .units import case_weight


@dataclass(frozen=True, slots=True)
class Pessimistic(Pruner):
    """Prune a node if its estimated errors as a leaf are no more than those of its subtree.

    The estimate for a leaf of weight N with E training errors is N * U(E, N), where U is the upper
    confidence limit of a binomial rate: the rate at which E errors or fewer have probability
    ``confidence``. The estimate for a subtree is the sum over its leaves.

    Two details differ from C4.5. The limit is exact for any E, while C4.5 interpolates below one
    error and approximates above (its U(1, 16) is 0.157, the exact one 0.160). And C4.5 allows a
    leaf a tenth of an error more than its subtree; this pruner does not.

    Parameters
    ----------
    confidence : float, default=0.25
        C4.5's CF, between 0 and 1; a smaller value prunes more.
    raising : bool or "any", default=False
        Also try to replace a node by the subtree of its child with the most training weight; with
        ``"any"``, by the subtree of whichever child has the fewest estimated errors.
    """

    name: ClassVar[str] = "pessimistic"
    for_costs: ClassVar[bool] = False
    confidence: float = 0.25
    raising: bool | str = False

    def __post_init__(self) -> None:
        check_number("confidence", self.confidence, lambda x: 0 < x < 1, "between 0 and 1")
        check_raising(self.raising)

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:  # noqa: ARG002  # the tree is enough
        """Return the nodes that become leaves without raising, regardless of ``raising``.

        Parameters
        ----------
        tree : Tree
            The tree.
        evidence : Evidence
            Not used; the tree is enough.

        Returns
        -------
        ndarray of int
            Node numbers in ascending order, none of them below another.
        """
        return pessimistic(tree, self.confidence)

    def prune(self, tree: Tree, evidence: Evidence) -> tuple[Tree, IntArray]:
        """Prune a tree; with ``raising``, also try to raise subtrees.

        Parameters
        ----------
        tree : Tree
            The tree; it is not changed.
        evidence : Evidence
            The training rows if ``raising`` is set.

        Returns
        -------
        Tree
            The pruned tree.
        ndarray of int
            The new number of each old node, as in ``polytomy.tree.pruned``.
        """
        if not self.raising:
            return Pruner.prune(self, tree, evidence)
        case_weight(tree, "pessimistic pruning")
        training = needed(evidence.training_rows, self.name, "the training rows for raising")
        unit = training.target.unit
        estimate = partial(_estimate, confidence=self.confidence, unit=unit)
        return raise_subtrees(tree, estimate, training, None, self.raising == "any")


def upper_limit(errors: AnyArray, weight: AnyArray, confidence: float = 0.25) -> FloatArray:
    """Return the upper confidence limit of an error rate.

    It is the rate at which ``errors`` or fewer errors in ``weight`` cases have probability
    ``confidence``.

    Parameters
    ----------
    errors : array of float
        The number of errors, at least 0; it need not be a whole number.
    weight : array of float
        The number of cases.
    confidence : float, default=0.25
        The probability, between 0 and 1.

    Returns
    -------
    ndarray of float
        The limits, from 0 to 1.

    Examples
    --------
    >>> round(float(upper_limit(0, 6)), 3), round(float(upper_limit(1, 16)), 3)
    (0.206, 0.16)
    """
    errors, weight = np.asarray(errors, dtype=float), np.asarray(weight, dtype=float)
    # the beta function extends the binomial sum to fractional weights
    return np.asarray(betaincinv(errors + 1, weight - errors, 1 - confidence))


def estimated_errors(counts: FloatArray, confidence: float = 0.25) -> FloatArray:
    """Return the estimated errors of leaves from their counts, of shape (leaves, classes)."""
    weight = counts.sum(axis=1)
    return np.asarray(weight * upper_limit(weight - counts.max(axis=1), weight, confidence))


def pessimistic(tree: Tree, confidence: float = 0.25) -> IntArray:
    """Return the nodes that become leaves by pessimistic pruning; see ``Pessimistic``.

    Parameters
    ----------
    tree : Tree
        The tree.
    confidence : float, default=0.25
        C4.5's CF, between 0 and 1; a smaller value prunes more.

    Returns
    -------
    ndarray of int
        Node numbers in ascending order, none of them below another.
    """
    case_weight(tree, "pessimistic pruning")
    return cheapest(tree, estimated_errors(tree.counts, confidence).tolist(), TIE)


def _estimate(leaf: LeafCounts, confidence: float, unit: float) -> FloatArray:
    return estimated_errors(np.asarray(leaf.training * unit), confidence)
