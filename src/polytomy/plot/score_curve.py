"""The scores of numbers and times as a curve of steps, missing cells in a strip beside it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from polytomy._types import AnyArray, FloatArray
from polytomy.encode import OrderedColumn
from polytomy.ensemble import ScoreFunction
from polytomy.table import Times

from .palette import BLUE, VERMILION, Look
from .paper import Paper

_ENDLESS = 1e300  # thresholds beyond part infinities from numbers, and cannot be drawn
_BEYOND = 0.15  # at most so much of the width between the outer thresholds is shown on either side
_VISIBLE = 0.03  # and at least so much
_MANY = 40  # steps, which a thick line would make a blot
_DAY = np.timedelta64(1, "D")


def draw_curve(
    ax: Any, function: ScoreFunction, column: OrderedColumn, looks: Sequence[Look]
) -> None:
    """Draw a function of numbers or times; of one output, with its area from 0."""
    cuts, scores = _drawable(function)
    low, high = _ends(cuts, column)
    edges = _positions(np.array([low, *cuts, high]), column)
    for look in looks:
        values = scores[:, look.output]
        if len(looks) == 1:
            above, below = np.maximum(values, 0), np.minimum(values, 0)
            for part, colour in ((above, BLUE), (below, VERMILION)):
                ax.stairs(part, edges, fill=True, color=colour, alpha=0.3, linewidth=0)
        line: Any = Paper.behind(ax, framed=True).ink if len(looks) == 1 else look.colour
        thick = 1.4 if len(values) <= _MANY else 0.7
        ax.stairs(values, edges, baseline=None, color=line, linestyle=look.line, lw=thick)
    ax.set_xlim(edges[0], edges[-1])
    _set_ticks(ax, column)
    if function.has_missing:
        _add_missing(ax, function.missing, edges, looks)


def _drawable(function: ScoreFunction) -> tuple[FloatArray, FloatArray]:
    """Return the finite thresholds and the scores of the ranges they part."""
    assert function.thresholds is not None
    cuts, scores = function.thresholds, function.scores
    if len(cuts) and cuts[0] < -_ENDLESS:
        cuts, scores = cuts[1:], scores[1:]
    if len(cuts) and cuts[-1] > _ENDLESS:
        cuts, scores = cuts[:-1], scores[:-1]
    return cuts, scores


def _ends(cuts: FloatArray, column: OrderedColumn) -> tuple[float, float]:
    """Return where to begin and end: a little beyond the thresholds, but hardly beyond values."""
    held = np.concatenate((column.low, column.high))
    held = held[np.abs(held) < _ENDLESS]
    if len(cuts) < 2:  # all values are shown: one threshold has no width to measure by
        middle = float(cuts[0]) if len(cuts) else 0.0
        left, right = float(held.min(initial=middle)), float(held.max(initial=middle))
        least = _VISIBLE * (right - left) or 1.0
        return min(left, middle - least), max(right, middle + least)
    first, last = float(cuts[0]), float(cuts[-1])
    most, least = _BEYOND * (last - first), _VISIBLE * (last - first)
    left = min(max(float(held.min(initial=first)), first - most), first - least)
    right = max(min(float(held.max(initial=last)), last + most), last + least)
    return left, right


def _positions(values: FloatArray, column: OrderedColumn) -> AnyArray:
    """Return values as matplotlib takes them: moments as such, lengths of time in days."""
    if not isinstance(column.scale, Times):
        return values
    times = np.array([column.scale.at(v) for v in values.tolist()])
    return times / _DAY if times.dtype.kind == "m" else times.astype("datetime64[us]")


def _set_ticks(ax: Any, column: OrderedColumn) -> None:
    if not isinstance(column.scale, Times) or column.scale.dtype.startswith("timedelta64"):
        ax.locator_params(axis="x", nbins=5)
        if isinstance(column.scale, Times):
            ax.set_xlabel("days", fontsize=7)
        return
    from matplotlib import dates  # noqa: PLC0415

    calendar: Any = dates
    locator = calendar.AutoDateLocator(minticks=3, maxticks=8)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(calendar.ConciseDateFormatter(locator))


def _add_missing(ax: Any, missing: FloatArray, edges: AnyArray, looks: Sequence[Look]) -> None:
    """Mark what missing cells add in a grey strip to the right."""
    width = (edges[-1] - edges[0]) / 8
    right = edges[-1] + width
    ax.axvspan(edges[-1], right, color="0.9", linewidth=0)
    for look in looks:
        colour = _sign_colour(missing[look.output]) if len(looks) == 1 else look.colour
        where = edges[-1] + width / 2
        ax.plot([where], [missing[look.output]], look.marker, color=colour, markersize=5)
    ax.annotate(
        "missing",
        (1, 1),
        (-4, -4),
        xycoords="axes fraction",
        textcoords="offset points",
        rotation=90,
        ha="right",
        va="top",
        fontsize=7,
        color="0.35",
    )
    if edges.dtype.kind == "f":  # the strip has no numbers
        ax.set_xticks([tick for tick in ax.get_xticks() if edges[0] <= tick <= edges[-1]])
    ax.set_xlim(edges[0], right)


def _sign_colour(score: float) -> str:
    return BLUE if score >= 0 else VERMILION
