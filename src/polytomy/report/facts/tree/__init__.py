"""The facts of a tree's report."""

from .assemble import Rows, edited_facts, tree_facts
from .density import ScoredRows, density_facts
from .details import MOST_COLUMNS, Alternative, NodeDetails
from .nodes import growth_steps
from .pruning_path import NodeErrors
from .target import Outcomes

__all__ = [
    "MOST_COLUMNS",
    "Alternative",
    "NodeDetails",
    "NodeErrors",
    "Outcomes",
    "Rows",
    "ScoredRows",
    "density_facts",
    "edited_facts",
    "growth_steps",
    "tree_facts",
]
