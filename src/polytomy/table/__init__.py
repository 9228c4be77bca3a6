"""Tables: the only door for the user's data, be they NumPy arrays or data frames.

The last place that knows how data look. Columns are views of the user's arrays wherever the kernels
can read them as they are.
"""

from .cells import as_nominal
from .columns import Column, Nominal, Ordered
from .make import frame_of
from .scale import Numbers, Ranks, Scale, Times
from .table import Table, checked_names

__all__ = [
    "Column",
    "Nominal",
    "Numbers",
    "Ordered",
    "Ranks",
    "Scale",
    "Table",
    "Times",
    "as_nominal",
    "checked_names",
    "frame_of",
]
