"""The error budget: of the best prunings of each size, take the one a criterion selects."""

from dataclasses import dataclass
from typing import ClassVar

from polytomy._errors import ParameterError
from polytomy._types import IntArray
from polytomy.tree import Tree

from .path import PruningPath
from .pruner import Evidence, Pruner, check_folds, check_fraction, is_count, needed

SELECTORS = ("holdout", "srm", "cv")


@dataclass(frozen=True, slots=True)
class ErrorBudget(Pruner):
    """Prune to the best tree of a size: for each size the fewest training errors, exactly.

    Parameters
    ----------
    select : {"holdout", "srm", "cv"} or int
        How the size is chosen: the fewest errors on held-out rows; the least training error +
        sqrt(leaves/m); cross-validation with the one-standard-error rule; or the most leaves. Ties
        go to the smaller tree.
    fraction : float
        The share of the rows held out for "holdout" when none are given apart.
    folds : int
        The folds of "cv".
    max_size : int or None
        The most leaves looked at.
    """

    name: ClassVar[str] = "error-budget"
    select: str | int = "holdout"
    fraction: float = 0.3
    folds: int = 5
    max_size: int | None = None

    def __post_init__(self) -> None:
        if self.select not in SELECTORS and not is_count(self.select, 1):
            raise ParameterError(
                f"select must be one of {', '.join(SELECTORS)}, or a number of leaves, "
                f"got {self.select!r}"
            )
        check_fraction(self.fraction)
        check_folds(self.folds)
        if self.max_size is not None and not isinstance(self.select, str):
            raise ParameterError("select gives the size already: leave max_size out")
        if self.max_size is not None and not is_count(self.max_size, 1):
            raise ParameterError(
                f"max_size must be an integer of at least 1 or None, got {self.max_size!r}"
            )

    @property
    def held_fraction(self) -> float | None:
        """The share of the rows held out, for "holdout"."""
        return self.fraction if self.select == "holdout" else None

    @property
    def cross_validates(self) -> bool:
        """Whether the size is to be chosen by cross-validation."""
        return self.select == "cv"

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves."""
        if self.select == "cv":
            raise ParameterError("select='cv' needs the rows: cross-validate, then give the size")
        if not isinstance(self.select, str):
            return PruningPath(tree, self.select).nodes_at(self.select)
        held = None
        if self.select == "holdout":
            held = needed(evidence.held, self.name, "held-out rows for select='holdout'")
        path = PruningPath(tree, self.max_size, held)
        return path.nodes_at(path.select(self.select))
