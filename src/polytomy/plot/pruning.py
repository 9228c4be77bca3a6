"""The pruning path: errors against leaves, with what each criterion chooses."""

from typing import Any

from .axes import axes_or_new
from .palette import BLUE, INK, VERMILION
from .paper import Paper

_GREEN = "#009E73"
_MARKS = {"srm": ("s", _GREEN), "holdout": ("D", VERMILION), "cv": ("^", INK)}


def plot_pruning_path(facts: dict[str, Any], ax: Any = None) -> Any:
    """Draw training and held-out error against the leaves of the best prunings.

    Parameters
    ----------
    facts : dict
        ``leaves``, ``training_error``, ``validation_error`` (or None) and ``choices``, the size
        that each criterion chooses.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    paper = Paper.behind(ax, framed=True)
    leaves, training, held = facts["leaves"], facts["training_error"], facts["validation_error"]
    few = {"marker": ".", "markersize": 4} if len(leaves) < 60 else {}
    ax.plot(leaves, training, color=BLUE, label="training error", drawstyle="steps-post", **few)
    if held is not None:
        ax.plot(
            leaves, held, color=VERMILION, label="held-out error", drawstyle="steps-post", **few
        )
    curve = training if held is None else held
    for size in sorted(set(facts["choices"].values())):
        chose = [how for how, its in facts["choices"].items() if its == size]
        shape, colour = _MARKS[chose[0]]
        colour = paper.inked(colour)
        name = f"{', '.join(chose)}: {size} {'leaf' if size == 1 else 'leaves'}"
        at = curve[list(leaves).index(size)]
        ax.plot([size], [at], shape, color=colour, markersize=8, label=name, zorder=3)
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("leaves")
    ax.set_ylabel("error")
    ax.set_title("The best pruning of every size")
    ax.grid(alpha=0.25)
    ax.legend(frameon=False)
    return ax
