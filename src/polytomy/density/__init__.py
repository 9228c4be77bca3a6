"""Density trees: boxes, their lengths and volumes, and the density of rows in them."""

from .boxes import Boxes, boxes_of
from .cells import ColumnCells, cells_of, missing_odds
from .gaps import open_gaps
from .model import DensityModel
from .sampling import sample_table

__all__ = [
    "Boxes",
    "ColumnCells",
    "DensityModel",
    "boxes_of",
    "cells_of",
    "missing_odds",
    "open_gaps",
    "sample_table",
]
