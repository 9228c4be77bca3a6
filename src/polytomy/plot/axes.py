"""Axes to draw on: the caller's, or new ones; matplotlib is asked for only here."""

from math import ceil
from typing import Any

from polytomy._errors import MissingPackageError


def axes_or_new(ax: Any, width: float = 7.0, height: float = 4.5) -> Any:
    """Return the axes given, or those of a new figure."""
    if ax is not None:
        return ax
    return _pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def panels(n: int, wide: int, width: float = 3.0, height: float = 2.3) -> tuple[Any, list[Any]]:
    """Return a new figure and n of its panels, at most so many side by side, on one scale."""
    high = ceil(n / wide)
    wide = ceil(n / high)  # four make a square, not three and one
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


def ensure_matplotlib() -> None:
    """Say what to install where matplotlib is not there."""
    _pyplot()


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot  # noqa: PLC0415
    except ImportError as missing:
        raise MissingPackageError(
            'plots need matplotlib; install it with: pip install "polytomy[plot]"'
        ) from missing
    return pyplot
