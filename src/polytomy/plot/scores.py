"""The score functions of an ensemble of stumps: one panel per column, all on one scale."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import class_title, distinct_names, one_line
from polytomy._types import AnyArray, FloatArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.ensemble import Additive, Ensemble, ScoreFunction
from polytomy.export import is_duration, score_order
from polytomy.table import Ranks, Times

from .axes import panels
from .background import Background
from .names import shown
from .palette import MARKERS, OutputStyle, class_colour, style_numbers

_UNBOUNDED = 1e300  # thresholds beyond separate infinities from numbers, and are not drawn
_BEYOND = 0.15  # the most shown beyond the outer thresholds, relative to their distance
_VISIBLE = 0.03  # the least shown beyond them
_MANY = 40  # steps; more are drawn with a thinner line
_DAY = np.timedelta64(1, "D")
_MOST_BARS = 10  # in a panel
_NAME = 14  # characters of a category


def plot_scores(ensemble: Ensemble, most: int = 12, wide: int = 3) -> list[Any]:
    """Draw the scores that each column adds to the votes.

    Columns are sorted by the largest difference they can make. Numbers and times are drawn as step
    functions, which are constant beyond both ends; ordered labels and categories as bars, or as
    markers if each class has votes of its own. Missing cells are shown if the training table had
    some.

    Parameters
    ----------
    ensemble : Ensemble
        An ensemble of stumps, trees with one split.
    most : int, default=12
        Maximum number of columns to draw.
    wide : int, default=3
        Maximum number of panels side by side.

    Returns
    -------
    list of matplotlib Axes
        One for each column drawn.
    """
    if most < 1 or wide < 1:
        raise ParameterError("most and wide must be at least 1")
    merged = ensemble.additive
    if merged is None:
        raise ParameterError("only stumps have score functions; boost with max_depth=1")
    if not merged.functions:
        raise ParameterError("nothing to draw: the votes do not depend on any column")
    functions = merged.by_spread()[:most]
    figure, axes = panels(len(functions), wide)
    background = Background.behind(axes[0], framed=True)
    styles = [
        replace(style, colour=background.visible(style.colour))
        for style in _styles(ensemble, merged)
    ]
    for ax, function in zip(axes, functions, strict=True):
        column = ensemble.schema[function.feature]
        if isinstance(column, OrderedColumn) and not isinstance(column.scale, Ranks):
            _draw_steps(ax, function, column, styles)
        else:
            _draw_bars(ax, function, column, styles)
        ax.axhline(0, color=background.ink, linewidth=0.6)
        ax.set_title(shown(column.name), fontsize=9, loc="left")
        ax.tick_params(labelsize=7)
        ax.grid(alpha=0.25, axis="y")
    _annotate(figure, ensemble, styles, (len(functions), len(merged.functions)))
    return axes


def _styles(ensemble: Ensemble, merged: Additive) -> list[OutputStyle]:
    """Return the style of each output; of too many, only those with the largest differences."""
    names = _class_names(ensemble)
    if ensemble.n_outputs == 1:
        return [OutputStyle.nth(0, 0, names[1])]
    moved = np.max([np.ptp(f.scores, axis=0) for f in merged.functions], axis=0)
    chosen = np.sort(np.argsort(-moved, kind="stable")[: len(MARKERS)]).tolist()
    numbers = style_numbers(chosen, len(MARKERS))
    return [
        OutputStyle.nth(n, output, names[output]) for n, output in zip(numbers, chosen, strict=True)
    ]


def _class_names(ensemble: Ensemble) -> list[str]:
    return [class_title(one_line(c)) for c in np.asarray(ensemble.classes).tolist()]


def _annotate(
    figure: Any, ensemble: Ensemble, styles: list[OutputStyle], drawn: tuple[int, int]
) -> None:
    """Add the title, the axis label and the legend of the outputs."""
    n_drawn, n_columns = drawn
    some = f" ({n_drawn} of {n_columns} columns)" if n_drawn < n_columns else ""
    title = f"{ensemble.algorithm}: scores that each column adds to the votes{some}"
    figure.suptitle(title, fontsize=11)
    if len(styles) == 1:
        names = _class_names(ensemble)
        figure.supylabel(f"votes: above 0 for {names[1]}, below for {names[0]}", fontsize=9)
        return
    figure.supylabel("votes for each class", fontsize=9)
    lines = [_legend_line(style) for style in styles]
    some = f"the {len(styles)} of {ensemble.n_outputs} classes that vary most"
    figure.legend(
        handles=lines,
        loc="outside lower center",
        ncols=len(styles),
        frameon=False,
        title=None if len(styles) == ensemble.n_outputs else some,
    )


def _legend_line(style: OutputStyle) -> Any:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    return Line2D(
        [],
        [],
        color=style.colour,
        linestyle=style.line,
        marker=style.marker,
        markersize=4.5,
        label=style.name,
    )


def _draw_steps(
    ax: Any, function: ScoreFunction, column: OrderedColumn, styles: Sequence[OutputStyle]
) -> None:
    """Draw a function of numbers or times; for one output, the area to 0 is filled."""
    cuts, scores = _drawable(function)
    low, high = _ends(cuts, column)
    edges = _axis_values(np.array([low, *cuts, high]), column)
    for style in styles:
        values = scores[:, style.output]
        if len(styles) == 1:
            above, below = np.maximum(values, 0), np.minimum(values, 0)
            for part, colour in ((above, class_colour(1)), (below, class_colour(0))):
                ax.stairs(part, edges, fill=True, color=colour, alpha=0.3, linewidth=0)
        line: Any = Background.behind(ax, framed=True).ink if len(styles) == 1 else style.colour
        thick = 1.4 if len(values) <= _MANY else 0.7
        ax.stairs(values, edges, baseline=None, color=line, linestyle=style.line, lw=thick)
    ax.set_xlim(edges[0], edges[-1])
    _set_ticks(ax, column)
    if function.has_missing:
        _add_missing(ax, function.missing, edges, styles)


def _drawable(function: ScoreFunction) -> tuple[FloatArray, FloatArray]:
    """Return the finite thresholds and the scores of the ranges between them."""
    assert function.thresholds is not None
    cuts, scores = function.thresholds, function.scores
    if len(cuts) and cuts[0] < -_UNBOUNDED:
        cuts, scores = cuts[1:], scores[1:]
    if len(cuts) and cuts[-1] > _UNBOUNDED:
        cuts, scores = cuts[:-1], scores[:-1]
    return cuts, scores


def _ends(cuts: FloatArray, column: OrderedColumn) -> tuple[float, float]:
    """Return the ends of the axis: a little beyond the thresholds, within the training values."""
    held = np.concatenate((column.low, column.high))
    held = held[np.abs(held) < _UNBOUNDED]
    if len(cuts) < 2:  # a single threshold: show all training values
        middle = float(cuts[0]) if len(cuts) else 0.0
        left, right = float(held.min(initial=middle)), float(held.max(initial=middle))
        least = _VISIBLE * (right - left) or 1.0
        return min(left, middle - least), max(right, middle + least)
    first, last = float(cuts[0]), float(cuts[-1])
    most, least = _BEYOND * (last - first), _VISIBLE * (last - first)
    left = min(max(float(held.min(initial=first)), first - most), first - least)
    right = max(min(float(held.max(initial=last)), last + most), last + least)
    return left, right


def _axis_values(values: FloatArray, column: OrderedColumn) -> AnyArray:
    """Return values in the units of the axis: dates as such, durations in days."""
    if not isinstance(column.scale, Times):
        return values
    times = np.array([column.scale.at(v) for v in values.tolist()])
    return times / _DAY if times.dtype.kind == "m" else times.astype("datetime64[us]")


def _set_ticks(ax: Any, column: OrderedColumn) -> None:
    if not isinstance(column.scale, Times) or is_duration(column):
        ax.locator_params(axis="x", nbins=5)
        if isinstance(column.scale, Times):
            ax.set_xlabel("days", fontsize=7)
        return
    from matplotlib import dates  # noqa: PLC0415

    calendar: Any = dates
    locator = calendar.AutoDateLocator(minticks=3, maxticks=8)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(calendar.ConciseDateFormatter(locator))


def _add_missing(
    ax: Any, missing: FloatArray, edges: AnyArray, styles: Sequence[OutputStyle]
) -> None:
    """Mark the scores of missing cells in a grey strip on the right."""
    width = (edges[-1] - edges[0]) / 8
    right = edges[-1] + width
    ax.axvspan(edges[-1], right, color="0.9", linewidth=0)
    for style in styles:
        colour = _sign_colour(missing[style.output]) if len(styles) == 1 else style.colour
        where = edges[-1] + width / 2
        ax.plot([where], [missing[style.output]], style.marker, color=colour, markersize=5)
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
    if edges.dtype.kind == "f":  # no ticks in the strip
        ax.set_xticks([tick for tick in ax.get_xticks() if edges[0] <= tick <= edges[-1]])
    ax.set_xlim(edges[0], right)


def _sign_colour(score: float) -> str:
    """Return the colour of the class that a score is for."""
    return class_colour(1 if score >= 0 else 0)


def _draw_bars(
    ax: Any, function: ScoreFunction, column: ColumnSpec, styles: Sequence[OutputStyle]
) -> None:
    """Draw a function of ordered labels, or of categories by descending score."""
    names, scores = (
        _labels(function, column) if column.kind == "ordered" else _categories(function, column)
    )
    names, scores = _shortened(names, scores)
    own = len(names)  # the bars that follow are hatched
    if function.has_missing:
        names, scores = [*names, "missing"], np.vstack((scores, function.missing))
    if column.kind == "nominal":
        names, scores = [*names, "unseen"], np.vstack((scores, function.unseen))
    at = np.arange(len(names))
    for i, style in enumerate(styles):
        values = scores[:, style.output]
        if len(styles) == 1:
            ink = Background.behind(ax, framed=True).ink
            colours = [_sign_colour(v) for v in values]
            bars = ax.bar(at, values, 0.7, color=colours, alpha=0.6, edgecolor=ink, lw=0.8)
            for bar in bars[own:]:
                bar.set_hatch("///")
        else:
            beside = 0.5 * (i / (len(styles) - 1) - 0.5)
            ax.plot(at + beside, values, style.marker, color=style.colour, markersize=4.5)
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
    order = score_order(function.scores)
    return [one_line(column.categories[c]) for c in order.tolist()], function.scores[order]


def _shortened(names: list[str], scores: FloatArray) -> tuple[list[str], FloatArray]:
    """Shorten long names; of many bars, leave out those in the middle."""
    names = distinct_names(names, _NAME)
    if len(names) <= _MOST_BARS:
        return names, scores
    half = _MOST_BARS // 2
    gap = np.full((1, scores.shape[1]), np.nan)
    left_out = f"(+{len(names) - 2 * half} more)"
    kept = np.vstack((scores[:half], gap, scores[-half:]))
    return [*names[:half], left_out, *names[-half:]], kept
