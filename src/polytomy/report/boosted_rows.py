"""What an ensemble makes of given rows: errors, margins and what is taken for what."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._types import AnyArray, FloatArray

from .numbers import plain

_POINTS = 200  # of a distribution of margins
_DIGITS = 5  # of a margin or a share, more than a screen can show


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Rows with their classes, and what an ensemble says of them.

    Parameters
    ----------
    labels, predicted : arrays
        Class numbers: what the rows are, and what they are taken for.
    weights : array
        What each row counts.
    margins : mapping
        From a number of rounds to each row's margin after them.
    errors : array, optional
        The weighted error after each round that votes, where that was worth the while.
    """

    labels: AnyArray
    predicted: AnyArray
    weights: FloatArray
    margins: Mapping[int, FloatArray]
    errors: FloatArray | None = None

    @property
    def error(self) -> float:
        """The share of the weight that is taken for another class."""
        return float(np.average(self.predicted != self.labels, weights=self.weights))

    def confusion(self, n_classes: int) -> list[list[float]]:
        """Return the weight of each class (a list each) that is taken for each class."""
        held = np.zeros((n_classes, n_classes))
        np.add.at(held, (self.labels, self.predicted), self.weights)
        return [[plain(x) for x in row] for row in held.tolist()]


def stages_of(n_rounds: int) -> list[int]:
    """Return after how many rounds margins are worth a look: early, halfway and at the end.

    >>> stages_of(60), stages_of(3)
    ([5, 25, 60], [3])
    """
    return [n for n in (5, 25, 100) if n < n_rounds] + [n_rounds]


def margin_curves(which: str, rows: Judged) -> list[dict[str, Any]]:
    """Return, for each stage, the share of the rows with at most each margin."""
    return [
        {"rows": which, "rounds": n, **_distribution(margins, rows.weights)}
        for n, margins in sorted(rows.margins.items())
    ]


def _distribution(margins: FloatArray, weights: FloatArray) -> dict[str, Any]:
    """Return at most so many steps of the distribution, spread evenly over the rows."""
    order = np.argsort(margins, kind="stable")
    at, share = margins[order], np.cumsum(weights[order])
    share /= share[-1]
    last = np.append(np.flatnonzero(np.diff(at) > 0), len(at) - 1)  # of rows of equal margin
    wanted = np.searchsorted(share[last], np.linspace(0, 1, _POINTS - 1))
    below = max(int(np.searchsorted(at[last], 0.0)) - 1, 0)  # the step that says how many are wrong
    kept = last[sorted({*np.minimum(wanted, len(last) - 1).tolist(), below})]
    return {
        "at": [round(x, _DIGITS) + 0.0 for x in at[kept].tolist()],
        "share": [round(x, _DIGITS) for x in share[kept].tolist()],
        "least": plain(at[0]),
        "negative": plain(float(weights[margins < 0].sum() / weights.sum())),
    }
