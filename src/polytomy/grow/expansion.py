"""The steps of a run: one by one as objects, or all as arrays that make objects when asked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple, overload

import numpy as np

from polytomy._types import BranchArray, FloatArray, IntArray

from .menu import CodeCut, Cut, IntervalCut, Option


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


class Fact(NamedTuple):
    """An expansion without its option: what a certificate needs to know."""

    leaf: int
    children: tuple[int, ...]
    gain: float
    weight: float
    price: float
    best_binary_gain: float | None
    leaves_before: int


class StepArrays(NamedTuple):
    """Expansions as the native engine hands them over, one entry each; weights are in units.

    The cuts of expansion i are ``first`` and ``second`` from ``cut_start[i]`` to
    ``cut_start[i + 1]``: codes left and right of a cut, or codes and their branches.
    """

    leaf: BranchArray
    arity: BranchArray
    feature: BranchArray
    family: BranchArray  # a place in ``families``
    missing: BranchArray
    first_child: BranchArray
    leaves_before: IntArray
    gain: FloatArray
    value: FloatArray
    binary_gain: FloatArray  # NaN where there is none
    cut_start: IntArray
    first: BranchArray
    second: BranchArray


@dataclass(frozen=True, slots=True, eq=False)
class RecordedExpansions(Sequence[Expansion]):
    """The expansions of a run of the native engine; a large tree has more than anyone looks at."""

    steps: StepArrays
    counts: FloatArray  # the leaf's, one row each
    unit: float
    families: tuple[str, ...]
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
        price = {k: self.price(k) for k in np.unique(steps.arity).tolist()}
        rows = zip(
            steps.leaf.tolist(),
            steps.first_child.tolist(),
            steps.arity.tolist(),
            (steps.gain * unit).tolist(),
            (steps.value * unit).tolist(),
            (steps.binary_gain * unit).tolist(),
            steps.leaves_before.tolist(),
            strict=True,
        )
        for leaf, child, k, gain, weight, binary, leaves in rows:
            known = None if isnan(binary) else binary
            yield Fact(leaf, tuple(range(child, child + k)), gain, weight, price[k], known, leaves)

    def _expansion(self, i: int) -> Expansion:
        steps, unit = self.steps, self.unit
        arity, first = int(steps.arity[i]), int(steps.first_child[i])
        gain, binary = float(steps.gain[i]), float(steps.binary_gain[i])
        family = self.families[steps.family[i]]
        return Expansion(
            leaf=int(steps.leaf[i]),
            option=Option(arity, gain, int(steps.feature[i]), family, self._cut(i)),
            price=self.price(arity),
            gain=gain * unit,
            weight=float(steps.value[i]) * unit,
            counts=self.counts[i].copy(),
            best_binary_gain=None if isnan(binary) else binary * unit,
            leaves_before=int(steps.leaves_before[i]),
            children=tuple(range(first, first + arity)),
        )

    def _cut(self, i: int) -> Cut:
        steps = self.steps
        start, stop = steps.cut_start[i : i + 2]
        first, second = steps.first[start:stop], steps.second[start:stop]
        if self.families[steps.family[i]] == "intervals":
            return IntervalCut(tuple(first.tolist()), tuple(second.tolist()), int(steps.missing[i]))
        return CodeCut(first.copy(), second.copy())


def facts_of(expansions: Sequence[Expansion]) -> Iterator[Fact]:
    """Return expansions without their options, which may not have been made yet."""
    if isinstance(expansions, RecordedExpansions):
        return expansions.facts()
    return (
        Fact(e.leaf, e.children, e.gain, e.weight, e.price, e.best_binary_gain, e.leaves_before)
        for e in expansions
    )
