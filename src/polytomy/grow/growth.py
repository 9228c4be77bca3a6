"""The record of a run: the tree, every expansion, and every leaf that was given up."""

from dataclasses import dataclass

from polytomy._types import FloatArray
from polytomy.index import Index
from polytomy.tree import Tree

from .menu import Option
from .params import GrowParams


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """One step: a leaf was replaced by an option. Weights are in those of the sample."""

    leaf: int
    option: Option
    price: float
    gain: float
    weight: float  # F of the leaf
    counts: FloatArray  # of the leaf
    best_binary_gain: float | None  # None where the leaf had no binary option
    leaves_before: int
    children: tuple[int, ...]

    @property
    def arity(self) -> int:
        """The number of children."""
        return self.option.arity

    @property
    def advantage(self) -> float:
        """The gain as a share of the leaf's weight."""
        return self.gain / self.weight


@dataclass(frozen=True, slots=True)
class Retirement:
    """A leaf that came up to be split but could not be; it stays a leaf."""

    leaf: int
    reason: str
    leaves: int  # of the tree at that time


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """A finished run."""

    tree: Tree
    expansions: tuple[Expansion, ...]
    retirements: tuple[Retirement, ...]
    params: GrowParams
    index: Index
    weight: float  # of the sample
    root_value: float  # F of the root
    stopped: bool = False  # by a callback, before it was done
