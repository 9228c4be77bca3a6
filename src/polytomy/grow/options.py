"""Options: candidate splits of a node, in codes.

An option is a k-way branching function with its gain. Ties have one order everywhere: larger gain,
then smaller arity, then lower column, then family in the order listed, then lower cut. Gains within
``TIE`` of the node's impurity are equal.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from polytomy._types import UNSEEN, BranchArray, FloatArray, IntArray
from polytomy.encode import OrderedColumn, Schema
from polytomy.tree import Branching, CategorySplit, CustomSplit, IntervalSplit, NodeSplit


@dataclass(frozen=True, slots=True)
class IntervalCut:
    """Cuts between neighbouring codes ``left[r] < right[r]`` that are present at the node."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    missing_branch: int

    def split(self, column: int, schema: Schema, default_branch: int) -> NodeSplit:
        """Return the split in the column's own values."""
        spec = schema[column]
        assert isinstance(spec, OrderedColumn)
        pairs = zip(self.left, self.right, strict=True)
        thresholds = np.array([spec.threshold(a, b) for a, b in pairs], dtype=np.float64)
        return IntervalSplit(column, thresholds, self.missing_branch, default_branch)


@dataclass(frozen=True, slots=True, eq=False)
class CodeCut:
    """The branch of each code present at the node; missing cells have a code too."""

    codes: BranchArray
    branches: BranchArray

    def split(self, column: int, schema: Schema, default_branch: int) -> NodeSplit:
        """Return the split over the column's categories."""
        spec = schema[column]
        branch = np.full(spec.n_values + spec.has_missing, UNSEEN, dtype=np.int32)
        branch[self.codes] = self.branches
        missing = int(branch[-1]) if spec.has_missing else UNSEEN
        seen = np.flatnonzero(branch[: spec.n_values] != UNSEEN)
        last = int(seen[-1]) + 1 if len(seen) else 0
        return CategorySplit(column, branch[:last].copy(), missing, default_branch)


@dataclass(frozen=True, slots=True, eq=False)
class OwnCut:
    """A split proposed by a user's own family."""

    branching: Branching

    def split(self, _column: int, _schema: Schema, _default: int) -> NodeSplit:
        """Return the user's split unchanged."""
        return CustomSplit(self.branching)


Cut = IntervalCut | CodeCut | OwnCut


@dataclass(frozen=True, slots=True)
class Option:
    """A k-way branching function for one node.

    Parameters
    ----------
    arity : int
        The number of branches.
    gain : float
        The gain, in units of the target.
    feature : int
        The column; one past the last column for a user's own split.
    family : str
        The name of the family that proposed it.
    cut : IntervalCut, CodeCut or OwnCut
        Where each code goes.
    charge : float, default=0.0
        What a grouping of categories pays for its description, in units of gain.
    """

    arity: int
    gain: float
    feature: int
    family: str
    cut: Cut
    charge: float = 0.0


class OptionArrays(NamedTuple):
    """Options as the engine returns them, one entry each.

    The cuts of option i are ``first`` and ``second`` from ``cut_start[i]`` to ``cut_start[i + 1]``:
    the codes left and right of each cut, or codes and their branches.
    """

    arity: BranchArray
    feature: BranchArray
    family: BranchArray  # position in the list of families
    missing: BranchArray
    own: BranchArray  # position among the splits proposed by users' families; -1 for the others
    gain: FloatArray
    charge: FloatArray
    cut_start: IntArray
    first: BranchArray
    second: BranchArray

    def option(self, i: int, families: tuple[str, ...], own: list[Branching]) -> Option:
        """Return option ``i``, given the families' names and the proposed own splits."""
        family = families[self.family[i]]
        cut, charge = self._cut(i, family, own), float(self.charge[i])
        gain = float(self.gain[i])
        return Option(int(self.arity[i]), gain, int(self.feature[i]), family, cut, charge)

    def _cut(self, i: int, family: str, own: list[Branching]) -> Cut:
        if self.own[i] >= 0:
            return OwnCut(own[self.own[i]])
        start, stop = self.cut_start[i : i + 2]
        first, second = self.first[start:stop], self.second[start:stop]
        if family == "intervals":
            return IntervalCut(tuple(first.tolist()), tuple(second.tolist()), int(self.missing[i]))
        return CodeCut(first.copy(), second.copy())
