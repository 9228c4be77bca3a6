"""How cost grows: time against rows, columns, leaves, categories on log axes, with exponents."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from results import Results

mpl.use("Agg")
import matplotlib.pyplot as plt

LAST = 3  # points the exponent is fitted to: below them fixed costs rule
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
    """Return, by contestant, the places on the axis and the least seconds there."""
    series: Series = {}
    for case in group["cases"]:
        for told in case["contestants"]:
            if case["at"] and told["name"] in STYLES and "seconds" in told:
                places, seconds = series.setdefault(told["name"], ([], []))
                places.append(case["at"])
                seconds.append(told["seconds"])
    return series


def exponent(places: list[float], seconds: list[float]) -> float | None:
    """Return the slope in the logarithms of the last points, by least squares."""
    if len(places) < 2:
        return None
    last = np.log(places[-LAST:]), np.log(seconds[-LAST:])
    return float(np.polyfit(*last, 1)[0])


def exponents(results: Results) -> dict[str, dict[str, dict[str, float]]]:
    """Return, by axis and contestant, the exponent and from where to where it was fitted."""
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
    """Draw a panel an axis."""
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
