"""Rows with their target: class numbers or numbers, and weights, as estimators check them."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from polytomy._errors import TargetError
from polytomy._resample import hold_out
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.costs import Costs
from polytomy.encode import NumericTarget, Target, weighing_rows
from polytomy.table import Nominal, Table, is_missing, merges_numbers

_CHUNK = 1 << 16  # labels that are numbered together
_MAX_CLASSES = 1 << 16


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
    costs : Costs or None, default=None
        What mistakes cost; their weights of classes are a part of the weights, too.
    """

    table: Table
    labels: AnyArray
    weights: FloatArray | None
    n_classes: int
    class_factors: FloatArray | None = None
    costs: Costs | None = None

    @cached_property
    def target(self) -> Target:
        """The classes and weights in the form that the grower takes."""
        # The labels are class numbers that were computed from y, so that no caller can change them.
        target = Target.of(self.labels, self.n_classes, self.weights, copy=False)
        costs = None if self.costs is None else self.costs.relative
        return target if costs is None else replace(target, costs=costs)

    @property
    def case_units(self) -> IntArray | None:
        """The weights as integers; None if all are equal."""
        return self.target.case_units[0]

    @property
    def strata(self) -> AnyArray:
        """The groups of rows that folds and held-out rows must spread over evenly."""
        return self.labels

    def raw_target(self, estimator: Any) -> AnyArray:
        """Return the target in the form that the user passes it to an estimator."""
        return np.asarray(estimator.classes_[self.labels])

    @property
    def total_weight(self) -> float:
        """The sum of the weights."""
        return float(len(self.labels) if self.weights is None else self.weights.sum())

    @property
    def case_weights(self) -> FloatArray | None:
        """The weights without those of the classes; None if all are 1."""
        if self.weights is None or self.class_factors is None:
            return self.weights
        return np.asarray(self.weights / self.class_factors[self.labels])

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
        inside, outside = hold_out(rows.strata, fraction, random, at_least=at_least)
        chosen = outside if numbers is None else numbers[outside]
        return rows.take(inside), rows.take(outside), chosen


@dataclass(frozen=True, eq=False)
class NumericRows(LabelledRows):
    """Rows of a table with a numeric target: ``labels`` are numbers.

    Parameters
    ----------
    criterion : {"squared_error", "poisson"}, default="squared_error"
        The criterion of the tree that the rows are for.
    threads : int, default=1
        The number of threads for computing ``target``.
    """

    criterion: str = "squared_error"
    threads: int = 1

    @cached_property
    def target(self) -> NumericTarget:
        """The numbers and weights in the form that the grower takes."""
        # The labels are numbers that were read from y into an array of their own.
        return NumericTarget.of_numbers(
            self.labels, self.weights, self.criterion, copy=False, threads=self.threads
        )

    @property
    def strata(self) -> AnyArray:
        """The groups of rows that folds and held-out rows must spread over: there is only one."""
        return np.zeros(len(self.labels), dtype=np.int64)

    def raw_target(self, estimator: Any) -> AnyArray:  # noqa: ARG002
        """Return the numbers."""
        return self.labels


def read_labels(y: Any, n_rows: int) -> tuple[AnyArray, AnyArray]:
    """Return the classes in ascending order and the class number of each row."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if isinstance(y, Nominal):
        return _number_categories(y, n_rows)
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
        given = y.values if isinstance(y, Nominal) else np.asarray(y)
        new = np.unique(given[labels < 0]).tolist()
        raise TargetError(f"{name} has classes that the model was not fitted on: {new[:5]}")
    return labels


def row_weights(
    labels: AnyArray, cases: FloatArray | None, factors: FloatArray | None
) -> FloatArray | None:
    """Return the weights of the rows times those of their classes, or None if all are 1."""
    if factors is None:
        return cases
    return np.asarray(factors[labels] if cases is None else cases * factors[labels])


def class_factors(classes: AnyArray, labels: AnyArray, class_weight: Any) -> FloatArray | None:
    """Return the weight that ``class_weight`` gives to each class, or None."""
    if class_weight is None:
        return None
    factors = np.zeros(len(classes))
    factors[labels] = compute_sample_weight(class_weight, classes[labels])
    return factors


def learned_costs(
    cost_matrix: Any, classes: AnyArray, held: AnyArray, factors: FloatArray | None
) -> Costs | None:
    """Return the costs of mistakes with the weights that they give to the classes.

    Parameters
    ----------
    cost_matrix : dict, DataFrame or array
        The costs, as the parameter of that name of ``TreeClassifier``.
    classes : ndarray
        The classes in ascending order.
    held : ndarray
        The weight of the training rows of each class, without that of the class.
    factors : ndarray or None
        The weight that ``class_weight`` gives to each class.

    Returns
    -------
    Costs or None
        The costs; None if there is only one class.
    """
    costs = Costs.of(cost_matrix, classes)
    if len(classes) == 1:
        return None  # no mistake is possible
    weights = held.astype(np.float64) if factors is None else held * factors
    return costs.scaled(weights) if weights.any() else costs


def with_costs(costs: Costs | None, factors: FloatArray | None) -> FloatArray | None:
    """Return the weights of classes times those that the costs of mistakes give to them."""
    if costs is None:
        return factors
    return costs.factors if factors is None else np.asarray(factors * costs.factors)


def read_numbers(y: Any, n_rows: int) -> FloatArray:
    """Return a numeric target as floats, one for each row."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    values = np.asarray(y.values if isinstance(y, Nominal) else y)
    if values.ndim != 1:
        values = column_or_1d(values, warn=True)
    if len(values) != n_rows:
        raise TargetError(f"X has {n_rows} rows but y has {len(values)}")
    if values.dtype.kind in "mM" or (
        values.dtype.kind == "O" and any(isinstance(v, date | timedelta) for v in values.tolist())
    ):
        raise TargetError(
            "y holds dates or durations; pass numbers, for example "
            "(y - y.min()) / numpy.timedelta64(1, 'D') for days"
        )
    n_missing = _count_missing(values)
    if n_missing:
        raise TargetError(
            f"Input y contains NaN: {n_missing} of {n_rows} numbers are missing. "
            "Drop those rows, for example with known = ~pandas.isna(y); X[known], y[known]"
        )
    if values.dtype.kind in "US" or (
        values.dtype.kind == "O" and any(isinstance(v, str) for v in values.tolist())
    ):
        raise TargetError(
            "y holds text, not numbers; use TreeClassifier for classes, or convert y with "
            "y.astype(float)"
        )
    if values.dtype.kind == "c":
        raise TargetError("y holds complex numbers. Complex data not supported")
    return _as_floats(values)


def _as_floats(values: AnyArray) -> FloatArray:
    """Return numbers as floats; raise an error unless they are finite and stay apart."""
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TargetError(f"y must be numbers, got {values.dtype}: {error}") from None
    if not np.isfinite(numbers).all():
        at = int(np.argmin(np.isfinite(numbers)))
        raise TargetError(f"Input y contains infinity: row {at} has {numbers[at]:g}")
    if values.dtype.kind in "iuO" and merges_numbers(numbers, values.tolist):
        raise TargetError(
            "y has whole numbers beyond 2^53 that 64-bit floats cannot tell apart; subtract a "
            "constant from y"
        )
    return numbers


def case_weights(sample_weight: Any, labels: AnyArray) -> FloatArray | None:
    """Return a copy of the weights of rows, or None if all are 1."""
    if sample_weight is None:
        return None
    weights: FloatArray = _check_sample_weight(sample_weight, labels, dtype=np.float64, copy=True)
    return weights


def check_class_count(classes: AnyArray) -> None:
    """Raise an error for more classes than the grower can number."""
    if len(classes) > _MAX_CLASSES:
        raise TargetError(
            f"y has {len(classes):,} classes, more than the maximum of {_MAX_CLASSES:,}; "
            "use TreeRegressor for a numeric target"
        )


def _number_classes(values: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the distinct values, and the position of each value in the narrowest integer type."""
    if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) < 1 << 16:
        return _number_by_counting(values)
    classes, labels = np.unique(values, return_inverse=True)
    return classes, labels.astype(np.uint16 if len(classes) <= 1 << 16 else np.uint32)


def _number_categories(column: Nominal, n_rows: int) -> tuple[AnyArray, AnyArray]:
    """Return the same for a column that was read in pieces."""
    n_missing = int((column.codes < 0).sum())
    if n_missing:
        raise TargetError(
            f"Input y contains NaN: {n_missing} of {n_rows} labels are missing. Leave those rows "
            "out of the query or the files"
        )
    held = [column.categories[i] for i in np.unique(column.codes)]
    is_text = all(isinstance(c, str) for c in held)
    names = np.array(held, dtype=None if is_text else object)
    _check_one_type(names)
    classes = np.unique(names)
    place = {name: number for number, name in enumerate(classes.tolist())}
    dtype = np.uint16 if len(classes) <= 1 << 16 else np.uint32
    numbers = np.array([place.get(c, 0) for c in column.categories], dtype=dtype)
    return classes, numbers[column.codes]


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
