"""The record of a run: the tree, every expansion, and every leaf that could not be split."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple, overload

import numpy as np

from polytomy._types import BranchArray, FloatArray, IntArray
from polytomy.index import Index
from polytomy.tree import Branching, Tree

from .options import Option, OptionArrays
from .params import GrowParams


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """One step: a leaf was replaced by an option. Gains and impurities are in sample weights.

    Parameters
    ----------
    leaf : int
        The node that was split.
    option : Option
        The split, in codes.
    price : float
        The price of its arity.
    gain : float
        The gain.
    impurity : float
        F of the leaf.
    counts : float64 array
        The class counts of the leaf.
    best_binary_gain : float or None
        The gain of the leaf's best binary option, if it had one.
    leaves_before : int
        The leaves of the tree before the step.
    children : tuple of int
        The new nodes, in the order of the branches.
    """

    leaf: int
    option: Option
    price: float
    gain: float
    impurity: float
    counts: FloatArray
    best_binary_gain: float | None
    leaves_before: int
    children: tuple[int, ...]

    @property
    def arity(self) -> int:
        """The number of children."""
        return self.option.arity

    @property
    def advantage(self) -> float:
        """The gain as a fraction of the leaf's impurity."""
        return self.gain / self.impurity


class Fact(NamedTuple):
    """An expansion without its option: what a certificate needs to know."""

    leaf: int
    children: tuple[int, ...]
    gain: float
    impurity: float
    price: float
    best_binary_gain: float | None
    leaves_before: int


class StepArrays(NamedTuple):
    """The steps of a run as the engine returns them, one entry each; impurities are in units."""

    options: OptionArrays
    leaf: BranchArray
    first_child: BranchArray
    leaves_before: IntArray
    impurity: FloatArray
    binary_gain: FloatArray  # NaN if the leaf had no binary option


@dataclass(frozen=True, slots=True, eq=False)
class Expansions(Sequence[Expansion]):
    """The expansions of a run, as arrays that are turned into objects on access."""

    steps: StepArrays
    counts: FloatArray  # of the leaf that was split, one row each
    unit: float
    families: tuple[str, ...]
    own: list[Branching]
    price: Callable[[int], float]

    def __len__(self) -> int:
        return len(self.steps.leaf)

    @overload
    def __getitem__(self, at: int) -> Expansion: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Expansion, ...]: ...

    def __getitem__(self, at: int | slice) -> Expansion | tuple[Expansion, ...]:
        """Return an expansion, or a tuple of them."""
        places = range(len(self))[at]
        if isinstance(places, range):
            return tuple(self._expansion(i) for i in places)
        return self._expansion(places)

    def facts(self) -> Iterator[Fact]:
        """Return the expansions without their options."""
        steps, unit = self.steps, self.unit
        price = {k: self.price(k) for k in np.unique(steps.options.arity).tolist()}
        rows = zip(
            steps.leaf.tolist(),
            steps.first_child.tolist(),
            steps.options.arity.tolist(),
            (steps.options.gain * unit).tolist(),
            (steps.impurity * unit).tolist(),
            (steps.binary_gain * unit).tolist(),
            steps.leaves_before.tolist(),
            strict=True,
        )
        for leaf, child, k, gain, impurity, binary, leaves in rows:
            children = tuple(range(child, child + k))
            best_binary = None if isnan(binary) else binary
            yield Fact(leaf, children, gain, impurity, price[k], best_binary, leaves)

    def _expansion(self, i: int) -> Expansion:
        steps, unit = self.steps, self.unit
        option = steps.options.option(i, self.families, self.own)
        first, binary = int(steps.first_child[i]), float(steps.binary_gain[i])
        return Expansion(
            leaf=int(steps.leaf[i]),
            option=option,
            price=self.price(option.arity),
            gain=option.gain * unit,
            impurity=float(steps.impurity[i]) * unit,
            counts=self.counts[i].copy(),
            best_binary_gain=None if isnan(binary) else binary * unit,
            leaves_before=int(steps.leaves_before[i]),
            children=tuple(range(first, first + option.arity)),
        )


@dataclass(frozen=True, slots=True)
class Retirement:
    """A leaf that was due to be split but could not be; it stays a leaf.

    Parameters
    ----------
    leaf : int
        The node.
    reason : str
        ``max_depth``, ``too few rows``, ``no acceptable option`` or ``min_gain``.
    leaves : int
        The leaves of the tree at that time.
    """

    leaf: int
    reason: str
    leaves: int


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """A finished run.

    Parameters
    ----------
    tree : Tree
        The tree.
    expansions : sequence of Expansion
        The steps, in order.
    retirements : tuple of Retirement
        The leaves that could not be split.
    params : GrowParams
        How the tree was grown.
    index : Index
        The index function.
    weight : float
        The weight of the sample.
    root_impurity : float
        F of the root.
    stopped : bool, default=False
        Whether a callback stopped the run before growth was complete.
    """

    tree: Tree
    expansions: Expansions
    retirements: tuple[Retirement, ...]
    params: GrowParams
    index: Index
    weight: float
    root_impurity: float
    stopped: bool = False

    def facts(self) -> Iterator[Fact]:
        """Return the expansions without their options: what a certificate needs to know.

        Returns
        -------
        iterator of Fact
            One for each expansion.
        """
        return self.expansions.facts()
