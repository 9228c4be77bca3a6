"""Reduced error pruning: a subtree must have fewer held-out errors than a leaf in its place."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.tree import Tree

from .bottom_up import cheapest
from .pruner import Evidence, Pruner, check_fraction, check_raising, needed
from .subtree_raising import LeafCounts, raise_subtrees
from .units import held_errors, validation_errors


@dataclass(frozen=True, slots=True)
class ReducedError(Pruner):
    """Prune by the errors on held-out rows, from the bottom up; ties prune.

    The result is the smallest of the prunings with the fewest held-out errors. A subtree that no
    held-out row reaches is pruned.

    Parameters
    ----------
    fraction : float, default=0.3
        The fraction of rows to hold out if no held-out rows are given.
    raising : bool or "any", default=False
        Also try to replace a node by the subtree of its child with the most training weight; with
        ``"any"``, by the subtree of whichever child has the fewest held-out errors.
    """

    name: ClassVar[str] = "reduced-error"
    for_numbers: ClassVar[bool] = True
    fraction: float = 0.3
    raising: bool | str = False

    def __post_init__(self) -> None:
        check_fraction(self.fraction)
        check_raising(self.raising)

    @property
    def held_fraction(self) -> float | None:
        """The fraction of rows to hold out."""
        return self.fraction

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves without raising, regardless of ``raising``.

        Parameters
        ----------
        tree : Tree
            The tree.
        evidence : Evidence
            The held-out counts.

        Returns
        -------
        ndarray of int
            Node numbers in ascending order, none of them below another.
        """
        return reduced_error(tree, needed(evidence.held, self.name, "held-out rows"))

    def prune(self, tree: Tree, evidence: Evidence) -> tuple[Tree, IntArray]:
        """Prune a tree; with ``raising``, also try to raise subtrees.

        Parameters
        ----------
        tree : Tree
            The tree; it is not changed.
        evidence : Evidence
            The held-out counts; with ``raising``, the training rows and the held-out rows instead.

        Returns
        -------
        Tree
            The pruned tree.
        ndarray of int
            The new number of each old node, as in ``polytomy.tree.pruned``.
        """
        if not self.raising:
            return Pruner.prune(self, tree, evidence)
        if tree.is_numeric:
            raise ParameterError("raising subtrees is for classes, not for a numeric target")
        training = needed(evidence.training_rows, self.name, "the training rows for raising")
        held = needed(evidence.held_rows, self.name, "the held-out rows for raising")
        errors = partial(_errors, tree.costs)
        return raise_subtrees(tree, errors, training, held, self.raising == "any")


def reduced_error(tree: Tree, held: AnyArray) -> IntArray:
    """Return the nodes that become leaves.

    Parameters
    ----------
    tree : Tree
        The tree; its training counts give the labels.
    held : ndarray of shape (nodes, classes)
        The weight of held-out rows of each class at each node.

    Returns
    -------
    ndarray of int
        Node numbers in ascending order.
    """
    return cheapest(tree, validation_errors(tree, np.asarray(held)).units.tolist())


def _errors(costs: FloatArray | None, leaf: LeafCounts) -> AnyArray:
    """Return the held-out errors, or costs, of leaves with the labels of their training rows."""
    return held_errors(leaf.training, leaf.held, costs)
