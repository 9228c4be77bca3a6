"""The facts of a tree's report."""

from .assemble import Rows, tree_facts

__all__ = ["Rows", "tree_facts"]
