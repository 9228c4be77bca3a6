"""The record of a run as plain facts: what was split, in which order, and under which rules.

The grower's own record refers to its options and parameters; this one stands alone, so that a
certificate can be issued, verified and saved by code that knows nothing of growing.
"""

from dataclasses import dataclass
from typing import Literal

from polytomy.index import Index


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
    families: tuple[str, ...]
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
