"""What every threshold on a score gives: ROC, precision and recall, gains, lift."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import log, sqrt
from typing import Any

import numpy as np
from scipy.special import expit

from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.honesty.learning import Z

from .rows import ScoreCounts, checked_weights, finite, flags, same_length


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """The rows that each threshold selects: those with at least that score.

    Attributes
    ----------
    threshold : ndarray of float
        The distinct scores in descending order, after infinity, which selects no row.
    true_positives, false_positives : ndarrays of float
        The weight of the selected rows of the class, and of all others.
    positive_rows, negative_rows : float
        The effective numbers of rows of the class, and of all others.
    """

    threshold: FloatArray
    true_positives: FloatArray
    false_positives: FloatArray
    positive_rows: float
    negative_rows: float

    @classmethod
    def of(cls, counts: ScoreCounts) -> "ThresholdCurve":
        """Return the curve of rows that are counted by score.

        Parameters
        ----------
        counts : ScoreCounts
            The rows.

        Returns
        -------
        ThresholdCurve
            A point for each distinct score, and one that selects no row.
        """
        true, false = (
            np.concatenate(([0.0], np.cumsum(part))) for part in (counts.positive, counts.negative)
        )
        threshold = np.concatenate(([np.inf], counts.score))
        return cls(threshold, true, false, *counts.effective_rows())

    @property
    def positives(self) -> float:
        """The weight of all rows of the class."""
        return float(self.true_positives[-1])

    @property
    def negatives(self) -> float:
        """The weight of all other rows."""
        return float(self.false_positives[-1])

    @property
    def true_positive_rate(self) -> FloatArray:
        """The share of the class that is selected, also called recall; NaN without the class."""
        return _shares(self.true_positives, self.positives)

    @property
    def false_positive_rate(self) -> FloatArray:
        """The share of the other rows that is selected; NaN without other rows."""
        return _shares(self.false_positives, self.negatives)

    @property
    def precision(self) -> FloatArray:
        """The share of the class among the selected rows; 1 if none is selected."""
        selected = self.true_positives + self.false_positives
        ones = np.ones(len(selected))
        return np.divide(self.true_positives, selected, out=ones, where=selected > 0)

    @property
    def selected(self) -> FloatArray:
        """The share of all rows that is selected."""
        weight = self.true_positives + self.false_positives
        return _shares(weight, self.positives + self.negatives)

    @property
    def lift(self) -> FloatArray:
        """The precision divided by the share of the class among all rows."""
        base = self.positives / (self.positives + self.negatives)
        return self.precision / base if base > 0 else np.full(len(self.threshold), np.nan)

    @cached_property
    def roc_auc(self) -> float:
        """The area under the ROC curve; NaN if only one kind of row is there."""
        if not (self.positives > 0 and self.negatives > 0):
            return float("nan")
        return float(np.trapezoid(self.true_positive_rate, self.false_positive_rate))

    @property
    def average_precision(self) -> float:
        """The mean of the precision over the steps of recall; NaN without the class."""
        if not self.positives > 0:
            return float("nan")
        return float((np.diff(self.true_positive_rate) * self.precision[1:]).sum())

    @property
    def roc_auc_interval(self) -> tuple[float, float]:
        """The 95 % interval of the area under the ROC curve, by DeLong's variance of its logit."""
        area = self.roc_auc
        if not 0 < area < 1:  # NaN, or no pair of rows is in the other order
            return (0.0, 1.0) if np.isnan(area) else self._certain_area(area)
        variance = self._variance_of_area()
        half = Z * sqrt(variance) / (area * (1 - area))
        middle = log(area / (1 - area))
        return float(expit(middle - half)), float(expit(middle + half))

    def _variance_of_area(self) -> float:
        """Return DeLong's variance: of the mean rank of rows of one kind among the other."""
        of_class, others = np.diff(self.true_positives), np.diff(self.false_positives)
        above = 1 - (self.false_positives[1:] - others / 2) / self.negatives
        below = (self.true_positives[1:] - of_class / 2) / self.positives
        variance = 0.0
        kinds = (above, of_class, self.positive_rows), (below, others, self.negative_rows)
        for place, weight, rows in kinds:
            spread = float(np.average((place - self.roc_auc) ** 2, weights=weight))
            variance += spread / max(rows - 1, 1)
        return variance

    def _certain_area(self, area: float) -> tuple[float, float]:
        """Return the interval if every pair is in order: the variance is 0, but not known to be."""
        rows = min(self.positive_rows, self.negative_rows)
        reach = Z * Z / (rows + Z * Z)  # Wilson's, as if each row of the smaller kind were one case
        return (1 - reach, 1.0) if area == 1 else (0.0, reach)

    def at(self, threshold: float) -> FloatArray:
        """Return the confusion matrix of a threshold: rows with at least this score are selected.

        Parameters
        ----------
        threshold : float
            The threshold.

        Returns
        -------
        ndarray of shape (2, 2)
            The weight of the other rows and of the class (rows) by not selected and selected.
        """
        i = int(np.searchsorted(-self.threshold, -threshold, side="right")) - 1
        right, wrong = float(self.true_positives[i]), float(self.false_positives[i])
        return np.array([[self.negatives - wrong, wrong], [self.positives - right, right]])

    def thinned(self, most: int, keep: AnyArray | None = None) -> "ThresholdCurve":
        """Return a curve with at most ``most`` of the thresholds, whose figures are unchanged.

        The corners of the convex hull of the ROC curve are kept, so the threshold of least cost is
        there for any costs of the two errors. The others are spread evenly over the rows.

        Parameters
        ----------
        most : int
            The maximum number of thresholds, at least 2.
        keep : array of int, default=None
            The positions of thresholds to keep in any case.

        Returns
        -------
        ThresholdCurve
            The curve. ``roc_auc`` and ``average_precision`` are those of its own points.
        """
        n = len(self.threshold)
        if n <= most:
            return self
        ends = np.array([0, n - 1])
        needed = np.unique(np.concatenate([ends, [] if keep is None else keep]).astype(np.int64))
        corners = np.setdiff1d(self.corners(), needed)
        corners = corners[spread_evenly(len(corners), max(most - len(needed), 0))]
        chosen = np.union1d(needed, corners)
        reached = self.true_positives + self.false_positives
        for wanted in (most - len(chosen), (most - len(chosen)) // 2):
            even = np.searchsorted(reached, np.linspace(0, reached[-1], max(wanted, 0)))
            both = np.union1d(chosen, np.minimum(even, n - 1))
            if len(both) <= most:
                break
        return self._only(both if len(both) <= most else chosen)

    def corners(self) -> IntArray:
        """Return the positions of the corners of the upper convex hull of the ROC curve.

        Returns
        -------
        ndarray of int
            The positions in ``threshold``, in increasing order.
        """
        x, y = self.false_positives, self.true_positives
        at = _without_dents(x, y)
        hull: list[int] = []
        for i in at.tolist():
            while len(hull) > 1 and _turns_left(x, y, hull[-2], hull[-1], i):
                hull.pop()
            hull.append(i)
        return np.array(hull, dtype=np.int64)

    def _only(self, at: IntArray) -> "ThresholdCurve":
        return replace(
            self,
            threshold=self.threshold[at],
            true_positives=self.true_positives[at],
            false_positives=self.false_positives[at],
        )


def threshold_curve(is_positive: Any, score: Any, weights: Any = None) -> ThresholdCurve:
    """Return what every threshold on a score gives.

    Parameters
    ----------
    is_positive : array of bool
        Whether each row is of the class.
    score : array of float
        The score of each row, such as the probability of the class. Rows with equal scores are
        always selected together.
    weights : array of float, default=None
        The weight of each row; None gives every row weight 1. Rows of weight 0 are ignored.

    Returns
    -------
    ThresholdCurve
        The curve, with ``roc_auc`` and ``average_precision``.

    Examples
    --------
    >>> curve = threshold_curve([False, False, True, True], [0.1, 0.4, 0.35, 0.8])
    >>> curve.threshold.tolist()
    [inf, 0.8, 0.4, 0.35, 0.1]
    >>> curve.true_positive_rate.tolist(), curve.false_positive_rate.tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5, 1.0])
    """
    truth, scores = flags(is_positive, "is_positive"), finite(score, "score")
    same_length(truth, scores, "is_positive", "score")
    w = checked_weights(weights, len(scores))
    return ThresholdCurve.of(ScoreCounts.of(truth, scores, w))


def spread_evenly(n: int, most: int) -> IntArray:
    """Return at most ``most`` of the positions below n, evenly spread, with both ends.

    >>> spread_evenly(5, 3).tolist(), spread_evenly(2, 3).tolist()
    ([0, 2, 4], [0, 1])
    """
    if n <= most:
        return np.arange(n)
    return np.unique(np.rint(np.linspace(0, n - 1, most)).astype(np.int64))


def _without_dents(x: FloatArray, y: FloatArray) -> IntArray:
    """Return the positions of the points that may be corners of the upper hull.

    A point on or below the line through its neighbours is no corner. Every second point is looked
    at, because two equal points must not both go; few passes leave few points to be scanned.
    """
    at, idle = np.arange(len(x)), 0
    while len(at) > 2 and idle < 2:
        first = 1 + idle  # the other points, after a pass that removed none
        middle = np.arange(first, len(at) - 1, 2)
        dents = middle[_turns_left(x, y, at[middle - 1], at[middle], at[middle + 1])]
        at = np.delete(at, dents)
        idle = 0 if len(dents) else idle + 1
    return at


def _turns_left(x: FloatArray, y: FloatArray, a: Any, b: Any, c: Any) -> Any:
    """Return whether the way from a by b to c turns left or goes straight on."""
    return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]) >= 0


def _shares(parts: FloatArray, whole: float) -> FloatArray:
    return np.minimum(parts / whole, 1.0) if whole > 0 else np.full(len(parts), np.nan)
