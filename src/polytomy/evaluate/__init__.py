"""Figures for deciding with a model: curves, calibration, groups, drift, paired comparison.

The functions take NumPy arrays of class numbers, scores and weights, of any model. *rows* checks
them; *curves*: what every threshold gives; *calibration*: probabilities beside observed shares, log
loss and Brier score; *groups*: error rates of groups of rows; *drift*: the stability of shares;
*paired*: the difference of two models on the same rows.

Examples
--------
>>> from polytomy.evaluate import threshold_curve
>>> curve = threshold_curve([False, False, True, True], [0.1, 0.4, 0.35, 0.8])
>>> curve.roc_auc, round(curve.average_precision, 3)
(0.75, 0.833)
"""

from .calibration import Calibration, brier_score, calibration, log_loss, log_losses
from .curves import ThresholdCurve, threshold_curve
from .drift import Drift, drift
from .groups import GroupRates, group_rates
from .paired import PairedTest, compare_errors, compare_losses
from .rows import Rate, ScoreCounts, confusion_matrix, effective_rows, rate

__all__ = [
    "Calibration",
    "Drift",
    "GroupRates",
    "PairedTest",
    "Rate",
    "ScoreCounts",
    "ThresholdCurve",
    "brier_score",
    "calibration",
    "compare_errors",
    "compare_losses",
    "confusion_matrix",
    "drift",
    "effective_rows",
    "group_rates",
    "log_loss",
    "log_losses",
    "rate",
    "threshold_curve",
]
