"""A model: a tree joined with the schema and the classes it speaks of. What every reader takes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polytomy._types import AnyArray
from polytomy.encode import Schema
from polytomy.tree import Tree, contract


@dataclass(frozen=True, eq=False)
class Model:
    """What a fitted classifier knows.

    ``grown`` is the run's own tree, which certificates and pruning speak of; ``tree`` is the one
    that predicts and is read: contracted, unless ``contracted`` is False.
    """

    schema: Schema
    grown: Tree
    classes: AnyArray
    contracted: bool = True

    @cached_property
    def tree(self) -> Tree:
        """The tree that predicts."""
        return contract(self.grown) if self.contracted else self.grown

    @property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return [str(c) for c in np.asarray(self.classes).tolist()]
