"""Figures, drawn with matplotlib, which is imported only when something is drawn."""

from .growth import plot_growth
from .importances import plot_importances
from .margins import plot_margins
from .pruning import plot_pruning_path
from .rounds import plot_rounds
from .scores import plot_scores
from .tree import plot_tree

__all__ = [
    "plot_growth",
    "plot_importances",
    "plot_margins",
    "plot_pruning_path",
    "plot_rounds",
    "plot_scores",
    "plot_tree",
]
