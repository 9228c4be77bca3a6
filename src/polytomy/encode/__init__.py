"""Columns to codes: cuts for numbers, dictionaries for categories, integers for weights.

The last package that knows raw values. A *code* is a small integer: a bin of an ordered column, or
a category of a nominal one; the code after the last is a missing cell.
"""

from .align import aligned, value_table
from .encoder import Coded, encode
from .schema import ColumnSpec, NominalColumn, OrderedColumn, Schema
from .target import Layer, Target, fixed_point, weighing_rows

__all__ = [
    "Coded",
    "ColumnSpec",
    "Layer",
    "NominalColumn",
    "OrderedColumn",
    "Schema",
    "Target",
    "aligned",
    "encode",
    "fixed_point",
    "value_table",
    "weighing_rows",
]
