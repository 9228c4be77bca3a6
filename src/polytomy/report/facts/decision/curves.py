"""What each threshold gives, and how well probabilities are calibrated, for a choice of class."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.evaluate import Calibration, ScoreCounts, ThresholdCurve, brier_score, log_loss
from polytomy.report.facts.json_values import rounded, rounded_list

MOST_CLASSES = 12  # classes with curves: those with the most rows
_MOST_POINTS = 500  # thresholds of a curve
_MOST_OF_ALL = 1500  # thresholds of all curves together
_BINS = 10
_DIGITS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Rows, or groups of rows with equal classes and probabilities, that a model is judged by.

    Attributes
    ----------
    labels : ndarray of int
        The class number of each group.
    shares : ndarray of shape (n_groups, n_classes)
        The probability of each class.
    weights : ndarray of float
        The weight of the rows of each group.
    squares, rows : ndarrays of float or None
        The sum of their squared weights, and their number; None if each group is one row.
    """

    labels: AnyArray
    shares: FloatArray
    weights: FloatArray
    squares: FloatArray | None = None
    rows: FloatArray | None = None

    @classmethod
    def in_leaves(
        cls, leaf: AnyArray, labels: AnyArray, weights: FloatArray | None, shares: FloatArray
    ) -> "Scored":
        """Return the rows of each leaf and class as one group.

        Parameters
        ----------
        leaf, labels : ndarrays of int
            The leaf and the class number of each row.
        weights : ndarray of float or None
            The weight of each row; None if all are 1.
        shares : ndarray of shape (n_nodes, n_classes)
            The probability of each class in each node.
        """
        n_classes = shares.shape[1]
        group = leaf.astype(np.int64) * n_classes + labels
        rows = np.bincount(group, minlength=shares.size).astype(float)
        weight = squares = rows
        if weights is not None:
            weight = np.bincount(group, weights=weights, minlength=shares.size)
            squares = np.bincount(group, weights=weights**2, minlength=shares.size)
        at = np.flatnonzero(rows)
        groups = shares[at // n_classes], weight[at], squares[at], rows[at]
        return cls(at % n_classes, *groups)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.labels) if self.rows is None else int(self.rows.sum())

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights other than 1."""
        ones = 1.0 if self.rows is None else self.rows
        return bool((self.weights != ones).any())

    def counts(self, k: int) -> ScoreCounts:
        """Return the rows of a class and all others by the probability of the class."""
        rows = self.weights, self.squares, self.rows
        return ScoreCounts.of(self.labels == k, self.shares[:, k], *rows)


def decision_facts(
    rows: Scored, which: str, error: float, costs: FloatArray | None = None
) -> dict[str, Any] | None:
    """Return the curves of the classes, and their calibration; None without two classes or rows.

    Parameters
    ----------
    rows : Scored
        Rows with their classes and probabilities.
    which : {"training", "test", "out-of-bag"}
        What the rows are.
    error : float
        The error rate of the model's own predictions on these rows.
    costs : ndarray of shape (n_classes, n_classes) or None, default=None
        What each true class costs if it is predicted as each class, if the model was fitted by
        costs. Those of two classes decide at which threshold the section begins.
    """
    n_classes = rows.shares.shape[1]
    if n_classes != 2:
        costs = None  # a class against all others has no single costs
    if n_classes < 2 or not rows.n_rows:
        return None
    shown = shown_classes(rows.labels, rows.weights, n_classes)
    counts = [rows.counts(shown[0])]
    counts += [counts[0].mirrored()] if n_classes == 2 else map(rows.counts, shown[1:])
    most = min(_MOST_POINTS, _MOST_OF_ALL // len(shown))
    return {
        "rows": which,
        "n": rows.n_rows,
        "weighted": rows.is_weighted,
        "error": rounded(error, _DIGITS),
        "log_loss": rounded(log_loss(rows.labels, rows.shares, rows.weights), _DIGITS),
        "brier": rounded(brier_score(rows.labels, rows.shares, rows.weights), _DIGITS),
        "classes": [
            _class_facts(one, k, most, _least_share(costs, k))
            for k, one in zip(shown, counts, strict=True)
        ],
        **({} if costs is None else {"costs": costs.tolist()}),
    }


def _least_share(costs: FloatArray | None, k: int) -> float:
    """Return the probability above which predicting one of two classes costs less.

    >>> _least_share(None, 1), _least_share(np.array([[0.0, 1.0], [4.0, 0.0]]), 1)
    (0.5, 0.2)
    """
    if costs is None:
        return 0.5
    saved = costs[k, 1 - k] - costs[k, k]
    spent = costs[1 - k, k] - costs[1 - k, 1 - k]
    return float(spent / (saved + spent)) if saved + spent > 0 else 0.5


def shown_classes(labels: AnyArray, weights: FloatArray, n_classes: int) -> list[int]:
    """Return the classes to choose from: those with the most rows; of two, the second first."""
    if n_classes == 2:
        return [1, 0]
    weight = np.bincount(labels, weights=weights, minlength=n_classes)
    return sorted(np.argsort(-weight, kind="stable")[:MOST_CLASSES].tolist())


def _class_facts(counts: ScoreCounts, k: int, most: int, least: float) -> dict[str, Any]:
    """Return the facts about a class; ``least`` is the probability above which it is predicted."""
    curve = ThresholdCurve.of(counts)
    own = int(np.searchsorted(-curve.threshold, -least)) - 1
    thin = curve.thinned(most, np.array([own]))
    at = np.searchsorted(-curve.threshold, -thin.threshold)
    facts: dict[str, Any] = {
        "class": k,
        "threshold": [1, *_short_thresholds(curve, at)],
        "right": rounded_list(thin.true_positives, 10),
        "wrong": rounded_list(thin.false_positives, 10),
        "own": int(np.searchsorted(at, own)),
        "own_share": rounded(least, _DIGITS),
        "calibration": _calibration_facts(Calibration.of(counts, _BINS)),
    }
    if np.isfinite(curve.roc_auc):
        facts["auc"] = rounded_list((curve.roc_auc, *curve.roc_auc_interval), _DIGITS)
    if np.isfinite(curve.average_precision):
        facts["average_precision"] = rounded(curve.average_precision, _DIGITS)
    return facts


def _short_thresholds(curve: ThresholdCurve, at: IntArray) -> list[float]:
    """Return a short number for each threshold but the first, above the next lower score."""
    lower = np.append(curve.threshold[1:], -np.inf)
    return [_shortest(curve.threshold[i], lower[i]) for i in at[1:]]


def _shortest(score: float, lower: float) -> float:
    """Return the number with the fewest decimals that is above ``lower`` and not above a score.

    >>> _shortest(0.4371, 0.42), _shortest(0.4371, 0.4369)
    (0.43, 0.437)
    """
    for digits in range(2, 17):
        short = float(np.floor(score * 10**digits) / 10**digits)
        if lower < short <= score:
            return short
    return float(score)


def _calibration_facts(found: Calibration) -> dict[str, Any]:
    return {
        "predicted": rounded_list(found.predicted, _DIGITS),
        "observed": rounded_list(found.observed, _DIGITS),
        "low": rounded_list(found.low, _DIGITS),
        "high": rounded_list(found.high, _DIGITS),
        "weight": rounded_list(found.weight, 10),
        "error": rounded(found.error, _DIGITS),
    }
