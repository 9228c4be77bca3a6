"""The facts of a report: everything its page shows about a model, as plain data."""

from .boosted import Evaluated, Fitted, boosted_facts, margin_stages
from .decision import (
    Card,
    Cells,
    ColumnCounts,
    Grouping,
    Scored,
    card_facts,
    decision_facts,
    drift_facts,
    group_facts,
    grouping,
    overview_facts,
)
from .forest import FittedForest, forest_facts
from .heading import Heading
from .json_values import json_size
from .predicted import PredictedNumbers
from .tree import (
    MOST_COLUMNS,
    Alternative,
    NodeDetails,
    NodeErrors,
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
    "Card",
    "Cells",
    "ColumnCounts",
    "Evaluated",
    "Fitted",
    "FittedForest",
    "Grouping",
    "Heading",
    "NodeDetails",
    "NodeErrors",
    "Outcomes",
    "PredictedNumbers",
    "Rows",
    "Scored",
    "ScoredRows",
    "boosted_facts",
    "card_facts",
    "decision_facts",
    "density_facts",
    "drift_facts",
    "edited_facts",
    "forest_facts",
    "group_facts",
    "grouping",
    "growth_steps",
    "json_size",
    "margin_stages",
    "overview_facts",
    "tree_facts",
]
