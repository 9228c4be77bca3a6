"""Scaling: time against rows, columns, leaves and categories, with fitted exponents."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from results import Results

mpl.use("Agg")
import matplotlib.pyplot as plt

LAST = 3  # points that the exponent is fitted to: at smaller sizes fixed costs dominate
STYLES = {
    "ours": ("#b3202a", "o"),
    "ours, hatano": ("#e08a1e", "o"),
    "LightGBM": ("#2a6fb3", "s"),
    "XGBoost": ("#3a9d5d", "^"),
    "HistGradientBoosting": ("#7d5ba6", "v"),
    "YDF CART": ("#8c6d46", "D"),
    "DecisionTree": ("#777777", "x"),
}
AXES = ("rows", "columns", "leaves", "categories")

Series = dict[str, tuple[list[float], list[float]]]


def series_of(group: dict[str, Any]) -> Series:
    """Return, by library, the positions on the axis and the shortest times there."""
    series: Series = {}
    for case in group["cases"]:
        for outcome in case["contestants"]:
            if case["at"] and outcome["name"] in STYLES and "seconds" in outcome:
                places, seconds = series.setdefault(outcome["name"], ([], []))
                places.append(case["at"])
                seconds.append(outcome["seconds"])
    return series


def exponent(places: list[float], seconds: list[float]) -> float | None:
    """Return the slope of the last points on log axes, by least squares."""
    if len(places) < 2:
        return None
    last = np.log(places[-LAST:]), np.log(seconds[-LAST:])
    return float(np.polyfit(*last, 1)[0])


def exponents(results: Results) -> dict[str, dict[str, dict[str, float]]]:
    """Return, by axis and library, the exponent and the range it was fitted to."""
    table: dict[str, dict[str, dict[str, float]]] = {}
    for axis in AXES:
        group = results.groups.get(axis)
        for name, (places, seconds) in series_of(group).items() if group else ():
            slope = exponent(places, seconds)
            if slope is not None:
                fitted = {"exponent": slope, "from": places[-LAST:][0], "to": places[-1]}
                table.setdefault(axis, {})[name] = fitted
    return table


def draw(results: Results, path: Path) -> None:
    """Draw one panel for each axis."""
    fits = exponents(results)
    figure, panels = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    for axis, panel in zip(AXES, panels.flat, strict=True):
        group = results.groups.get(axis)
        panel.set(xscale="log", yscale="log", xlabel=axis, ylabel="seconds")
        for name, (places, seconds) in series_of(group).items() if group else ():
            colour, marker = STYLES[name]
            slope = fits.get(axis, {}).get(name)
            label = name if slope is None else f"{name}: {slope['exponent']:.2f}"
            wide = 2.2 if name.startswith("ours") else 1.2
            panel.plot(places, seconds, marker, ls="-", color=colour, lw=wide, label=label)
        if group:
            panel.set_title(group["title"], fontsize=10)
            panel.legend(fontsize=8)
        panel.grid(visible=True, which="major", alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
