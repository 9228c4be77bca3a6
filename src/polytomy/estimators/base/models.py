"""The base classes of the models: their rows, their target and their fitted state.

Rows leave as ``LabelledRows`` or ``NumericRows``: a table, a target and weights, checked in the way
scikit-learn's own estimators check them.
"""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray
from polytomy.certify.verify import Report
from polytomy.costs import Costs
from polytomy.encode import Schema
from polytomy.format import Saved
from polytomy.io import warn_of_doubtful_columns
from polytomy.table import Table

from .callbacks import CallbackSupportMixin
from .files import save
from .input import TableEstimator, chosen_columns, labels_of
from .parameters import FitRecord
from .rows import (
    LabelledRows,
    NumericRows,
    case_weights,
    check_class_count,
    class_factors,
    class_numbers,
    known_class_numbers,
    learned_costs,
    read_labels,
    read_numbers,
    row_weights,
    with_costs,
)


class BaseTreeModel(CallbackSupportMixin, TableEstimator, ABC):
    """Base class of all models; ``ClassTarget`` and the like read their targets.

    The subclasses that read, prune and report fitted models use these members only:

    - ``_model`` and ``_fit_record``: the fitted state. ``_fitted_model()`` returns the model, or
      raises ``NotFittedError``.
    - ``_learn_rows()`` and ``_read_rows()``: rows of a fit, and of a fitted model, with a target.
      ``_read_table()`` reads rows without labels, ``_training_rows()`` drops held-out rows.
    - ``_threads()`` of ``TableEstimator``.
    """

    _is_numeric = False  # whether the target is a number
    _model: Any  # a Model, an Ensemble or a DensityModel; an estimator that has one is fitted
    _fit_record: FitRecord
    _training_record: Any  # a TrainingRecord or None; see ``files.remember``
    random_state: Any

    def save(self, path: Any) -> None:
        """Write the fitted model to a file that ``polytomy.load`` can read.

        The file is one JSON document. It is replaced in one step: if writing fails, an existing
        file stays as it was.

        Parameters
        ----------
        path : str or path-like
            The file to write. It is compressed if the name ends in ``.gz``.

        Raises
        ------
        ModelFormatError
            If the file cannot be written, or the model contains code of your own, such as an index
            function, that a model file cannot hold.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import polytomy
        >>> clf = polytomy.TreeClassifier(max_leaves=2).fit([[1], [2], [3]], ["a", "a", "b"])
        >>> with TemporaryDirectory() as folder:
        ...     clf.save(Path(folder) / "model.json")
        ...     polytomy.load(Path(folder) / "model.json").predict([[3]])
        array(['b'], dtype='<U1')
        """
        self._fitted_model()
        save(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether ``fit`` has finished."""
        return hasattr(self, "_model")

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise an error for parameters that ``fit`` rejects for any rows."""

    def _saved_parameters(self) -> dict[str, Any]:
        """Return the parameters as a model file holds them."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        return parameters

    @abstractmethod
    def _saved_parts(self) -> dict[str, Any]:
        """Return the model and the fitted state, as arguments of ``Saved``."""

    @abstractmethod
    def _restore(self, saved: Saved) -> Self:
        """Set the fitted state to that of a model file; return the estimator."""

    @abstractmethod
    def _verify(self, X: Any, y: Any, sample_weight: Any) -> Report:
        """Check the model against the rows passed to ``fit``."""

    def _classes_of_model(self) -> AnyArray:
        """Return the classes; none unless they are the target."""
        return np.empty(0)

    def _class_weight(self) -> Any:
        """Return the weights of the classes, if there are any."""
        return getattr(self, "class_weight", None)

    def _fitted_model(self) -> Any:
        """Return the fitted model, or raise ``NotFittedError``."""
        check_is_fitted(self)
        return self._model

    def _learn_rows(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
        """Read the rows of a fit, and set the names of the columns and what is known of y."""
        X, y, sample_weight = self._lazy_rows(X, y, sample_weight)
        table = self._learn_table(X)
        chosen = chosen_columns(self.categorical_features, table.names)
        warn_of_doubtful_columns(
            table, [table.names[c] if isinstance(c, int) else c for c in chosen]
        )
        return self._learn_target(table, y, sample_weight)

    @abstractmethod
    def _learn_target(self, table: Table, y: Any, sample_weight: Any) -> LabelledRows:
        """Return the rows of a fit with their target."""

    @abstractmethod
    def _target_of(
        self, table: Table, y: Any, sample_weight: Any, name: str, *, class_weight: bool = True
    ) -> LabelledRows:
        """Return rows with a target as that of the fit; ``name`` is the caller's name of ``y``."""

    @abstractmethod
    def _target_to_verify(self, table: Table, y: Any, sample_weight: Any) -> LabelledRows:
        """Return rows with a target, whatever it is."""

    def _read_rows(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        names: tuple[str, str] = ("X", "y"),
        *,
        class_weight: bool = True,
    ) -> LabelledRows:
        """Return rows with a target as that of the fitted model, weighted as in the fit.

        ``names`` are the caller's names of ``X`` and ``y``. If ``class_weight`` is False, the class
        weights of the fit are ignored.
        """
        X, y, sample_weight = self._lazy_rows(X, y, sample_weight)
        if X is None or y is None:
            raise ParameterError(f"pass {names[0]} and {names[1]} together, or neither")
        table = self._read_table(X)
        return self._target_of(table, y, sample_weight, names[1], class_weight=class_weight)

    def _rows_to_verify(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
        """Return rows as ``_read_rows`` does, with class number -1 for unknown classes."""
        X, y, sample_weight = self._lazy_rows(X, y, sample_weight)
        return self._target_to_verify(self._read_table(X), y, sample_weight)

    def _read_table(self, X: Any, schema: Schema | None = None) -> Table:
        """Return rows as a table with the columns of the fitted model.

        ``schema`` holds these columns while the estimator is being fitted.
        """
        return self._known_table(X, self._fitted_model().schema if schema is None else schema)

    def _training_rows(self, given: LabelledRows) -> LabelledRows:
        """Return the rows the model was trained on, from those passed to ``fit``.

        Held-out rows are dropped only if there are as many rows as ``fit`` had; rows of weight 0
        are always dropped.
        """
        held_out, n_rows = self._fit_record.held_out, self._fit_record.n_rows
        if held_out is not None and len(given.labels) == n_rows:
            given = given.take(np.delete(np.arange(n_rows), held_out))
        return given.with_weight()[0]


class ClassTarget(ClassifierMixin, BaseTreeModel):
    """Base class of the classifiers: y are classes."""

    classes_: AnyArray
    class_weight: Any

    @abstractmethod
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class."""

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The logarithms, with classes in the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy of the predictions.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.
        y : array of shape (n_rows,) or str, default=None
            The classes; for a lazy table, the name of a column, or None for the target of a scan.
        sample_weight : array of shape (n_rows,) or str, default=None
            The weights of the rows.

        Returns
        -------
        float
            The fraction of rows that are predicted correctly.
        """
        X, y, sample_weight = self._lazy_rows(X, y, sample_weight)
        return float(super().score(X, labels_of(y), sample_weight))

    def predict_by_cost(self, X: Any, cost_matrix: Any) -> AnyArray:
        """Return the class of least expected cost for each row, by its probabilities.

        The model itself does not know these costs: they may be other ones for every call. With
        ``class_weight``, the probabilities of ensembles are those of weighted rows, so that the
        weights count in addition to the costs.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows.
        cost_matrix : dict of pairs, or DataFrame or array of shape (n_classes, n_classes)
            What mistakes cost, at least 0: a dict from pairs (true class, predicted class) to
            costs, or an array with a row for each true class, as the parameter of
            ``TreeClassifier``.

        Returns
        -------
        ndarray of shape (n_rows,)
            The classes; of classes with the same cost, the first one.

        Examples
        --------
        >>> import polytomy
        >>> X, y = [[0], [0], [0], [1]], ["well", "well", "sick", "sick"]
        >>> tree = polytomy.TreeClassifier(2, honest=False).fit(X, y)
        >>> tree.predict(X[:1]), tree.predict_by_cost(X[:1], {("sick", "well"): 20})
        (array(['well'], dtype='<U4'), array(['sick'], dtype='<U4'))
        """
        shares = self.predict_proba(X)  # which raises an error if the model is not fitted
        if len(self.classes_) == 1:
            return np.asarray(self.classes_[np.zeros(len(shares), dtype=np.intp)])
        return np.asarray(self.classes_[Costs.of(cost_matrix, self.classes_).cheapest(shares)])

    def _classes_of_model(self) -> AnyArray:
        return self.classes_

    def _learn_target(self, table: Table, y: Any, sample_weight: Any) -> LabelledRows:
        self.classes_, labels = read_labels(y, table.n_rows)
        check_class_count(self.classes_)
        cases = case_weights(sample_weight, labels)
        factors = class_factors(self.classes_, labels, self.class_weight)
        costs, matrix = None, getattr(self, "cost_matrix", None)
        if matrix is not None:
            held = np.bincount(labels, cases, len(self.classes_))
            costs = learned_costs(matrix, self.classes_, held, factors)
        factors = with_costs(costs, factors)
        weights = row_weights(labels, cases, factors)
        return LabelledRows(table, labels, weights, len(self.classes_), factors, costs)

    def _known_costs(self) -> Costs | None:
        """Return the costs of mistakes of the fitted model."""
        return getattr(self._model, "costs", None)

    def _target_of(
        self, table: Table, y: Any, sample_weight: Any, name: str, *, class_weight: bool = True
    ) -> LabelledRows:
        classes = self._model.classes
        labels = known_class_numbers(y, table.n_rows, classes, name)
        chosen = self._fit_record.class_weight if class_weight else None
        costs = self._known_costs() if class_weight else None
        factors = with_costs(costs, class_factors(classes, labels, chosen))
        weights = row_weights(labels, case_weights(sample_weight, labels), factors)
        return LabelledRows(table, labels, weights, len(classes), factors, costs)

    def _target_to_verify(self, table: Table, y: Any, sample_weight: Any) -> LabelledRows:
        classes = self._model.classes
        labels = class_numbers(y, table.n_rows, classes)
        known = np.maximum(labels, 0)  # the weight of a row of an unknown class does not matter
        by_class, costs = self._fit_record.class_weight, self._known_costs()
        factors = with_costs(costs, class_factors(classes, known, by_class))
        weights = row_weights(known, case_weights(sample_weight, known), factors)
        return LabelledRows(table, labels, weights, len(classes), factors)


class NumberTarget(RegressorMixin, BaseTreeModel):
    """Base class of the regressors: y are numbers."""

    _is_numeric = True
    criterion: str

    def __sklearn_tags__(self) -> Any:
        """Declare that the Poisson criterion needs numbers of at least 0."""
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.criterion == "poisson"
        return tags

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return R2, the fraction of the variance of the numbers that is explained.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.
        y : array of shape (n_rows,) or str, default=None
            The numbers; for a lazy table, the name of a column, or None for the target of a scan.
        sample_weight : array of shape (n_rows,) or str, default=None
            The weights of the rows.

        Returns
        -------
        float
            R2; 1 is the best.
        """
        X, y, sample_weight = self._lazy_rows(X, y, sample_weight)
        return float(super().score(X, labels_of(y), sample_weight))

    @abstractmethod
    def _fitted_criterion(self) -> str:
        """Return the criterion that the fitted model was grown with."""

    def _learn_target(self, table: Table, y: Any, sample_weight: Any) -> NumericRows:
        numbers = read_numbers(y, table.n_rows)
        weights = case_weights(sample_weight, numbers)
        threads = self._threads()
        return NumericRows(table, numbers, weights, 0, criterion=self.criterion, threads=threads)

    def _target_of(
        self,
        table: Table,
        y: Any,
        sample_weight: Any,
        name: str,  # noqa: ARG002
        *,
        class_weight: bool = True,  # noqa: ARG002
    ) -> NumericRows:
        return self._target_to_verify(table, y, sample_weight)

    def _target_to_verify(self, table: Table, y: Any, sample_weight: Any) -> NumericRows:
        numbers = read_numbers(y, table.n_rows)
        weights = case_weights(sample_weight, numbers)
        criterion = self._fitted_criterion()
        return NumericRows(table, numbers, weights, 0, criterion=criterion)
