"""Questions of a user's own making: what they must offer, and the register of their kinds.

A tree with such a node predicts, prints, saves, loads and verifies like any other, because the
question carries its own routing, its own words and its own plain data.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np

from polytomy._errors import FamilyError
from polytomy._types import BranchArray
from polytomy.table import Table


@runtime_checkable
class Branching(Protocol):
    """A k-way question that routes rows itself."""

    kind: ClassVar[str]

    @property
    def arity(self) -> int:
        """The number of branches."""

    def route(self, table: Table) -> BranchArray:
        """Return the branch 0..arity-1 of every row, also of rows with missing or new values."""

    def describe(self, names: Sequence[str]) -> tuple[str, list[str]]:
        """Return the question and one answer per branch, in words, given the columns' names."""

    def to_plain(self) -> dict[str, Any]:
        """Return the question as plain data: dicts, lists, strings and numbers."""

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> "Branching":
        """Make the question from what ``to_plain`` returned."""


KINDS: dict[str, type[Branching]] = {}
"""The registered kinds, by name."""

_Kind = TypeVar("_Kind", bound=type[Branching])


def register_kind(cls: _Kind) -> _Kind:
    """Register a class of questions under its ``kind``, so that trees using it can be saved.

    Registering the same name again replaces the class, as re-running a notebook cell does.
    """
    for needed in ("kind", "arity", "route", "describe", "to_plain", "from_plain"):
        if not hasattr(cls, needed):
            raise FamilyError(f"{cls.__name__} cannot be registered: it has no {needed!r}")
    KINDS[cls.kind] = cls
    return cls


def checked_route(branching: Branching, table: Table) -> BranchArray:
    """Return where a user's question sends rows, or say how it breaks its contract."""
    branches = np.asarray(branching.route(table))
    if branches.shape != (table.n_rows,) or branches.dtype.kind not in "iu":
        raise FamilyError(
            f"a question of kind {branching.kind!r} must route {table.n_rows} rows to integers, "
            f"got {branches.dtype} of shape {branches.shape}"
        )
    if len(branches) and not 0 <= branches.min() <= branches.max() < branching.arity:
        raise FamilyError(
            f"a question of kind {branching.kind!r} has {branching.arity} branches but sends rows "
            f"to {np.unique(branches).tolist()}"
        )
    return branches.astype(np.int32)


def to_plain(branching: Branching) -> dict[str, Any]:
    """Return a user's question as plain data that names its kind; refuse an unregistered one."""
    if KINDS.get(branching.kind) is not type(branching):
        raise FamilyError(
            f"questions of kind {branching.kind!r} are not registered: "
            f"put @polytomy.tree.register_kind above class {type(branching).__name__}"
        )
    return {"kind": branching.kind, **branching.to_plain()}


def from_plain(data: dict[str, Any]) -> Branching:
    """Return the question that ``to_plain`` wrote."""
    kind = data.get("kind")
    if kind not in KINDS:
        raise FamilyError(
            f"unknown kind of question {kind!r}; import the module that registers it first"
        )
    return KINDS[kind].from_plain({key: value for key, value in data.items() if key != "kind"})
