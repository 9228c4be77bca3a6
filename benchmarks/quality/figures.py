"""The figures of docs/evidence, drawn from the collected results."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from quality.evidence import MANY, OUR_MANY, OURS, SINGLE, SIZE, SIZE_NAMES, errors_of
from quality.learners.ensembles import DEFAULTS
from quality.ranks import average_ranks, critical_difference, groups

BUDGETS = (4, 8, 16, 32)
WIDTH = 4.6  # inches; the text stays readable at 360 pixels
STYLE = {
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "0.9",
    "axes.axisbelow": True,
    "svg.hashsalt": "polytomy",  # so that the same results give the same file
    "figure.constrained_layout.use": True,
}
# Colours of Okabe and Ito, which people with colour blindness can tell apart; markers differ, too.
OWN = {"fast": ("#0072B2", "o"), "balanced": ("#D55E00", "D")}
OTHERS = {
    "one-hot CART": ("#000000", "s"),
    "YDF CART": ("#E69F00", "^"),
    "C5.0": ("#009E73", "v"),
    "LicketySPLIT": ("#CC79A7", "P"),
    "STreeD": ("#56B4E9", "X"),
    "LightGBM shares": ("0.55", "*"),
}
SHORT = {
    "fast": "polytomy",
    "balanced": "polytomy, balanced",
    "thorough": "polytomy, thorough",
    "one-hot CART": "scikit-learn CART",
    "pruned CART": "pruned CART",
    "LightGBM shares": "LightGBM, one round",
    "HistGradientBoosting": "HistGradientBoosting",
    "LightGBM GBDT": "LightGBM",
    **{name: MANY[name] for name in OUR_MANY},
}


def save_figures(means: pd.DataFrame, leaves: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw all figures into a folder; return their paths.

    Parameters
    ----------
    means : DataFrame
        Collected results.
    leaves : DataFrame
        The judged leaves of ``benchmarks/intervals.py``, by learner, kind and training rows.
    folder : Path
        Where the figures are written.

    Returns
    -------
    list of Path
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {
        "error-by-leaves": error_by_leaves(means),
        "error-by-questions": error_by_questions(means),
        "ranks": rank_figure(errors_of(means, SIZE, SINGLE), OURS),
        "tables": table_differences(means),
        "coverage": coverage(leaves),
        "ensemble-ranks": rank_figure(errors_of(means, DEFAULTS, MANY), OUR_MANY),
    }
    paths = []
    for name, figure in drawn.items():
        paths.append(folder / f"{name}.svg")
        with mpl.rc_context(STYLE):
            figure.savefig(paths[-1], facecolor="white", metadata={"Date": None})
    return paths


def new_figure(height: float) -> tuple[Figure, Axes]:
    """Return a figure of the usual width and its axes."""
    figure = Figure((WIDTH, height))
    return figure, figure.subplots()


def styled(draw: Any) -> Any:
    """Let a function draw with the style of all figures."""

    def drawn(*given: Any) -> Figure:
        with mpl.rc_context(STYLE):
            return draw(*given)

    return drawn


# ---- error by size -----------------------------------------------------------------------------


def curves(means: pd.DataFrame, learner: str, measure: str) -> np.ndarray:
    """Return the mean of a measure over the tables, for each size."""
    return np.array([means.loc[(budget, learner)][measure].mean() for budget in BUDGETS])


def looks(name: str) -> dict[str, Any]:
    """Return colour, marker and width of a learner's line."""
    color, marker = (OWN | OTHERS)[name]
    own = name in OWN
    return {"color": color, "marker": marker, "lw": 2.4 if own else 1.2, "ms": 7 if own else 5.5}


@styled
def error_by_leaves(means: pd.DataFrame) -> Figure:
    """Draw the mean held-out error against the budget of leaves."""
    figure, axes = new_figure(4.3)
    for name in (*OTHERS, *OWN):
        axes.plot(
            BUDGETS,
            100 * curves(means, name, "error"),
            label=SHORT.get(name, name),
            **looks(name),
        )
    axes.set_xscale("log", base=2)
    axes.set_xticks(BUDGETS, [str(budget) for budget in BUDGETS])
    axes.set_xlabel("leaves, at most")
    axes.set_ylabel("held-out error, %")
    legend_above(figure, axes)
    return figure


@styled
def error_by_questions(means: pd.DataFrame) -> Figure:
    """Draw the mean held-out error against the questions asked of a row, a point for each size.

    LightGBM is left out: with several classes it asks those of a tree for each class.
    """
    figure, axes = new_figure(4.3)
    for name in (*(n for n in OTHERS if n != "LightGBM shares"), *OWN):
        asked, error = curves(means, name, "questions"), 100 * curves(means, name, "error")
        axes.plot(asked, error, label=SHORT.get(name, name), **looks(name))
    for name, side in (("balanced", -1), ("one-hot CART", 1)):
        asked, error = curves(means, name, "questions"), 100 * curves(means, name, "error")
        for budget, x, y in zip(BUDGETS, asked, error, strict=True):
            where = {"ha": "right" if side < 0 else "left", "va": "top" if side < 0 else "bottom"}
            axes.annotate(
                str(budget),
                (x, y),
                (4 * side, 3 * side),
                textcoords="offset points",
                fontsize=8.5,
                color=looks(name)["color"],
                **where,
            )
    axes.margins(0.07)
    axes.set_xlabel("questions asked of a row (numbers: leaves, at most)")
    axes.set_ylabel("held-out error, %")
    legend_above(figure, axes)
    return figure


def legend_above(figure: Figure, axes: Axes) -> None:
    """Put the legend above the axes, our learners first."""
    handles, labels = axes.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: not labels[i].startswith("polytomy"))
    figure.legend(
        [handles[i] for i in order],
        [labels[i] for i in order],
        loc="outside upper left",
        ncols=2,
        frameon=False,
        fontsize=9.5,
        columnspacing=1.0,
        handlelength=1.6,
    )


# ---- ranks -------------------------------------------------------------------------------------


@styled
def rank_figure(errors: pd.DataFrame, ours: Sequence[str]) -> Figure:
    """Draw the average ranks, and bars that join learners whose ranks do not differ."""
    ranks = average_ranks(errors)
    limit = critical_difference(len(ranks), len(errors))
    bars = groups(ranks, limit)
    figure, axes = new_figure(1.3 + 0.27 * len(ranks))
    places = {name: i for i, name in enumerate(ranks.index)}
    for name, rank in ranks.items():
        color = "#D55E00" if name in ours else "0.25"
        axes.plot(rank, places[name], "D" if name in ours else "o", color=color, ms=6)
        axes.annotate(
            f"{SHORT.get(name, name)}  {rank:.1f}",
            (rank, places[name]),
            (8, 0),
            textcoords="offset points",
            va="center",
            fontsize=9.5,
            color=color,
            fontweight="bold" if name in ours else "normal",
        )
    left = ranks.min() - 0.35
    for i, (first, last) in enumerate(bars):
        x = left - 0.28 * (len(bars) - i)
        axes.plot([x, x], [places[first] - 0.25, places[last] + 0.25], color="0.45", lw=3)
    axes.set_xlim(left - 0.28 * (len(bars) + 1), ranks.max() + 0.62 * np.ptp(ranks) + 0.6)
    axes.set_ylim(len(ranks) - 0.4, -0.6)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xticks(range(int(np.ceil(ranks.min())), int(ranks.max()) + 1))
    axes.set_xlabel(
        f"average rank of the error on {len(errors)} tables\n"
        f"(1 is best; grey bars join ranks less than {limit:.1f} apart)"
    )
    return figure


# ---- single tables -----------------------------------------------------------------------------


@styled
def table_differences(means: pd.DataFrame) -> Figure:
    """Draw the difference of our error to that of one-hot CART on each table."""
    errors = 100 * errors_of(means, SIZE, ["fast", "balanced", "one-hot CART"])
    differences = errors.sub(errors.pop("one-hot CART"), axis=0).sort_values("balanced")
    figure, axes = new_figure(6.4)
    places = np.arange(len(differences))
    axes.hlines(places, differences.min(axis=1), differences.max(axis=1), color="0.8", lw=1)
    for name, (color, marker) in OWN.items():
        axes.plot(differences[name], places, marker, color=color, ms=5.5, label=SHORT[name])
    axes.axvline(0, color="0.3", lw=1)
    axes.set_yticks(places, differences.index, fontsize=9)
    axes.set_ylim(-0.8, len(differences) - 0.2)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("error minus that of scikit-learn CART, points\n(left: polytomy errs less)")
    legend_above(figure, axes)
    return figure


# ---- intervals ---------------------------------------------------------------------------------


@styled
def coverage(leaves: pd.DataFrame) -> Figure:
    """Draw how often 95 % intervals hold on new rows, by the training rows of the leaf."""
    figure, axes = new_figure(3.9)
    shown = {
        ("fast", "stated"): ("polytomy: stated by the tree", "#0072B2", "o"),
        ("fast", "training"): ("the same leaves: Wilson's, of training rows", "#56B4E9", "o"),
        ("one-hot CART", "training"): ("scikit-learn CART: Wilson's", "#000000", "s"),
    }
    for key, (label, color, marker) in shown.items():
        held = leaves.loc[key]["holds"].loc[SIZE_NAMES]
        axes.plot(range(len(held)), 100 * held, color=color, marker=marker, label=label, lw=1.8)
    axes.axhline(95, color="0.4", lw=1, ls="--")
    axes.set_xticks(range(len(SIZE_NAMES)), SIZE_NAMES)
    axes.set_ylim(60, 100)
    axes.set_xlabel("training rows in the leaf")
    axes.set_ylabel("95 % intervals that hold, %")
    figure.legend(loc="outside upper left", frameon=False, fontsize=9.5)
    return figure
