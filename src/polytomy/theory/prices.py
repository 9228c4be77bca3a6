"""Two prices: what a tree costs for its errors, its leaves and the questions it asks.

The cost of a tree is

    loss + leaf price * leaves + question price * (splits that the rows pass, summed over the rows),

where the loss of a leaf is half its errors and half of F/2, half its impurity: F/2 is never below
the errors, and unlike them it rewards leaves of the same class with different shares. For a numeric
target, the loss is F/2. A wide split asks one question, however many branches it has, so the second
price makes trees wide.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polytomy._types import AnyArray, FloatArray
from polytomy.index import Index
from polytomy.tree import LEAF, Tree, first_questions, least_errors

_EVIDENCE = 8.0  # how many times as much as chance a leaf of a numeric target must explain
_SHARE = 0.5  # of F/2 in the loss of a leaf; the rest are errors


def impurity_share(index: Index) -> float:
    """Return the share of F/2 in the loss of a leaf; the rest are errors.

    Parameters
    ----------
    index : Index
        The index function F.

    Returns
    -------
    float
        1 for a numeric target, else 1/2.
    """
    return 1.0 if index.is_numeric else _SHARE


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of a leaf and that of a question, in units of the weight of the rows.

    Parameters
    ----------
    leaf : float
        The price of a leaf.
    question : float
        The price of a split, for each unit of weight that passes it.
    columns : tuple of float, default=()
        For each column, what the first question about it on a path costs more; empty if nothing.
    """

    leaf: float
    question: float
    columns: tuple[float, ...] = ()

    @classmethod
    def of(
        cls,
        weight: float,
        rows: int,
        question_price: float,
        removed: float,
        column_costs: Sequence[float] = (),
    ) -> "Prices":
        """Return the prices for a sample.

        A leaf costs as much as one case, less if there are fewer than 100. A question for every row
        costs a fraction of half the impurity that a run removes, which is comparable to its loss.

        Parameters
        ----------
        weight : float
            The weight of the rows.
        rows : int
            The number of rows.
        question_price : float
            The price of a question, as a fraction of ``removed / 2``.
        removed : float
            The impurity that a run removes, in units of weight.
        column_costs : sequence of float, default=()
            What the first question about each column costs more, as the same fraction.

        Returns
        -------
        Prices
            The prices.

        Examples
        --------
        >>> Prices.of(weight=500.0, rows=500, question_price=0.08, removed=200.0)
        Prices(leaf=1.0, question=0.016, columns=())
        """
        case = 1 / cases_per_weight(rows, weight)
        columns = tuple(cost * removed / (2 * weight) for cost in column_costs)
        leaf = case * min(1.0, weight / case / 100)
        return cls(leaf, question_price * removed / (2 * weight), columns)

    @classmethod
    def of_numbers(
        cls,
        weight: float,
        rows: int,
        question_price: float,
        removed: float,
        left: float,
        column_costs: Sequence[float] = (),
    ) -> "Prices":
        """Return the prices for a sample with a numeric target.

        A leaf must explain eight times as much as one case deviates on average from the leaves of a
        run: chance explains once that much, and the best of many splits more. A question for every
        row costs a fraction of half the impurity that a run removes, or leaves twice over if that
        is less: on a table with little noise, the accuracy is worth the questions.

        Parameters
        ----------
        weight : float
            The weight of the rows.
        rows : int
            The number of rows.
        question_price : float
            The price of a question, as that fraction.
        removed : float
            The impurity that a run removes.
        left : float
            The impurity that it leaves.
        column_costs : sequence of float, default=()
            What the first question about each column costs more, as the same fraction.

        Returns
        -------
        Prices
            The prices.

        Examples
        --------
        >>> Prices.of_numbers(weight=500.0, rows=500, question_price=0.08, removed=200.0, left=50.0)
        Prices(leaf=0.4, question=0.008, columns=())
        """
        case = left / (weight * cases_per_weight(rows, weight))
        worth = min(removed, 2 * left)
        columns = tuple(cost * worth / (2 * weight) for cost in column_costs)
        return cls(_EVIDENCE / 2 * case, question_price * worth / (2 * weight), columns)


def cases_per_weight(rows: int, weight: float) -> float:
    """Return the cases that a unit of weight stands for.

    Weights are case counts, so that a weight of k counts like k rows. If they add up to less than
    the number of rows they cannot be; then every row is one case on average.

    Parameters
    ----------
    rows : int
        The number of rows.
    weight : float
        Their weight.

    Returns
    -------
    float
        The number of cases, at least 1.

    Examples
    --------
    >>> cases_per_weight(100, 250.0), cases_per_weight(100, 1.0)
    (1.0, 100.0)
    """
    return max(1.0, rows / weight)


def mean_mistake(counts: AnyArray, costs: FloatArray | None) -> float:
    """Return what a mistake about a unit of weight costs on average, over the labels it may get.

    A leaf costs as much as one mistake, so this multiplies its price.

    Parameters
    ----------
    counts : ndarray of shape (classes,)
        The weight of each class of the training rows.
    costs : ndarray of shape (classes, classes) or None
        The cost of a unit of weight of each class for each label; None if every mistake costs 1.

    Returns
    -------
    float
        The mean cost, from 0 to 1.
    """
    if costs is None:
        return 1.0
    return float(counts @ costs.sum(axis=1) / ((len(costs) - 1) * counts.sum()))


def loss_index(index: Index, costs: FloatArray | None) -> tuple[Index, float]:
    """Return an index function F and the share of F/2 in the loss of a leaf; the rest are errors.

    Parameters
    ----------
    index : Index
        The index function of a tree.
    costs : ndarray of shape (classes, classes) or None
        The cost of a unit of weight of each class for each label; None if every mistake costs 1.

    Returns
    -------
    Index
        The function itself or, with costs, twice the loss.
    float
        The share; 1 with costs.
    """
    if costs is None:
        return index, impurity_share(index)
    return Index(f"loss by {index.name}", lambda counts: 2 * losses(counts, index, costs)), 1.0


def losses(counts: AnyArray, index: Index, costs: FloatArray | None = None) -> FloatArray:
    """Return the loss of each count vector: half of F/2 and half of the errors, or only F/2.

    Parameters
    ----------
    counts : array of shape (nodes, classes)
        The weight of each class, or the moments of a numeric target.
    index : Index
        The index function F.
    costs : ndarray of shape (classes, classes) or None, default=None
        The cost of a unit of weight of each class for each label; None if every mistake costs 1.

    Returns
    -------
    ndarray of shape (nodes,)
        The losses, in units of weight.
    """
    share = impurity_share(index)
    impure = np.asarray(share / 2 * index.value(counts))
    if share == 1:
        return impure
    return np.asarray((1 - share) * least_errors(counts, costs) + impure)


def questions(tree: Tree) -> float:
    """Return the weight that passes each split, summed over the splits of a tree.

    Divided by the weight of the rows, this is the mean number of splits on a row's path.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    float
        The sum, in units of weight.
    """
    return float(tree.weight[tree.kind != LEAF].sum())


def column_cost(tree: Tree, prices: Prices) -> float:
    """Return what the columns that a tree asks about cost.

    Parameters
    ----------
    tree : Tree
        The tree.
    prices : Prices
        The prices.

    Returns
    -------
    float
        The price of each column for the weight that passes the first question about it on a path.
    """
    if not any(prices.columns):
        return 0.0
    nodes = first_questions(tree)
    return float(sum(prices.columns[int(tree.feature[v])] * float(tree.weight[v]) for v in nodes))


def tree_cost(tree: Tree, index: Index, prices: Prices) -> float:
    """Return the cost of a tree.

    Parameters
    ----------
    tree : Tree
        The tree, with its training counts.
    index : Index
        The index function F.
    prices : Prices
        The prices.

    Returns
    -------
    float
        The cost, in units of weight.
    """
    leaves = tree.leaves()
    loss = float(losses(tree.counts[leaves], index, tree.costs).sum())
    cost = loss + prices.leaf * len(leaves) + prices.question * questions(tree)
    return cost + column_cost(tree, prices)
