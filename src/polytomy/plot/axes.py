"""Axes to draw on: the caller's, or new ones; matplotlib is asked for only here."""

from typing import Any

from polytomy._errors import MissingPackageError


def axes_or_new(ax: Any, width: float = 7.0, height: float = 4.5) -> Any:
    """Return the axes given, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot  # noqa: PLC0415
    except ImportError as missing:
        raise MissingPackageError(
            'plots need matplotlib; install it with: pip install "polytomy[plot]"'
        ) from missing
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
