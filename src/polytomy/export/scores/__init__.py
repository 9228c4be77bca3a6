"""The score functions of boosted stumps in words and as text."""

from .rows import (
    ScoreRow,
    category_scores,
    join_neighbours,
    own_split_scores,
    ranges_of,
    score_order,
    score_rows,
)
from .rules import ScoreRule, ScoreRules, ensemble_rules
from .text import describe_members, members_to_text, scores_to_text

__all__ = [
    "ScoreRow",
    "ScoreRule",
    "ScoreRules",
    "category_scores",
    "describe_members",
    "ensemble_rules",
    "join_neighbours",
    "members_to_text",
    "own_split_scores",
    "ranges_of",
    "score_order",
    "score_rows",
    "scores_to_text",
]
