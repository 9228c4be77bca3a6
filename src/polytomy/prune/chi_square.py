"""Chi-square pruning: remove splits that are not significant."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from polytomy._types import FloatArray, IntArray
from polytomy.tree import LEAF, Tree

from .bottom_up import topmost
from .pruner import Evidence, Pruner, check_number
from .units import case_weight

FEW = 5  # with fewer expected cases than this in a cell, the test is approximate


@dataclass(frozen=True, slots=True)
class ChiSquare(Pruner):
    """Remove splits whose p-value is too large, from the bottom up.

    A split is removed if all of its children are leaves, possibly after pruning, and the p-value
    of Pearson's chi-square test of independence is above ``max_p_chance``.

    Parameters
    ----------
    max_p_chance : float, default=0.05
        The largest p-value of a split that is kept, from 0 to 1.
    """

    name: ClassVar[str] = "chi-square"
    max_p_chance: float = 0.05

    def __post_init__(self) -> None:
        check_number("max_p_chance", self.max_p_chance, lambda x: 0 <= x <= 1, "from 0 to 1")

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:  # noqa: ARG002  # the tree is enough
        """Return the nodes that become leaves: those whose splits are not significant.

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
        return chi_square(tree, self.max_p_chance)


class PChance(NamedTuple):
    """The p-value of each node's split, and whether it is approximate.

    Attributes
    ----------
    p : ndarray of float
        The p-values; NaN at leaves.
    few : ndarray of bool
        Whether a cell has fewer than 5 expected cases, so that p is approximate.
    """

    p: FloatArray
    few: NDArray[np.bool_]


def p_chance(tree: Tree) -> PChance:
    """Return the p-values of the splits: chi-square tests of children against classes.

    Pearson's statistic without Yates's correction, with (children - 1)(classes - 1) degrees of
    freedom; classes absent from the node are dropped. A node of a single class has p = 1. Weights
    are read as case counts.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    PChance
        The p-value of each node, and whether it is approximate.
    """
    case_weight(tree, "the chi-square test")
    child, parent = tree.child, tree.parent[tree.child]
    weight = tree.counts.sum(axis=1)
    share = weight[child] / weight[parent]
    expected = share[:, None] * tree.counts[parent]
    there = expected > 0
    deviation = np.zeros_like(expected)
    np.divide((tree.counts[child] - expected) ** 2, expected, out=deviation, where=there)
    statistic, few = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes, dtype=bool)
    np.add.at(statistic, parent, deviation.sum(axis=1))
    np.logical_or.at(few, parent, (there & (expected < FEW)).any(axis=1))
    classes = np.count_nonzero(tree.counts, axis=1)
    freedom = (np.diff(tree.child_start) - 1) * (classes - 1)
    p = np.where(tree.kind == LEAF, np.nan, 1.0)
    tested = (tree.kind != LEAF) & (freedom > 0)
    p[tested] = chdtrc(freedom[tested], statistic[tested])
    return PChance(p, few)


def chi_square(tree: Tree, max_p_chance: float = 0.05) -> IntArray:
    """Return the nodes that become leaves by chi-square pruning; see ``ChiSquare``.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_p_chance : float, default=0.05
        The largest p-value of a split that is kept.

    Returns
    -------
    ndarray of int
        Node numbers in ascending order, none of them below another.
    """
    chance = p_chance(tree).p.tolist()
    parent = tree.parent.tolist()
    prunes = [False] * tree.n_nodes
    grown = [False] * tree.n_nodes  # whether a child keeps its split
    for v in range(tree.n_nodes - 1, -1, -1):  # children first
        leaf = tree.is_leaf(v)
        prunes[v] = not leaf and not grown[v] and chance[v] > max_p_chance
        if v and not leaf and not prunes[v]:
            grown[parent[v]] = True
    return topmost(tree, prunes)
