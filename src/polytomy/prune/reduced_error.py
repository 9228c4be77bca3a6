"""Reduced error pruning: a subtree must err less than its root would, on rows kept back."""

from dataclasses import dataclass
from typing import ClassVar

from polytomy._types import AnyArray, IntArray
from polytomy.tree import Tree

from .bottom_up import cheapest
from .counts import held_errors, held_units
from .pruner import Evidence, Pruner, check_flag, check_fraction, needed
from .raising import Leaf, raise_subtrees


@dataclass(frozen=True, slots=True)
class ReducedError(Pruner):
    """Prune by the errors on held-out rows, from the bottom up; ties prune.

    The result is the smallest of the prunings with the fewest held-out errors. A subtree that no
    held-out row reaches goes.

    Parameters
    ----------
    fraction : float
        The share of the rows held out when none are given apart.
    raising : bool
        Also try the subtree of the child with the most training weight in its parent's place.
    """

    name: ClassVar[str] = "reduced-error"
    fraction: float = 0.3
    raising: bool = False

    def __post_init__(self) -> None:
        check_fraction(self.fraction)
        check_flag("raising", self.raising)

    @property
    def held_fraction(self) -> float | None:
        """The share of the rows held out."""
        return self.fraction

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves; without raising, whatever ``raising`` says."""
        return reduced_error(tree, needed(evidence.held, self.name, "held-out rows"))

    def prune(self, tree: Tree, evidence: Evidence) -> tuple[Tree, IntArray]:
        """Return the pruned tree, subtrees raised if asked for, and the old nodes' places."""
        if not self.raising:
            return Pruner.prune(self, tree, evidence)
        training = needed(evidence.training_rows, self.name, "the training rows for raising")
        held = needed(evidence.held_rows, self.name, "the held-out rows for raising")
        return raise_subtrees(tree, _errors, training, held)


def reduced_error(tree: Tree, held: AnyArray) -> IntArray:
    """Return the nodes that become leaves.

    Parameters
    ----------
    tree : Tree
        The tree, which gives the labels: training majorities, the lower class on a tie.
    held : ndarray of shape (nodes, classes)
        The weight of held-out rows of each class at each node.
    """
    return cheapest(tree, held_errors(tree.counts, held_units(tree, held).counts).tolist())


def _errors(leaf: Leaf) -> AnyArray:
    """Return the held-out errors of leaves with the labels their training rows give them."""
    return held_errors(leaf.training, leaf.held)
