"""The pruning with the least cost at two prices, for every number of leaves, with merged branches.

The prices are those of ``polytomy.theory.Prices``.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from polytomy import kernels
from polytomy._errors import ParameterError
from polytomy._types import AnyArray, BranchArray, FloatArray, IntArray
from polytomy.index import Index, index_of_moments
from polytomy.theory import Prices, loss_index, losses
from polytomy.tree import (
    IS_LEAF,
    IS_SPLIT,
    Tree,
    TreeShape,
    errors_of_labels,
    majority,
    merged_pruning,
)

from .pruner import is_count
from .units import component_scale, held_losses, training_units


def shape_of(tree: Tree) -> tuple[TreeShape, float]:
    """Return the shape of a tree with its counts in units, and the weight of one unit.

    The counts of a numeric target are components.
    """
    units = training_units(tree)
    counts = np.ascontiguousarray(units.counts)
    start, child = tree.child_start, tree.child
    return TreeShape(
        tree.kind, tree.feature, start, child, tree.threshold_start, counts, tree.costs
    ), units.unit


class MergedNodes(NamedTuple):
    """What becomes of the nodes of a tree in a pruning with merged branches.

    Parameters
    ----------
    state : int8 array
        ``IS_GONE``, ``IS_SPLIT`` or ``IS_LEAF`` of each node (see ``polytomy.tree``).
    branch : int32 array
        Numbers that are equal for the branches of a split that are merged.
    number : int32 array
        The node of the pruned tree that a node is, or lies in; -1 if it lies inside a wide split.
    parent : int32 array
        The parent of each node of the pruned tree; -1 for its root.
    """

    state: AnyArray
    branch: BranchArray
    number: BranchArray
    parent: BranchArray


class SizeFigures(NamedTuple):
    """The figures of the cheapest pruning of each size, in units of weight.

    Parameters
    ----------
    training_errors : float64 array
        The weight of the misclassified training rows.
    questions : float64 array
        The weight that passes each split, summed over the splits.
    validation_errors : float64 array or None
        The weight of the misclassified held-out rows.
    """

    training_errors: FloatArray
    questions: FloatArray
    validation_errors: FloatArray | None


class PricedPath:
    """For every number of leaves, the pruning of a tree with the least cost; branches may merge.

    Ranges that follow each other, and groups of categories that are neighbours by their class
    shares, may become one leaf. The tree is read as contracted unless ``contract`` is False.

    Parameters
    ----------
    tree : Tree or TreeShape
        The tree as grown.
    index : Index
        Its index function.
    prices : Prices
        The prices, in units of weight.
    max_size : int
        The largest number of leaves.
    contract : bool, default=True
        Whether splits on the same column that follow each other count as one question.
    merge : bool, default=True
        Whether branches may be merged.
    unit : float, default=1.0
        The weight of one unit, if ``tree`` is a ``TreeShape``.

    Attributes
    ----------
    sizes : ndarray of int
        The numbers of leaves that prunings have, ascending from 1.
    costs : ndarray of float
        The cost of the best pruning of each size, without the price of its leaves.

    Examples
    --------
    >>> from polytomy.index import resolve
    >>> from polytomy.tree import IntervalSplit, TreeBuilder
    >>> builder = TreeBuilder(np.array([3.0, 3.0]), 6)
    >>> split = IntervalSplit(0, np.array([0.5, 1.5]), -1, 0)
    >>> _ = builder.split(0, split, np.array([[2.0, 0], [1, 0], [0, 3]]), [2, 1, 3])
    >>> path = PricedPath(builder.finish(), resolve("gini", 2), Prices(0.0, 0.01), 8)
    >>> path.sizes.tolist(), path.costs.round(2).tolist(), path.best_size()
    ([1, 2, 3], [3.0, 0.06, 0.06], 2)
    >>> path.at(2).n_leaves
    2
    """

    def __init__(
        self,
        tree: Tree | TreeShape,
        index: Index,
        prices: Prices,
        max_size: int,
        *,
        contract: bool = True,
        merge: bool = True,
        unit: float = 1.0,
    ) -> None:
        if not is_count(max_size, 1):
            raise ParameterError(f"max_size must be a positive integer, got {max_size!r}")
        shape = tree
        if isinstance(tree, Tree):
            shape, unit = shape_of(tree)
        assert isinstance(shape, TreeShape)
        self._tree, self._contract, self.prices = tree, contract, prices
        self._shape, self._unit = shape, unit
        # For a numeric target, prices and costs are in units of the impurity, which the components
        # measure in a unit of their own and without that within the leaves.
        scale = component_scale(tree) if isinstance(tree, Tree) else 1.0
        loss, share = loss_index(index, shape.costs)
        self._leaf_price = prices.leaf / (unit * scale)
        self._prunings = kernels.MergedPrunings(
            shape.kind,
            shape.feature,
            shape.child_start,
            shape.child,
            np.diff(shape.threshold_start),
            shape.counts,
            loss.kernel,
            share,
            prices.question / scale,
            contract,
            merge,
            int(min(max_size, len(shape.kind))),
            [price / scale for price in prices.columns],
        )
        costs = self._prunings.costs * (unit * scale)
        if isinstance(tree, Tree) and tree.is_numeric:
            costs += _offset(tree, index, shape, unit * scale)
        self.sizes: IntArray = np.flatnonzero(np.isfinite(costs)) + 1
        self.costs: FloatArray = costs[self.sizes - 1]

    @property
    def totals(self) -> FloatArray:
        """The cost of the best pruning of each size, with the price of its leaves."""
        return np.asarray(self.costs + self.prices.leaf * self.sizes)

    def best_size(self, most: int | None = None) -> int:
        """Return the size of the pruning with the least total cost, the smaller one on a tie.

        Parameters
        ----------
        most : int or None, default=None
            The largest number of leaves; None for no limit.

        Returns
        -------
        int
            The number of leaves.
        """
        limit = int(self.sizes[-1]) if most is None else most
        return self._prunings.best(self._leaf_price, limit)

    def nodes_at(self, size: int) -> MergedNodes:
        """Return what becomes of each node in the best pruning of exactly ``size`` leaves.

        Parameters
        ----------
        size : int
            The number of leaves, one of ``sizes``.

        Returns
        -------
        MergedNodes
            The fate of each node.
        """
        return MergedNodes(*self._prunings.at(size))

    def at(self, size: int) -> Tree:
        """Return the best pruning of at most ``size`` leaves.

        Parameters
        ----------
        size : int
            The number of leaves.

        Returns
        -------
        Tree
            The pruned tree, contracted if the path is.
        """
        if not is_count(size, 1):
            raise ParameterError(f"the size must be an integer of at least 1, got {size!r}")
        return self.exactly(self.best_size(int(size)))

    def exactly(self, size: int) -> Tree:
        """Return the best pruning of exactly ``size`` leaves, one of ``sizes``.

        Parameters
        ----------
        size : int
            The number of leaves.

        Returns
        -------
        Tree
            The pruned tree, contracted if the path is.
        """
        if not isinstance(self._tree, Tree):
            raise ParameterError("this path has only the shape of its tree")
        nodes = self.nodes_at(size)
        return merged_pruning(self._tree, nodes.state, nodes.branch, contract=self._contract)

    def figures(self, held: AnyArray | None = None) -> SizeFigures:
        """Return the errors and questions of the cheapest pruning of each size.

        Parameters
        ----------
        held : ndarray of shape (nodes, classes) or None, default=None
            The weight of held-out rows of each class at each node of the tree.

        Returns
        -------
        SizeFigures
            One entry for each of ``sizes``.
        """
        is_numeric = isinstance(self._tree, Tree) and self._tree.is_numeric
        weights = self._shape.counts.sum(axis=1) * self._unit
        counts = self._tree.counts if is_numeric else self._shape.counts * self._unit
        errors_of = _numeric_errors if is_numeric else partial(_misclassified, self._shape.costs)
        errors, asked, wrong = [], [], []
        for size in self.sizes.tolist():
            nodes = self.nodes_at(size)
            asked.append(float(weights[nodes.state == IS_SPLIT].sum()))
            at_leaf = _at_leaves(nodes, counts)
            errors.append(errors_of(at_leaf, None))
            if held is not None:
                wrong.append(errors_of(at_leaf, _at_leaves(nodes, held)))
        validation = None if held is None else np.array(wrong)
        return SizeFigures(np.array(errors), np.array(asked), validation)

    def at_leaves(self, size: int, held: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the labels of the leaves of a pruning, and held-out rows there.

        Parameters
        ----------
        size : int
            The number of leaves, one of ``sizes``.
        held : ndarray of shape (nodes, classes)
            The weight of held-out rows of each class at each node of the tree.

        Returns
        -------
        ndarray of shape (leaves,)
            The class that each leaf predicts.
        ndarray of shape (leaves, classes)
            The weight of held-out rows at each leaf.
        """
        nodes = self.nodes_at(size)
        counts = _at_leaves(nodes, self._shape.counts * self._unit)
        return majority(counts, self._shape.costs), _at_leaves(nodes, held)

    def __len__(self) -> int:
        return len(self.sizes)

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuse to be pickled: the kernel's tables are not kept."""
        raise TypeError("a PricedPath cannot be pickled; pickle its tree and make it again")


def _at_leaves(nodes: MergedNodes, counts: AnyArray) -> FloatArray:
    """Return the counts at the leaves of a pruning, given those at the nodes of its tree."""
    parts = np.flatnonzero(nodes.state == IS_LEAF)
    out = np.zeros((len(nodes.parent), counts.shape[1]))
    np.add.at(out, nodes.number[parts], counts[parts])
    return out[np.unique(nodes.number[parts])]


def _offset(tree: Tree, index: Index, shape: TreeShape, scale: float) -> float:
    """Return the loss within the leaves of a numeric target, less what components say of it."""
    leaves = tree.leaves()
    seen = index.on_components.value(shape.counts[leaves].astype(np.float64)).sum() * scale
    return float(losses(tree.counts[leaves], index).sum() - seen / 2)


def _misclassified(costs: FloatArray | None, counts: FloatArray, held: FloatArray | None) -> float:
    """Return the errors, or the costs, of leaves on their own rows, or on held-out rows."""
    label = majority(counts, costs)
    rows = counts if held is None else held
    return float(errors_of_labels(rows, costs)[np.arange(len(label)), label].sum())


def _numeric_errors(moments: FloatArray, held: FloatArray | None) -> float:
    """Return the same for a numeric target."""
    if held is None:
        return float(index_of_moments(moments).value(moments).sum())
    return float(held_losses(moments, held).sum())
