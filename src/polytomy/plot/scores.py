"""The score functions of an ensemble of stumps: a panel a column, all on one scale."""

from dataclasses import replace
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import one_line
from polytomy.encode import OrderedColumn
from polytomy.ensemble import Additive, Ensemble
from polytomy.table import Ranks

from .axes import panels
from .names import shown
from .palette import MOST_LOOKS, Look
from .paper import Paper
from .score_curve import draw_curve
from .score_marks import draw_marks


def plot_scores(ensemble: Ensemble, most: int = 12, wide: int = 3) -> list[Any]:
    """Draw what each column adds to the votes, the column that can move them most first.

    Numbers and times are drawn as curves, which go on as they end on either side; labels and
    categories as bars, or as marks where every class has votes of its own. Missing cells are shown
    where the training table had some.

    Parameters
    ----------
    ensemble : Ensemble
        Of trees that ask one question each.
    most : int
        Draw at most so many columns.
    wide : int
        At most so many panels are side by side.

    Returns
    -------
    list of matplotlib Axes, one for each column drawn
    """
    if most < 1 or wide < 1:
        raise ParameterError("a figure needs at least one panel")
    merged = ensemble.additive
    if merged is None:
        raise ParameterError(
            "only trees of one question add up to score functions; boost with max_depth=1"
        )
    if not merged.functions:
        raise ParameterError("there is nothing to draw: the votes depend on no column")
    functions = merged.by_spread()[:most]
    figure, axes = panels(len(functions), wide)
    paper = Paper.behind(axes[0], framed=True)
    looks = [replace(look, colour=paper.inked(look.colour)) for look in _looks(ensemble, merged)]
    for ax, function in zip(axes, functions, strict=True):
        column = ensemble.schema[function.feature]
        if isinstance(column, OrderedColumn) and not isinstance(column.scale, Ranks):
            draw_curve(ax, function, column, looks)
        else:
            draw_marks(ax, function, column, looks)
        ax.axhline(0, color=paper.ink, linewidth=0.6)
        ax.set_title(shown(column.name), fontsize=9, loc="left")
        ax.tick_params(labelsize=7)
        ax.grid(alpha=0.25, axis="y")
    _explain(figure, ensemble, looks, (len(functions), len(merged.functions)))
    return axes


def _looks(ensemble: Ensemble, merged: Additive) -> list[Look]:
    """Return how to draw each output; of many, those that the columns move most."""
    names = [one_line(c) for c in np.asarray(ensemble.classes).tolist()]
    if ensemble.n_outputs == 1:
        return [Look.nth(0, 0, names[1])]
    moved = np.max([np.ptp(f.scores, axis=0) for f in merged.functions], axis=0)
    chosen = np.sort(np.argsort(-moved, kind="stable")[:MOST_LOOKS]).tolist()
    return [Look.nth(n, output, names[output]) for n, output in enumerate(chosen)]


def _explain(figure: Any, ensemble: Ensemble, looks: list[Look], drawn: tuple[int, int]) -> None:
    some_of, there = drawn
    some = f" (the {some_of} that move them most, of {there})" if some_of < there else ""
    title = f"{ensemble.algorithm}: what each column adds to the votes{some}"
    figure.suptitle(title, fontsize=11)
    if len(looks) == 1:
        names = [one_line(c) for c in np.asarray(ensemble.classes).tolist()]
        figure.supylabel(f"votes: above 0 for {names[1]}, below for {names[0]}", fontsize=9)
        return
    figure.supylabel("votes for each class", fontsize=9)
    lines = [_sample(look) for look in looks]
    some = f"the {len(looks)} classes of {ensemble.n_outputs} that move most"
    figure.legend(
        handles=lines,
        loc="outside lower center",
        ncols=len(looks),
        frameon=False,
        title=None if len(looks) == ensemble.n_outputs else some,
    )


def _sample(look: Look) -> Any:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    return Line2D(
        [],
        [],
        color=look.colour,
        linestyle=look.line,
        marker=look.marker,
        markersize=4.5,
        label=look.name,
    )
