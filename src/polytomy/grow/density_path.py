"""The best pruning of each size of a density tree, and the size that held-out rows prefer."""

from collections.abc import Sequence

import numpy as np

from polytomy import kernels
from polytomy._types import FloatArray, IntArray
from polytomy.density import DensityModel
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import LEAF

_UNITS = 2.0**50  # of loss, for exact ties


class DensityPath:
    """The best pruning of each size of a density tree.

    Among prunings of at most k leaves the best has the least loss on the training rows, then the
    fewest leaves.

    Parameters
    ----------
    model : DensityModel
        The tree to prune, in its model.
    loss : {"likelihood", "squared"}
        What to minimise: the negative log-likelihood or the integrated squared error.
    table : Table or None, default=None
        Held-out rows.
    weights : ndarray or None, default=None
        Their weights; None if all are 1.

    Attributes
    ----------
    sizes : ndarray of int
        The number of leaves of each pruning, ascending from 1.
    held_out : ndarray of float
        The loss of each pruning on the held-out rows, per unit of weight.
    """

    def __init__(
        self,
        model: DensityModel,
        loss: str,
        table: Table | None = None,
        weights: FloatArray | None = None,
    ) -> None:
        tree = model.tree
        self._kind = tree.kind
        training = training_losses(model, loss)
        held = np.zeros(tree.n_nodes)
        weight = 1.0
        if table is not None:
            given = np.ones(table.n_rows) if weights is None else weights
            weight = float(given.sum())
            held = held_out_losses(model, loss, table, given) / weight
        carried, unit = _integers(held)
        self._prunings = kernels.prunings(
            tree.child_start, tree.child, _integers(training)[0], carried, tree.n_leaves
        )
        self.sizes: IntArray = self._prunings.sizes
        self.held_out: FloatArray = np.asarray(self._prunings.carried * unit, dtype=np.float64)

    def place(self, size: int) -> int:
        """Return the position of the best pruning of at most ``size`` leaves.

        Parameters
        ----------
        size : int
            The largest number of leaves, at least 1.

        Returns
        -------
        int
            A position in ``sizes``.
        """
        return int(np.searchsorted(self.sizes, size, side="right")) - 1

    def nodes_at(self, size: int) -> IntArray:
        """Return the nodes that become leaves in the best pruning of at most ``size`` leaves.

        Parameters
        ----------
        size : int
            The largest number of leaves, at least 1.

        Returns
        -------
        ndarray of int
            Node numbers of the tree.
        """
        leaves = self.leaves_at(self.place(size))
        return np.asarray(leaves[self._kind[leaves] != LEAF])

    def leaves_at(self, place: int) -> IntArray:
        """Return the nodes that are leaves in the pruning at a position of ``sizes``.

        Parameters
        ----------
        place : int
            A position in ``sizes``.

        Returns
        -------
        ndarray of int
            Node numbers of the tree.
        """
        return np.asarray(self._prunings.leaves(place).astype(np.int64))


def best_size(paths: Sequence[DensityPath], largest: int) -> int:
    """Return the size with the least mean loss on held-out rows, the smaller one on a tie.

    Parameters
    ----------
    paths : sequence of DensityPath
        The path of each fold.
    largest : int
        The largest size to consider.

    Returns
    -------
    int
        The number of leaves.
    """
    losses = [[path.held_out[path.place(k)] for k in range(1, largest + 1)] for path in paths]
    return int(np.argmin(np.mean(losses, axis=0))) + 1


def training_losses(model: DensityModel, loss: str) -> FloatArray:
    """Return the loss of the training rows of each node, taken for a leaf; at least 0.

    A multiple of the weight is added to keep losses positive, which changes no comparison.
    """
    weight, log_volume = model.weight, model.log_relative_volume
    held = weight > 0
    dense = np.full(len(weight), -np.inf)
    np.log(weight, out=dense, where=held)
    dense -= log_volume
    if loss == "squared":
        dense = np.exp(np.minimum(dense, _LOG_MOST))
    most = dense.max()
    return np.where(held, weight * (most - np.where(held, dense, 0.0)), 0.0)


def box_losses(model: DensityModel) -> FloatArray:
    """Return the negative log-densities of the training rows at each node, taken for a leaf.

    Parameters
    ----------
    model : DensityModel
        The model.

    Returns
    -------
    ndarray of float
        For each node, the sum over its rows, times their weights. A missing cell counts as in
        ``score_samples``, with its share in the whole table.
    """
    weight, dense = model.tree.counts[:, 0], model.log_density
    of_missing = 0.0
    for spec, cells, odds in zip(model.schema, model.cells, model.missing_odds, strict=True):
        if spec.has_missing:
            share = odds / (1 + odds) if spec.n_values else 1.0
            of_missing += share * float(np.log(cells.lengths[-1]))
    return np.asarray(-weight * (np.where(weight > 0, dense, 0.0) + of_missing))


_LOG_MOST = 600.0  # logarithm of the largest relative density


def held_out_losses(
    model: DensityModel, loss: str, table: Table, weights: FloatArray
) -> FloatArray:
    """Return the loss of held-out rows at each node, taken for a leaf.

    Parameters
    ----------
    model : DensityModel
        The model.
    loss : {"likelihood", "squared"}
        The loss: -sum ln f(x), or n times the integral of f^2, less 2 sum f(x), in units of the
        density of the root.
    table : Table
        The rows.
    weights : ndarray
        Their weights.

    Returns
    -------
    ndarray of float
        The losses by node.
    """
    tree, losses = model.tree, np.zeros(model.tree.n_nodes)
    node = apply(tree, model.schema, table)
    outside = model.outside(table)
    depth = tree.depth[node]
    root = model.boxes.log_volume[0]
    for level in range(int(depth.max()), -1, -1):
        score = np.maximum(model.score_at(node, outside), -_LOG_MOST)
        if loss == "squared":
            score = 2 * np.exp(np.minimum(score + root, _LOG_MOST))
        here = depth >= level
        np.add.at(losses, node[here], -(weights * score)[here])
        node = np.where(depth >= max(level, 1), tree.parent[node], node).astype(np.int32)
    if loss == "squared":
        square = 2 * model.log_share - model.log_relative_volume
        losses += weights.sum() * np.exp(np.minimum(square, _LOG_MOST))
    return losses


def _integers(losses: FloatArray) -> tuple[IntArray, float]:
    """Return losses as integers, and their unit."""
    most = float(np.abs(losses).max())
    unit = most / _UNITS if most > 0 else 1.0
    return np.rint(losses / unit).astype(np.int64), unit
