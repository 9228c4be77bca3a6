"""Which columns matter: a bar for each, the largest on top."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polytomy._errors import ParameterError
from polytomy._text import one_line

from .axes import axes_or_new
from .palette import BLUE
from .tree_labels import cut

_NAME = 40  # characters of a name
_OTHERS = "#8c8c8c"


def plot_importances(
    names: Sequence[str], importances: ArrayLike, ax: Any = None, most: int = 20
) -> Any:
    """Draw the importances of columns as bars, the largest on top; those of 0 are left out.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    importances : array
        One number of at least 0 for each column.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.
    most : int
        The most bars; where there are more columns, the last bar is the sum of the others.

    Returns
    -------
    matplotlib Axes
    """
    held = np.asarray(importances, dtype=np.float64)
    if held.shape != (len(names),) or not (np.isfinite(held) & (held >= 0)).all():
        raise ParameterError(
            f"importances must be {len(names)} numbers of at least 0, one for each name"
        )
    if most < 1:
        raise ParameterError(f"most must be at least 1, got {most!r}")
    order = np.argsort(-held, kind="stable")  # of equal ones, the first column comes first
    order = order[held[order] > 0]
    kept = order if len(order) <= most else order[: most - 1]
    labels = [cut(one_line(names[j]), _NAME) for j in kept]
    values, colours = held[kept].tolist(), [BLUE] * len(kept)
    if others := len(order) - len(kept):
        labels.append(f"{others} others")
        values.append(float(held[order[len(kept) :]].sum()))
        colours.append(_OTHERS)
    ax = axes_or_new(ax, 6.4, 0.9 + 0.26 * max(len(values), 1))
    at = range(len(values))
    ax.barh(at, values, color=colours, height=0.72)
    ax.set_yticks(at, labels, parse_math=False)
    ax.set_ylim(max(len(values), 1) - 0.4, -0.6)
    top = max(values, default=1.0)
    ax.set_xlim(0, 1.12 * top)  # so that the numbers have room
    for i, value in enumerate(values):
        ax.text(value + 0.01 * top, i, f"{value:.3f}", va="center", fontsize=8.5)
    ax.set_xlabel("importance: share of what all questions gained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax
