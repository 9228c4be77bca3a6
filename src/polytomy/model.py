"""A model: a tree joined with the schema and the classes it speaks of. What every reader takes."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from polytomy._text import one_line
from polytomy._types import AnyArray
from polytomy.certify import Certificate, Pruned, Run, issue_certificate, overgrown
from polytomy.encode import Schema
from polytomy.tree import Tree, contract


@dataclass(frozen=True, eq=False)
class Pruning:
    """The tree that is kept of a grown one, and what chose it."""

    tree: Tree
    by: str
    overgrown: int | None = None  # the budget that was asked for, where the run had a larger one


@dataclass(frozen=True, eq=False)
class Model:
    """What a fitted classifier knows.

    ``grown`` is the run's own tree, which certificates and pruning speak of, and ``run`` the record
    of how it was grown. ``kept`` is what pruning left of it, ``tree`` the one that predicts and is
    read: ``kept`` contracted, unless ``contracted`` is False.
    """

    schema: Schema
    grown: Tree
    classes: AnyArray
    run: Run
    contracted: bool = True
    pruning: Pruning | None = None

    @property
    def kept(self) -> Tree:
        """The grown tree, or what pruning left of it."""
        return self.grown if self.pruning is None else self.pruning.tree

    @cached_property
    def tree(self) -> Tree:
        """The tree that predicts."""
        return contract(self.kept) if self.contracted else self.kept

    @cached_property
    def certificate(self) -> Certificate:
        """What the theorems promise about the grown tree; issued when first asked for."""
        pruning = self.pruning
        if pruning is None:
            return issue_certificate(self.run, self.grown, self.schema)
        run, tree, size = self.run, self.grown, pruning.overgrown
        if size is not None:
            run, tree = overgrown(run, tree, size)
        kept = Pruned(pruning.by, pruning.tree, self.grown.n_leaves, size is not None)
        return replace(issue_certificate(run, tree, self.schema), pruned=kept)

    @property
    def class_names(self) -> list[str]:
        """The classes as text, each on one line."""
        return [one_line(c) for c in np.asarray(self.classes).tolist()]
