"""How far a tree is from the best one of its size: lower bounds by branch and bound.

``rows`` merges rows that no split can separate, ``search`` bounds the cost of the best tree of a
size, in C++, and ``optimality`` states the result. See docs/explanation/optimality.md.
"""

from .optimality import Optimality
from .rows import DistinctRows
from .search import MAX_LEAVES, ErrorBounds, SearchLimits, bound_errors

__all__ = [
    "MAX_LEAVES",
    "DistinctRows",
    "ErrorBounds",
    "Optimality",
    "SearchLimits",
    "bound_errors",
]
