"""Readers of a model: text, rules and explanations. They never see the grower."""

from .explain import Explanation, explain
from .rules import Rule, Rules, to_rules
from .scores import scores_to_text
from .shares import Share, wilson
from .text import to_text

__all__ = [
    "Explanation",
    "Rule",
    "Rules",
    "Share",
    "explain",
    "scores_to_text",
    "to_rules",
    "to_text",
    "wilson",
]
