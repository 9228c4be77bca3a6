"""The base class of pruners, and the data they may use besides the tree."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real
from polytomy._types import AnyArray, BranchArray, IntArray, RowArray
from polytomy.encode import Schema, Target
from polytomy.index import Index
from polytomy.tree import Tree, pruned

_Needed = TypeVar("_Needed")


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows that can be routed through a tree; needed to raise subtrees.

    Parameters
    ----------
    target : Target
        The classes and weights of the rows.
    route : callable
        ``route(tree, rows)`` returns the leaf of ``tree`` that each of the given rows reaches; all
        rows if ``rows`` is None.
    """

    target: Target
    route: Callable[[Tree, RowArray | None], BranchArray]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Evidence:
    """The data a pruner may use besides the tree; a pruner raises an error if it needs more.

    Parameters
    ----------
    schema : Schema or None, default=None
        The columns of the tree; for ``Conservative`` and ``ChiSquare(adjusted=True)``.
    index : Index or None, default=None
        The index with which the tree was grown; for ``CostComplexity(cost="index")``.
    held : ndarray of shape (nodes, classes) or None, default=None
        The weight of held-out rows of each class at each node of the tree; see ``node_counts``.
    training_rows, held_rows : Rows or None, default=None
        The rows; for raising subtrees.
    """

    schema: Schema | None = None
    index: Index | None = None
    held: AnyArray | None = None
    training_rows: Rows | None = None
    held_rows: Rows | None = None


class Pruner(ABC):
    """A pruning method. Parameters are checked in the constructor; pruners keep no state."""

    __slots__ = ()
    name: ClassVar[str]
    for_numbers: ClassVar[bool] = False  # whether it can prune trees of a numeric target
    for_costs: ClassVar[bool] = True  # whether it can prune trees whose mistakes have costs

    @property
    def held_fraction(self) -> float | None:
        """The fraction of rows to hold out from growing, or None if the pruner needs none."""
        return None

    @property
    def cross_validates(self) -> bool:
        """Whether the caller must select the size by cross-validation."""
        return False

    @abstractmethod
    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves.

        Parameters
        ----------
        tree : Tree
            The tree.
        evidence : Evidence
            The data the pruner needs besides the tree.

        Returns
        -------
        ndarray of int
            Node numbers in ascending order, none of them below another.
        """

    def prune(self, tree: Tree, evidence: Evidence) -> tuple[Tree, IntArray]:
        """Prune a tree.

        Parameters
        ----------
        tree : Tree
            The tree; it is not changed.
        evidence : Evidence
            The data the pruner needs besides the tree.

        Returns
        -------
        Tree
            The pruned tree.
        ndarray of int
            The new number of each old node, as in ``polytomy.tree.pruned``.
        """
        if tree.is_numeric:
            self.check_numbers()
        return pruned(tree, self.cut(tree, evidence))

    def check_numbers(self) -> None:
        """Raise ``ParameterError`` unless the pruner is for numeric targets, too."""
        if not self.for_numbers:
            raise ParameterError(
                f"the {self.name} pruner counts misclassified rows, so it is not for a numeric "
                "target; use 'reduced-error', 'error-budget' or 'cost-complexity'"
            )

    def check_costs(self) -> None:
        """Raise ``ParameterError`` unless the pruner is for trees whose mistakes have costs."""
        if not self.for_costs:
            raise ParameterError(
                f"the {self.name} pruner compares limits of error rates of cases, which costs are "
                "not; with cost_matrix, use 'reduced-error', 'error-budget', 'cost-complexity' or "
                "'chi-square'"
            )


def needed(value: _Needed | None, pruner: str, what: str) -> _Needed:
    """Return a piece of evidence; raise ``ParameterError`` if it is None."""
    if value is None:
        raise ParameterError(f"the {pruner} pruner needs {what}")
    return value


def check_number(name: str, value: Any, holds: Callable[[float], bool], words: str) -> None:
    """Raise ``ParameterError`` unless a parameter is a number in its range."""
    if not is_real(value) or not holds(float(value)):
        raise ParameterError(f"{name} must be a number {words}, got {value!r}")


def check_fraction(value: Any) -> None:
    """Raise ``ParameterError`` unless a fraction of held-out rows is between 0 and 1."""
    check_number("fraction", value, lambda x: 0 < x < 1, "between 0 and 1")


def check_folds(value: Any) -> None:
    """Raise ``ParameterError`` unless a number of folds is an integer of at least 2."""
    if not is_count(value, 2):
        raise ParameterError(f"folds must be an integer of at least 2, got {value!r}")


def is_count(value: Any, least: int) -> bool:
    """Return whether a value is an integer of at least ``least``."""
    return is_integer(value) and int(value) >= least


def check_flag(name: str, value: Any) -> None:
    """Raise ``ParameterError`` unless a parameter is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, got {value!r}")


def check_raising(value: Any) -> None:
    """Raise ``ParameterError`` unless a parameter is True, False or "any"."""
    if not isinstance(value, bool | np.bool_) and value != "any":
        raise ParameterError(f"raising must be True, False or 'any', got {value!r}")


SIZES = ("leaves", "nodes")
"""What the size of a tree may count."""


def check_size(value: Any) -> None:
    """Raise ``ParameterError`` unless a parameter is "leaves" or "nodes"."""
    if value not in SIZES:
        raise ParameterError(f"size must be one of {', '.join(SIZES)}; got {value!r}")
