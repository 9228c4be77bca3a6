"""A model: a tree with the columns and classes it refers to, and the record of its growth."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from polytomy._text import one_line
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.certify import Certificate, Pruned, Run, issue_certificate, overgrown
from polytomy.encode import Schema
from polytomy.honesty import Honesty, honest_intervals, honest_shares, wilson
from polytomy.theory import Prices, questions
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
    prices : Prices or None, default=None
        The prices at which the tree is the cheapest, if prices chose it. It is contracted then, if
        the model is.
    """

    tree: Tree
    by: str
    overgrown: int | None = None
    prices: Prices | None = None


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
    class_factors : ndarray of shape (classes,) or None, default=None
        The weight that ``class_weight`` gave to each class, by which the counts of the trees are
        multiplied.
    honesty : Honesty or None, default=None
        What cross-fitting learned about the leaves, if it was asked to.
    """

    schema: Schema
    grown: Tree
    classes: AnyArray
    run: Run
    contracted: bool = True
    pruning: Pruning | None = None
    class_factors: FloatArray | None = None
    honesty: Honesty | None = None

    @property
    def kept(self) -> Tree:
        """The pruned tree, or the grown tree if it was not pruned."""
        return self.grown if self.pruning is None else self.pruning.tree

    @cached_property
    def tree(self) -> Tree:
        """The tree that predicts: ``kept``, contracted unless ``contracted`` is False."""
        is_contracted = self.pruning is not None and self.pruning.prices is not None
        return contract(self.kept) if self.contracted and not is_contracted else self.kept

    @cached_property
    def case_counts(self) -> FloatArray:
        """The weight of the rows of each class at each node of ``tree``, without class weights.

        These are the counts to show to people. If the rows have no weights of their own, they are
        numbers of rows.
        """
        if self.class_factors is None:
            return self.tree.counts
        return to_cases(self.tree.counts, self.class_factors, self.tree.rows)

    @cached_property
    def training_shares(self) -> FloatArray:
        """The share of each class among the training rows of each node of ``tree``."""
        counts = self.case_counts
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    @cached_property
    def shares(self) -> FloatArray:
        """The share of each class to expect of new rows at each node of ``tree``.

        The honest shares or, if none were learned, the training shares.
        """
        if self.honesty is None:
            return self.training_shares
        return honest_shares(self.case_counts, self.tree.parent, self.honesty.shrinkage)

    @cached_property
    def intervals(self) -> tuple[FloatArray, FloatArray]:
        """The ends of the 95 % interval of each share: honest ones, or Wilson's."""
        counts = self.case_counts
        if self.honesty is not None:
            return honest_intervals(counts, self.shares, self.honesty)
        return wilson(self.training_shares, counts.sum(axis=1, keepdims=True))

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of the grown tree, issued at the first access."""
        pruning = self.pruning
        if pruning is None:
            return issue_certificate(self.run, self.grown, self.schema)
        run, tree, size = self.run, self.grown, pruning.overgrown
        if size is not None:
            run, tree = overgrown(run, tree, size)
        certificate = issue_certificate(run, tree, self.schema)
        kept = Pruned(
            by=pruning.by,
            tree=pruning.tree,
            grown_leaves=self.grown.n_leaves,
            keeps_error_bound=size is not None,
            allowance=self._allowance(tree),
        )
        return replace(certificate, pruned=kept)

    def _allowance(self, prefix: Tree) -> float:
        """Return by how much the kept tree may exceed the error bound of the run's own tree.

        The latter, contracted, is one of the trees that the kept one is the cheapest of.
        """
        pruning = self.pruning
        if pruning is None or pruning.prices is None:
            return 0.0
        own = contract(prefix) if self.contracted else prefix
        asked = questions(own) - questions(pruning.tree)
        leaves = own.n_leaves - pruning.tree.n_leaves
        allowed = pruning.prices.question * asked + pruning.prices.leaf * leaves
        return allowed / float(prefix.counts[0].sum())

    @property
    def class_names(self) -> list[str]:
        """The classes as text, each on one line."""
        return [one_line(c) for c in np.asarray(self.classes).tolist()]


def to_cases(counts: FloatArray, factors: FloatArray, rows: IntArray) -> FloatArray:
    """Divide counts by the weights of the classes.

    Parameters
    ----------
    counts : ndarray of shape (nodes, classes)
        The weight of each class, with class weights.
    factors : ndarray of shape (classes,)
        The weights of the classes; rows of a class of weight 0 were left out.
    rows : ndarray of shape (nodes,)
        The number of rows of each node.

    Returns
    -------
    ndarray of shape (nodes, classes)
        The weight of each class; whole numbers if they add up to the number of rows.
    """
    cases = np.divide(counts, factors, out=np.zeros_like(counts), where=factors > 0)
    whole = np.rint(cases)
    is_whole = np.allclose(cases, whole, rtol=1e-6, atol=1e-6)
    return whole if is_whole and np.array_equal(whole.sum(axis=1), rows) else cases
