"""Figures, drawn with matplotlib, which is imported only when something is drawn."""

from .growth import plot_growth
from .pruning import plot_pruning_path

__all__ = ["plot_growth", "plot_pruning_path"]
