"""The facts of a report: everything its page shows about a model, as plain data."""

from .boosted import boosted_facts
from .tree import Rows, tree_facts

__all__ = ["Rows", "boosted_facts", "tree_facts"]
