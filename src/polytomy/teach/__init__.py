"""Teachers: models whose forecasts replace part of the labels that a tree is grown on."""

from .forest import TaughtForest, forest_forecasts, quick_forecasts
from .refill import joined_branches, refilled
from .soft import Blend, Forecasts, known_rows, soft_sample
from .synthetic import Mixture, mix_rows

__all__ = [
    "Blend",
    "Forecasts",
    "Mixture",
    "TaughtForest",
    "forest_forecasts",
    "joined_branches",
    "known_rows",
    "mix_rows",
    "quick_forecasts",
    "refilled",
    "soft_sample",
]
