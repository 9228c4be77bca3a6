"""The drawing of a tree: labels, layout and marks."""

from .figure import plot_tree

__all__ = ["plot_tree"]
