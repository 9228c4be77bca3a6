"""The record of a run: the tree, every expansion, and every leaf that was given up."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polytomy.index import Index
from polytomy.tree import Tree

from .expansion import Expansion, Fact, facts_of
from .params import GrowParams


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
    expansions: Sequence[Expansion]
    retirements: tuple[Retirement, ...]
    params: GrowParams
    index: Index
    weight: float  # of the sample
    root_value: float  # F of the root
    stopped: bool = False  # by a callback, before it was done

    def facts(self) -> Iterator[Fact]:
        """Return the expansions without their options: what a certificate needs to know."""
        return facts_of(self.expansions)
