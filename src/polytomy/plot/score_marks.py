"""The scores of labels and categories as bars, or as marks where there are several outputs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import FloatArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.ensemble import ScoreFunction
from polytomy.table import Ranks

from .palette import BLUE, VERMILION, Look
from .paper import Paper

_MOST = 10  # marks in a panel
_NAME = 14  # characters


def draw_marks(ax: Any, function: ScoreFunction, column: ColumnSpec, looks: Sequence[Look]) -> None:
    """Draw a function of labels, in their order, or of categories, the highest score first."""
    names, scores = (
        _labels(function, column) if column.kind == "ordered" else _categories(function, column)
    )
    names, scores = _shortened(names, scores)
    own = len(names)  # those that follow stand for no one value
    if function.has_missing:
        names, scores = [*names, "missing"], np.vstack((scores, function.missing))
    if column.kind == "nominal":
        names, scores = [*names, "other"], np.vstack((scores, function.unseen))
    at = np.arange(len(names))
    for i, look in enumerate(looks):
        values = scores[:, look.output]
        if len(looks) == 1:
            ink = Paper.behind(ax, framed=True).ink
            colours = [BLUE if v >= 0 else VERMILION for v in values]
            bars = ax.bar(at, values, 0.7, color=colours, alpha=0.6, edgecolor=ink, lw=0.8)
            for bar in bars[own:]:
                bar.set_hatch("///")
        else:
            beside = 0.5 * (i / (len(looks) - 1) - 0.5)
            ax.plot(at + beside, values, look.marker, color=look.colour, markersize=4.5)
    ax.set_xticks(at, names, rotation=45, ha="right", rotation_mode="anchor", fontsize=7)
    ax.set_xlim(-0.6, len(names) - 0.4)


def _labels(function: ScoreFunction, column: ColumnSpec) -> tuple[list[str], FloatArray]:
    assert isinstance(column, OrderedColumn)
    assert isinstance(column.scale, Ranks)
    assert function.thresholds is not None
    places = np.arange(len(column.scale.labels))
    names = [one_line(label) for label in column.scale.labels]
    return names, function.scores[np.searchsorted(function.thresholds, places)]


def _categories(function: ScoreFunction, column: ColumnSpec) -> tuple[list[str], FloatArray]:
    assert isinstance(column, NominalColumn)
    widest = int(np.argmax(np.ptp(function.scores, axis=0)))
    order = np.argsort(-function.scores[:, widest], kind="stable")
    return [one_line(column.categories[c]) for c in order.tolist()], function.scores[order]


def _shortened(names: list[str], scores: FloatArray) -> tuple[list[str], FloatArray]:
    """Cut long names, and leave out what is in the middle of many."""
    names = [n if len(n) <= _NAME else f"{n[: _NAME - 1]}…" for n in names]
    if len(names) <= _MOST:
        return names, scores
    half = _MOST // 2
    gap = np.full((1, scores.shape[1]), np.nan)
    left_out = f"(+{len(names) - 2 * half} more)"
    kept = np.vstack((scores[:half], gap, scores[-half:]))
    return [*names[:half], left_out, *names[-half:]], kept
