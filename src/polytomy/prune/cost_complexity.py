"""Cost-complexity pruning, CART's: each leaf must be worth its price."""

from dataclasses import dataclass
from typing import ClassVar

from polytomy._errors import ParameterError
from polytomy._types import IntArray
from polytomy.tree import Tree

from .cost_path import CostPath, check_alpha
from .pruner import Evidence, Pruner, check_folds, check_fraction, needed

SELECTORS = ("holdout", "cv")


@dataclass(frozen=True, slots=True)
class CostComplexity(Pruner):
    """Prune to the smallest tree of least cost + alpha * leaves.

    Parameters
    ----------
    alpha : float or None
        The price of a leaf, a share of the sample's weight, as scikit-learn's ``ccp_alpha``. None
        selects it.
    cost : {"index", "error"}
        The cost: the index the tree was grown with (scikit-learn's way; our gini is twice theirs
        and is halved), or the training error.
    select : {"holdout", "cv"}
        How alpha is selected where it is None: the fewest errors on held-out rows, or
        cross-validation with the one-standard-error rule.
    fraction : float
        The share of the rows held out for "holdout" when none are given apart.
    folds : int
        The folds of "cv".
    """

    name: ClassVar[str] = "cost-complexity"
    alpha: float | None = None
    cost: str = "index"
    select: str = "holdout"
    fraction: float = 0.3
    folds: int = 5

    def __post_init__(self) -> None:
        if self.alpha is not None:
            check_alpha(self.alpha)
        if self.cost not in ("index", "error"):
            raise ParameterError(f"cost must be 'index' or 'error', got {self.cost!r}")
        if self.select not in SELECTORS:
            raise ParameterError(f"select must be 'holdout' or 'cv', got {self.select!r}")
        check_fraction(self.fraction)
        check_folds(self.folds)

    @property
    def held_fraction(self) -> float | None:
        """The share of the rows held out, where they select alpha."""
        return self.fraction if self.alpha is None and self.select == "holdout" else None

    @property
    def cross_validates(self) -> bool:
        """Whether alpha is to be chosen by cross-validation."""
        return self.alpha is None and self.select == "cv"

    def path(self, tree: Tree, evidence: Evidence) -> CostPath:
        """Return the whole path of prunings."""
        index = None
        if self.cost == "index":
            index = needed(evidence.index, self.name, "the index the tree was grown with")
        return CostPath(tree, index, evidence.held)

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves."""
        if self.cross_validates:
            raise ParameterError("select='cv' needs the rows: cross-validate, then give alpha")
        path = self.path(tree, evidence)
        if self.alpha is not None:
            return path.nodes_at(self.alpha)
        needed(evidence.held, self.name, "held-out rows, or an alpha")
        return path.nodes_at(path.select_alpha())
