"""Axes to draw on, given or new; the only place that checks whether matplotlib is installed."""

from math import ceil
from typing import Any

from polytomy._errors import MissingPackageError


def axes_or_new(ax: Any, width: float = 7.0, height: float = 4.5) -> Any:
    """Return the given axes, or those of a new figure."""
    if ax is not None:
        return ax
    return _pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def panels(n: int, wide: int, width: float = 3.0, height: float = 2.3) -> tuple[Any, list[Any]]:
    """Return a new figure with n panels, at most ``wide`` side by side, on one vertical scale."""
    high = ceil(n / wide)
    wide = ceil(n / high)  # four panels make a square
    figure, grid = _pyplot().subplots(
        high,
        wide,
        figsize=(width * wide + 0.6, height * high + 0.6),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    axes = list(grid.ravel())
    for spare in axes[n:]:
        spare.remove()
    return figure, axes[:n]


def size_of(ax: Any) -> tuple[float, float]:
    """Return the width and height of axes, in points."""
    box = _box_of(ax)
    return 72 * box.width / ax.figure.dpi, 72 * box.height / ax.figure.dpi


def room_left_of(ax: Any) -> float:
    """Return the distance, in points, to the next axes or the figure's edge on the left."""
    box, edge = _box_of(ax), ax.figure.bbox.x0
    for other in ax.figure.axes:
        there = _box_of(other)
        beside = there.y0 < box.y1 and box.y0 < there.y1
        if other is not ax and beside and there.x1 <= box.x0:
            edge = max(edge, there.x1)
    return float(72 * (box.x0 - edge) / ax.figure.dpi)


def _box_of(ax: Any) -> Any:
    """Return the box available to axes, in pixels, before an aspect ratio shrinks it."""
    locator = ax.get_axes_locator()  # of inset axes
    box = locator(ax, None) if locator else ax.get_position(original=True)
    return box.transformed(ax.figure.transSubfigure)


def ensure_matplotlib() -> None:
    """Raise an error that explains how to install matplotlib if it is missing."""
    _pyplot()


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot  # noqa: PLC0415
    except ImportError as missing:
        raise MissingPackageError(
            'plots need matplotlib; install it with: pip install "polytomy[plot]"'
        ) from missing
    return pyplot
