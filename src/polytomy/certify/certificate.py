"""A certificate: what the theorems promise about the tree of one run, and what it achieved."""

from dataclasses import dataclass

from polytomy._types import FloatArray, IntArray
from polytomy.encode import Schema
from polytomy.theory import VWTree
from polytomy.tree import Tree

from .generalization import Generalization, generalize
from .run import Run
from .words import in_words


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the run, as the theorems see it."""

    number: int  # from 1
    leaf: int
    column: str  # what was asked about
    rows: int
    arity: int
    leaves_before: int
    advantage: float  # gain over the leaf's weight
    price: float
    gamma: float  # what the step would allow on its own
    heaviest: bool  # no leaf was heavier


@dataclass(frozen=True, slots=True, eq=False)
class Pruned:
    """The tree that was made of the grown one, and what made it."""

    by: str
    tree: Tree
    grown_leaves: int
    keeps_error_bound: bool  # overgrown: it errs no more than the run's own tree of its size

    @property
    def leaves(self) -> int:
        """Its leaves."""
        return self.tree.n_leaves

    @property
    def training_error(self) -> float:
        """Its training error."""
        counts = self.tree.counts[self.tree.leaves()]
        return float(1.0 - counts.max(axis=1).sum() / counts.sum())


@dataclass(frozen=True, eq=False)
class Certificate:
    """What a run achieved and which theorem covers it.

    Attributes
    ----------
    theorem : str
        The theorem that speaks of such runs, in words.
    gamma : float
        The largest gamma for which the run was gamma-boosting; of ``mansour-mcallester``, the run's
        own gamma where it was. nan where nothing was split.
    weak_gamma : float
        How far the weak tree-growth hypothesis held at the nodes that were split: the least
        advantage of a node's best binary option; 0 where a node had none.
    achieved_gamma : float
        The exponent reached, -ln(I(T)/I(root)) / ln(leaves): inf where I(T) is 0, nan at one leaf.
    bound, error_bound, power_bound : float
        On I(T), on the training error (half of it), and the weaker leaves^-gamma, times I(root)
        where that is above 1. Promised only where ``covered``.
    fallback_bound : float
        Each step's own progress, multiplied out: true of any run, and a tautology.
    per_leaf_gamma, per_leaf_bound : float
        What gain per leaf, over the mean weight of a leaf, promises of any run on an index
        function, whatever leaf it split: in steepest order these are ``gamma`` and ``bound``.
    covered : bool
        Whether the theorem's conditions held.
    why_not : str or None
        A sentence, where they did not.
    steps : tuple of Step
        Every expansion.
    leaves_curve, index_curve, error_curve : ndarray
        Leaves, I(T) and training error before each step and after the last.
    bound_curve : ndarray
        The theorem's rate with ``gamma`` at each of those sizes. For ``hatano`` and
        ``mansour-mcallester`` only the last is promised: what was acceptable for the final size
        need not be for a smaller one.
    pruned : Pruned or None
        The tree that was kept, where the grown one was pruned. All else here speaks of the tree as
        it was grown; of an overgrown one, of its first ``max_leaves`` leaves.
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

    @property
    def index(self) -> float:
        """I(T), measured."""
        return float(self.index_curve[-1])

    @property
    def training_error(self) -> float:
        """The training error, measured."""
        return float(self.error_curve[-1])

    @property
    def leaves(self) -> int:
        """The leaves of the grown tree."""
        return int(self.leaves_curve[-1])

    def vw_tree(self) -> VWTree:
        """Return Mansour and McAllester's visited weighted tree for ``gamma``."""
        return VWTree.from_tree(self.tree, self.run.index, self.gamma)

    def generalization(self, delta: float = 0.05) -> Generalization:
        """Return bounds on the error on new rows, true with probability 1 - ``delta``.

        Of a pruned tree they are those of the tree that was kept.
        """
        kept = self.tree if self.pruned is None else self.pruned.tree
        return generalize(kept, self.schema, delta, self.run.weighting)

    def __str__(self) -> str:
        return in_words(self)
