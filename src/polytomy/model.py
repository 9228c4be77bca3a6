"""A model: a tree with the columns and classes it refers to, and the record of its growth."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import one_line
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.certify import (
    Certificate,
    Lesson,
    Origin,
    Pruned,
    Run,
    issue_certificate,
    overgrown,
)
from polytomy.costs import Costs
from polytomy.encode import Schema
from polytomy.honesty import (
    Honesty,
    honest_intervals,
    honest_means,
    honest_shares,
    mean_intervals,
    wilson,
)
from polytomy.index import index_of_moments
from polytomy.theory import Prices, cases_per_weight, column_cost, questions, tree_cost
from polytomy.tree import (
    LEAF,
    Tree,
    contract,
    contraction,
    leaf_order,
    ordered_values,
    sums_of_class_numbers,
)

__all__ = [
    "DOUBTFUL_GAP",
    "TWO_PRICES",
    "Lesson",
    "Model",
    "NodeMeans",
    "NodeShares",
    "Origin",
    "Pruning",
    "priced_name",
    "to_cases",
]

_TIE = 1e-9  # relative; differences of rounding
_MAY_RAISE = ("pessimistic", "reduced-error")  # the pruners that have the option
TWO_PRICES = "two prices"
"""The name of a pruning that prices chose."""
_TAUGHT, _SEARCHED, _POLISHED = "taught", "searched", "polished"


def priced_name(
    *, is_taught: bool = False, is_searched: bool = False, is_polished: bool = False
) -> str:
    """Return the name of a pruning that prices chose, by how its splits were chosen again.

    >>> priced_name()
    'two prices'
    >>> priced_name(is_taught=True, is_searched=True, is_polished=True)
    'two prices, taught, searched and polished'
    """
    ways = [(_TAUGHT, is_taught), (_SEARCHED, is_searched), (_POLISHED, is_polished)]
    words = [word for word, is_true in ways if is_true]
    if not words:
        return TWO_PRICES
    *most, last = words
    return f"{TWO_PRICES}, {', '.join(most)} and {last}" if most else f"{TWO_PRICES}, {last}"


_REFINED = frozenset(
    priced_name(is_taught=taught, is_searched=searched, is_polished=polished)
    for taught, searched, polished in product((False, True), repeat=3)
) - {TWO_PRICES}


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
        The prices, if they chose the tree. It is the cheapest pruning, or cheaper than that if it
        was searched or polished; a taught one may cost more. It is contracted then, if the
        model is.
    """

    tree: Tree
    by: str
    overgrown: int | None = None
    prices: Prices | None = None

    @property
    def may_raise(self) -> bool:
        """Whether the pruner may have raised subtrees into the place of nodes above them."""
        return self.by in _MAY_RAISE

    @property
    def is_refined(self) -> bool:
        """Whether splits were chosen again, so that the tree is no pruning of the grown one."""
        return self.by in _REFINED and self.prices is not None

    @property
    def is_taught(self) -> bool:
        """Whether the tree was found on labels that a quick teacher had softened."""
        return self.is_refined and _TAUGHT in self.by


DOUBTFUL_GAP = 0.2
"""The distance from the training share at which an honest share is doubtful.

For a numeric target: that of the means, in standard deviations of the target.
"""


@dataclass(frozen=True, eq=False)
class NodeShares:
    """The class counts and shares of the nodes of a tree, without class weights.

    Attributes
    ----------
    counts : ndarray of shape (nodes, classes)
        The weight of the training rows of each class.
    training : ndarray of shape (nodes, classes)
        Their shares.
    expected : ndarray of shape (nodes, classes)
        The shares to expect of new rows: the honest shares or, if none were learned, ``training``.
    low, high : ndarrays of shape (nodes, classes)
        The ends of the 95 % intervals of ``expected``.
    is_doubtful : ndarray of bool
        Whether the two shares of the predicted class are at least 20 percentage points apart, or
        the tree would predict another class by the honest shares.
    """

    counts: FloatArray
    training: FloatArray
    expected: FloatArray
    low: FloatArray
    high: FloatArray
    is_doubtful: AnyArray

    @classmethod
    def of(
        cls, tree: Tree, parent: AnyArray, factors: FloatArray | None, honesty: Honesty | None
    ) -> "NodeShares":
        """Return the shares of a tree.

        Parameters
        ----------
        tree : Tree
            The tree.
        parent : ndarray of int
            The node towards whose shares those of each node are shrunk, -1 for the root.
        factors : ndarray of shape (classes,) or None
            The class weights in the counts of the tree.
        honesty : Honesty or None
            What cross-fitting learned.
        """
        counts = tree.counts if factors is None else to_cases(tree.counts, factors, tree.rows)
        training = np.asarray(counts / counts.sum(axis=1, keepdims=True))
        cases = counts * cases_per_weight(int(tree.rows[0]), float(counts[0].sum()))
        if honesty is None:
            low, high = wilson(training, cases.sum(axis=1, keepdims=True))
            return cls(counts, training, training, low, high, np.zeros(len(counts), dtype=bool))
        expected = honest_shares(cases, parent, honesty.shrinkage)
        low, high = honest_intervals(cases, expected, honesty)
        nodes = np.arange(len(counts))
        gap = np.abs(expected - training)[nodes, tree.label]
        votes = expected if factors is None else expected * factors
        if tree.costs is None:
            loses = votes[nodes, tree.label] < votes.max(axis=1) * (1 - _TIE)
        else:
            wrong = votes @ tree.costs
            loses = wrong[nodes, tree.label] > wrong.min(axis=1) + votes.sum(axis=1) * _TIE
        return cls(counts, training, expected, low, high, (gap >= DOUBTFUL_GAP - _TIE) | loses)

    def in_order(self, leaves: AnyArray, before: AnyArray) -> "NodeShares":
        """Return the shares with those to expect at the leaves in order, by the mean class number.

        Parameters
        ----------
        leaves : ndarray of int
            The leaves.
        before : bool array of shape (leaves, leaves)
            Which leaf must not have a larger mean than which.
        """
        expected = self.expected.copy()
        top = expected.shape[1] - 1
        mean = sums_of_class_numbers(expected[leaves])
        wanted = ordered_values(mean, before)
        # Mixed with a node of the last class only, or of the first, to move the mean up or down.
        to = np.where(wanted > mean, top, 0)
        share = np.divide(wanted - mean, to - mean, out=np.zeros(len(mean)), where=wanted != mean)
        expected[leaves] *= 1 - share[:, None]
        expected[leaves, to] += share
        low, high = np.minimum(self.low, expected), np.maximum(self.high, expected)
        return replace(self, expected=expected, low=low, high=high)


@dataclass(frozen=True, eq=False)
class NodeMeans:
    """The means of a numeric target at the nodes of a tree.

    Attributes
    ----------
    weight : ndarray of shape (nodes,)
        The weight of the training rows.
    training : ndarray of shape (nodes,)
        Their mean.
    deviation : ndarray of shape (nodes,)
        Their standard deviation.
    expected : ndarray of shape (nodes,)
        The mean to expect of new rows: the honest mean or, if none was learned, ``training``.
    low, high : ndarrays of shape (nodes,)
        The ends of the 95 % intervals of ``expected``.
    is_doubtful : ndarray of bool
        Whether the two means are at least a fifth of the target's standard deviation apart.
    """

    weight: FloatArray
    training: FloatArray
    deviation: FloatArray
    expected: FloatArray
    low: FloatArray
    high: FloatArray
    is_doubtful: AnyArray

    @classmethod
    def of(cls, tree: Tree, parent: AnyArray, honesty: Honesty | None) -> "NodeMeans":
        """Return the means of a tree.

        Parameters
        ----------
        tree : Tree
            The tree.
        parent : ndarray of int
            The node towards whose mean that of each node is shrunk, -1 for the root.
        honesty : Honesty or None
            What cross-fitting learned.
        """
        assert tree.centre is not None
        cases = tree.counts[:, :3] * cases_per_weight(int(tree.rows[0]), float(tree.weight[0]))
        training = tree.mean - tree.centre
        shrinkage, dispersion = (
            (0.0, 1.0) if honesty is None else (honesty.shrinkage, honesty.dispersion)
        )
        means = training if honesty is None else honest_means(cases, parent, shrinkage)
        low, high = mean_intervals(cases, tree.kind == LEAF, means, dispersion)
        if index_of_moments(tree.counts).name == "poisson":
            low = np.maximum(low, 0.0)  # and the centre is 0
        deviation = tree.deviation
        gap = np.abs(means - training)
        return cls(
            tree.weight,
            tree.mean,
            deviation,
            tree.mean if honesty is None else means + tree.centre,
            low + tree.centre,
            high + tree.centre,
            gap >= DOUBTFUL_GAP * max(float(deviation[0]), np.finfo(float).tiny),
        )

    def in_order(self, leaves: AnyArray, before: AnyArray) -> "NodeMeans":
        """Return the means with those to expect at the leaves in order.

        Parameters
        ----------
        leaves : ndarray of int
            The leaves.
        before : bool array of shape (leaves, leaves)
            Which leaf must not have a larger mean than which.
        """
        expected = self.expected.copy()
        expected[leaves] = ordered_values(expected[leaves], before)
        low, high = np.minimum(self.low, expected), np.maximum(self.high, expected)
        return replace(self, expected=expected, low=low, high=high)


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
        The classes in ascending order; empty for a numeric target.
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
    origin : Origin or None, default=None
        How the tree was found, if no growth procedure made it. ``run`` then lists its splits, see
        ``polytomy.certify.replayed``.
    costs : Costs or None, default=None
        What mistakes cost; ``class_factors`` contain their weights of the classes.
    """

    schema: Schema
    grown: Tree
    classes: AnyArray
    run: Run
    contracted: bool = True
    pruning: Pruning | None = None
    class_factors: FloatArray | None = None
    honesty: Honesty | None = None
    origin: Origin | None = None
    costs: Costs | None = None

    def with_pruning(self, pruning: Pruning) -> "Model":
        """Return the model with another pruning of its grown tree.

        Parameters
        ----------
        pruning : Pruning
            The pruned tree.

        Returns
        -------
        Model
            The model. What a teacher's tree had in common with the teacher is not known of it.
        """
        origin = None if self.origin is None else self.origin.pruned()
        if origin is not None and origin.relabelled:
            raise ParameterError(
                "leaves of this tree were relabelled by hand, which pruning would undo; prune it "
                "before editing"
            )
        return replace(self, pruning=pruning, origin=origin)

    @cached_property
    def kept(self) -> Tree:
        """The pruned tree or, if it was not pruned, the grown tree.

        If it was edited by hand, with the classes that leaves were given then.
        """
        if self.pruning is not None:
            return self.pruning.tree
        labels = {} if self.origin is None else self.origin.relabelled
        return replace(self.grown, relabelled=labels) if labels else self.grown

    @cached_property
    def tree(self) -> Tree:
        """The tree that predicts: ``kept``, contracted unless ``contracted`` is False."""
        is_contracted = self.pruning is not None and self.pruning.prices is not None
        return contract(self.kept) if self.contracted and not is_contracted else self.kept

    @cached_property
    def node_shares(self) -> NodeShares:
        """The class counts and shares of the nodes of ``tree``."""
        return self._shares_of(self.tree, self.tree.parent)

    def _shares_of(self, tree: Tree, parent: AnyArray) -> NodeShares:
        shares = NodeShares.of(tree, parent, self.class_factors, self.honesty)
        before = self.leaf_order(tree)
        return shares if before is None else shares.in_order(tree.leaves(), before)

    def _means_of(self, tree: Tree, parent: AnyArray) -> NodeMeans:
        means = NodeMeans.of(tree, parent, self.honesty)
        before = self.leaf_order(tree)
        return means if before is None else means.in_order(tree.leaves(), before)

    def leaf_order(self, tree: Tree) -> AnyArray | None:
        """Return which leaf of a tree must not predict more than which.

        Parameters
        ----------
        tree : Tree
            ``tree`` or ``kept``.

        Returns
        -------
        bool array of shape (leaves, leaves) or None
            Whether the first leaf must not predict more than the second; None if no column has a
            direction.
        """
        directions = self.run.rules.monotonic if self.run else ()
        if not any(directions):
            return None
        return leaf_order(tree, directions, [spec.n_values for spec in self.schema])

    @cached_property
    def kept_shares(self) -> NodeShares:
        """The class counts and shares of the nodes of ``kept``.

        Shares are shrunk along the paths of ``tree``, so a leaf has the same shares in both trees.
        """
        if self.tree is self.kept:
            return self.node_shares
        return self._shares_of(self.kept, self._shown_parent())

    def _shown_parent(self) -> AnyArray:
        """Return for each node of ``kept`` the nearest node above it that is one of ``tree``."""
        kept = self.kept
        remains = contraction(kept)[1]
        parent = kept.parent.copy()
        for node in range(1, kept.n_nodes):  # parents come first
            if int(parent[node]) not in remains:
                parent[node] = parent[parent[node]]
        return parent

    @cached_property
    def training_error(self) -> float:
        """The error of ``tree`` on its training rows.

        The share of misclassified weight, without class weights; for a numeric target, the mean
        loss of the training means.
        """
        leaves = self.tree.leaves()
        if self.is_numeric:
            return float(self.tree.errors[leaves].sum() / self.tree.weight[0])
        return self._mean_error(self.node_shares.training)

    @cached_property
    def expected_error(self) -> float | None:
        """The error of ``tree`` to expect of new rows, or None if nothing was learned about it.

        Without class weights. The honest share of each leaf outside the predicted class, averaged
        by weight; for a squared error, that of the held-out rows in cross-fitting. The deviance of
        a Poisson tree is not measured there, so there is none.
        """
        learned = self.honesty
        if learned is None:
            return None
        if not self.is_numeric:
            return self._mean_error(self.node_shares.expected)
        is_measured = learned.folds > 0 and self.run.index.name == "squared_error"
        return learned.observed if is_measured else None

    @cached_property
    def training_cost(self) -> float | None:
        """The mean cost of a training row, without class weights; None without costs."""
        return self._mean_cost(self.node_shares.training)

    @cached_property
    def expected_cost(self) -> float | None:
        """The mean cost to expect of new rows; None without costs, or if nothing was learned."""
        return None if self.honesty is None else self._mean_cost(self.node_shares.expected)

    def _mean_cost(self, shares: FloatArray) -> float | None:
        """Return the weight of the leaves, times the cost of their labels."""
        if self.costs is None:
            return None
        leaves = self.tree.leaves()
        weight = self.node_shares.counts[leaves].sum(axis=1)
        cost = self.costs.of_labels(shares[leaves])[np.arange(len(leaves)), self.tree.label[leaves]]
        return float(weight @ cost / weight.sum())

    def _mean_error(self, shares: FloatArray) -> float:
        """Return the weight of the leaves, times the shares of the classes they do not predict."""
        leaves = self.tree.leaves()
        weight = self.node_shares.counts[leaves].sum(axis=1)
        wrong = 1.0 - shares[leaves, self.tree.label[leaves]]
        return float(weight @ wrong / weight.sum())

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number, not a class."""
        return self.grown.is_numeric

    @cached_property
    def node_means(self) -> NodeMeans:
        """The means of a numeric target at the nodes of ``tree``."""
        return self._means_of(self.tree, self.tree.parent)

    @cached_property
    def kept_means(self) -> NodeMeans:
        """The means of a numeric target at the nodes of ``kept``, shrunk as those of ``tree``."""
        if self.tree is self.kept:
            return self.node_means
        return self._means_of(self.kept, self._shown_parent())

    @property
    def case_counts(self) -> FloatArray:
        """The weight of the rows of each class at each node of ``tree``, without class weights.

        These are the counts to show to people. If the rows have no weights of their own, they are
        numbers of rows.
        """
        return self.node_shares.counts

    @property
    def training_shares(self) -> FloatArray:
        """The share of each class among the training rows of each node of ``tree``."""
        return self.node_shares.training

    @property
    def shares(self) -> FloatArray:
        """The share of each class to expect of new rows at each node of ``tree``.

        The honest shares or, if none were learned, the training shares.
        """
        return self.node_shares.expected

    @property
    def intervals(self) -> tuple[FloatArray, FloatArray]:
        """The ends of the 95 % interval of each share: honest ones, or Wilson's."""
        return self.node_shares.low, self.node_shares.high

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of the grown tree, issued at the first access."""
        pruning = self.pruning
        if pruning is None:
            return issue_certificate(self.run, self.grown, self.schema, self.origin)
        run, tree, size = self.run, self.grown, pruning.overgrown
        if size is not None:
            run, tree = overgrown(run, tree, size)
        certificate = issue_certificate(run, tree, self.schema, self.origin)
        kept = Pruned(
            by=pruning.by,
            tree=pruning.tree,
            grown_leaves=self.grown.n_leaves,
            keeps_error_bound=size is not None,
            allowance=self._allowance(tree),
        )
        return replace(certificate, pruned=kept)

    def _allowance(self, prefix: Tree) -> float | None:
        """Return by how much the kept tree may exceed the error bound of the run's own tree.

        The latter, contracted, is one of the trees that the kept one is the cheapest of, and
        a search and polishing only make it cheaper. A taught tree may cost more; then that is
        allowed, too.
        """
        pruning = self.pruning
        if pruning is None or pruning.prices is None:
            return None
        own = contract(prefix) if self.contracted else prefix
        prices = pruning.prices
        asked = questions(own) - questions(pruning.tree)
        leaves = own.n_leaves - pruning.tree.n_leaves
        allowed = prices.question * asked + prices.leaf * leaves
        allowed += column_cost(own, prices) - column_cost(pruning.tree, prices)
        if pruning.is_taught:
            kept, limit = (tree_cost(t, self.run.index, prices) for t in (pruning.tree, own))
            allowed += max(0.0, kept - limit)
        allowed *= 2 if prefix.is_numeric else 1  # the loss is then half of what is bounded
        return allowed / float(prefix.weight[0])

    @cached_property
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
    cases = np.divide(counts, factors, out=np.zeros(counts.shape), where=factors > 0)
    whole = np.rint(cases)
    is_whole = np.allclose(cases, whole, rtol=1e-6, atol=1e-6)
    return whole if is_whole and np.array_equal(whole.sum(axis=1), rows) else cases
