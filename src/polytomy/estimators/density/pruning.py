"""Pruning a fitted density tree: to a size, or to the size that held-out rows prefer."""

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray, IntArray
from polytomy.density import DensityModel
from polytomy.estimators.base.files import forget_choice
from polytomy.estimators.base.models import BaseTreeModel
from polytomy.estimators.base.parameters import check_integer
from polytomy.estimators.reading.sizes import Sizes
from polytomy.grow import DensityPath, box_losses, held_out_losses
from polytomy.plot import plot_pruning_path
from polytomy.prune import ErrorBudget, resolve
from polytomy.report import NodeErrors
from polytomy.table import Table
from polytomy.tree import contract, pruned

HeldOutTable = tuple[Table, FloatArray]
"""Held-out rows and their weights."""


class DensityTreePath(Sizes):
    """The most likely pruning of a density tree for every number of boxes.

    Errors are sums of negative log-densities, in nats. With ``loss="squared"``, prunings and sizes
    are chosen by the integrated squared error instead of them.

    Attributes
    ----------
    sizes : ndarray of int
        The numbers of boxes, ascending from 1.
    training_errors : ndarray of float
        The negative log-densities of the training rows, times their weights.
    validation_errors : ndarray of float or None
        Those of the held-out rows, if any were given.
    prunings : DensityPath
        The nodes that become leaves at each size.
    node_errors : NodeErrors
        The negative log-densities of each node, taken for a leaf.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import DensityTree
    >>> X = load_iris().data
    >>> path = DensityTree(max_leaves=None).fit(X[::2]).pruning_path(X[1::2])
    >>> path.at(4).n_leaves_
    4
    >>> print(path.select("holdout").n_leaves_ < path.sizes[-1])
    True
    """

    def __init__(
        self, estimator: Any, held: HeldOutTable | None = None, max_size: int | None = None
    ) -> None:
        model, weight = estimator._model, float(estimator._model.tree.weight[0])
        self.prunings = DensityPath(model, estimator.loss, *(held or ()))
        self.node_errors = NodeErrors(box_losses(model), weight)
        if held is not None:
            losses = held_out_losses(model, "likelihood", *held)
            self.node_errors = replace(
                self.node_errors, test=losses, test_total=float(held[1].sum())
            )
        of_nodes, sizes = self.node_errors, self.prunings.sizes
        n = len(sizes) if max_size is None else self.prunings.place(max_size) + 1
        leaves = [self.prunings.leaves_at(place) for place in range(n)]
        self.sizes: IntArray = sizes[:n]
        self.training_errors: FloatArray = np.array([of_nodes.training[at].sum() for at in leaves])
        self.validation_errors: FloatArray | None = None
        if of_nodes.test is not None:
            self.validation_errors = np.array([of_nodes.test[at].sum() for at in leaves])
        weights = weight, None if held is None else of_nodes.test_total
        super().__init__(estimator, weights, "mean negative log-density", errors_are_losses=True)

    def at(self, k: int) -> Any:
        """Return the estimator with the best pruning of at most ``k`` boxes.

        Parameters
        ----------
        k : int
            The maximum number of boxes.

        Returns
        -------
        DensityTree
            The pruned estimator.
        """
        check_integer("k", k, 1)
        return self._estimator._with_nodes(self.prunings.nodes_at(int(k)))

    def select(self, how: str = "holdout") -> Any:
        """Return the estimator that held-out rows prefer; the smaller tree on a tie.

        Parameters
        ----------
        how : {"holdout"}, default="holdout"
            The criterion: the least loss on the held-out rows of the path. ``max_leaves="cv"``
            chooses the size of a fit by cross-validation.

        Returns
        -------
        DensityTree
            The pruned estimator.
        """
        if how != "holdout":
            raise ParameterError(
                f"select must be 'holdout' for a density tree, got {how!r}; max_leaves='cv' "
                "cross-validates the fit"
            )
        if self.validation_errors is None:
            raise ParameterError("select('holdout') needs a path with held-out rows")
        return self.at(self.choices()["holdout"])

    def choices(self) -> dict[str, int]:
        """Return the size that held-out rows choose.

        Returns
        -------
        dict
            From ``"holdout"`` to a size; empty without held-out rows.
        """
        if self.validation_errors is None:
            return {}
        return {"holdout": int(self.sizes[np.argmin(self.prunings.held_out[: len(self)])])}

    def to_frame(self) -> Any:
        """Return the path as a data frame.

        Returns
        -------
        DataFrame
            A frame of pandas, polars or pyarrow, whichever is installed.
        """
        return self._frame({})

    def facts(self) -> dict[str, Any]:
        """Return the mean losses and the chosen size, for plotting.

        Returns
        -------
        dict
            ``leaves``, ``training_error``, ``validation_error``, ``loss`` (what the errors are) and
            ``choices``.
        """
        choices = self.choices()
        return {"leaves": self.sizes, **self._rates(), "loss": self._loss, "choices": choices}

    def __str__(self) -> str:
        return self._text({}, {size: how for how, size in self.choices().items()})


class PrunableDensity(BaseTreeModel):
    """A density tree that can be pruned after fitting. Pruning returns a new estimator."""

    _model: DensityModel
    loss: str

    def prune(self, pruner: Any, X_val: Any = None, *, sample_weight_val: Any = None) -> Self:
        """Return a new estimator with the tree pruned.

        The parameters do not change: fitting a clone grows a new tree.

        Parameters
        ----------
        pruner : {"error-budget"} or ErrorBudget
            The best pruning of each size competes. ``"error-budget"`` takes the size with the least
            loss on the held-out rows, ``polytomy.prune.ErrorBudget(select=k)`` at most ``k`` boxes.
            Other pruners judge the predictions of a target.
        X_val : array, data frame or lazy table, default=None
            Held-out rows.
        sample_weight_val : array, default=None
            The weights of the held-out rows.

        Returns
        -------
        DensityTree
            The pruned estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from polytomy import DensityTree
        >>> from polytomy.prune import ErrorBudget
        >>> model = DensityTree(max_leaves=None).fit(load_iris().data)
        >>> model.prune(ErrorBudget(select=6)).n_leaves_
        6
        """
        chosen = resolve(pruner)
        if not isinstance(chosen, ErrorBudget):
            raise ParameterError(
                f"{chosen.name} judges the predictions of a target, and a density tree has none; "
                "use error-budget"
            )
        if chosen.size != "leaves" or chosen.select in ("srm", "cv"):
            raise ParameterError(
                "error-budget prunes a density tree to a number of leaves or by held-out rows: "
                "select must be a number or 'holdout', and size 'leaves'"
            )
        if chosen.select == "holdout" and X_val is None:
            raise ParameterError(
                "error-budget needs rows that the tree was not grown on: pass X_val, or a number "
                "of boxes, ErrorBudget(select=8)"
            )
        path = self.pruning_path(X_val, chosen.max_size, sample_weight_val=sample_weight_val)
        small: Self = path.select() if chosen.select == "holdout" else path.at(int(chosen.select))
        return small

    def pruning_path(
        self, X_val: Any = None, max_size: int | None = None, *, sample_weight_val: Any = None
    ) -> DensityTreePath:
        """Return the best pruning for every number of boxes.

        Parameters
        ----------
        X_val : array, data frame or lazy table, default=None
            Held-out rows, to compute ``validation_errors`` and for ``select("holdout")``.
        max_size : int or None, default=None
            The maximum number of boxes on the path. None sets no limit.
        sample_weight_val : array, default=None
            The weights of the held-out rows.

        Returns
        -------
        DensityTreePath
            The path. ``at(k)`` and ``select()`` return an estimator of it.
        """
        self._fitted_model()
        if max_size is not None:
            check_integer("max_size", max_size, 1)
        return DensityTreePath(copy(self), self._held_out_table(X_val, sample_weight_val), max_size)

    def plot_pruning_path(
        self,
        X_val: Any = None,
        max_size: int | None = None,
        *,
        sample_weight_val: Any = None,
        ax: Any = None,
    ) -> Any:
        """Plot the mean negative log-density of the best pruning of every size.

        A mark shows the size that held-out rows choose. Needs matplotlib
        (``pip install "polytomy[plot]"``).

        Parameters
        ----------
        X_val : array, data frame or lazy table, default=None
            Held-out rows.
        max_size : int or None, default=None
            The maximum number of boxes. None sets no limit.
        sample_weight_val : array, default=None
            The weights of the held-out rows.
        ax : matplotlib Axes, default=None
            The axes to draw on. None makes a new figure.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        path = self.pruning_path(X_val, max_size, sample_weight_val=sample_weight_val)
        return plot_pruning_path(path.facts(), ax)

    def _held_out_table(self, X_val: Any, sample_weight: Any) -> HeldOutTable | None:
        """Return held-out rows of positive weight, and their weights; None without any."""
        if X_val is None:
            if sample_weight is not None:
                raise ParameterError("sample_weight_val are the weights of X_val, which is missing")
            return None
        rows = self._target_of(self._read_table(X_val), None, sample_weight, "y_val")
        rows = rows.with_weight()[0]
        weights = np.ones(len(rows.labels)) if rows.weights is None else rows.weights
        return rows.table, weights

    def _with_nodes(self, nodes: IntArray) -> Self:
        """Return a copy of this estimator in whose tree some nodes are leaves."""
        other = copy(self)
        tree = contract(pruned(self._model.tree, nodes)[0])
        other._model = replace(self._model, tree=tree)
        forget_choice(other)
        return other
