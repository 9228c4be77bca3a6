"""The certificate of a run: the bounds of a theorem for its tree, and the values reached."""

from dataclasses import dataclass

from polytomy._errors import ParameterError
from polytomy._types import FloatArray, IntArray
from polytomy.encode import Schema
from polytomy.index import INDICES
from polytomy.theory import VWTree, balanced_edge, edge_to_advantage
from polytomy.tree import Tree, least_errors

from .description import Generalization, generalize
from .origin import Origin
from .record import Run
from .text import certificate_text


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the run, with the quantities that the theorems use."""

    number: int  # from 1
    leaf: int
    column: str  # the column of the split
    rows: int
    arity: int
    leaves_before: int
    advantage: float  # gain divided by the leaf's impurity
    price: float
    gamma: float  # the largest gamma that this step alone allows
    heaviest: bool  # whether no other leaf had a larger impurity


@dataclass(frozen=True, slots=True)
class WeakLearner:
    """A split seen as a weak learner: its edge over guessing, and what the lemma makes of it."""

    step: int  # from 1, as in ``Step.number``
    node: int
    edge: float  # over guessing if both classes have the same weight, from 0 to 1/2
    predicted: float | None  # the advantage that the edge guarantees; None unless sqrt is the index
    advantage: float  # the advantage that the split has


@dataclass(frozen=True, slots=True, eq=False)
class Pruned:
    """The pruned tree that was kept, and the name of the pruner."""

    by: str
    tree: Tree
    grown_leaves: int
    keeps_error_bound: bool  # overgrown: compared with the run's own tree of that size
    allowance: float | None = None  # at prices: by which it may exceed that tree's error bound

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return self.tree.n_leaves

    @property
    def training_error(self) -> float:
        """The training error, as a fraction of the weight; for numbers, the mean loss."""
        leaves = self.tree.leaves()
        if self.tree.is_numeric:
            return float(self.tree.errors[leaves].sum() / self.tree.weight[0])
        counts, costs = self.tree.counts[leaves], self.tree.costs
        if costs is not None:
            return float(least_errors(counts, costs).sum() / counts.sum())
        return float(1.0 - counts.max(axis=1).sum() / counts.sum())


@dataclass(frozen=True, eq=False)
class Certificate:
    """The theorem that covers a run, its gamma, the bounds, and the values that were reached.

    Attributes
    ----------
    run : Run
        The record of the run.
    tree : Tree
        The tree as grown, neither contracted nor pruned.
    schema : Schema
        The columns of the training table.
    theorem : str
        The name of the theorem for runs of this kind.
    gamma : float
        The largest gamma for which the run was gamma-boosting. For ``mansour-mcallester``, also
        the visited weighted tree is safe for it, if there is such a gamma; it need not be the gamma
        parameter of the run. nan if nothing was split.
    weak_gamma : float
        The smallest advantage of the best binary option over all nodes that were split (0 for a
        node without one): the gamma for which the weak tree-growth hypothesis held.
    achieved_gamma : float
        The exponent reached, -ln(I(T)/I(root)) / ln(leaves): inf if I(T) is 0, nan for one leaf.
    bound, error_bound, power_bound : float
        Bounds on I(T), on the training error (half of ``bound``), and the weaker leaves^-gamma,
        times I(root) if that is above 1. They are guaranteed only if ``bound_holds``. For a numeric
        target, the error is I(T) itself: the mean squared error, or half the mean Poisson deviance.
    fallback_bound : float
        The product of the steps' own progress. It holds for every run, but is a tautology.
    per_leaf_gamma, per_leaf_bound : float
        The gamma and the bound by gain per added leaf. They hold for any run on an index function,
        regardless of the order of the leaves; in steepest order they are ``gamma`` and ``bound``.
    covered : bool
        Whether the theorem's conditions held.
    why_not : str or None
        The reason if they did not.
    steps : tuple of Step
        Every split, in order.
    leaves_curve, index_curve, error_curve : ndarray
        Leaves, I(T) and training error before each step and after the last.
    bound_curve : ndarray
        I(root) times the theorem's rate for ``gamma`` at each of those sizes. For ``hatano`` and
        ``mansour-mcallester`` only the last value is guaranteed, because an arity that is
        acceptable for the final size may not be acceptable for a smaller one.
    pruned : Pruned or None, default=None
        The tree that was kept if the grown tree was pruned. All other attributes describe the tree
        as grown or, if it was overgrown, its first ``max_leaves`` leaves.
    origin : Origin or None, default=None
        How the tree was found, if no growth procedure made it. Then it is not ``covered``, and
        ``gamma``, ``bound`` and ``error_bound`` are those by gain per leaf, which hold for any
        tree; ``weak_gamma`` is not known.
    """

    run: Run
    tree: Tree
    schema: Schema
    theorem: str
    gamma: float
    weak_gamma: float
    achieved_gamma: float
    bound: float
    error_bound: float
    power_bound: float
    fallback_bound: float
    per_leaf_gamma: float
    per_leaf_bound: float
    covered: bool
    why_not: str | None
    steps: tuple[Step, ...]
    leaves_curve: IntArray
    index_curve: FloatArray
    error_curve: FloatArray
    bound_curve: FloatArray
    pruned: Pruned | None = None
    origin: Origin | None = None

    @property
    def index(self) -> float:
        """The index I(T) of the grown tree."""
        return float(self.index_curve[-1])

    @property
    def kept_error_bound(self) -> float | None:
        """The bound on the training error of the tree that was kept, or None.

        It is guaranteed if ``bound_holds``. For a tree that was overgrown and pruned back it is
        that of the run's own tree of the requested size; a tree chosen by prices may exceed that by
        the price of the questions and leaves it saves, and one with a quick teacher by what it
        costs more. No bound survives other pruners.
        """
        if self.pruned is None:
            return self.error_bound
        if not self.pruned.keeps_error_bound:
            return None
        return self.error_bound + (self.pruned.allowance or 0.0)

    @property
    def bound_holds(self) -> bool:
        """Whether ``bound`` and ``error_bound`` are guaranteed.

        They are if ``covered``, and for a tree that was found and a built-in index function.
        """
        return self.covered or (self.run.found and self.run.index.number is not None)

    @property
    def training_error(self) -> float:
        """The training error of the grown tree."""
        return float(self.error_curve[-1])

    @property
    def leaves(self) -> int:
        """The number of leaves of the grown tree."""
        return int(self.leaves_curve[-1])

    def vw_tree(self) -> VWTree:
        """Return Mansour and McAllester's visited weighted tree for ``gamma``.

        Returns
        -------
        VWTree
            The grown tree with its weights, visitation counts and conditions.
        """
        return VWTree.from_tree(self.tree, self.run.index, self.gamma)

    def weak_learners(self) -> tuple[WeakLearner, ...]:
        """Return the edge of every split over guessing, and the advantage that it guarantees.

        The edge is that of the weak learning hypothesis: with the rows of the node weighted so that
        both classes have the same weight, the error of the split is 1/2 - edge. For the ``sqrt``
        index it guarantees an advantage of 1 - sqrt(1 - 4 edge^2) for any shares of the classes
        (``polytomy.theory.edge_to_advantage``).

        Returns
        -------
        tuple of WeakLearner
            One for each of ``steps``. Raises ``ParameterError`` unless there are two classes.
        """
        counts = self.tree.counts
        if self.tree.is_numeric or counts.shape[1] != 2:
            what = "a number" if self.tree.is_numeric else f"{counts.shape[1]} classes"
            raise ParameterError(f"weak learners predict two classes; the target is {what}")
        lemma = self.run.index is INDICES["sqrt"]
        edges = [balanced_edge(counts[list(split.children)]) for split in self.run.splits]
        return tuple(
            WeakLearner(
                step=number,
                node=split.leaf,
                edge=edge,
                predicted=edge_to_advantage(edge) if lemma else None,
                advantage=split.advantage,
            )
            for number, (split, edge) in enumerate(zip(self.run.splits, edges, strict=True), 1)
        )

    def generalization(self, delta: float = 0.05) -> Generalization:
        """Return bounds on the error on new rows.

        Parameters
        ----------
        delta : float, default=0.05
            The probability with which the Occam bound may fail, between 0 and 1.

        Returns
        -------
        Generalization
            The bounds for the tree that was kept: the pruned one, if there is one.
        """
        kept = self.tree if self.pruned is None else self.pruned.tree
        return generalize(kept, self.schema, delta, self.run.weighting)

    def __str__(self) -> str:
        return certificate_text(self)
