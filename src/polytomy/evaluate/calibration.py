"""Probabilities beside observed shares: calibration, log loss, Brier score."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.honesty import wilson

from .rows import (
    ScoreCounts,
    checked_weights,
    class_numbers,
    effective_rows,
    finite,
    flags,
    same_length,
)
from .rows import shares_of as _shares_of

_LEAST = float(np.finfo(np.float64).eps)  # a probability below it counts as this much


@dataclass(frozen=True, eq=False)
class Calibration:
    """Rows with similar probabilities: the mean probability, and the share that is of the class.

    Attributes
    ----------
    predicted, observed : ndarrays of float
        The mean probability of each bin, and the share of its rows that is of the class.
    low, high : ndarrays of float
        Wilson's 95 % interval of the share.
    weight : ndarray of float
        The weight of the rows of each bin.
    rows : ndarray of int
        Their number.
    """

    predicted: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    weight: FloatArray
    rows: IntArray

    @classmethod
    def of(cls, counts: ScoreCounts, bins: Any = 10) -> "Calibration":
        """Return the calibration of rows that are counted by probability.

        Parameters
        ----------
        counts : ScoreCounts
            The rows, whose scores are probabilities.
        bins : int or "exact", default=10
            As in ``calibration``.

        Returns
        -------
        Calibration
            A value for each bin.
        """
        share, right = counts.score[::-1], counts.positive[::-1]
        w, squares = right + counts.negative[::-1], counts.squares.sum(axis=0)[::-1]
        bin_of = _bins_of(share, w, bins)
        if not len(share):
            none = np.empty(0)
            return cls(none, none, none, none, none, none.astype(np.int64))
        first = np.flatnonzero(np.concatenate(([True], np.diff(bin_of) > 0)))
        parts = w, w * share, right, squares, counts.rows[::-1]
        weight, predicted, hits, squared, rows = (np.add.reduceat(x, first) for x in parts)
        observed = hits / weight
        low, high = wilson(observed, weight / squared * weight)
        ends = np.asarray(low), np.asarray(high)
        return cls(predicted / weight, observed, *ends, weight, rows.astype(np.int64))

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance of probability and share."""
        if not len(self.weight):
            return float("nan")
        far = np.abs(self.observed - self.predicted)
        return float(np.average(far, weights=self.weight))


def calibration(
    is_positive: Any, probability: Any, weights: Any = None, bins: Any = 10
) -> Calibration:
    """Return bins of rows with similar probabilities, and the observed share of each.

    Parameters
    ----------
    is_positive : array of bool
        Whether each row is of the class.
    probability : array of float
        The probability of the class for each row.
    weights : array of float, default=None
        The weight of each row; None gives every row weight 1.
    bins : int or array of float, default=10
        The maximum number of bins, of about equal weight, or the ends of the bins in ascending
        order. Rows with equal probabilities are in the same bin, and bins without rows are left
        out.

    Returns
    -------
    Calibration
        The bins, by ascending probability.

    Examples
    --------
    >>> found = calibration([False, False, True, True], [0.1, 0.1, 0.6, 0.8], bins=2)
    >>> found.predicted.round(2).tolist(), found.observed.tolist()
    ([0.1, 0.7], [0.0, 1.0])
    """
    truth, share = flags(is_positive, "is_positive"), finite(probability, "probability")
    same_length(truth, share, "is_positive", "probability")
    w = checked_weights(weights, len(share))
    return Calibration.of(ScoreCounts.of(truth, share, w), bins)


def _bins_of(values: FloatArray, weight: FloatArray, bins: Any) -> IntArray:
    """Return the bin of each distinct probability."""
    if isinstance(bins, int | np.integer):
        if bins < 1:
            raise ParameterError(f"bins must be at least 1, got {bins}")
        middle = (np.cumsum(weight) - weight / 2) / max(weight.sum(), _LEAST)
        return np.asarray(np.minimum((middle * bins).astype(np.int64), int(bins) - 1))
    ends = finite(bins, "bins")
    if len(ends) < 2 or (np.diff(ends) <= 0).any():
        raise ParameterError("bins must be a number, or at least two ends in ascending order")
    if len(values) and (values[0] < ends[0] or values[-1] > ends[-1]):
        raise ParameterError(f"bins from {ends[0]:g} to {ends[-1]:g} do not hold all probabilities")
    return np.searchsorted(ends[1:-1], values)


def log_losses(labels: Any, probabilities: Any) -> FloatArray:
    """Return the log loss of each row: minus the logarithm of the probability of its class.

    Parameters
    ----------
    labels : array of int
        The class number of each row.
    probabilities : array of shape (n_rows, n_classes)
        The probability of each class, from 0 to 1. A probability of 0 counts as 2.2e-16.

    Returns
    -------
    ndarray of float
        The losses.

    Examples
    --------
    >>> log_losses([0, 1], [[0.5, 0.5], [0.75, 0.25]]).round(3).tolist()
    [0.693, 1.386]
    """
    shares, actual = _checked(labels, probabilities)
    return np.asarray(-np.log(np.clip(shares[np.arange(len(actual)), actual], _LEAST, 1.0)))


def log_loss(labels: Any, probabilities: Any, weights: Any = None) -> float:
    """Return the mean log loss of rows.

    Parameters
    ----------
    labels : array of int
        The class number of each row.
    probabilities : array of shape (n_rows, n_classes)
        The probability of each class, from 0 to 1.
    weights : array of float, default=None
        The weight of each row; None gives every row weight 1.

    Returns
    -------
    float
        The mean; NaN without rows.

    Examples
    --------
    >>> round(log_loss([0, 1], [[0.5, 0.5], [0.75, 0.25]]), 3)
    1.04
    """
    return _mean(log_losses(labels, probabilities), weights)


def brier_score(labels: Any, probabilities: Any, weights: Any = None) -> float:
    """Return the Brier score: the mean squared distance of probabilities from what happened.

    Parameters
    ----------
    labels : array of int
        The class number of each row.
    probabilities : array of shape (n_rows, n_classes)
        The probability of each class, from 0 to 1.
    weights : array of float, default=None
        The weight of each row; None gives every row weight 1.

    Returns
    -------
    float
        The score: of the second class, from 0 to 1, if there are two classes, otherwise summed
        over all classes, from 0 to 2. NaN without rows.

    Examples
    --------
    >>> brier_score([0, 1], [[0.5, 0.5], [0.75, 0.25]])
    0.40625
    """
    shares, actual = _checked(labels, probabilities)
    if shares.shape[1] == 2:
        return _mean((shares[:, 1] - actual) ** 2, weights)
    far = shares - np.eye(shares.shape[1])[actual]
    return _mean((far**2).sum(axis=1), weights)


def _checked(labels: Any, probabilities: Any) -> tuple[FloatArray, AnyArray]:
    actual = np.asarray(labels)
    shares = _shares_of(probabilities, len(actual))
    return shares, class_numbers(actual, shares.shape[1], "labels")


def _mean(losses: FloatArray, weights: Any) -> float:
    w = checked_weights(weights, len(losses))
    return float(np.average(losses, weights=w)) if effective_rows(w) > 0 else float("nan")
