"""What a fitted classifier can be pruned to."""

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from polytomy._errors import ParameterError
from polytomy._types import AnyArray
from polytomy.encode import encode
from polytomy.model import Model, Pruning
from polytomy.prune import Pruner, PruningPath, Rows, resolve

from ._input import labels_of, table_of
from ._path import ClassifierPath
from ._pruning import Growing, evidence_of, held_weights, rows_of, settled
from ._sample import Sample


class Prunable:
    """Prunings of a fitted classifier; each is a new classifier, and the old one stays."""

    _model: Model

    def prune(
        self,
        pruner: Any,
        X_val: Any = None,
        y_val: Any = None,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Return a new classifier with the grown tree pruned.

        Pruning starts from the tree as it was grown, also where this classifier was pruned before.

        Parameters
        ----------
        pruner : str or pruner
            "reduced-error", "conservative", "chi-square", "error-budget", "cost-complexity",
            "pessimistic", or an object from ``polytomy.prune``.
        X_val, y_val
            Held-out rows and their classes, for pruners that choose by them.
        X, y, sample_weight
            The training rows, for pruners that cross-validate or raise subtrees.

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
        training = None if X is None else self._sample(X, y, sample_weight)
        held = self._held(X_val, y_val)
        if chosen.held_fraction is not None and held is None:
            raise ParameterError(
                f"{chosen!r} needs rows the tree was not grown on: pass X_val and y_val, or set "
                "pruner= before fitting, which then keeps some rows back"
            )
        if chosen.cross_validates:
            chosen = self._cross_validated(chosen, training)
        return self._pruned(chosen, training, held)

    def pruning_path(
        self, X_val: Any = None, y_val: Any = None, max_size: int | None = None
    ) -> ClassifierPath:
        """Return, for every number of leaves, the pruning with the fewest training errors.

        Parameters
        ----------
        X_val, y_val
            Held-out rows and their classes, for their errors and ``select("holdout")``.
        max_size : int, optional
            The most leaves looked at; by default all.

        Returns
        -------
        ClassifierPath
            Print it, or ask it for a classifier: ``at(k)``, ``for_errors(e)``, ``select(how)``.
        """
        check_is_fitted(self)
        held = self._held(X_val, y_val)
        tree = self._model.grown
        weights = None if held is None else held_weights(tree, held)
        path = PruningPath(tree, max_size, weights)
        total = None if weights is None else float(weights[0].sum())

        def make(pruner: Pruner, rows: Any) -> Any:
            if rows is None:
                return self._pruned(pruner, None, None)
            X, y, sample_weight = rows
            return self.prune(pruner, X=X, y=y, sample_weight=sample_weight)

        return ClassifierPath(path, (float(tree.counts[0].sum()), total), make)

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
                f"{pruner!r} cross-validates, which needs the training rows: pass X and y"
            )
        estimator: Any = self
        threads = self._threads()
        growing = Growing(estimator._grow_params(self._model.run.rules.max_leaves), threads)
        coded = encode(training.table, training.target.units, estimator.max_bins, threads)
        grown = self._model.grown, self._model.run.index
        return settled(pruner, grown, growing, (coded, training), estimator.random_state)

    def _held(self, X_val: Any, y_val: Any) -> Rows | None:
        """Return held-out rows, as pruners take them."""
        if X_val is None and y_val is None:
            return None
        if X_val is None or y_val is None:
            raise ParameterError("held-out rows need both X_val and y_val")
        table = table_of(self, X_val, reset=False).with_names(self._model.schema.names)
        labels = self._class_numbers(y_val, table.n_rows)
        sample = Sample(table, labels, None, len(self._model.classes))
        return rows_of(sample, self._model.schema, self._threads())

    def _sample(self, X: Any, y: Any, sample_weight: Any) -> Sample:
        """Return training rows, weighed as fitting weighed them."""
        estimator: Any = self
        table = table_of(self, X, reset=False).with_names(self._model.schema.names)
        labels = self._class_numbers(y, table.n_rows)
        weights = estimator._weights(X, labels, sample_weight)
        return Sample(table, labels, weights, len(self._model.classes)).weighing()[0]

    def _class_numbers(self, y: Any, n_rows: int) -> AnyArray:
        given, numbers = labels_of(y, n_rows)
        known = {name: i for i, name in enumerate(np.asarray(self._model.classes).tolist())}
        new = [name for name in given.tolist() if name not in known]
        if new:
            raise ParameterError(f"y has classes the tree was not grown on: {new[:5]}")
        return np.array([known[name] for name in given.tolist()])[numbers]

    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))  # type: ignore[attr-defined]
