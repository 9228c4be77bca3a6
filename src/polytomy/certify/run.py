"""The record of a run as plain facts: what was split, in which order, and under which rules.

The grower's own record refers to its options and parameters; this one stands alone, so that a
certificate can be issued, verified and saved by code that knows nothing of growing.
"""

from dataclasses import dataclass, replace
from itertools import takewhile
from operator import itemgetter
from typing import Literal

from polytomy.index import Index
from polytomy.tree import Tree, pruned

Weighting = Literal["none", "rows", "classes"]
"""What weighs: nothing (all rows alike), rows as case counts, or classes by the user's values."""


@dataclass(frozen=True, slots=True)
class Split:
    """One expansion: a leaf became a node with children. Weights are in those of the sample."""

    leaf: int
    children: tuple[int, ...]
    gain: float
    weight: float  # F of the leaf
    price: float
    best_binary_gain: float | None  # None where the leaf had no binary option
    leaves_before: int

    @property
    def arity(self) -> int:
        """The number of children."""
        return len(self.children)

    @property
    def advantage(self) -> float:
        """The gain as a share of the leaf's weight."""
        return self.gain / self.weight if self.weight > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Retired:
    """A leaf that came up to be split but could not be, and why; it stays a leaf."""

    leaf: int
    reason: str
    leaves: int  # of the tree at that time


@dataclass(frozen=True, slots=True)
class Rules:
    """What the run was asked to do."""

    procedure: str
    order: Literal["heaviest", "steepest"]
    gamma: float | None  # of mansour-mcallester alone
    max_leaves: int | None
    families: tuple[str, ...]  # the built-in ones
    own_families: bool  # some family is a user's own
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run."""

    rules: Rules
    index: Index
    splits: tuple[Split, ...]
    retired: tuple[Retired, ...]
    weighting: Weighting = "none"
    stopped: str | None = None  # what ended it before it was done

    def up_to(self, size: int) -> "Run":
        """Return the run as far as its tree had at most ``size`` leaves."""
        fits = (s.leaves_before + s.arity - 1 <= size for s in self.splits)
        splits = tuple(s for s, _ in takewhile(itemgetter(1), zip(self.splits, fits, strict=True)))
        leaves = splits[-1].leaves_before + splits[-1].arity - 1 if splits else 1
        retired = tuple(r for r in self.retired if r.leaves <= leaves)
        stopped = self.stopped if len(splits) == len(self.splits) else "overgrown"
        return replace(self, splits=splits, retired=retired, stopped=stopped)


def overgrown(run: Run, tree: Tree, size: int) -> tuple[Run, Tree]:
    """Return a run and its tree as far as that had at most ``size`` leaves.

    That smaller tree is one of the prunings of the larger one, so the pruning with the fewest
    errors at that size errs no more than it does.
    """
    first = run.up_to(size)
    later = [split.leaf for split in run.splits[len(first.splits) :]]
    return first, pruned(tree, later)[0]
