"""A tree in words: ranges, categories, times, class shares, text drawings, rules, explanations."""

from .captions import Caption, captions, describe_branch, describe_branches, split_title
from .categories import SET_WIDTH, branch_categories, describe_categories, format_set
from .density import Region, Regions, density_to_text, regions_of, to_regions
from .explain import Explanation, Step, explain
from .path_conditions import CategorySubset, PathCondition, conditions_after, describe_condition
from .ranges import (
    Range,
    branch_range,
    describe_range,
    format_number,
    format_threshold,
    labels_in_range,
    phrase_bounds,
)
from .rules import Rule, Rules, to_rules
from .shares import DOUBTFUL_NOTE, Share, class_shares, node_share, shares_note
from .text import to_text
from .times import format_time, is_duration

__all__ = [
    "DOUBTFUL_NOTE",
    "SET_WIDTH",
    "Caption",
    "CategorySubset",
    "Explanation",
    "PathCondition",
    "Range",
    "Region",
    "Regions",
    "Rule",
    "Rules",
    "Share",
    "Step",
    "branch_categories",
    "branch_range",
    "captions",
    "class_shares",
    "conditions_after",
    "density_to_text",
    "describe_branch",
    "describe_branches",
    "describe_categories",
    "describe_condition",
    "describe_range",
    "explain",
    "format_number",
    "format_set",
    "format_threshold",
    "format_time",
    "is_duration",
    "labels_in_range",
    "node_share",
    "phrase_bounds",
    "regions_of",
    "shares_note",
    "split_title",
    "to_regions",
    "to_rules",
    "to_text",
]
