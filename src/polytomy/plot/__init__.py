"""Figures, drawn with matplotlib, which is imported only when a figure is drawn."""

from .curves import (
    bound_label,
    growth_title,
    plot_growth,
    plot_margins,
    plot_pruning_path,
    plot_rounds,
)
from .density import plot_density
from .importances import plot_importances
from .scores import plot_scores
from .tree import Look, plot_tree

__all__ = [
    "Look",
    "bound_label",
    "growth_title",
    "plot_density",
    "plot_growth",
    "plot_importances",
    "plot_margins",
    "plot_pruning_path",
    "plot_rounds",
    "plot_scores",
    "plot_tree",
]
