"""What a node asks: the one value behind the flat arrays of a tree, and its behaviour on codes."""

from dataclasses import dataclass

import numpy as np

from polytomy._types import UNSEEN, BranchArray, FloatArray

from .kinds import Branching


@dataclass(frozen=True, slots=True, eq=False)
class IntervalQuestion:
    """In which range is the number? Branch b holds ``thresholds[b-1] < x <= thresholds[b]``.

    ``missing_branch`` is UNSEEN if no training row of the node was without a value; such a row then
    takes ``default_branch``, the child with the most training weight. A branch after the last range
    holds missing cells alone.
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

    def range_of(self, branch: int) -> tuple[float, float] | None:
        """Return (low, high] of a branch; None for the branch of missing cells alone."""
        if branch > len(self.thresholds):
            return None
        edges = np.concatenate(([-np.inf], self.thresholds, [np.inf]))
        return float(edges[branch]), float(edges[branch + 1])


@dataclass(frozen=True, slots=True, eq=False)
class CodeQuestion:
    """Which category is it? ``code_to_branch`` is UNSEEN for categories the node did not hold.

    Those, new ones, and missing cells where ``missing_branch`` is UNSEEN take ``default_branch``.
    """

    feature: int
    code_to_branch: BranchArray
    missing_branch: int
    default_branch: int

    @property
    def arity(self) -> int:
        """The number of branches."""
        return int(max(self.code_to_branch.max(initial=UNSEEN), self.missing_branch)) + 1


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A user's own question, which routes rows itself."""

    branching: Branching

    @property
    def arity(self) -> int:
        """The number of branches."""
        return self.branching.arity


Question = IntervalQuestion | CodeQuestion | OwnQuestion
