"""Predicted numbers beside the actual ones: errors, and means of groups of rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._types import FloatArray
from polytomy.export.phrasing import TargetFormat

from .json_values import rounded, unrounded

_MOST_GROUPS = 25
_ROWS_PER_GROUP = 10  # at least, so that a group says nothing about a single row


@dataclass(frozen=True, slots=True, eq=False)
class PredictedNumbers:
    """Rows with a numeric target, and a model's predictions for them.

    Parameters
    ----------
    values, predicted : ndarray of float
        The actual and the predicted number of each row.
    weights : ndarray of float
        The weight of each row.
    """

    values: FloatArray
    predicted: FloatArray
    weights: FloatArray

    @property
    def error(self) -> float:
        """The mean squared error."""
        return float(np.average((self.predicted - self.values) ** 2, weights=self.weights))

    def facts(self) -> dict[str, Any]:
        """Return the errors, and the groups of rows with similar predictions.

        A group has the mean prediction, the mean and the standard deviation of the actual numbers,
        and the weight of the rows.
        """
        far = np.abs(self.predicted - self.values)
        mean = np.average(self.values, weights=self.weights)
        variance = float(np.average((self.values - mean) ** 2, weights=self.weights))
        return {
            "rows": len(self.values),
            "error": rounded(self.error),
            "absolute": rounded(np.average(far, weights=self.weights)),
            **({"r2": rounded(1 - self.error / variance)} if variance > 0 else {}),
            "groups": [self._group(rows) for rows in self._grouped()],
        }

    def _grouped(self) -> list[Any]:
        """Return groups of rows by their predictions, of about equal weight."""
        n_groups = max(1, min(_MOST_GROUPS, len(self.values) // _ROWS_PER_GROUP))
        order = np.argsort(self.predicted, kind="stable")
        reached = np.cumsum(self.weights[order])
        parts = reached[-1] * np.arange(1, n_groups) / n_groups
        groups = np.split(order, np.searchsorted(reached, parts))
        return [rows for rows in groups if len(rows)]

    def _group(self, rows: Any) -> dict[str, Any]:
        weights, values = self.weights[rows], self.values[rows]
        mean = np.average(values, weights=weights)
        return {
            "predicted": unrounded(float(np.average(self.predicted[rows], weights=weights))),
            "actual": unrounded(float(mean)),
            "deviation": rounded(np.sqrt(np.average((values - mean) ** 2, weights=weights))),
            "weight": rounded(weights.sum()),
        }


def number_facts(form: TargetFormat, low: float, high: float) -> dict[str, Any]:
    """Return how numbers are written, and the ends of their scale of colours.

    Parameters
    ----------
    form : TargetFormat
        The format of the numbers.
    low, high : float
        The ends of the scale.
    """
    return {
        "decimals": form.decimals,
        "exponent": form.has_exponent,
        "trimmed": form.is_trimmed,
        "low": unrounded(low),
        "high": unrounded(high),
    }
