"""The best bins of single columns: ranges of numbers or groups of categories, under constraints.

*params*: the constraints. *search*: the items of each column, and the search. *refine*: single
values as cuts of columns with many values. *special*: special values. *columns*: the bins
of a column, and the bin of a cell. *statistics*: weight of evidence, information value and others.
"""

from .columns import ColumnBins
from .params import MONOTONIC, OBJECTIVES, BinParams
from .search import find_bins
from .special import SpecialValues
from .statistics import ClassStatistics, EventStatistics, NumberStatistics, TargetStatistics

__all__ = [
    "MONOTONIC",
    "OBJECTIVES",
    "BinParams",
    "ClassStatistics",
    "ColumnBins",
    "EventStatistics",
    "NumberStatistics",
    "SpecialValues",
    "TargetStatistics",
    "find_bins",
]
