"""The record of a run: the splits in order, the leaves that were given up, and the rules.

Unlike the grower's own record it refers to no option or parameter object, so certificates can be
issued, verified and saved without importing the grower.
"""

from dataclasses import dataclass, replace
from itertools import takewhile
from math import fsum
from operator import itemgetter
from typing import Literal, Protocol

import numpy as np

from polytomy._types import TIE
from polytomy.index import Index
from polytomy.tree import LEAF, UNCONSTRAINED, Constraints, Tree, pruned

Weighting = Literal["none", "rows", "classes", "costs"]
"""How rows are weighted: equally, by case counts, or by class weights."""


@dataclass(frozen=True, slots=True)
class Split:
    """One step of the run: the split of a leaf. Gains are in units of the sample's weight."""

    leaf: int
    children: tuple[int, ...]
    gain: float
    weight: float  # impurity F of the leaf
    price: float
    best_binary_gain: float | None  # None if the leaf had no binary option, or it is not known
    leaves_before: int

    @property
    def arity(self) -> int:
        """The number of children."""
        return len(self.children)

    @property
    def advantage(self) -> float:
        """The gain as a fraction of the leaf's impurity."""
        return self.gain / self.weight if self.weight > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Retired:
    """A leaf that was due to be split but could not be, and the reason."""

    leaf: int
    reason: str
    leaves: int  # number of leaves of the tree at that time


@dataclass(frozen=True, slots=True)
class Rules:
    """The parameters of a run."""

    procedure: str
    order: Literal["heaviest", "steepest"]
    gamma: float | None  # for mansour-mcallester only
    max_leaves: int | None
    families: tuple[str, ...]  # built-in families
    own_families: bool  # whether a user-defined family took part
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    monotonic: tuple[int, ...] = ()  # the direction of each column; empty if none has one
    constraints: Constraints = UNCONSTRAINED


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run, or the splits of a tree that was found in another way."""

    rules: Rules
    index: Index
    splits: tuple[Split, ...]
    retired: tuple[Retired, ...]
    weighting: Weighting = "none"
    stopped: str | None = None  # why the run ended early, if it did
    found: bool = False  # whether the tree was found in another way, see ``replayed``

    @property
    def judged_by(self) -> Rules:
        """The rules that gammas, prices and bounds follow from.

        They are those of the run. A tree that was found is judged by gain per added leaf, which
        gives a bound for any tree, in any order of its splits.
        """
        if not self.found:
            return self.rules
        return replace(self.rules, procedure="per-leaf", order="steepest", gamma=None)

    def up_to(self, size: int) -> "Run":
        """Return the part of the run during which the tree had at most ``size`` leaves."""
        fits = (s.leaves_before + s.arity - 1 <= size for s in self.splits)
        splits = tuple(s for s, _ in takewhile(itemgetter(1), zip(self.splits, fits, strict=True)))
        leaves = splits[-1].leaves_before + splits[-1].arity - 1 if splits else 1
        retired = tuple(r for r in self.retired if r.leaves <= leaves)
        stopped = self.stopped if len(splits) == len(self.splits) else "overgrown"
        return replace(self, splits=splits, retired=retired, stopped=stopped)


def overgrown(run: Run, tree: Tree, size: int) -> tuple[Run, Tree]:
    """Return the run up to ``size`` leaves, and the tree it had then.

    This smaller tree is a pruning of the whole tree, so the pruning with the fewest errors at that
    size has at most as many errors.
    """
    first = run.up_to(size)
    later = [split.leaf for split in run.splits[len(first.splits) :]]
    return first, pruned(tree, later)[0]


def replayed(tree: Tree, index: Index, rules: Rules, weighting: Weighting = "none") -> Run:
    """Return the splits of a tree that no growth procedure made on its rows, as a run.

    Such a tree was found with a teacher, by search, or by polishing. Its splits are listed in the
    order of their node numbers, so parents come first. Gains are those of the counts of the tree,
    prices are those of gain per added leaf, and the best binary gains are not known.

    Parameters
    ----------
    tree : Tree
        The finished tree, with the counts of the training rows.
    index : Index
        The index function of the impurities.
    rules : Rules
        The parameters that the tree was asked for with.
    weighting : {"none", "rows", "classes", "costs"}, default="none"
        How the rows are weighted.

    Returns
    -------
    Run
        The record, with ``found`` set.
    """
    impurity = index.value(tree.counts)
    splits, leaves = [], 1
    for leaf in np.flatnonzero(tree.kind != LEAF).tolist():
        children = tuple(tree.children(leaf).tolist())
        whole = float(impurity[leaf])
        gain = whole - fsum(impurity[list(children)])
        gain = gain if gain > TIE * whole else 0.0
        splits.append(Split(leaf, children, gain, whole, len(children) - 1.0, None, leaves))
        leaves += len(children) - 1
    return Run(rules, index, tuple(splits), (), weighting, found=True)


class RoundRecord(Protocol):
    """The figures of a round of boosting; None for figures that the algorithm does not define."""

    @property
    def epsilon(self) -> float | None:
        """The weighted error of the round's tree."""

    @property
    def alpha(self) -> float:
        """The factor of the tree's votes."""

    @property
    def z(self) -> float:
        """The factor by which the round changed the loss."""

    @property
    def bound(self) -> float | None:
        """The bound on the training error."""

    @property
    def exponential_bound(self) -> float | None:
        """exp(-2 sum (1/2 - eps)^2)."""

    @property
    def training_error(self) -> float:
        """The error on the training rows."""

    @property
    def validation_error(self) -> float | None:
        """The error on the held-out rows."""

    @property
    def validation_loss(self) -> float | None:
        """The loss on the held-out rows."""

    @property
    def leaves(self) -> int:
        """The number of leaves of the round's trees."""

    @property
    def trees(self) -> int:
        """The number of trees of the round."""


class BoostedCertificate(Protocol):
    """The bounds on the training error of a boosted model."""

    @property
    def algorithm(self) -> str:
        """The boosting algorithm."""

    @property
    def n_rounds(self) -> int:
        """The number of rounds that vote."""

    @property
    def bound(self) -> float | None:
        """The bound on the training error."""

    @property
    def exponential_bound(self) -> float | None:
        """The looser bound exp(-2 sum (1/2 - eps)^2)."""

    @property
    def training_error(self) -> float | None:
        """The training error."""

    @property
    def claim(self) -> str:
        """The inequalities that were checked after every round."""

    @property
    def findings(self) -> tuple[str, ...]:
        """The rounds in which they are violated."""
