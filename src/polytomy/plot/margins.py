"""How sure an ensemble is: the distribution of margins."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .axes import axes_or_new
from .palette import COLOURS, LINES
from .paper import Paper


def plot_margins(margins: ArrayLike | Mapping[str, ArrayLike], ax: Any = None) -> Any:
    """Draw which share of the rows has at most each margin.

    A margin runs from -1, all votes for a wrong class, to 1, all for the right one; below 0 the row
    is misclassified.

    Parameters
    ----------
    margins : array, or arrays by name
        One margin for each row. Several sets, such as ``{"after 5 rounds": ..., "after 100": ...}``
        or training and held-out rows, are drawn together.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    paper = Paper.behind(ax, framed=True)
    sets = margins if isinstance(margins, Mapping) else {"": margins}
    for i, (name, given) in enumerate(sets.items()):
        held = np.sort(np.asarray(given, dtype=np.float64))
        # from -1, where no row is yet, to 1, where all are
        at = np.concatenate(([-1.0], held, [1.0]))
        share = np.concatenate(([0.0], np.arange(1, len(held) + 1) / len(held), [1.0]))
        look: dict[str, Any] = {"ls": LINES[i % len(LINES)]}
        look["color"] = paper.inked(COLOURS[i % len(COLOURS)])
        ax.step(at, share, where="post", label=name or None, linewidth=1.6, **look)
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.set_xlim(-1, 1)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("margin (below 0: misclassified)")
    ax.set_ylabel("share of rows with at most this margin")
    ax.grid(alpha=0.25)
    if any(sets):
        ax.legend(frameon=False)
    return ax
