"""Chi-square pruning: remove splits that are not significant."""

from dataclasses import dataclass
from math import inf, lgamma, log
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from polytomy._types import FloatArray, IntArray
from polytomy.encode import Schema
from polytomy.tree import LEAF, Tree

from .bottom_up import topmost
from .pruner import Evidence, Pruner, check_flag, check_number, needed
from .split_options import split_options
from .units import case_weight

FEW = 5  # with fewer expected cases than this in a cell, the test is approximate
_TERMS = 50  # of the continued fraction of a p-value too small for a float
_TEST = "the chi-square test"


@dataclass(frozen=True, slots=True)
class ChiSquare(Pruner):
    """Remove splits whose p-value is too large, from the bottom up.

    A split is removed if all of its children are leaves, possibly after pruning, and the p-value
    of Pearson's chi-square test of independence is above ``max_p_chance``.

    Parameters
    ----------
    max_p_chance : float, default=0.05
        The largest p-value of a split that is kept, from 0 to 1.
    adjusted : bool, default=False
        Whether the p-value allows for the choice of the split, see ``adjusted_p_chance``. False is
        the plain test: a split is tested as if it had not been chosen for its gain.
    """

    name: ClassVar[str] = "chi-square"
    max_p_chance: float = 0.05
    adjusted: bool = False

    def __post_init__(self) -> None:
        check_number("max_p_chance", self.max_p_chance, lambda x: 0 <= x <= 1, "from 0 to 1")
        check_flag("adjusted", self.adjusted)

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves: those whose splits are not significant.

        Parameters
        ----------
        tree : Tree
            The tree.
        evidence : Evidence
            The schema of the tree; needed for adjusted p-values only.

        Returns
        -------
        ndarray of int
            Node numbers in ascending order, none of them below another.
        """
        schema = needed(evidence.schema, self.name, "the schema") if self.adjusted else None
        return chi_square(tree, self.max_p_chance, schema)


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
    case_weight(tree, _TEST)
    test = _pearson(tree)
    return PChance(_p_values(tree, test), test.few)


class AdjustedPChance(NamedTuple):
    """The p-values of the splits, adjusted for their choice and plain.

    Attributes
    ----------
    p : ndarray of float
        The adjusted p-values; NaN at leaves.
    plain : ndarray of float
        The p-values of ``p_chance``; NaN at leaves.
    few : ndarray of bool
        Whether a cell has fewer than 5 expected cases, so that both are approximate.
    log_options : ndarray of float
        The log of the number of splits of each node's arity that its column offers at the node.
    n_columns : int
        The number of columns that offer a split.
    """

    p: FloatArray
    plain: FloatArray
    few: NDArray[np.bool_]
    log_options: FloatArray
    n_columns: int


def adjusted_p_chance(tree: Tree, schema: Schema) -> AdjustedPChance:
    """Return the p-values of the splits, adjusted for choosing the best of many splits.

    ``p_chance`` tests a split as if it had been given. But it was chosen for its gain among the
    columns and the M splits of its arity that its column offers at the node. Here p bounds the
    probability that labels drawn at random give any of them a statistic as large::

        p = columns * min(M * p_chance, P(X >= statistic))

    and at most 1, where X is chi-square with (v - 1)(classes - 1) degrees of freedom. The first
    term is Bonferroni's: a union bound over the M splits. The second is Gabriel's: merging values
    never increases Pearson's statistic, so no split into any number of branches has a larger one
    than the finest, into all v values. Columns that cannot be split are not counted; neither is the
    choice of the number of branches in the first term.

    M is what ``polytomy.theory.log_n_splits`` counts for the values at the node. Of a categorical
    column these are the categories at the node. Of an ordered column a tree does not know the
    values at a node; counted are the bins between the thresholds on the path to the node, and at
    most as many as the node has rows, which can only increase p.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Its columns.

    Returns
    -------
    AdjustedPChance
        The adjusted and the plain p-value of each node, and the number of splits and columns.
    """
    case_weight(tree, _TEST)
    test = _pearson(tree)
    options = split_options(tree, schema, at_node=True)
    n_columns = max(1, sum(n > 1 for n in schema.n_codes()))
    arity = np.diff(tree.child_start).tolist()
    p = np.where(tree.kind == LEAF, np.nan, 1.0)
    for node in np.flatnonzero(test.freedom > 0).tolist():
        x, freedom = float(test.statistic[node]), int(test.freedom[node])
        finest = freedom // (arity[node] - 1) * (options.n_values[node] - 1)
        bonferroni = options.log_count[node] + log_tail(freedom, x)
        gabriel = log_tail(finest, x) if finest < inf else 0.0
        p[node] = np.exp(min(0.0, log(n_columns) + min(bonferroni, gabriel)))
    return AdjustedPChance(p, _p_values(tree, test), test.few, options.log_count, n_columns)


class _Pearson(NamedTuple):
    """Pearson's statistic of each node, its degrees of freedom, and whether a cell expects few."""

    statistic: FloatArray
    freedom: IntArray  # 0 for leaves
    few: NDArray[np.bool_]


def _pearson(tree: Tree) -> _Pearson:
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
    freedom = np.maximum(np.diff(tree.child_start) - 1, 0) * (classes - 1)
    return _Pearson(statistic, freedom, few)


def _p_values(tree: Tree, test: _Pearson) -> FloatArray:
    p = np.where(tree.kind == LEAF, np.nan, 1.0)
    tested = test.freedom > 0
    p[tested] = chdtrc(test.freedom[tested], test.statistic[tested])
    return p


def log_tail(freedom: float, x: float) -> float:
    """Return the log of the probability that chi-square is at least x, even if that underflows.

    Below 1e-300 by Legendre's continued fraction of the incomplete gamma function, from its inside
    out. So far in the tail it converges fast: 50 terms are exact to 1e-9 for a million degrees.
    """
    p = float(chdtrc(freedom, x))
    if p > 1e-300:
        return log(p)
    a, z, inner = freedom / 2, x / 2, 0.0
    for i in range(_TERMS, 0, -1):
        inner = i * (i - a) / (z + 2 * i + 1 - a - inner)
    return a * log(z) - z - lgamma(a) - log(z + 1 - a - inner)


def chi_square(tree: Tree, max_p_chance: float = 0.05, schema: Schema | None = None) -> IntArray:
    """Return the nodes that become leaves by chi-square pruning; see ``ChiSquare``.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_p_chance : float, default=0.05
        The largest p-value of a split that is kept.
    schema : Schema or None, default=None
        The columns of the tree, to test adjusted p-values; None tests the plain ones.

    Returns
    -------
    ndarray of int
        Node numbers in ascending order, none of them below another.
    """
    tested = p_chance(tree) if schema is None else adjusted_p_chance(tree, schema)
    chance = tested.p.tolist()
    parent = tree.parent.tolist()
    prunes = [False] * tree.n_nodes
    grown = [False] * tree.n_nodes  # whether a child keeps its split
    for v in range(tree.n_nodes - 1, -1, -1):  # children first
        leaf = tree.is_leaf(v)
        prunes[v] = not leaf and not grown[v] and chance[v] > max_p_chance
        if v and not leaf and not prunes[v]:
            grown[parent[v]] = True
    return topmost(tree, prunes)
