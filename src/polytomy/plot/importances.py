"""The importances of columns as bars, the largest on top."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polytomy._errors import ParameterError
from polytomy._text import distinct_names

from .axes import axes_or_new, room_left_of, size_of
from .names import shown, wrapped
from .palette import BLUE, OTHERS

_NAME = 40  # characters of a name
_LEAST = 4  # characters of a line of a name
_SIZES = (10.0, 9.0, 8.0, 7.0, 6.0)  # font sizes of names
_TICK = 6.0  # points between a name and its bar
_NUMBER = 34.0  # points for the number beside a bar
_WIDE = 260.0  # points; narrower axes have a short label


def plot_importances(
    names: Sequence[str], importances: ArrayLike, ax: Any = None, most: int = 20
) -> Any:
    """Draw the importances of columns as bars, the largest on top; zeros are left out.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    importances : array
        One non-negative number for each column.
    ax : matplotlib Axes, default=None
        The axes to draw on; by default, those of a new figure.
    most : int, default=20
        Maximum number of bars; if there are more columns, the last bar is the sum of the rest.

    Returns
    -------
    matplotlib Axes
    """
    held = np.asarray(importances, dtype=np.float64)
    if held.shape != (len(names),) or not (np.isfinite(held) & (held >= 0)).all():
        raise ParameterError(
            f"importances must be {len(names)} non-negative numbers, one for each name"
        )
    if most < 1:
        raise ParameterError(f"most must be at least 1, got {most!r}")
    order = np.argsort(-held, kind="stable")  # ties in the order of the columns
    order = order[held[order] > 0]
    kept = order if len(order) <= most else order[: most - 1]
    labels = [shown(names[j]) for j in kept]
    values, colours = held[kept].tolist(), [BLUE] * len(kept)
    if others := len(order) - len(kept):
        labels.append(f"{others} others")
        values.append(float(held[order[len(kept) :]].sum()))
        colours.append(OTHERS)
    own = ax is None
    ax = axes_or_new(ax, 6.4, 0.9 + 0.26 * max(len(values), 1))
    if own or ax.figure.get_layout_engine() is not None:  # a layout makes room for names
        ax.set_yticks(range(len(values)), distinct_names(labels, _NAME), parse_math=False)
    else:
        _write_names(ax, labels)
    _draw_bars(ax, values, colours)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


def _draw_bars(ax: Any, values: list[float], colours: list[str]) -> None:
    ax.barh(range(len(values)), values, color=colours, height=0.72)
    ax.set_ylim(max(len(values), 1) - 0.4, -0.6)
    top, width = max(values, default=1.0), size_of(ax)[0]
    beside = max(0.12, _NUMBER / max(width - _NUMBER, _NUMBER))  # room for the numbers
    ax.set_xlim(0, (1 + beside) * top)
    for i, value in enumerate(values):
        ax.text(value + 0.01 * top, i, f"{value:.3f}", va="center", fontsize=8.5)
    if width > _WIDE:
        ax.set_xlabel("importance: share of the total gain")
    else:
        ax.set_xlabel("importance")
        ax.locator_params(axis="x", nbins=4)


def _write_names(ax: Any, names: list[str]) -> None:
    """Write names in the room to the left of the axes: wrapped, smaller, and finally shortened."""
    from .text import Ruler  # noqa: PLC0415

    ruler, room = Ruler(), room_left_of(ax) - _TICK
    row = size_of(ax)[1] / max(len(names), 1)
    for size in _SIZES:
        lines = max(1, min(3, int(row / (1.25 * size))))
        labels = [_fitting(name, size, lines, room, ruler) for name in names]
        whole = all("…" not in text for text in labels)
        if whole and 1.25 * size <= row:
            break
    ax.set_yticks(range(len(names)), labels, parse_math=False, fontsize=size, linespacing=1.1)


def _fitting(name: str, size: float, lines: int, room: float, ruler: Any) -> str:
    """Return a name wrapped to at most ``lines`` lines that fit the room, in points."""
    # hardly any letter is narrower than a third of its height
    for width in range(min(_NAME, max(_LEAST, int(room / (0.3 * size)))), _LEAST - 1, -1):
        wrapped_lines = wrapped(name, width, lines)
        if max(ruler.width(line, size) for line in wrapped_lines) <= room:
            break
    return "\n".join(wrapped_lines)
