"""The facts of a report: everything its page shows about a model, as plain data."""

from .boosted import Evaluated, Fitted, boosted_facts, margin_stages
from .forest import FittedForest, forest_facts
from .heading import Heading
from .predicted import PredictedNumbers
from .tree import (
    MOST_COLUMNS,
    Alternative,
    NodeDetails,
    Outcomes,
    Rows,
    ScoredRows,
    density_facts,
    edited_facts,
    growth_steps,
    tree_facts,
)

__all__ = [
    "MOST_COLUMNS",
    "Alternative",
    "Evaluated",
    "Fitted",
    "FittedForest",
    "Heading",
    "NodeDetails",
    "Outcomes",
    "PredictedNumbers",
    "Rows",
    "ScoredRows",
    "boosted_facts",
    "density_facts",
    "edited_facts",
    "forest_facts",
    "growth_steps",
    "margin_stages",
    "tree_facts",
]
