"""Checked arrays of rows, counts by score, and rates with Wilson's interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray
from polytomy.honesty import wilson


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of rows with its 95 % interval.

    Attributes
    ----------
    value : float
        The share of the weight; NaN without rows.
    low, high : float
        Wilson's interval for the effective number of rows.
    rows : int
        The number of rows.
    """

    value: float
    low: float
    high: float
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class ScoreCounts:
    """Rows of two kinds by their score, of which curves and calibration are functions.

    Attributes
    ----------
    score : ndarray of float
        The different scores in descending order.
    positive, negative : ndarrays of float
        The weight of the rows of the class, and of all others, with each score.
    squares : ndarray of shape (2, n_scores)
        The sums of the squared weights of the same rows.
    rows : ndarray of float
        The number of rows with each score.
    """

    score: FloatArray
    positive: FloatArray
    negative: FloatArray
    squares: FloatArray
    rows: FloatArray

    @classmethod
    def of(
        cls,
        truth: AnyArray,
        score: FloatArray,
        weight: FloatArray,
        squares: FloatArray | None = None,
        rows: FloatArray | None = None,
    ) -> "ScoreCounts":
        """Return the counts of rows, or of groups of rows with the same class and score.

        Groups have a weight, the sum of the squared weights, and a number of rows.

        Parameters
        ----------
        truth : ndarray of bool
            Whether the rows are of the class.
        score : ndarray of float
            Their scores.
        weight : ndarray of float
            Their weights; rows with the weight 0 are left out.
        squares : ndarray of float, optional
            The sums of the squared weights of groups. None is for single rows.
        rows : ndarray of float, optional
            The numbers of rows of groups. None is for single rows.

        Returns
        -------
        ScoreCounts
            The distinct scores in decreasing order, with their weights.
        """
        order = np.argsort(-score)
        if squares is None and rows is None and (weight == 1).all():
            ones = truth[order].astype(np.float64)
            zeros = 1 - ones
            return cls._joined(score[order], (ones, zeros, ones, zeros, weight))
        order = order if (weight > 0).all() else order[weight[order] > 0]
        w, right = weight[order], truth[order]
        w2 = w * w if squares is None else squares[order]
        number = np.ones(len(order)) if rows is None else rows[order]
        return cls._joined(score[order], (w * right, w * ~right, w2 * right, w2 * ~right, number))

    @classmethod
    def _joined(cls, score: FloatArray, parts: Sequence[FloatArray]) -> "ScoreCounts":
        """Return counts of sorted scores, with equal scores joined."""
        if not len(score):
            none = np.empty(0)
            return cls(none, none, none, np.empty((2, 0)), none)
        first = np.flatnonzero(np.concatenate(([True], score[1:] != score[:-1])))
        true, false, true2, false2, rows = (np.add.reduceat(part, first) for part in parts)
        return cls(score[first], true, false, np.array([true2, false2]), rows)

    def mirrored(self) -> "ScoreCounts":
        """Return the counts of the other kind of rows, whose score is 1 minus this one.

        Returns
        -------
        ScoreCounts
            Classes and scores exchanged.
        """
        ahead = (self.negative, self.positive, self.squares[1], self.squares[0], self.rows)
        return self._joined(1 - self.score[::-1], [part[::-1] for part in ahead])

    def effective_rows(self) -> tuple[float, float]:
        """Return the effective number of rows of the class, and of all others.

        Returns
        -------
        tuple of float
            Both numbers: (sum of weights)^2 / sum of squared weights.
        """
        sums = float(self.positive.sum()), float(self.negative.sum())
        squared = self.squares.sum(axis=1)
        first, second = (a * a / b if a > 0 else 0.0 for a, b in zip(sums, squared, strict=True))
        return float(first), float(second)


def rate(hits: Any, weights: Any = None) -> Rate:
    """Return the share of rows that are hits, with its 95 % interval.

    Parameters
    ----------
    hits : array of bool
        Whether each row is a hit.
    weights : array of float, default=None
        The weight of each row; None gives every row weight 1.

    Returns
    -------
    Rate
        The share. Its interval takes the effective number of rows, see ``effective_rows``.

    Examples
    --------
    >>> found = rate([True, False, False, False])
    >>> found.value, round(found.low, 3), round(found.high, 3), found.rows
    (0.25, 0.046, 0.699, 4)
    """
    right = flags(hits, "hits")
    w = checked_weights(weights, len(right))
    total = float(w.sum())
    if not total > 0:
        return Rate(float("nan"), 0.0, 1.0, 0)
    value = min(float(w[right].sum()) / total, 1.0)
    low, high = wilson(value, effective_rows(w))
    return Rate(value, low, high, int(np.count_nonzero(w)))


def effective_rows(weights: AnyArray) -> float:
    """Return the number of rows of equal weight with as precise a mean: sum squared over squares.

    Parameters
    ----------
    weights : array of float
        The weight of each row.

    Returns
    -------
    float
        The number; 0 without rows.

    Examples
    --------
    >>> effective_rows([2.0, 2.0]), round(effective_rows([1.0, 3.0]), 3)
    (2.0, 1.6)
    """
    w = np.asarray(weights, dtype=np.float64)
    largest = w.max(initial=0.0)
    if not largest > 0:
        return 0.0
    w = w / largest  # the square of a huge weight would overflow
    return float(w.sum() ** 2 / (w * w).sum())


def confusion_matrix(
    labels: Any, predicted: Any, n_classes: int, weights: Any = None
) -> FloatArray:
    """Return the weight of the rows of each actual class (rows) and predicted class (columns).

    Parameters
    ----------
    labels, predicted : arrays of int
        The actual and the predicted class number of each row.
    n_classes : int
        The number of classes.
    weights : array of float, default=None
        The weight of each row; None gives every row weight 1.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        The weights.

    Examples
    --------
    >>> confusion_matrix([0, 0, 1], [0, 1, 1], 2).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    actual = class_numbers(labels, n_classes, "labels")
    said = class_numbers(predicted, n_classes, "predicted")
    same_length(actual, said, "labels", "predicted")
    w = checked_weights(weights, len(actual))
    cells = np.bincount(actual * n_classes + said, weights=w, minlength=n_classes**2)
    return np.asarray(cells, dtype=np.float64).reshape(n_classes, n_classes)


def flags(values: Any, name: str) -> AnyArray:
    """Return an array of truth values; raise an error for others."""
    found = np.asarray(values)
    if found.ndim != 1 or not (found.dtype.kind == "b" or len(found) == 0):
        raise ParameterError(f"{name} must be a one-dimensional array of True and False")
    return found.astype(bool)


def class_numbers(values: Any, n_classes: int, name: str) -> AnyArray:
    """Return an array of class numbers; raise an error for others."""
    found = np.asarray(values)
    if found.ndim != 1 or not (found.dtype.kind in "iu" or len(found) == 0):
        raise ParameterError(f"{name} must be a one-dimensional array of class numbers")
    found = found.astype(np.int64)
    if len(found) and (found.min() < 0 or found.max() >= n_classes):
        raise ParameterError(f"{name} must be class numbers from 0 to {n_classes - 1}")
    return found


def finite(values: Any, name: str) -> FloatArray:
    """Return a one-dimensional array of finite numbers; raise an error for others."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise ParameterError(f"{name} must be a one-dimensional array of finite numbers")
    return found


def shares_of(values: Any, n_rows: int) -> FloatArray:
    """Return probabilities, one row for each row of data; raise an error for others."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 2 or len(found) != n_rows:
        raise ParameterError(f"probabilities must have a row for each of the {n_rows} rows")
    if not ((found >= 0) & (found <= 1 + 1e-9)).all():
        raise ParameterError("probabilities must be from 0 to 1")
    return found


def checked_weights(weights: Any, n_rows: int) -> FloatArray:
    """Return the weights of rows, 1 for each by default; raise an error for bad ones."""
    if weights is None:
        return np.ones(n_rows)
    found = finite(weights, "weights")
    if len(found) != n_rows:
        raise ParameterError(f"there are {n_rows} rows but {len(found)} weights")
    if (found < 0).any():
        raise ParameterError("weights must not be negative")
    return found


def same_length(first: AnyArray, second: AnyArray, name: str, other: str) -> None:
    """Raise an error if two arrays have different lengths."""
    if len(first) != len(second):
        raise ParameterError(f"{name} has {len(first)} rows but {other} has {len(second)}")
