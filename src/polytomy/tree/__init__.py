"""The tree: frozen arrays of any arity, its builder, its invariants, contraction and pruning."""

from .builder import TreeBuilder
from .check import check_tree, count_tolerance
from .constraints import UNCONSTRAINED, Constraints, asked_above, first_questions
from .contract import contract, contraction
from .importances import column_importances, split_gains
from .merge import IS_LEAF, IS_SPLIT, merged_pruning
from .order import leaf_order, ordered_values, sums_of_class_numbers
from .splits import (
    KINDS,
    Branching,
    CategorySplit,
    CustomSplit,
    IntervalSplit,
    NodeSplit,
    checked_route,
    from_plain,
    register_kind,
    to_plain,
)
from .subtrees import GONE, grafted, pruned, raised, stump
from .surgery import (
    Surgery,
    branches_merged,
    collapsed,
    heaviest_branch,
    leaf_of,
    nodes_below,
    replaced,
    subtree_at,
)
from .traversal import DepthFirst, depth_first, depth_first_starts, leaves_below, subtree_sums
from .tree import (
    CODES,
    INTERVALS,
    LEAF,
    OWN,
    Tree,
    TreeShape,
    errors_of_labels,
    least_errors,
    majority,
)

__all__ = [
    "CODES",
    "GONE",
    "INTERVALS",
    "IS_LEAF",
    "IS_SPLIT",
    "KINDS",
    "LEAF",
    "OWN",
    "UNCONSTRAINED",
    "Branching",
    "CategorySplit",
    "Constraints",
    "CustomSplit",
    "DepthFirst",
    "IntervalSplit",
    "NodeSplit",
    "Surgery",
    "Tree",
    "TreeBuilder",
    "TreeShape",
    "asked_above",
    "branches_merged",
    "check_tree",
    "checked_route",
    "collapsed",
    "column_importances",
    "contract",
    "contraction",
    "count_tolerance",
    "depth_first",
    "depth_first_starts",
    "errors_of_labels",
    "first_questions",
    "from_plain",
    "grafted",
    "heaviest_branch",
    "leaf_of",
    "leaf_order",
    "least_errors",
    "leaves_below",
    "majority",
    "merged_pruning",
    "nodes_below",
    "ordered_values",
    "pruned",
    "raised",
    "register_kind",
    "replaced",
    "split_gains",
    "stump",
    "subtree_at",
    "subtree_sums",
    "sums_of_class_numbers",
    "to_plain",
]
