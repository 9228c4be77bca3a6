"""The tree: frozen arrays of any arity, their builder and invariants, contraction and reshaping."""

from .arrays import CODES, INTERVALS, LEAF, OWN, Tree
from .builder import TreeBuilder
from .check import check_tree
from .contract import contract, contraction
from .kinds import KINDS, Branching, checked_route, from_plain, register_kind, to_plain
from .labels import majority
from .question import CodeQuestion, IntervalQuestion, OwnQuestion, Question
from .reshape import GONE, pruned, raised, stump
from .summaries import column_importances, leaves_below, split_gains

__all__ = [
    "CODES",
    "GONE",
    "INTERVALS",
    "KINDS",
    "LEAF",
    "OWN",
    "Branching",
    "CodeQuestion",
    "IntervalQuestion",
    "OwnQuestion",
    "Question",
    "Tree",
    "TreeBuilder",
    "check_tree",
    "checked_route",
    "column_importances",
    "contract",
    "contraction",
    "from_plain",
    "leaves_below",
    "majority",
    "pruned",
    "raised",
    "register_kind",
    "split_gains",
    "stump",
    "to_plain",
]
