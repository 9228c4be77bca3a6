"""What every pruner is, and what it may look at besides the tree."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, BranchArray, IntArray, RowArray
from polytomy.encode import Schema, Target
from polytomy.index import Index
from polytomy.tree import Tree, pruned

_Needed = TypeVar("_Needed")


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows that can be sent down a tree, which raising a subtree takes.

    Parameters
    ----------
    target : Target
        Their classes and weights.
    route : callable
        ``route(tree, rows)`` returns the leaf of ``tree`` that each of the given rows ends in, or
        every row where ``rows`` is None.
    """

    target: Target
    route: Callable[[Tree, RowArray | None], BranchArray]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Evidence:
    """What a pruner may look at besides the tree; each says what it misses.

    Parameters
    ----------
    schema : Schema or None
        The columns the tree asks about; for ``Conservative``.
    index : Index or None
        The index the tree was grown with; for ``CostComplexity(cost="index")``.
    held : ndarray of shape (nodes, classes) or None
        The weight of held-out rows of each class at each node of the tree; see ``node_counts``.
    training_rows, held_rows : Rows or None
        The rows themselves; for raising only.
    """

    schema: Schema | None = None
    index: Index | None = None
    held: AnyArray | None = None
    training_rows: Rows | None = None
    held_rows: Rows | None = None


class Pruner(ABC):
    """A way to prune. Its parameters are checked when it is made; it remembers nothing."""

    __slots__ = ()
    name: ClassVar[str]

    @property
    def held_fraction(self) -> float | None:
        """The share of the rows to keep from growing and prune by; None where none are needed."""
        return None

    @property
    def cross_validates(self) -> bool:
        """Whether the size is to be chosen by cross-validation, which is done above the tree."""
        return False

    @abstractmethod
    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves, none of them below another, in ascending order."""

    def prune(self, tree: Tree, evidence: Evidence) -> tuple[Tree, IntArray]:
        """Return the pruned tree and the place of each old node in it, as ``tree.pruned`` does."""
        return pruned(tree, self.cut(tree, evidence))


def needed(value: _Needed | None, pruner: str, what: str) -> _Needed:
    """Return a piece of evidence, or say that it is missing."""
    if value is None:
        raise ParameterError(f"the {pruner} pruner needs {what}")
    return value


def check_number(name: str, value: Any, holds: Callable[[float], bool], words: str) -> None:
    """Refuse a parameter that is no number or not in its range, given in words."""
    if isinstance(value, bool) or not isinstance(value, Real) or not holds(float(value)):
        raise ParameterError(f"{name} must be a number {words}, got {value!r}")


def check_fraction(value: Any) -> None:
    """Refuse a share of held-out rows that leaves nothing on one side."""
    check_number("fraction", value, lambda x: 0 < x < 1, "between 0 and 1")


def check_folds(value: Any) -> None:
    """Refuse a number of folds that is none."""
    if not is_count(value, 2):
        raise ParameterError(f"folds must be an integer of at least 2, got {value!r}")


def is_count(value: Any, least: int) -> bool:
    """Say whether a value is an integer of at least so many."""
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, got {value!r}")
