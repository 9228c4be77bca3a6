"""A menu holds, for one node, the best option of each arity.

An option is a k-way branching function on one column, in codes, with its gain. Ties have one order
everywhere: larger gain, then smaller arity, then lower column, then family as listed, then lower
cut. Gains within ``TIE`` of the node's weight are equal.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from polytomy._types import TIE, UNSEEN, BranchArray
from polytomy.encode import ColumnSpec, OrderedColumn, Schema
from polytomy.tree import Branching, CodeQuestion, IntervalQuestion, OwnQuestion, Question


@dataclass(frozen=True, slots=True)
class IntervalCut:
    """Cuts between neighbouring codes ``left[r] < right[r]`` present at the node."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    missing_branch: int

    @property
    def order(self) -> tuple[int, ...]:
        """Lower cuts first; then the missing cells in a lower branch."""
        return (*self.left, self.missing_branch)

    def branch_of_code(self, column: ColumnSpec) -> BranchArray:
        """Return the branch of every code, the missing one last."""
        branch = np.zeros(column.n_values + column.has_missing, dtype=np.int32)
        for cut in self.left:
            branch[cut + 1 :] += 1
        if column.has_missing:
            branch[-1] = max(self.missing_branch, 0)
        return branch

    def question(self, feature: int, schema: Schema, default_branch: int) -> Question:
        """Return the question in the column's own values."""
        column = schema[feature]
        assert isinstance(column, OrderedColumn)
        pairs = zip(self.left, self.right, strict=True)
        thresholds = np.array([column.threshold(a, b) for a, b in pairs], dtype=np.float64)
        return IntervalQuestion(feature, thresholds, self.missing_branch, default_branch)


@dataclass(frozen=True, slots=True, eq=False)
class CodeCut:
    """The branch of each code present at the node, a missing cell's among them."""

    codes: BranchArray
    branches: BranchArray

    @property
    def order(self) -> tuple[int, ...]:
        """Lower branch strings first."""
        return tuple(self.branches.tolist())

    def branch_of_code(self, column: ColumnSpec) -> BranchArray:
        """Return the branch of every code, UNSEEN for those the node does not hold."""
        branch = np.full(column.n_values + column.has_missing, UNSEEN, dtype=np.int32)
        branch[self.codes] = self.branches
        return branch

    def question(self, feature: int, schema: Schema, default_branch: int) -> Question:
        """Return the question over the column's categories."""
        column = schema[feature]
        branch = self.branch_of_code(column)
        missing = int(branch[-1]) if column.has_missing else UNSEEN
        seen = np.flatnonzero(branch[: column.n_values] != UNSEEN)
        last = int(seen[-1]) + 1 if len(seen) else 0
        return CodeQuestion(feature, branch[:last].copy(), missing, default_branch)


@dataclass(frozen=True, slots=True, eq=False)
class OwnCut:
    """A user's own question, and the branch of each of the node's rows, in their order."""

    branching: Branching
    place: int  # among what the family proposed
    branches: BranchArray

    @property
    def order(self) -> tuple[int, ...]:
        """In the order proposed."""
        return (self.place,)

    def question(self, _feature: int, _schema: Schema, _default: int) -> Question:
        """Return the user's question as it is."""
        return OwnQuestion(self.branching)


Cut = IntervalCut | CodeCut | OwnCut


@dataclass(frozen=True, slots=True)
class Option:
    """A k-way branching function for one node."""

    arity: int
    gain: float
    feature: int  # past the last column for a user's own
    family: str
    cut: Cut


class Menu:
    """The best option of each arity a node has; arities that cannot win may be left out."""

    __slots__ = ("_best",)

    def __init__(self, options: Iterable[Option] = (), node_value: float = 0.0) -> None:
        by_arity: dict[int, list[Option]] = {}
        for option in options:
            by_arity.setdefault(option.arity, []).append(option)
        slack = TIE * node_value
        self._best = {k: _best(by_arity[k], slack) for k in sorted(by_arity)}

    def __iter__(self) -> Iterator[Option]:
        """Iterate over the options, smallest arity first."""
        return iter(self._best.values())

    def __len__(self) -> int:
        return len(self._best)

    def get(self, arity: int) -> Option | None:
        """Return the best option of an arity, if there is one."""
        return self._best.get(arity)


def _best(options: list[Option], slack: float) -> Option:
    """Pick the first option, by column and then as listed, within the slack of the largest gain."""
    if len(options) == 1:
        return options[0]
    most = max(option.gain for option in options)
    return min((o for o in options if o.gain >= most - slack), key=lambda o: o.feature)
