"""The report on a model: its facts as plain data, and an HTML page that shows them.

``facts`` collects plain data about a tree or an ensemble, ``page`` renders it as one self-contained
HTML file, and ``notebook`` renders a tree as a small piece of HTML without scripts.
"""

from .facts import (
    MOST_COLUMNS,
    Alternative,
    Evaluated,
    Fitted,
    FittedForest,
    Heading,
    NodeDetails,
    Outcomes,
    PredictedNumbers,
    Rows,
    ScoredRows,
    boosted_facts,
    density_facts,
    edited_facts,
    forest_facts,
    growth_steps,
    margin_stages,
    tree_facts,
)
from .notebook import compact_html
from .page import render

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
    "compact_html",
    "density_facts",
    "edited_facts",
    "forest_facts",
    "growth_steps",
    "margin_stages",
    "render",
    "tree_facts",
]
