"""What a fitted classifier can be pruned to."""

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from polytomy._errors import ParameterError
from polytomy._types import IntArray
from polytomy.encode import encode
from polytomy.grow import GrowParams
from polytomy.model import Model, Pruning
from polytomy.prune import Pruner, PruningPath, Rows, resolve

from ._input import class_numbers, renamed, table_of
from ._path import ClassifierPath
from ._pruning import Growing, evidence_of, held_weights, rows_of, settled
from ._sample import Sample, grown_on


class Prunable:
    """Prunings of a fitted classifier; each is a new classifier, and the old one stays."""

    _model: Model
    held_out_: IntArray | None
    _grown_with: GrowParams
    _max_bins: int
    _n_rows: int

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
        """Return a new classifier with the grown tree pruned.

        Pruning starts from the tree as it was grown, also where this classifier was pruned before.
        Parameters stay what they were: fitting a clone grows anew and prunes by ``pruner=`` alone.

        Parameters
        ----------
        pruner : str or pruner
            "reduced-error", "conservative", "chi-square", "error-budget", "cost-complexity",
            "pessimistic", or an object from ``polytomy.prune``.
        X_val, y_val, sample_weight_val
            Held-out rows, for pruners that choose by them. Class weights count for them too.
        X, y, sample_weight
            The rows passed to fit, for pruners that cross-validate or raise subtrees.

        Examples
        --------
        >>> import polytomy
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = polytomy.TreeClassifier(max_leaves=None).fit(X, y)
        >>> clf.n_leaves_, clf.prune(polytomy.prune.ChiSquare(0.01)).n_leaves_
        (9, 6)
        """
        check_is_fitted(self)
        chosen = resolve(pruner)
        training = self._training(X, y, sample_weight)
        held = self._held(X_val, y_val, sample_weight_val)
        if chosen.held_fraction is not None and held is None:
            raise ParameterError(
                f"{chosen!r} needs rows the tree was not grown on: pass X_val and y_val, or set "
                "pruner= before fitting, which then keeps some rows back"
            )
        if chosen.cross_validates:
            chosen = self._cross_validated(chosen, training)
        return self._pruned(chosen, training, held)

    def pruning_path(
        self,
        X_val: Any = None,
        y_val: Any = None,
        max_size: int | None = None,
        *,
        sample_weight_val: Any = None,
    ) -> ClassifierPath:
        """Return, for every number of leaves, the pruning with the fewest training errors.

        Parameters
        ----------
        X_val, y_val, sample_weight_val
            Held-out rows, for their errors and ``select("holdout")``.
        max_size : int, optional
            The most leaves looked at; by default all.

        Returns
        -------
        ClassifierPath
            Print it, or ask it for a classifier: ``at(k)``, ``for_errors(e)``, ``select(how)``.
        """
        check_is_fitted(self)
        held = self._held(X_val, y_val, sample_weight_val)
        tree = self._model.grown
        weights = None if held is None else held_weights(tree, held)
        path = PruningPath(tree, max_size, weights)
        total = None if weights is None else float(weights[0].sum())
        return ClassifierPath(path, (float(tree.counts[0].sum()), total), copy(self))

    def _pruned(self, pruner: Pruner, training: Sample | None, held: Rows | None) -> Self:
        model, threads = self._model, self._threads()
        rows = None if training is None else rows_of(training, model.schema, threads)
        evidence = evidence_of(model.grown, model.schema, model.run.index, rows, held)
        tree, _ = pruner.prune(model.grown, evidence)
        return self._with(replace(model, pruning=Pruning(tree, pruner.name)))

    def _with(self, model: Model) -> Self:
        """Return a copy of this classifier that holds another model."""
        other = copy(self)
        other._model = model
        return other

    def _cross_validated(self, pruner: Pruner, training: Sample | None) -> Pruner:
        """Return a pruner with what cross-validation on the training rows chooses."""
        if training is None:
            raise ParameterError(
                f"{pruner.name} cross-validates here, which needs the training rows: pass X and y"
            )
        growing = Growing(self._grown_with, self._threads())
        coded = encode(training.table, training.target.units, self._max_bins, growing.threads)
        grown = self._model.grown, self._model.run.index
        random_state = self.random_state  # type: ignore[attr-defined]
        return settled(pruner, grown, growing, (coded, training), random_state)

    def _held(self, X_val: Any, y_val: Any, weights: Any) -> Rows | None:
        """Return held-out rows, as pruners take them."""
        if X_val is None and y_val is None and weights is None:
            return None
        if X_val is None or y_val is None:
            raise ParameterError("held-out rows need both X_val and y_val")
        sample = self._rows(X_val, y_val, weights, "y_val").weighing()[0]
        return rows_of(sample, self._model.schema, self._threads())

    def _training(self, X: Any, y: Any, sample_weight: Any) -> Sample | None:
        """Return the rows the tree was grown on, from those that were passed to fit."""
        if X is None and y is None and sample_weight is None:
            return None
        if X is None or y is None:
            raise ParameterError("the training rows need both X and y")
        sample = grown_on(self._rows(X, y, sample_weight), self.held_out_, self._n_rows)
        root = self._model.grown
        counts = np.bincount(sample.labels, sample.weights, root.n_classes)
        close = np.allclose(counts, root.counts[0], rtol=1e-9, atol=1e-9 * counts.sum())
        if len(sample.labels) != root.rows[0] or not close:
            raise ParameterError(
                f"X and y must be the rows passed to fit: the tree was grown on {root.rows[0]} "
                f"rows with class weights {root.counts[0]}, not {len(sample.labels)} with {counts}"
            )
        return sample

    def _rows(self, X: Any, y: Any, sample_weight: Any, name: str = "y") -> Sample:
        """Return rows with the classifier's classes, weighed as fitting weighed them.

        ``name`` is what the caller calls ``y``.
        """
        table = renamed(table_of(self, X, reset=False), self._model.schema)
        labels = class_numbers(y, table.n_rows, self._model.classes)
        if (labels < 0).any():
            new = np.unique(np.asarray(y)[labels < 0]).tolist()
            raise ParameterError(f"{name} has classes the tree was not grown on: {new[:5]}")
        weights = self._weights(X, labels, sample_weight)  # type: ignore[attr-defined]
        return Sample(table, labels, weights, len(self._model.classes))

    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))  # type: ignore[attr-defined]
