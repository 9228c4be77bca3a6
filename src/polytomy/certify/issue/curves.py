"""Growth curves of a run: leaves, total impurity and errors before each step and after the last."""

from dataclasses import dataclass
from heapq import heappop, heappush
from math import fsum

import numpy as np

from polytomy._types import TIE, FloatArray, IntArray
from polytomy.certify.record import Run, Split
from polytomy.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class GrowthCurves:
    """Curves over the growth of a tree, in units of the sample's weight."""

    impurity: FloatArray  # F of every node
    leaves: IntArray  # number of leaves
    totals: FloatArray  # impurity summed over the leaves
    errors: FloatArray  # weight outside the majority class, or the impurity of a numeric target
    heavier: tuple[int | None, ...]  # by step: a leaf heavier than the one split, or None
    heaviest: float  # the largest F of a leaf of the final tree


def growth_curves(run: Run, tree: Tree) -> GrowthCurves:
    """Return the growth curves of a run, from the class counts of its tree."""
    impurity = run.index.value(tree.counts)
    errors = tree.errors
    added = [split.arity - 1 for split in run.splits]
    return GrowthCurves(
        impurity=impurity,
        leaves=1 + np.concatenate(([0], np.cumsum(added, dtype=np.int64))),
        totals=_curve(impurity, run.splits, tree),
        errors=_curve(errors, run.splits, tree),
        heavier=tuple(_heavier_leaves(impurity, run.splits)),
        heaviest=float(impurity[tree.leaves()].max()),
    )


def is_heavier(impurity: float, than: float, root: float) -> bool:
    """Return whether an impurity is larger than another, by more than ties allow."""
    return impurity > than * (1 + 1e-9) + 2 * TIE * root


def _curve(of_node: FloatArray, splits: tuple[Split, ...], tree: Tree) -> FloatArray:
    """Sum a quantity over the leaves before each step and after the last.

    The sums run from the final tree back to the root, so that small values are not differences of
    large ones and a pure tree has a total of exactly 0.
    """
    lost = [of_node[s.leaf] - fsum(of_node[list(s.children)]) for s in reversed(splits)]
    last = fsum(of_node[tree.leaves()])
    back = np.cumsum(np.array([last, *lost], dtype=np.longdouble))
    return np.ascontiguousarray(back[::-1].astype(np.float64))


def _heavier_leaves(impurity: FloatArray, splits: tuple[Split, ...]) -> list[int | None]:
    """Return, for each step, a leaf heavier than the one that was split, or None; ties are fine."""
    heap = [(-float(impurity[0]), 0)]
    gone: set[int] = set()
    found: list[int | None] = []
    for split in splits:
        while heap[0][1] in gone:
            heappop(heap)
        most, leaf = -heap[0][0], heap[0][1]
        own = float(impurity[split.leaf])
        found.append(leaf if is_heavier(most, own, float(impurity[0])) else None)
        gone.add(split.leaf)
        for child in split.children:
            heappush(heap, (-float(impurity[child]), child))
    return found
