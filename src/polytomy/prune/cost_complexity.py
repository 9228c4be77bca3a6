"""Cost-complexity pruning, as in CART: each leaf must reduce the cost by its price alpha.

``CostComplexity`` is the pruner and ``CostPath`` holds the prunings for all alphas.

For a price alpha per leaf, the best pruning has the smallest cost + alpha * leaves, and among
those the fewest leaves. As alpha rises, these trees are nested. CART finds them one weakest link
at a time, starting from the whole tree, and visits every node again and again. ``weakest_links``
visits each node once, from the bottom up: its alpha follows from those below it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, ClassVar, NamedTuple

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import TIE, AnyArray, FloatArray, IntArray
from polytomy.index import Index
from polytomy.tree import LEAF, Tree

from .bottom_up import topmost
from .pruner import Evidence, Pruner, check_folds, check_fraction, check_number, needed
from .units import training_errors, validation_errors

SELECTORS = ("holdout", "cv")


@dataclass(frozen=True, slots=True)
class CostComplexity(Pruner):
    """Prune to the tree with the smallest cost + alpha * leaves, the smaller one on a tie.

    Parameters
    ----------
    alpha : float or None, default=None
        The price of a leaf as a fraction of the sample's weight, like scikit-learn's ``ccp_alpha``.
        None selects it by ``select``.
    cost : {"index", "error"}, default="index"
        The cost: the index with which the tree was grown, as in scikit-learn (our gini is twice
        theirs and is halved), or the training error.
    select : {"holdout", "cv"}, default="holdout"
        How alpha is selected if it is None: by the fewest errors on held-out rows, or by
        cross-validation with the one-standard-error rule.
    fraction : float, default=0.3
        The fraction of rows to hold out for "holdout" if no held-out rows are given.
    folds : int, default=5
        The number of folds for "cv".
    """

    name: ClassVar[str] = "cost-complexity"
    for_numbers: ClassVar[bool] = True
    alpha: float | None = None
    cost: str = "index"
    select: str = "holdout"
    fraction: float = 0.3
    folds: int = 5

    def __post_init__(self) -> None:
        if self.alpha is not None:
            check_alpha(self.alpha)
        if self.cost not in ("index", "error"):
            raise ParameterError(f"cost must be 'index' or 'error', got {self.cost!r}")
        if self.select not in SELECTORS:
            raise ParameterError(f"select must be 'holdout' or 'cv', got {self.select!r}")
        check_fraction(self.fraction)
        check_folds(self.folds)

    @property
    def held_fraction(self) -> float | None:
        """The fraction of rows to hold out for selecting alpha, or None."""
        return self.fraction if self.alpha is None and self.select == "holdout" else None

    @property
    def cross_validates(self) -> bool:
        """Whether alpha is selected by cross-validation."""
        return self.alpha is None and self.select == "cv"

    def path(self, tree: Tree, evidence: Evidence) -> "CostPath":
        """Return the prunings for all alphas.

        Parameters
        ----------
        tree : Tree
            The tree.
        evidence : Evidence
            The index of the tree if ``cost="index"``, and the held-out counts if there are any.

        Returns
        -------
        CostPath
            The prunings.
        """
        index = None
        if self.cost == "index":
            index = needed(evidence.index, self.name, "the index of the tree")
        return CostPath(tree, index, evidence.held)

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves for the given or selected alpha.

        Parameters
        ----------
        tree : Tree
            The tree.
        evidence : Evidence
            The data for ``path``; without an alpha, also the held-out counts.

        Returns
        -------
        ndarray of int
            Node numbers in ascending order, none of them below another.
        """
        if self.cross_validates:
            raise ParameterError("select='cv' needs the rows: cross-validate, then pass the alpha")
        path = self.path(tree, evidence)
        if self.alpha is not None:
            return path.nodes_at(self.alpha)
        needed(evidence.held, self.name, "held-out rows, or an alpha")
        return path.nodes_at(path.select_alpha())


_SKLEARN_SCALE = {"gini": 0.5}  # scikit-learn's gini is half of ours; its entropy is the same


class CostPath:
    """The prunings with the smallest cost + alpha * leaves, from the largest to the root alone.

    The cost and alpha are fractions of the sample's weight. The cost is the training error or the
    tree's index; for a numeric target both are the mean squared error, or half the mean deviance.
    Our ``gini`` F(c) = 2(n - sum c^2/n) is halved, so that alpha is the same as scikit-learn's
    ``ccp_alpha``; other indices are not scaled.

    Parameters
    ----------
    tree : Tree
        The tree, of any arity.
    index : Index or None, default=None
        The index to use as the cost; None for the training error.
    held : ndarray of shape (nodes, classes) or None, default=None
        The weight of held-out rows of each class at each node.

    Attributes
    ----------
    alphas : ndarray of float
        Ascending from 0; each pruning is the best from its alpha up to the next.
    sizes : ndarray of int
        The number of leaves of each pruning, descending to 1.
    costs : ndarray of float
        The cost of each pruning, ascending.
    validation_errors : ndarray of float or None
        The errors of each pruning on the held-out rows, in the unit of ``held``.
    """

    def __init__(
        self, tree: Tree, index: Index | None = None, held: AnyArray | None = None
    ) -> None:
        self._tree = tree
        cost, share = _leaf_costs(tree, index)
        saved = _minus_children(tree, cost)
        if index is not None:  # a gain within rounding of zero is zero
            saved = np.where(saved <= TIE * cost, 0.0, saved)
        checked = None if held is None else validation_errors(tree, np.asarray(held))
        errors = np.zeros_like(tree.rows) if checked is None else checked.units
        carried = _minus_children(tree, errors)
        node_alphas, links = weakest_links(tree, saved.tolist(), carried.tolist())
        cut_links = _steps([link.alpha for link in links])  # number of links cut at each step
        last = [links[n - 1].alpha for n in cut_links[1:]]
        self._node_alphas = share * np.array(node_alphas)
        self.alphas: FloatArray = share * np.array([0.0, *last])
        self.sizes: IntArray = 1 + _remaining([k.leaves for k in links])[cut_links]
        self.costs: FloatArray = share * (cost[0] - _remaining([k.saved for k in links])[cut_links])
        self.validation_errors: FloatArray | None = None
        if checked is not None:
            left = errors[0] - _remaining([k.carried for k in links])[cut_links]
            self.validation_errors = checked.errors(left)

    def __len__(self) -> int:
        return len(self.alphas)

    def nodes_at(self, alpha: float) -> IntArray:
        """Return the nodes that become leaves for a price of alpha per leaf.

        Parameters
        ----------
        alpha : float
            The price of a leaf, at least 0.

        Returns
        -------
        ndarray of int
            Node numbers in ascending order, none of them below another.
        """
        check_alpha(alpha)
        return topmost(self._tree, self._node_alphas <= float(alpha) * (1 + TIE))

    def select_alpha(self) -> float:
        """Return the alpha with the fewest held-out errors.

        Returns
        -------
        float
            One of ``alphas``; on a tie the largest, which gives the smallest tree.
        """
        if self.validation_errors is None:
            raise ParameterError("selecting alpha needs a path with held-out rows")
        return float(self.alphas[len(self) - 1 - np.argmin(self.validation_errors[::-1])])


def check_alpha(alpha: Any) -> None:
    """Raise ``ParameterError`` unless alpha is a number of at least 0."""
    check_number("alpha", alpha, lambda x: 0 <= x < np.inf, "of at least 0")


def _leaf_costs(tree: Tree, index: Index | None) -> tuple[AnyArray, float]:
    """Return the cost of each node as a leaf, and the factor that makes it a fraction."""
    weight = float(tree.weight[0])
    if index is None:
        errors = training_errors(tree)  # integers, so that equal alphas compare equal
        return errors.units, errors.unit / weight
    return index.value(tree.counts), _SKLEARN_SCALE.get(index.name, 1.0) / weight


def _minus_children(tree: Tree, values: AnyArray) -> AnyArray:
    """Return each inner node's value minus the sum over its children; 0 at leaves."""
    out = np.where(tree.kind == LEAF, 0, values)
    np.subtract.at(out, tree.parent[tree.child], values[tree.child])
    return out


def _steps(alphas: list[float]) -> list[int]:
    """Return the number of links cut at alpha 0 and at each larger alpha that differs."""
    steps = [sum(alpha <= 0 for alpha in alphas)]
    for i in range(steps[0], len(alphas)):
        last = i + 1 == len(alphas) or alphas[i + 1] > alphas[i] * (1 + TIE)
        if last:
            steps.append(i + 1)
    return steps


def _remaining(values: list[float]) -> AnyArray:
    """Return the sums over the values that are left after 0, 1, 2, ... links are cut."""
    return np.append(np.cumsum(values[::-1])[::-1], 0).astype(np.asarray(values or [0]).dtype)


class Link(NamedTuple):
    """A node that becomes a leaf when the price reaches ``alpha``; sorted by descending alpha.

    ``saved``, ``leaves`` and ``carried`` compare the node's subtree before that with the leaf: how
    much less it costs, how many more leaves it has, and how much less it carries.
    """

    minus_alpha: float
    node: int
    saved: float
    leaves: int
    carried: int

    @property
    def alpha(self) -> float:
        """The price of a leaf."""
        return -self.minus_alpha


def weakest_links(
    tree: Tree, saved: Sequence[float], carried: Sequence[int]
) -> tuple[list[float], list[Link]]:
    """Return each node's alpha, and the links that are cut, by ascending alpha.

    Parameters
    ----------
    tree : Tree
        The tree, of any arity.
    saved : sequence of int or float
        For each node, its cost as a leaf minus that of its children as leaves, at least 0.
        Integers make ties exact.
    carried : sequence of int
        The same difference for a quantity that is only summed up, such as held-out errors.

    Returns
    -------
    list of float
        The price from which on the node is a leaf of the best pruning, or removed; 0 for leaves.
    list of Link
        The links that are cut before one above them.
    """
    alphas = [0.0] * tree.n_nodes
    waiting: dict[
        int, list[Link]
    ] = {}  # by node: a heap of the links in its subtree, last cut first
    for node in range(tree.n_nodes - 1, -1, -1):  # children have larger numbers
        if tree.is_leaf(node):
            continue
        links = _merged([waiting.pop(c) for c in tree.children(node).tolist() if c in waiting])
        link = _link(node, saved[node], tree.arity(node) - 1, carried[node])
        while links and links[0].alpha > link.alpha:  # cut too late: by then the node is a leaf
            late = heappop(links)
            link = _link(
                node,
                link.saved + late.saved,
                link.leaves + late.leaves,
                link.carried + late.carried,
            )
        heappush(links, link)
        waiting[node] = links
        alphas[node] = link.alpha
    return alphas, sorted(waiting.get(0, []), reverse=True)


def _link(node: int, saved: float, leaves: int, carried: int) -> Link:
    return Link(-(saved / leaves), node, saved, leaves, carried)


def _merged(heaps: list[list[Link]]) -> list[Link]:
    """Merge the smaller heaps into the largest, so that each link moves rarely."""
    if not heaps:
        return []
    heaps.sort(key=len)
    largest = heaps.pop()
    for heap in heaps:
        for link in heap:
            heappush(largest, link)
    return largest
