"""The report on a model: its facts as plain data, and an HTML page that shows them.

``facts`` collects plain data about a tree or an ensemble, ``page`` renders it as one self-contained
HTML file, and ``notebook`` renders a tree as a small piece of HTML without scripts.
"""

from .facts import (
    MOST_COLUMNS,
    Alternative,
    Card,
    Cells,
    ColumnCounts,
    Evaluated,
    Fitted,
    FittedForest,
    Grouping,
    Heading,
    NodeDetails,
    Outcomes,
    PredictedNumbers,
    Rows,
    ScoredRows,
    boosted_facts,
    card_facts,
    decision_facts,
    density_facts,
    drift_facts,
    forest_facts,
    group_facts,
    grouping,
    growth_steps,
    margin_stages,
    overview_facts,
    tree_facts,
)
from .notebook import compact_html
from .page import render

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
    "Outcomes",
    "PredictedNumbers",
    "Rows",
    "ScoredRows",
    "boosted_facts",
    "card_facts",
    "compact_html",
    "decision_facts",
    "density_facts",
    "drift_facts",
    "forest_facts",
    "group_facts",
    "grouping",
    "growth_steps",
    "margin_stages",
    "overview_facts",
    "render",
    "tree_facts",
]
