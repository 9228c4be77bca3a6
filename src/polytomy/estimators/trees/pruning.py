"""Pruning a fitted tree: by a pruner, or to a size on the pruning path."""

from copy import copy
from typing import Any, Self

import numpy as np

from polytomy._errors import ParameterError
from polytomy.encode import NumericTarget
from polytomy.estimators.base.files import forget_choice
from polytomy.estimators.base.models import BaseTreeModel
from polytomy.estimators.base.parameters import check_flag, check_not_negative
from polytomy.estimators.base.rows import LabelledRows
from polytomy.estimators.fitting.constraints import check_pruner
from polytomy.estimators.fitting.growing import (
    Growing,
    cross_validate,
    prune_model,
    weights_at_nodes,
)
from polytomy.estimators.fitting.plan import checked_pruner
from polytomy.model import Model, Pruning
from polytomy.plot import plot_pruning_path
from polytomy.priced import prices_of
from polytomy.prune import PricedPath, PruningPath

from .paths import PricedTreePath, TreePath
from .sensitivity import HeldOut


class PrunableTree(BaseTreeModel):
    """A tree that can be pruned after fitting. Pruning returns a new estimator."""

    _model: Model

    def prune(
        self,
        pruner: Any,
        X_val: Any = None,
        y_val: Any = None,
        *,
        sample_weight_val: Any = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Return a new estimator with the grown tree pruned.

        Pruning starts from the grown tree, even if this one has been pruned before. The
        parameters do not change: fitting a clone grows a new tree and prunes it by the parameter
        ``pruner`` alone.

        Parameters
        ----------
        pruner : str or pruner
            ``"reduced-error"``, ``"conservative"``, ``"chi-square"``, ``"error-budget"``,
            ``"cost-complexity"``, ``"pessimistic"``, or an object from ``polytomy.prune``.
        X_val : array, data frame or lazy table, default=None
            Held-out rows, for pruners that need them.
        y_val : array or str, default=None
            The classes or numbers of the held-out rows.
        sample_weight_val : array, default=None
            The weights of the held-out rows. Class weights apply to these rows too.
        X : array, data frame or lazy table, default=None
            The rows passed to ``fit``, for pruners that cross-validate or raise subtrees.
        y : array or str, default=None
            The classes or numbers passed to ``fit``.
        sample_weight : array, default=None
            The weights passed to ``fit``.

        Returns
        -------
        TreeClassifier or TreeRegressor
            The pruned estimator.

        Examples
        --------
        >>> import polytomy
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = polytomy.TreeClassifier(max_leaves=None).fit(X, y)
        >>> clf.n_leaves_, clf.prune(polytomy.prune.ChiSquare(0.01)).n_leaves_
        (9, 6)
        """
        model = self._fitted_model()
        teaches = model.origin is not None and model.origin.lesson is not None
        has_costs = model.costs is not None
        chosen = checked_pruner(
            pruner, is_numeric=self._is_numeric, teaches=teaches, has_costs=has_costs
        )
        check_pruner(model.run.rules.constraints, chosen)
        training = self._rows_of_fit(X, y, sample_weight)
        held_out = self._held_out_rows(X_val, y_val, sample_weight_val)
        if chosen.held_fraction is not None and held_out is None:
            raise ParameterError(
                f"{chosen!r} needs rows that the tree was not grown on: pass X_val and y_val, or "
                "set the parameter pruner before fitting, which holds out some rows"
            )
        threads = self._threads()
        if chosen.cross_validates:
            if training is None:
                raise ParameterError(
                    f"{chosen.name} cross-validates, which needs the training rows: pass X and y"
                )
            growing = Growing(self._fit_record.params, threads)
            rows = growing.encode(training, self._fit_record.max_bins), training
            chosen = cross_validate(chosen, model, growing, rows, self.random_state)
        tree = prune_model(model, chosen, training, held_out, threads)
        return self._with_pruning(Pruning(tree, chosen.name))

    def pruning_path(
        self,
        X_val: Any = None,
        y_val: Any = None,
        max_size: int | None = None,
        *,
        sample_weight_val: Any = None,
        merge: bool = False,
        question_price: float = 0.0,
        size: str = "leaves",
    ) -> TreePath | PricedTreePath:
        """Return the best pruning for every number of leaves.

        It has the fewest training errors or, with ``merge`` or a ``question_price``, the least
        cost: see ``polytomy.theory.Prices``.

        Parameters
        ----------
        X_val : array, data frame or lazy table, default=None
            Held-out rows, to compute ``validation_errors`` and for ``select("holdout")`` and
            ``select(sensitivity=...)``.
        y_val : array or str, default=None
            The classes or numbers of the held-out rows.
        max_size : int or None, default=None
            The maximum number of leaves on the path. None sets no limit.
        sample_weight_val : array, default=None
            The weights of the held-out rows.
        merge : bool, default=False
            Whether neighbouring branches of a split may be merged into one leaf. Not for trees with
            ``min_difference`` or ``monotonic_cst``, which merged branches may break.
        question_price : float, default=0.0
            What one more question for every row must save, as a fraction of what the tree saves.
        size : {"leaves", "nodes"}, default="leaves"
            What the sizes count. ``"nodes"`` cannot be combined with ``merge`` or a price.

        Returns
        -------
        TreePath or PricedTreePath
            The path. ``at(k)``, ``for_errors(e)`` and ``select(how)`` return an estimator of it.
        """
        model = self._fitted_model()
        check_flag("merge", merge)
        check_not_negative("question_price", question_price)
        held_out = self._held_out_rows(X_val, y_val, sample_weight_val)
        tree, seen, weights = model.grown, None, None
        if held_out is not None:
            weights = weights_at_nodes(tree, model.schema, held_out, self._threads())
            seen = HeldOut.of(held_out, weights, is_numeric=self._is_numeric)
        if merge or question_price:
            if size != "leaves":
                raise ParameterError(f"prices are those of leaves, so size cannot be {size!r}")
            grown, index = model.grown, model.run.index
            held = model.run.rules.constraints
            if merge and held.min_difference:
                raise ParameterError(
                    "merged branches may differ by less than min_difference; use merge=False"
                )
            if merge and any(model.run.rules.monotonic):
                raise ParameterError(
                    "merged branches may break the directions of monotonic_cst; use merge=False"
                )
            prices = prices_of(grown, index, float(question_price), held.costs)
            priced = PricedPath(
                grown,
                index,
                prices,
                grown.n_leaves if max_size is None else max_size,
                contract=model.contracted,
                merge=bool(merge),
            )
            return PricedTreePath(priced, seen, copy(self))
        path = PruningPath(tree, max_size, weights, size)
        return TreePath(path, seen, copy(self))

    def plot_pruning_path(
        self,
        X_val: Any = None,
        y_val: Any = None,
        max_size: int | None = None,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        merge: bool = False,
        question_price: float = 0.0,
        ax: Any = None,
    ) -> Any:
        """Plot the training error and the held-out error of the best pruning of every size.

        Marks show the size that each selection criterion chooses. Needs matplotlib
        (``pip install "polytomy[plot]"``).

        Parameters
        ----------
        X_val : array, data frame or lazy table, default=None
            Held-out rows.
        y_val : array or str, default=None
            The classes or numbers of the held-out rows.
        max_size : int or None, default=None
            The maximum number of leaves. None sets no limit.
        X : array, data frame or lazy table, default=None
            The rows passed to ``fit``, to mark the choice of cross-validation too.
        y : array or str, default=None
            The classes or numbers passed to ``fit``.
        sample_weight : array, default=None
            The weights passed to ``fit``.
        merge : bool, default=False
            Whether branches may be merged, as for ``pruning_path``. Questions are drawn then, too.
        question_price : float, default=0.0
            The price of a question, as for ``pruning_path``.
        ax : matplotlib Axes, default=None
            The axes to draw on. None makes a new figure.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        path = self.pruning_path(X_val, y_val, max_size, merge=merge, question_price=question_price)
        if isinstance(path, PricedTreePath):
            return plot_pruning_path(path.facts(), ax)
        return plot_pruning_path(path.facts(X, y, sample_weight), ax)

    def _with_pruning(self, pruning: Pruning) -> Self:
        """Return a copy of this estimator with another pruning of the grown tree."""
        other = self._with_model(self._model.with_pruning(pruning))
        forget_choice(other)
        return other

    def _with_model(self, model: Model) -> Self:
        """Return a copy of this estimator with another model."""
        other = copy(self)
        other._model = model
        other.__dict__.pop("selection_", None)
        return other

    def _held_out_rows(self, X_val: Any, y_val: Any, weights: Any) -> LabelledRows | None:
        if X_val is None and y_val is None and weights is None:
            return None
        return self._read_rows(X_val, y_val, weights, ("X_val", "y_val")).with_weight()[0]

    def _rows_of_fit(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows | None:
        """Return the training rows, or raise an error if other rows are given."""
        if X is None and y is None and sample_weight is None:
            return None
        rows = self._training_rows(self._read_rows(X, y, sample_weight))
        root = self._model.grown
        if root.is_numeric:
            target = rows.target
            assert isinstance(target, NumericTarget)
            whole = np.zeros(len(rows.labels), dtype=np.int64)
            counts, what = target.moments(whole, 1, root.centre)[0], "moments"
            slack = 1e-9 * np.array([counts[0], np.sqrt(counts[0] * counts[2]), counts[2]])
            close = (np.abs(counts - root.counts[0])[:3] <= slack).all()
        else:
            counts, what = np.bincount(rows.labels, rows.weights, root.n_classes), "class weights"
            close = np.allclose(counts, root.counts[0], rtol=1e-9, atol=1e-9 * counts.sum())
        if len(rows.labels) != root.rows[0] or not close:
            raise ParameterError(
                f"X and y must be the rows passed to fit: the tree was grown on {root.rows[0]} "
                f"rows with {what} {root.counts[0]}, not {len(rows.labels)} with {counts}"
            )
        return rows
