"""The drawing of a tree: labels, layout and marks."""

from .figure import plot_tree
from .look import Look

__all__ = ["Look", "plot_tree"]
