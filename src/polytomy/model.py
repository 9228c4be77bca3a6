"""A model: a tree joined with the schema and the classes it speaks of. What every reader takes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from polytomy._types import AnyArray
from polytomy.certify import Certificate, Run, issue
from polytomy.encode import Schema
from polytomy.tree import Tree, contract


@dataclass(frozen=True, eq=False)
class Model:
    """What a fitted classifier knows.

    ``grown`` is the run's own tree, which certificates and pruning speak of; ``tree`` is the one
    that predicts and is read: contracted, unless ``contracted`` is False. ``run`` is the record of
    how it was grown.
    """

    schema: Schema
    grown: Tree
    classes: AnyArray
    run: Run
    contracted: bool = True

    @cached_property
    def tree(self) -> Tree:
        """The tree that predicts."""
        return contract(self.grown) if self.contracted else self.grown

    @cached_property
    def certificate(self) -> Certificate:
        """What the theorems promise about the grown tree; issued when first asked for."""
        return issue(self.run, self.grown, self.schema)

    @property
    def class_names(self) -> list[str]:
        """The classes as text, each on one line."""
        return [one_line(c) for c in np.asarray(self.classes).tolist()]


def one_line(value: Any) -> str:
    """Return a value as text without line breaks or other characters that do not print."""
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
