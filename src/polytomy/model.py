"""A model: a tree with the columns and classes it refers to, and the record of its growth."""

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
    """A pruned tree.

    Parameters
    ----------
    tree : Tree
        The tree that pruning kept.
    by : str
        The name of the pruning.
    overgrown : int or None, default=None
        The requested number of leaves, if the run grew more leaves than that.
    """

    tree: Tree
    by: str
    overgrown: int | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted tree, in the form that exports, plots and reports take.

    Parameters
    ----------
    schema : Schema
        The columns.
    grown : Tree
        The tree as it was grown. Certificates and pruners refer to it.
    classes : array
        The classes in ascending order.
    run : Run
        The record of the growth.
    contracted : bool, default=True
        Whether ``tree`` is contracted.
    pruning : Pruning or None, default=None
        The pruned tree, if the grown one was pruned.
    """

    schema: Schema
    grown: Tree
    classes: AnyArray
    run: Run
    contracted: bool = True
    pruning: Pruning | None = None

    @property
    def kept(self) -> Tree:
        """The pruned tree, or the grown tree if it was not pruned."""
        return self.grown if self.pruning is None else self.pruning.tree

    @cached_property
    def tree(self) -> Tree:
        """The tree that predicts: ``kept``, contracted unless ``contracted`` is False."""
        return contract(self.kept) if self.contracted else self.kept

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of the grown tree, issued at the first access."""
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
