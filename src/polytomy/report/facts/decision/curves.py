"""What each threshold gives, and how well probabilities are calibrated, for a choice of class."""

from typing import Any

import numpy as np

from polytomy._types import FloatArray, IntArray
from polytomy.evaluate import ThresholdCurve, brier_score, calibration, log_loss, threshold_curve
from polytomy.report.facts.boosted import Evaluated
from polytomy.report.facts.json_values import rounded, rounded_list

MOST_CLASSES = 12  # classes with curves: those with the most rows
_MOST_POINTS = 500  # thresholds of a curve
_MOST_OF_ALL = 1500  # thresholds of all curves together
_BINS = 10
_DIGITS = 5


def decision_facts(rows: Evaluated, n_classes: int, which: str) -> dict[str, Any] | None:
    """Return the curves of the classes, and their calibration; None without probabilities.

    Parameters
    ----------
    rows : Evaluated
        Rows with their classes and probabilities.
    n_classes : int
        The number of classes.
    which : {"training", "test", "out-of-bag"}
        What the rows are.
    """
    if rows.shares is None or n_classes < 2 or not len(rows.labels):
        return None
    shown = shown_classes(rows, n_classes)
    most = min(_MOST_POINTS, _MOST_OF_ALL // len(shown))
    return {
        "rows": which,
        "n": len(rows.labels),
        "weighted": bool((rows.weights != 1).any()),
        "log_loss": rounded(log_loss(rows.labels, rows.shares, rows.weights), _DIGITS),
        "brier": rounded(brier_score(rows.labels, rows.shares, rows.weights), _DIGITS),
        "classes": [_class_facts(rows, k, most) for k in shown],
    }


def shown_classes(rows: Evaluated, n_classes: int) -> list[int]:
    """Return the classes to choose from: those with the most rows; of two, the second first."""
    if n_classes == 2:
        return [1, 0]
    weight = np.bincount(rows.labels, weights=rows.weights, minlength=n_classes)
    return sorted(np.argsort(-weight, kind="stable")[:MOST_CLASSES].tolist())


def _class_facts(rows: Evaluated, k: int, most: int) -> dict[str, Any]:
    assert rows.shares is not None
    truth, score = rows.labels == k, rows.shares[:, k]
    curve = threshold_curve(truth, score, rows.weights)
    own = int(np.searchsorted(-curve.threshold, -0.5)) - 1  # probabilities above 1/2
    thin = curve.thinned(most, np.array([own]))
    at = np.searchsorted(-curve.threshold, -thin.threshold)
    facts: dict[str, Any] = {
        "class": k,
        "threshold": [1, *_short_thresholds(curve, at)],
        "right": rounded_list(thin.true_positives, 10),
        "wrong": rounded_list(thin.false_positives, 10),
        "own": int(np.searchsorted(at, own)),
        "calibration": _calibration_facts(truth, score, rows.weights),
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


def _calibration_facts(truth: Any, score: FloatArray, weights: FloatArray) -> dict[str, Any]:
    found = calibration(truth, score, weights, _BINS)
    return {
        "predicted": rounded_list(found.predicted, _DIGITS),
        "observed": rounded_list(found.observed, _DIGITS),
        "low": rounded_list(found.low, _DIGITS),
        "high": rounded_list(found.high, _DIGITS),
        "weight": rounded_list(found.weight, 10),
        "error": rounded(found.error, _DIGITS),
    }
