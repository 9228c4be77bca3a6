"""Figures, drawn with matplotlib, which is imported only when something is drawn."""

from .growth import plot_growth

__all__ = ["plot_growth"]
