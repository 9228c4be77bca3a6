"""Tables: the user's data, from NumPy arrays or data frames, as ordered and nominal columns.

No other package knows the types of data frames and arrays. Columns are views of the user's arrays
if the kernels can read them.
"""

from .arrays import as_nominal, is_missing, merges_numbers
from .columns import Column, Nominal, Numbers, Ordered, Ranks, Scale, Times
from .native import native_cells, native_rows
from .scanned import BatchSource, ColumnBuilder, OnProgress, ScannedTable, ScanProgress
from .table import Table, checked_names, frame_of

__all__ = [
    "BatchSource",
    "Column",
    "ColumnBuilder",
    "Nominal",
    "Numbers",
    "OnProgress",
    "Ordered",
    "Ranks",
    "Scale",
    "ScanProgress",
    "ScannedTable",
    "Table",
    "Times",
    "as_nominal",
    "checked_names",
    "frame_of",
    "is_missing",
    "merges_numbers",
    "native_cells",
    "native_rows",
]
