"""The course of a run: what the tree weighed and erred before each step and after the last."""

from dataclasses import dataclass
from heapq import heappop, heappush
from math import fsum

import numpy as np

from polytomy._types import TIE, FloatArray, IntArray
from polytomy.tree import Tree

from .run import Run, Split


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Curves over the tree's growth, in units of the sample's weight."""

    values: FloatArray  # F of every node
    leaves: IntArray
    totals: FloatArray  # the leaves' weights, summed
    errors: FloatArray  # weight of the rows outside their leaf's majority
    heavier: tuple[int | None, ...]  # by step: a leaf heavier than the one split, if there was one


def course_of(run: Run, tree: Tree) -> Course:
    """Return the course of a run, from the counts its tree holds."""
    values = run.index.value(tree.counts)
    misses = tree.counts.sum(axis=1) - tree.counts.max(axis=1)
    sizes = [split.arity - 1 for split in run.splits]
    return Course(
        values=values,
        leaves=1 + np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))),
        totals=_curve(values, run.splits, tree),
        errors=_curve(misses, run.splits, tree),
        heavier=tuple(_heavier(values, run.splits)),
    )


def _curve(of_node: FloatArray, splits: tuple[Split, ...], tree: Tree) -> FloatArray:
    """Sum a quantity over the leaves before each step and after the last.

    From the last size back, so that small sums are not what is left of large ones; a pure tree
    weighs exactly nothing.
    """
    lost = [of_node[s.leaf] - fsum(of_node[list(s.children)]) for s in reversed(splits)]
    last = fsum(of_node[tree.leaves()])
    back = np.cumsum(np.array([last, *lost], dtype=np.longdouble))
    return np.ascontiguousarray(back[::-1].astype(np.float64))


def _heavier(values: FloatArray, splits: tuple[Split, ...]) -> list[int | None]:
    """Find, for each step, a leaf heavier than the one that was split; ties are no offence."""
    heap = [(-float(values[0]), 0)]
    gone: set[int] = set()
    found: list[int | None] = []
    for split in splits:
        while heap[0][1] in gone:
            heappop(heap)
        most, leaf = -heap[0][0], heap[0][1]
        own = float(values[split.leaf])
        found.append(leaf if most > own * (1 + 1e-9) + 2 * TIE * values[0] else None)
        gone.add(split.leaf)
        for child in split.children:
            heappush(heap, (-float(values[child]), child))
    return found
