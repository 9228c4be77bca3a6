"""Boosting, round by round: errors and their bounds."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from polytomy._types import FloatArray

from .axes import axes_or_new
from .palette import BLUE, VERMILION
from .paper import Paper


class RoundRecord(Protocol):
    """What is drawn of a round; None where there is no such number."""

    @property
    def training_error(self) -> float:
        """The ensemble's error on the training rows."""

    @property
    def bound(self) -> float | None:
        """What the training error is at most."""

    @property
    def exponential_bound(self) -> float | None:
        """The looser bound exp(-2 sum (1/2 - eps)^2)."""

    @property
    def validation_error(self) -> float | None:
        """The ensemble's error on held-out rows."""


def plot_rounds(rounds: Sequence[RoundRecord], ax: Any = None, best: int | None = None) -> Any:
    """Draw the errors and the bounds against the rounds, which are on a logarithmic scale.

    Parameters
    ----------
    rounds : sequence of records
        With the fields ``training_error``, ``bound``, ``exponential_bound``, ``validation_error``.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    best : int, optional
        Mark this round, the last that votes after early stopping.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    number = np.arange(1, len(rounds) + 1)
    curves: dict[str, tuple[str, dict[str, Any]]] = {
        "exponential_bound": (r"$e^{-2\sum(1/2-\epsilon)^2}$", {"color": "grey", "ls": ":"}),
        "bound": ("bound", {"color": Paper.behind(ax, framed=True).ink, "ls": "--"}),
        "training_error": ("training error", {"color": BLUE, "ls": "-"}),
        "validation_error": ("held-out error", {"color": VERMILION, "ls": "-."}),
    }
    for name, (label, look) in curves.items():
        values = _values(rounds, name)
        if not np.isnan(values).all():
            dot = "o" if len(rounds) == 1 else None  # one point makes no line
            ax.plot(number, values, label=label, linewidth=1.6, marker=dot, **look)
    if best is not None:
        ax.axvline(best, color="grey", linewidth=0.8, label=f"best round, {best}")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlim(1, max(len(rounds), 2))
    top = _top(rounds)
    ax.set_ylim(-0.015 * top, top)  # so that a curve that has come to 0 is seen
    ax.set_xlabel("rounds")
    ax.set_ylabel("error")
    ax.grid(alpha=0.25)
    if len(rounds):
        ax.legend(frameon=False)
    return ax


def _values(rounds: Sequence[RoundRecord], name: str) -> FloatArray:
    values = [getattr(one, name) for one in rounds]
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _top(rounds: Sequence[RoundRecord]) -> float:
    """Return where the picture ends: an error of 1 is the most there is, whatever a bound says."""
    names = ("training_error", "bound", "exponential_bound", "validation_error")
    drawn = np.concatenate([_values(rounds, name) for name in names])
    most = np.nanmax(drawn) if not np.isnan(drawn).all() else 1.0
    return float(min(max(1.05 * most, 0.01), 1.02))
