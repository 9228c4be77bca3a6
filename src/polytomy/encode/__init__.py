"""Encoding: columns as integer codes, weights as integers.

A *code* is a bin of an ordered column or a category of a nominal one; the code after the last is
that of missing cells. Growing works on codes only and does not know raw values.
"""

from .align import aligned, value_table
from .encoder import Coded, checked_max_bins, code_dtype, encode, encode_with, missing_cells
from .numbers import NumericTarget
from .schema import ColumnSpec, NominalColumn, OrderedColumn, Schema, thresholds_between
from .target import Layer, Residues, Target, fixed_point, weighing_rows

__all__ = [
    "Coded",
    "ColumnSpec",
    "Layer",
    "NominalColumn",
    "NumericTarget",
    "OrderedColumn",
    "Residues",
    "Schema",
    "Target",
    "aligned",
    "checked_max_bins",
    "code_dtype",
    "encode",
    "encode_with",
    "fixed_point",
    "missing_cells",
    "thresholds_between",
    "value_table",
    "weighing_rows",
]
