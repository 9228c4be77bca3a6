"""The facts for deciding with a model: curves, costs, groups, drift, the data, the model card."""

from .card import Card, card_facts
from .curves import Scored, decision_facts
from .drift import Cells, drift_facts
from .groups import Grouping, group_facts, grouping
from .overview import ColumnCounts, overview_facts

__all__ = [
    "Card",
    "Cells",
    "ColumnCounts",
    "Grouping",
    "Scored",
    "card_facts",
    "decision_facts",
    "drift_facts",
    "group_facts",
    "grouping",
    "overview_facts",
]
