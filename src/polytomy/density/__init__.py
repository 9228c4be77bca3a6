"""Density trees: boxes, their lengths and volumes, and the density of rows in them."""

from .boxes import Boxes, boxes_of, has_tails
from .cells import ColumnCells, cells_of, missing_odds
from .gaps import open_gaps
from .model import DensityModel, tail_scale
from .sampling import sample_table

__all__ = [
    "Boxes",
    "ColumnCells",
    "DensityModel",
    "boxes_of",
    "cells_of",
    "has_tails",
    "missing_odds",
    "open_gaps",
    "sample_table",
    "tail_scale",
]
