"""Editing trees by hand: the rows of a node, splits as people state them, and their rivals.

A session of editing (``polytomy.edit``) keeps its rows encoded and the leaf of each row. An edit
routes and counts the rows of the edited node only.
"""

from .distribution import Distribution, column_distribution
from .rivals import Rival, best_rivals, regrown
from .rows import EditRows
from .stated import stated_groups, stated_thresholds
from .transfer import Transferred, transferred

__all__ = [
    "Distribution",
    "EditRows",
    "Rival",
    "Transferred",
    "best_rivals",
    "column_distribution",
    "regrown",
    "stated_groups",
    "stated_thresholds",
    "transferred",
]
