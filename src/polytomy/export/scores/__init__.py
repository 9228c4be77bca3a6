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
from .text import describe_members, members_to_text, scores_to_text

__all__ = [
    "ScoreRow",
    "category_scores",
    "describe_members",
    "join_neighbours",
    "members_to_text",
    "own_split_scores",
    "ranges_of",
    "score_order",
    "score_rows",
    "scores_to_text",
]
