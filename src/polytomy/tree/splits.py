"""The split of a node: by intervals of a column, by its categories, or user-defined.

A user-defined split is a ``Branching``. It routes rows, describes itself and converts itself to
plain data, so a tree that contains one predicts, prints, saves, loads and verifies like any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np

from polytomy._errors import FamilyError
from polytomy._types import UNSEEN, BranchArray, FloatArray, IntArray
from polytomy.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class IntervalSplit:
    """A split of an ordered column: branch b gets ``thresholds[b-1] < x <= thresholds[b]``.

    ``missing_branch`` is UNSEEN if no training row of the node had a missing cell; such rows then
    take ``default_branch``, the child with the most training weight. A branch after the last
    interval gets the missing cells only.
    """

    feature: int
    thresholds: FloatArray
    missing_branch: int
    default_branch: int

    @property
    def arity(self) -> int:
        """The number of branches."""
        ranges = len(self.thresholds) + 1
        return max(ranges, self.missing_branch + 1)

    @property
    def branch_of_missing(self) -> int:
        """The branch that missing cells take."""
        return self.default_branch if self.missing_branch == UNSEEN else self.missing_branch

    def range_of(self, branch: int) -> tuple[float, float] | None:
        """Return the interval (low, high] of a branch; None if it gets missing cells only."""
        if branch > len(self.thresholds):
            return None
        edges = np.concatenate(([-np.inf], self.thresholds, [np.inf]))
        return float(edges[branch]), float(edges[branch + 1])


@dataclass(frozen=True, slots=True, eq=False)
class CategorySplit:
    """A split of a categorical column: ``code_to_branch`` maps category codes to branches.

    It is UNSEEN for categories without training rows at the node. Those, new categories, and
    missing cells if ``missing_branch`` is UNSEEN take ``default_branch``.
    """

    feature: int
    code_to_branch: BranchArray
    missing_branch: int
    default_branch: int

    @property
    def arity(self) -> int:
        """The number of branches."""
        return int(max(self.code_to_branch.max(initial=UNSEEN), self.missing_branch)) + 1

    @property
    def branch_of_missing(self) -> int:
        """The branch that missing cells take."""
        return self.default_branch if self.missing_branch == UNSEEN else self.missing_branch

    def branch_of_codes(self, n: int) -> IntArray:
        """Return the branch that each of n categories takes."""
        branch = np.full(n, self.default_branch, dtype=np.int64)
        seen = np.flatnonzero(self.code_to_branch != UNSEEN)
        branch[seen] = self.code_to_branch[seen]
        return branch


@runtime_checkable
class Branching(Protocol):
    """A user-defined k-way split that routes rows itself."""

    kind: ClassVar[str]

    @property
    def arity(self) -> int:
        """The number of branches."""

    def route(self, table: Table) -> BranchArray:
        """Return the branch 0..arity-1 of every row, including missing and unseen values."""

    def describe(self, names: Sequence[str]) -> tuple[str, list[str]]:
        """Return a description of the split and of each branch, given the column names."""

    def to_plain(self) -> dict[str, Any]:
        """Return the split as plain data: dicts, lists, strings and numbers."""

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> "Branching":
        """Return the split from the output of ``to_plain``."""


@dataclass(frozen=True, slots=True)
class CustomSplit:
    """A user-defined split."""

    branching: Branching

    @property
    def arity(self) -> int:
        """The number of branches."""
        return self.branching.arity


NodeSplit = IntervalSplit | CategorySplit | CustomSplit

KINDS: dict[str, type[Branching]] = {}
"""The registered kinds of user-defined splits, by name."""

_Kind = TypeVar("_Kind", bound=type[Branching])


def register_kind(cls: _Kind) -> _Kind:
    """Register a class of user-defined splits under its ``kind``, so that its trees can be saved.

    Registering a name again replaces the class, which makes notebook cells safe to re-run.

    Parameters
    ----------
    cls : type
        A class that implements ``Branching``.

    Returns
    -------
    type
        The same class, so this works as a decorator.
    """
    for needed in ("kind", "arity", "route", "describe", "to_plain", "from_plain"):
        if not hasattr(cls, needed):
            raise FamilyError(f"{cls.__name__} cannot be registered: it has no {needed!r}")
    KINDS[cls.kind] = cls
    return cls


def checked_route(branching: Branching, table: Table) -> BranchArray:
    """Return the branch of every row; raise ``FamilyError`` if the split returns invalid ones."""
    branches = np.asarray(branching.route(table))
    if branches.shape != (table.n_rows,) or branches.dtype.kind not in "iu":
        raise FamilyError(
            f"a split of kind {branching.kind!r} must route {table.n_rows} rows to integers, "
            f"got {branches.dtype} of shape {branches.shape}"
        )
    if len(branches) and not 0 <= branches.min() <= branches.max() < branching.arity:
        raise FamilyError(
            f"a split of kind {branching.kind!r} has {branching.arity} branches but sends rows "
            f"to {np.unique(branches).tolist()}"
        )
    return branches.astype(np.int32)


def to_plain(branching: Branching) -> dict[str, Any]:
    """Return a user-defined split as plain data with its kind; the kind must be registered."""
    if KINDS.get(branching.kind) is not type(branching):
        raise FamilyError(
            f"splits of kind {branching.kind!r} are not registered: "
            f"put @polytomy.tree.register_kind above class {type(branching).__name__}"
        )
    return {"kind": branching.kind, **branching.to_plain()}


def from_plain(data: dict[str, Any]) -> Branching:
    """Return the user-defined split that ``to_plain`` wrote."""
    kind = data.get("kind")
    if kind not in KINDS:
        raise FamilyError(
            f"unknown kind of split {kind!r}; import the module that registers it first"
        )
    return KINDS[kind].from_plain({key: value for key, value in data.items() if key != "kind"})
