"""Curves: growth, the pruning path, the rounds of boosting, and the distribution of margins."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polytomy._text import count
from polytomy._types import FloatArray
from polytomy.certify import Certificate, RoundRecord
from polytomy.certify.text import loss_name

from .axes import axes_or_new
from .background import Background
from .palette import BLUE, COLOURS, GREEN, INK, LINES, VERMILION

_CHOICE_MARKS = {
    "srm": ("s", GREEN),
    "holdout": ("D", VERMILION),
    "cv": ("^", INK),
    "cost": ("o", INK),
}


def plot_growth(certificate: Certificate, ax: Any = None) -> Any:
    """Draw the index I(T) and the training error against the number of leaves, with the bounds.

    The training error of a numeric target is the index itself, and drawn once.

    Parameters
    ----------
    certificate : Certificate
        The certificate of a fitted tree.
    ax : matplotlib Axes, default=None
        The axes to draw on; by default, those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    ink = Background.behind(ax, framed=True).ink
    leaves, root = certificate.leaves_curve, float(certificate.index_curve[0])
    gamma, is_numeric = f"{certificate.gamma:.3g}", certificate.tree.is_numeric
    dots: dict[str, Any] = {"marker": ".", "markersize": 5, "linewidth": 1.2}
    if len(certificate.steps):
        sizes = np.unique(np.geomspace(1, leaves[-1], 200))
        is_plain = root <= 1 and not is_numeric
        power = (1.0 if is_plain else root) * sizes**-certificate.gamma
        name = "leaves$^{-\\gamma}$" if is_plain else "I(root) leaves$^{-\\gamma}$"
        ax.plot(sizes, power, ":", color="grey", label=f"{name}, $\\gamma$ = {gamma}")
        ax.plot(leaves, certificate.bound_curve, "--", color=ink, label=bound_label(certificate))
        ax.plot(leaves[-1:], certificate.bound_curve[-1:], "o", color=ink, markersize=5)
    ax.plot(leaves, certificate.index_curve, color=BLUE, label="I(T), measured", **dots)
    if not is_numeric:
        ax.plot(leaves, certificate.error_curve, color=VERMILION, label="training error", **dots)
    if leaves[-1] > 4:
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.set_xticks(range(1, int(leaves[-1]) + 1))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("leaves")
    loss, index = f"mean {loss_name(certificate)}", f"index ({certificate.run.index.name})"
    ax.set_ylabel(loss if is_numeric else f"{index} and error")
    ax.set_title(growth_title(certificate))
    ax.grid(alpha=0.25)
    ax.legend()
    return ax


def bound_label(certificate: Certificate) -> str:
    """Return the label of the curve of the bound on I(T)."""
    if not certificate.bound_holds:
        return "bound on I(T), not guaranteed"
    if certificate.run.judged_by.procedure in ("hatano", "mansour-mcallester"):
        return "bound on I(T), guaranteed for the final tree"
    return "bound on I(T)"


def growth_title(certificate: Certificate) -> str:
    """Return the title of the figure of growth: the procedure, and whether a theorem covers it."""
    covered = "covered by a theorem" if certificate.covered else "not covered by a theorem"
    if certificate.run.found:
        return f"Splits of the tree, one by one: {covered}"
    return f"Growth by {certificate.run.rules.procedure}: {covered}"


def plot_pruning_path(facts: dict[str, Any], ax: Any = None) -> Any:
    """Draw the training and held-out error of the best pruning of each size.

    Parameters
    ----------
    facts : dict
        ``leaves``, ``training_error``, ``validation_error`` (or None), ``loss``, what they are
        (by default "error"), and ``choices``, the size
        that each criterion selects. With ``questions``, the mean number asked of a row, their curve
        has an axis of its own on the right.
    ax : matplotlib Axes, default=None
        The axes to draw on; by default, those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    background = Background.behind(ax, framed=True)
    leaves, training, held = facts["leaves"], facts["training_error"], facts["validation_error"]
    few = {"marker": ".", "markersize": 4} if len(leaves) < 60 else {}
    ax.plot(leaves, training, color=BLUE, label="training rows", drawstyle="steps-post", **few)
    if held is not None:
        ax.plot(leaves, held, color=VERMILION, label="held-out rows", drawstyle="steps-post", **few)
    curve = training if held is None else held
    for size in sorted(set(facts["choices"].values())):
        criteria = [name for name, its in facts["choices"].items() if its == size]
        shape, colour = _CHOICE_MARKS[criteria[0]]
        colour = background.visible(colour)
        name = f"{', '.join(criteria)}: {count(size, 'leaf', 'leaves')}"
        at = curve[list(leaves).index(size)]
        ax.plot([size], [at], shape, color=colour, markersize=8, label=name, zorder=3)
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:g}")
    if min(map(min, (training, curve))) >= 0:  # negative log-densities may be less
        ax.set_ylim(bottom=0)
    ax.set_xlabel("leaves")
    ax.set_ylabel(facts.get("loss", "error"))
    ax.set_title("The best pruning of each size")
    ax.grid(alpha=0.25)
    if facts.get("questions") is not None:
        _add_questions(ax, leaves, facts["questions"])
    ax.legend(frameon=False)
    return ax


def _add_questions(ax: Any, leaves: Any, questions: Any) -> None:
    """Draw the questions per row on an axis on the right; the legend of ``ax`` names them, too."""
    right = ax.twinx()
    style = {"color": GREEN, "drawstyle": "steps-post", "linestyle": "--"}
    right.plot(leaves, questions, **style)
    right.set_ylim(bottom=0)
    right.set_ylabel("questions per row")
    ax.plot([], [], label="questions per row", **style)


def plot_rounds(rounds: Sequence[RoundRecord], ax: Any = None, best: int | None = None) -> Any:
    """Draw the errors and their bounds against the rounds, on a logarithmic scale.

    Parameters
    ----------
    rounds : sequence of records
        With the fields ``training_error``, ``bound``, ``exponential_bound``, ``validation_error``.
    ax : matplotlib Axes, default=None
        The axes to draw on; by default, those of a new figure.
    best : int, default=None
        The round to mark: the last one that votes after early stopping.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    number = np.arange(1, len(rounds) + 1)
    curves: dict[str, tuple[str, dict[str, Any]]] = {
        "exponential_bound": (r"$e^{-2\sum(1/2-\epsilon)^2}$", {"color": "grey", "ls": ":"}),
        "bound": ("bound", {"color": Background.behind(ax, framed=True).ink, "ls": "--"}),
        "training_error": ("training error", {"color": BLUE, "ls": "-"}),
        "validation_error": ("held-out error", {"color": VERMILION, "ls": "-."}),
    }
    for name, (label, look) in curves.items():
        values = _round_values(rounds, name)
        if not np.isnan(values).all():
            dot = "o" if len(rounds) == 1 else None  # a single point
            ax.plot(number, values, label=label, linewidth=1.6, marker=dot, **look)
    if best is not None:
        ax.axvline(best, color="grey", linewidth=0.8, label=f"best round, {best}")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlim(1, max(len(rounds), 2))
    top = _top_of_axis(rounds)
    ax.set_ylim(-0.015 * top, top)  # keeps a curve at 0 visible
    ax.set_xlabel("rounds")
    ax.set_ylabel("error")
    ax.grid(alpha=0.25)
    if len(rounds):
        ax.legend(frameon=False)
    return ax


def _round_values(rounds: Sequence[RoundRecord], name: str) -> FloatArray:
    values = [getattr(one, name) for one in rounds]
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _top_of_axis(rounds: Sequence[RoundRecord]) -> float:
    """Return the upper end of the axis, at most just above 1, the largest error."""
    names = ("training_error", "bound", "exponential_bound", "validation_error")
    drawn = np.concatenate([_round_values(rounds, name) for name in names])
    most = np.nanmax(drawn) if not np.isnan(drawn).all() else 1.0
    return float(min(max(1.05 * most, 0.01), 1.02))


def plot_margins(margins: ArrayLike | Mapping[str, ArrayLike], ax: Any = None) -> Any:
    """Draw the cumulative distribution of margins.

    A margin lies between -1, all votes for one wrong class, and 1, all votes for the right class.
    Rows with a negative margin are misclassified.

    Parameters
    ----------
    margins : array, or mapping from names to arrays
        One margin for each row. Several sets, such as ``{"after 5 rounds": ..., "after 100": ...}``
        or training and held-out rows, are drawn together.
    ax : matplotlib Axes, default=None
        The axes to draw on; by default, those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    background = Background.behind(ax, framed=True)
    sets = margins if isinstance(margins, Mapping) else {"": margins}
    for i, (name, given) in enumerate(sets.items()):
        held = np.sort(np.asarray(given, dtype=np.float64))
        # the distribution starts at 0 for a margin of -1 and ends at 1
        at = np.concatenate(([-1.0], held, [1.0]))
        share = np.concatenate(([0.0], np.arange(1, len(held) + 1) / len(held), [1.0]))
        style: dict[str, Any] = {"ls": LINES[i % len(LINES)]}
        style["color"] = background.visible(COLOURS[i % len(COLOURS)])
        ax.step(at, share, where="post", label=name or None, linewidth=1.6, **style)
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.set_xlim(-1, 1)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("margin (below 0: misclassified)")
    ax.set_ylabel("share of rows with at most this margin")
    ax.grid(alpha=0.25)
    if any(sets):
        ax.legend(frameon=False)
    return ax
