"""The cost-complexity path: for every price of a leaf, the pruning of least cost and price."""

from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import TIE, AnyArray, FloatArray, IntArray
from polytomy.index import Index
from polytomy.tree import LEAF, Tree

from .bottom_up import topmost
from .counts import held_errors, held_units, units_of
from .pruner import check_number
from .weakest_link import weakest_links

_THEIRS = {"gini": 0.5}  # scikit-learn's gini is half of ours; its entropy is the same


class CostPath:
    """The prunings that cost + alpha * leaves selects, from the largest to the root alone.

    Both the cost and alpha are shares of the sample's weight. The cost is the training error, or
    the tree's index as scikit-learn counts it: our ``gini`` F(c) = 2(n - sum c^2/n) is halved, so
    that an alpha means the same as its ``ccp_alpha``; other indices are taken as they are.

    Parameters
    ----------
    tree : Tree
        The tree, of any arity.
    index : Index or None
        The index that is the cost; None for the training errors.
    held : ndarray of shape (nodes, classes) or None
        The weight of held-out rows of each class at each node.

    Attributes
    ----------
    alphas : ndarray of float
        From 0 on, ascending: a pruning is the smallest best one from its alpha to the next.
    sizes : ndarray of int
        Their leaves, falling to 1.
    costs : ndarray of float
        Their costs, rising.
    validation_errors : ndarray of float or None
        Their errors on the held-out rows, in the unit of ``held``.
    """

    def __init__(
        self, tree: Tree, index: Index | None = None, held: AnyArray | None = None
    ) -> None:
        self._tree = tree
        cost, share = _leaf_costs(tree, index)
        saved = _less_children(tree, cost)
        if index is not None:  # a gain within rounding of zero is zero
            saved = np.where(saved <= TIE * cost, 0.0, saved)
        checked = None if held is None else held_units(tree, held)
        errors = np.zeros_like(tree.rows)
        if checked is not None:
            errors = held_errors(tree.counts, checked.counts)
        carried = _less_children(tree, errors)
        node_alphas, links = weakest_links(tree, saved.tolist(), carried.tolist())
        happened = _steps([link.alpha for link in links])  # how many links, at each step
        last = [links[n - 1].alpha for n in happened[1:]]
        self._node_alphas = share * np.array(node_alphas)
        self.alphas: FloatArray = share * np.array([0.0, *last])
        self.sizes: IntArray = 1 + _still([k.leaves for k in links])[happened]
        self.costs: FloatArray = share * (cost[0] - _still([k.saved for k in links])[happened])
        self.validation_errors: FloatArray | None = None
        if checked is not None:
            left = errors[0] - _still([k.carried for k in links])[happened]
            self.validation_errors = checked.weights(left)

    def __len__(self) -> int:
        return len(self.alphas)

    def nodes_at(self, alpha: float) -> IntArray:
        """Return the nodes that become leaves when a leaf's price is alpha."""
        check_alpha(alpha)
        return topmost(self._tree, self._node_alphas <= float(alpha) * (1 + TIE))

    def select_alpha(self) -> float:
        """Return the alpha of the fewest held-out errors, of the smaller tree on a tie."""
        if self.validation_errors is None:
            raise ParameterError("selecting alpha needs held-out rows, and the path has none")
        return float(self.alphas[len(self) - 1 - np.argmin(self.validation_errors[::-1])])


def check_alpha(alpha: Any) -> None:
    """Refuse what is no price of a leaf."""
    check_number("alpha", alpha, lambda x: 0 <= x < np.inf, "of at least 0")


def _leaf_costs(tree: Tree, index: Index | None) -> tuple[AnyArray, float]:
    """Return the cost of each node as a leaf, and what share of the whole weight one of them is."""
    weight = float(tree.counts[0].sum())
    if index is None:
        units = units_of(tree)  # whole units, so that equal alphas are equal
        return units.errors, units.unit / weight
    return index.value(tree.counts), _THEIRS.get(index.name, 1.0) / weight


def _less_children(tree: Tree, values: AnyArray) -> AnyArray:
    """Return each inner node's value less the sum of its children's; 0 at leaves."""
    out = np.where(tree.kind == LEAF, 0, values)
    np.subtract.at(out, tree.parent[tree.child], values[tree.child])
    return out


def _steps(alphas: list[float]) -> list[int]:
    """Return how many links happen at price 0, and up to each higher price that is a new one."""
    steps = [sum(alpha <= 0 for alpha in alphas)]
    for i in range(steps[0], len(alphas)):
        last = i + 1 == len(alphas) or alphas[i + 1] > alphas[i] * (1 + TIE)
        if last:
            steps.append(i + 1)
    return steps


def _still(values: list[float]) -> AnyArray:
    """Return the sum of what is left after 0, 1, 2, ... links."""
    return np.append(np.cumsum(values[::-1])[::-1], 0).astype(np.asarray(values or [0]).dtype)
