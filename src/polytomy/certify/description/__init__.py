"""The description length of a tree in a prefix code, and the bounds on new rows it implies."""

from .generalization import Generalization, generalize
from .tree_code import encode_tree

__all__ = ["Generalization", "encode_tree", "generalize"]
