"""Branching families: what a node may ask. Built-in ones see histograms, users' own see rows."""

from .groups import Groups
from .intervals import Intervals
from .own import Family, own_options
from .project import best_thresholds
from .values import Values

BuiltIn = Intervals | Values | Groups
FAMILIES: dict[str, type[BuiltIn]] = {f.name: f for f in (Intervals, Values, Groups)}
"""The built-in families, by name."""

__all__ = [
    "FAMILIES",
    "BuiltIn",
    "Family",
    "Groups",
    "Intervals",
    "Values",
    "best_thresholds",
    "own_options",
]
