"""The base classes of the estimators: input, rows, threads, fitted state and rollback.

Rows come in as arrays, data frames and lists. They leave as ``LabelledRows``: a table, class
numbers and weights, checked in the way scikit-learn's own estimators check them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from polytomy._errors import ParameterError, TargetError
from polytomy._resample import hold_out
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.certify.verify import Report
from polytomy.encode import Schema, Target, weighing_rows
from polytomy.format import Saved
from polytomy.table import Table, checked_names, is_missing

from .callbacks import CallbackSupportMixin
from .files import save
from .parameters import FitRecord

_CHUNK = 1 << 16  # labels that are numbered together
_MAX_CLASSES = 1 << 16
_CALLBACK_ATTRIBUTES = ("_callback", "_skl")  # prefixes of attributes that scikit-learn sets


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows of a table with their class numbers and weights.

    Parameters
    ----------
    table : Table
        The rows.
    labels : array of int
        The class number of each row.
    weights : array of float or None
        The weight of each row; None if all weights are 1.
    n_classes : int
        The number of classes.
    class_factors : array of float or None, default=None
        The weight that each class was given, as a part of the weights; None if none was.
    """

    table: Table
    labels: AnyArray
    weights: FloatArray | None
    n_classes: int
    class_factors: FloatArray | None = None

    @cached_property
    def target(self) -> Target:
        """The classes and weights in the form that the grower takes."""
        return Target.of(self.labels, self.n_classes, self.weights)

    @property
    def total_weight(self) -> float:
        """The sum of the weights."""
        return float(len(self.labels) if self.weights is None else self.weights.sum())

    def take(self, rows: AnyArray) -> "LabelledRows":
        """Return the rows with these numbers."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, table=self.table.take(rows), labels=self.labels[rows], weights=weights)

    def with_weight(self) -> tuple["LabelledRows", IntArray | None]:
        """Return the rows whose weight is not 0, and their numbers (None if all rows are kept)."""
        n_rows = self.table.n_rows
        rows = None if self.weights is None else weighing_rows(self.weights, n_rows)
        return (self, None) if rows is None else (self.take(rows), rows.astype(np.int64))

    def hold_out(
        self, fraction: float, random_state: Any, *, at_least: int = 0
    ) -> tuple["LabelledRows", "LabelledRows", IntArray]:
        """Drop the rows of weight 0, then hold out a fraction of the rows, stratified by class.

        Return the training rows, the held-out rows and the numbers of the held-out rows. No row is
        held out if the fraction rounds to less than one row.
        """
        rows, numbers = self.with_weight()
        random = check_random_state(random_state)
        inside, outside = hold_out(rows.labels, fraction, random, at_least=at_least)
        chosen = outside if numbers is None else numbers[outside]
        return rows.take(inside), rows.take(outside), chosen


class BaseTreeModel(CallbackSupportMixin, BaseEstimator, ABC):
    """Base class of all estimators.

    The subclasses in ``reading``, ``pruning`` and ``reporting`` use these members only:

    - ``_model``: the fitted state. ``_fitted_model()`` returns the model, or raises
      ``NotFittedError``.
    - ``_learn_table()`` and ``_read_table()``: rows of a fit, and of a fitted model.
    - ``_threads()``: the number of threads.
    - ``_rollback()``: a context that undoes all changes to the estimator if fitting fails.
    """

    _model: Any  # an estimator that has one is fitted
    n_features_in_: int
    categorical_features: Any
    n_jobs: int | None
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

    def __sklearn_tags__(self) -> Any:
        """Declare that missing cells, text and categories are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise an error for parameters that ``fit`` rejects for any rows."""

    @abstractmethod
    def _saved_parts(self) -> dict[str, Any]:
        """Return the model and the fitted state, as arguments of ``Saved``."""

    @abstractmethod
    def _restore(self, saved: Saved) -> Self:
        """Set the fitted state to that of a model file; return the estimator."""

    def _fitted_model(self) -> Any:
        """Return the fitted model, or raise ``NotFittedError``."""
        check_is_fitted(self)
        return self._model

    def _threads(self) -> int:
        """Return the number of threads that ``n_jobs`` asks for."""
        return int(effective_n_jobs(self.n_jobs))

    @contextmanager
    def _rollback(self) -> Iterator[None]:
        """Restore the estimator if fitting fails or is interrupted.

        A half-updated estimator would give wrong predictions.
        """
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            for name in [n for n in vars(self) if not n.startswith(_CALLBACK_ATTRIBUTES)]:
                delattr(self, name)
            self.__dict__.update(before)
            raise

    def _learn_table(self, X: Any) -> Table:
        """Return the rows of a fit as a table, and set the names of the columns."""
        data = self._checked_input(X, reset=True)
        chosen = self.categorical_features
        nominal = () if _is_from_dtype(chosen) else _chosen_columns(chosen, data)
        return Table.of(data, nominal=nominal)

    def _read_table(self, X: Any, schema: Schema | None = None) -> Table:
        """Return rows as a table with the columns of the fitted model.

        ``schema`` holds these columns while the estimator is being fitted.
        """
        known = self._fitted_model().schema if schema is None else schema
        data = self._checked_input(X, reset=False)
        table = Table.of(data, nominal=known.of_kind("nominal"))
        # The names of a data frame have been compared; the columns of an array have none.
        return table if table.names == known.names else table.with_names(known.names)

    def _checked_input(self, X: Any, *, reset: bool) -> Any:
        """Check X with scikit-learn; set the names of its columns, or compare them."""
        data = X
        if is_frame(X):
            checked_names(_column_names(X))
        elif not _is_plain_matrix(X):
            matrix = _mixed_rows(X) if isinstance(X, list | tuple) else X
            data = check_array(matrix, dtype=None, ensure_all_finite=False, estimator=self)
        try:
            validate_data(self, data, reset=reset, skip_check_array=True)
        except ValueError as error:
            raise ValueError(_with_remedy(self, X, str(error))) from None
        return data


class BaseTreeClassifier(ClassifierMixin, BaseTreeModel):
    """Base class of ``TreeClassifier`` and ``BoostedTreeClassifier``.

    The subclasses in ``reading``, ``pruning`` and ``reporting`` use these members only:

    - ``_fit_record`` and ``classes_``: the fitted state, beside the model.
    - ``_learn_rows()`` and ``_read_rows()``: labelled rows of a fit, and of a fitted model.
      ``_training_rows()`` drops held-out rows.
    """

    _fit_record: FitRecord
    classes_: AnyArray
    class_weight: Any

    @abstractmethod
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class."""

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The logarithms, with classes in the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @abstractmethod
    def _verify(self, X: Any, y: Any, sample_weight: Any) -> Report:
        """Check the model against the rows passed to ``fit``."""

    def _learn_rows(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
        """Read the rows of a fit, and set ``classes_`` and the names of the columns."""
        table = self._learn_table(X)
        self.classes_, labels = read_labels(y, table.n_rows)
        _check_class_count(self.classes_)
        weights = row_weights(self.classes_, labels, sample_weight, self.class_weight)
        factors = class_factors(self.classes_, labels, self.class_weight)
        return LabelledRows(table, labels, weights, len(self.classes_), factors)

    def _read_rows(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        names: tuple[str, str] = ("X", "y"),
        *,
        class_weight: bool = True,
    ) -> LabelledRows:
        """Return rows with the classes of the fitted model, weighted as in the fit.

        ``names`` are the caller's names of ``X`` and ``y``. If ``class_weight`` is False, the class
        weights of the fit are ignored.
        """
        if X is None or y is None:
            raise ParameterError(f"pass {names[0]} and {names[1]} together, or neither")
        table, classes = self._read_table(X), self._model.classes
        labels = known_class_numbers(y, table.n_rows, classes, names[1])
        chosen = self._fit_record.class_weight if class_weight else None
        weights = row_weights(classes, labels, sample_weight, chosen)
        return LabelledRows(table, labels, weights, len(classes))

    def _rows_to_verify(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
        """Return rows as ``_read_rows`` does, with class number -1 for unknown classes."""
        table, classes = self._read_table(X), self._model.classes
        labels = class_numbers(y, table.n_rows, classes)
        known = np.maximum(labels, 0)  # the weight of a row of an unknown class does not matter
        weights = row_weights(classes, known, sample_weight, self._fit_record.class_weight)
        return LabelledRows(table, labels, weights, len(classes))

    def _training_rows(self, given: LabelledRows) -> LabelledRows:
        """Return the rows the model was trained on, from those passed to ``fit``.

        Held-out rows are dropped only if there are as many rows as ``fit`` had; rows of weight 0
        are always dropped.
        """
        held_out, n_rows = self._fit_record.held_out, self._fit_record.n_rows
        if held_out is not None and len(given.labels) == n_rows:
            given = given.take(np.delete(np.arange(n_rows), held_out))
        return given.with_weight()[0]


def read_labels(y: Any, n_rows: int) -> tuple[AnyArray, AnyArray]:
    """Return the classes in ascending order and the class number of each row."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    values = np.asarray(y)
    if values.ndim != 1:
        values = column_or_1d(values, warn=True)
    if len(values) != n_rows:
        raise TargetError(f"X has {n_rows} rows but y has {len(values)}")
    n_missing = _count_missing(values)
    if n_missing:
        raise TargetError(
            f"Input y contains NaN: {n_missing} of {n_rows} labels are missing. "
            "Drop those rows, for example with known = ~pandas.isna(y); X[known], y[known]"
        )
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise TargetError("Input y contains infinity; labels must be classes")
    if values.dtype.kind == "O":
        _check_one_type(values)
    if values.dtype.kind not in "iubUS":  # integers and text are always classes
        check_classification_targets(values)
    return _number_classes(values)


def class_numbers(y: Any, n_rows: int, classes: AnyArray) -> AnyArray:
    """Return the class number of each row, -1 for classes that are not among ``classes``."""
    given, numbers = read_labels(y, n_rows)
    known = {name: number for number, name in enumerate(np.asarray(classes).tolist())}
    return np.array([known.get(name, -1) for name in given.tolist()])[numbers]


def known_class_numbers(y: Any, n_rows: int, classes: AnyArray, name: str) -> AnyArray:
    """Return the class number of each row; ``name`` is the caller's name of ``y``."""
    labels = class_numbers(y, n_rows, classes)
    if (labels < 0).any():
        new = np.unique(np.asarray(y)[labels < 0]).tolist()
        raise TargetError(f"{name} has classes that the model was not fitted on: {new[:5]}")
    return labels


def row_weights(
    classes: AnyArray, labels: AnyArray, sample_weight: Any, class_weight: Any
) -> FloatArray | None:
    """Return the weights of the rows times those of their classes, or None if all are 1."""
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, labels, dtype=np.float64)
    if class_weight is not None:
        of_class = compute_sample_weight(class_weight, classes[labels])
        weights = of_class if weights is None else weights * of_class
    return weights


def class_factors(classes: AnyArray, labels: AnyArray, class_weight: Any) -> FloatArray | None:
    """Return the weight that ``class_weight`` gives to each class, or None."""
    if class_weight is None:
        return None
    factors = np.zeros(len(classes))
    factors[labels] = compute_sample_weight(class_weight, classes[labels])
    return factors


def is_frame(data: Any) -> bool:
    """Return whether data have named columns, as data frames do."""
    return hasattr(data, "columns") or hasattr(data, "column_names")


def _is_plain_matrix(X: Any) -> bool:
    """Return whether X is an array that needs none of scikit-learn's checks, which take 60 us."""
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "fiub"


def _mixed_rows(rows: Any) -> Any:
    """Return lists of text and numbers as objects; NumPy would turn the numbers into text."""
    plain = np.asarray(rows, dtype=None) if len(rows) else rows
    is_text = getattr(plain, "dtype", np.dtype(float)).kind in "US"
    return np.array(rows, dtype=object) if is_text else rows


def _check_class_count(classes: AnyArray) -> None:
    if len(classes) > _MAX_CLASSES:
        raise TargetError(
            f"y has {len(classes):,} classes, more than the maximum of {_MAX_CLASSES:,}. Only "
            "classification is supported; bin a numeric target first"
        )


def _number_classes(values: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the distinct values, and the position of each value in the narrowest integer type."""
    if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) < 1 << 16:
        return _number_by_counting(values)
    classes, labels = np.unique(values, return_inverse=True)
    return classes, labels.astype(np.uint16 if len(classes) <= 1 << 16 else np.uint32)


def _number_by_counting(values: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the same for integers of a small range, without sorting, one chunk at a time.

    Whole arrays of offsets would be the largest allocation of a fit on ten million rows.
    """
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    least = values.min().astype(wide)
    parts = [slice(at, at + _CHUNK) for at in range(0, len(values), _CHUNK)]
    present = np.zeros(int(values.max().astype(wide) - least) + 1, dtype=bool)
    for part in parts:
        present[(values[part].astype(wide) - least).astype(np.intp)] = True
    place = (np.cumsum(present) - 1).astype(np.uint16)
    labels = np.empty(len(values), dtype=np.uint16)
    for part in parts:
        labels[part] = place[(values[part].astype(wide) - least).astype(np.intp)]
    classes = np.flatnonzero(present).astype(wide) + least
    return classes.astype(values.dtype), labels


def _count_missing(values: AnyArray) -> int:
    if values.dtype.kind == "f":
        return int(np.isnan(values).sum())
    if values.dtype.kind in "mM":
        return int(np.isnat(values).sum())
    return sum(map(is_missing, values.tolist())) if values.dtype.kind == "O" else 0


def _check_one_type(values: AnyArray) -> None:
    kinds = {type(v).__name__ for v in values.tolist()}
    if len(kinds) > 1 and "str" in kinds:
        raise TypeError(
            f"y mixes {' and '.join(sorted(kinds))}; labels must be all text (string) or all "
            "numbers: convert them with y.astype(str)"
        )


def _is_from_dtype(chosen: Any) -> bool:
    return chosen is None or (isinstance(chosen, str) and chosen == "from_dtype")


def _chosen_columns(chosen: Any, data: Any) -> Sequence[str | int]:
    """Return the columns that ``categorical_features`` selects by a mask, positions or names."""
    picks = np.asarray(chosen)
    names = _column_names(data)
    if picks.ndim != 1 or picks.dtype.kind not in "biuUSO":
        raise ParameterError(
            f"categorical_features must be 'from_dtype', a mask, positions or names; got {chosen!r}"
        )
    if picks.dtype.kind == "b":
        if len(picks) != len(names):
            raise ParameterError(
                f"categorical_features is a mask of {len(picks)} for {len(names)} columns"
            )
        return np.flatnonzero(picks).tolist()
    return list(picks.tolist())


def _column_names(data: Any) -> list[str]:
    if isinstance(data, Table):
        return list(data.names)
    if not is_frame(data):
        return [f"x{j}" for j in range(data.shape[1])]
    names = getattr(data, "column_names", None)  # a pyarrow table
    return [str(n) for n in (data.columns if names is None else names)]


def _with_remedy(estimator: BaseEstimator, X: Any, message: str) -> str:
    """Append how to reorder columns to scikit-learn's message, if only their order is wrong."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is None or not is_frame(X) or sorted(_column_names(X)) != sorted(known):
        return message
    names = "list(model.feature_names_in_)"
    is_arrow = hasattr(X, "column_names")  # a pyarrow table is not indexed by names
    selected = f"X.select({names})" if is_arrow else f"X[{names}]"
    return f"{message}To reorder the columns: X = {selected}\n"
