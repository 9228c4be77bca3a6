"""The predictions of a model for given rows: errors, margins and confusion matrix."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._types import AnyArray, FloatArray
from polytomy.evaluate import confusion_matrix
from polytomy.report.facts.json_values import rounded
from polytomy.table import Table

_MOST_POINTS = 200  # of a distribution of margins
_DIGITS = 5  # of a margin or a share, more than a screen can show


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """Rows with their classes, and a model's predictions for them.

    Parameters
    ----------
    labels, predicted : array of int
        The actual and the predicted class number of each row.
    weights : array
        The weight of each row.
    margins : mapping
        From a number of rounds to the margin of each row after them.
    errors : array, optional
        The weighted error after each round that votes, if it was computed.
    table : Table, optional
        The rows themselves, for the effects and densities of columns.
    shares : array of shape (rows, classes), optional
        The probability of each class, if it is known.
    """

    labels: AnyArray
    predicted: AnyArray
    weights: FloatArray
    margins: Mapping[int, FloatArray]
    errors: FloatArray | None = None
    table: Table | None = None
    shares: FloatArray | None = None

    @property
    def error(self) -> float:
        """The share of the weight that is misclassified."""
        return float(np.average(self.predicted != self.labels, weights=self.weights))

    def confusion(self, n_classes: int) -> list[list[float]]:
        """Return the weight of the rows of each actual class (rows) and predicted class."""
        matrix = confusion_matrix(self.labels, self.predicted, n_classes, self.weights)
        return [[rounded(x) for x in row] for row in matrix.tolist()]


def margin_stages(n_rounds: int) -> list[int]:
    """Return the numbers of rounds after which margins are shown.

    >>> margin_stages(60), margin_stages(3)
    ([5, 25, 60], [3])
    """
    return [n for n in (5, 25, 100) if n < n_rounds] + [n_rounds]


def margin_curves(which: str, rows: Evaluated) -> list[dict[str, Any]]:
    """Return the distribution function of the margins at each stage."""
    return [
        {"rows": which, "rounds": n, **_distribution(margins, rows.weights)}
        for n, margins in sorted(rows.margins.items())
    ]


def _distribution(margins: FloatArray, weights: FloatArray) -> dict[str, Any]:
    """Return at most ``_MOST_POINTS`` steps of the distribution, spread evenly over the rows."""
    order = np.argsort(margins, kind="stable")
    at, share = margins[order], np.cumsum(weights[order])
    share /= share[-1]
    last = np.append(np.flatnonzero(np.diff(at) > 0), len(at) - 1)  # last row of each margin
    wanted = np.searchsorted(share[last], np.linspace(0, 1, _MOST_POINTS - 1))
    below_zero = max(int(np.searchsorted(at[last], 0.0)) - 1, 0)  # the step that shows the error
    kept = last[sorted({*np.minimum(wanted, len(last) - 1).tolist(), below_zero})]
    return {
        "at": [round(x, _DIGITS) + 0.0 for x in at[kept].tolist()],
        "share": [round(x, _DIGITS) for x in share[kept].tolist()],
        "least": rounded(at[0]),
        "negative": rounded(float(weights[margins < 0].sum() / weights.sum())),
    }
