"""A tree in words: ranges, categories, times, predictions, text drawings, rules, explanations."""

from .captions import Caption, captions, describe_branch, describe_branches, split_title
from .categories import SET_WIDTH, branch_categories, describe_categories, format_set
from .costs import describe_costs
from .density import Region, Regions, regions_of, to_regions
from .edits import arguments_of, edit_text, log_entry
from .explain import Explanation, Step, cell_text, explain
from .numbers import TargetFormat, format_for, target_format
from .origin import describe_origin
from .path_conditions import CategorySubset, PathCondition, conditions_after, describe_condition
from .predictions import (
    AnyModel,
    Density,
    Mean,
    Prediction,
    Share,
    class_shares,
    node_density,
    node_mean,
    node_prediction,
    node_share,
    shares_note,
)
from .ranges import (
    Range,
    branch_range,
    describe_range,
    format_number,
    format_threshold,
    labels_in_range,
    phrase_bounds,
)
from .rules import Rule, Rules, SchemaTree, leaf_conditions, to_rules
from .text import to_text
from .times import format_time, is_duration

__all__ = [
    "SET_WIDTH",
    "AnyModel",
    "Caption",
    "CategorySubset",
    "Density",
    "Explanation",
    "Mean",
    "PathCondition",
    "Prediction",
    "Range",
    "Region",
    "Regions",
    "Rule",
    "Rules",
    "SchemaTree",
    "Share",
    "Step",
    "TargetFormat",
    "arguments_of",
    "branch_categories",
    "branch_range",
    "captions",
    "cell_text",
    "class_shares",
    "conditions_after",
    "describe_branch",
    "describe_branches",
    "describe_categories",
    "describe_condition",
    "describe_costs",
    "describe_origin",
    "describe_range",
    "edit_text",
    "explain",
    "format_for",
    "format_number",
    "format_set",
    "format_threshold",
    "format_time",
    "is_duration",
    "labels_in_range",
    "leaf_conditions",
    "log_entry",
    "node_density",
    "node_mean",
    "node_prediction",
    "node_share",
    "phrase_bounds",
    "regions_of",
    "shares_note",
    "split_title",
    "target_format",
    "to_regions",
    "to_rules",
    "to_text",
]
