"""Replay a run from its tree and the recounted numbers, without its record.

A split gives its children the next free node numbers, so the order of the splits can be read off
the tree. The splits of a tree that was found in another way have the order of the nodes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from math import fsum, inf

import numpy as np

from polytomy._types import TIE, FloatArray, IntArray
from polytomy.index import Index
from polytomy.tree import LEAF, Tree

from .recount import Recount
from .report import TOLERANCE

_ROUNDING = 1e-11  # as a fraction of the sums that the impurity of a node is a difference of


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """The steps of a run, and its growth curves, from recounted numbers."""

    weight: float  # of the sample
    nodes: list[int]  # the nodes that were split, in order
    children: list[list[int]]  # by step
    values: FloatArray  # impurity F of every node
    misses: FloatArray  # weight outside the majority class, or the cost, of every node
    outside: FloatArray  # weight outside the majority class; 0 if the node is pure
    gains: FloatArray  # by step
    leaves: IntArray  # before each step and after the last; so are totals and errors
    totals: FloatArray  # impurity summed over the leaves
    errors: FloatArray  # misses summed over the leaves
    rounding: FloatArray  # of the impurity of every node of a numeric target; 0 for classes
    slack: FloatArray  # of impurities and gains, by node

    def advantage(self, step: int) -> float:
        """Return the gain of a step as a fraction of its leaf's impurity."""
        impurity = float(self.values[self.nodes[step]])
        return float(self.gains[step]) / impurity if impurity > 0 else 0.0

    def doubt(self, step: int) -> float:
        """Return the rounding of the ratios of a step, in units of the tolerance, at least 1."""
        gain, total = float(self.gains[step]), float(self.totals[step])
        if gain <= 0 or total <= 0:
            return 1.0
        lost = 2 * float(self.rounding[self.nodes[step]]) / gain + float(self.rounding[0]) / total
        return max(1.0, lost / TOLERANCE)

    def arity(self, step: int) -> int:
        """Return the number of branches of a step."""
        return len(self.children[step])

    def made_at(self) -> IntArray:
        """Return the number of leaves of the tree when each node was created."""
        made = np.ones(len(self.values), dtype=np.int64)
        for step, children in enumerate(self.children):
            made[children] = self.leaves[step + 1]
        return made


def replay(tree: Tree, held: Recount, index: Index, found: bool = False) -> Replay:
    """Replay a run; ``found`` is whether no run made the tree."""
    values = np.zeros(tree.n_nodes)
    some = held.rows > 0  # the index need not be defined for nodes without rows
    values[some] = index.value(held.counts[some])
    missed = values if index.is_numeric else misses(tree, held)
    rounding = rounding_errors(held) if index.is_numeric else np.zeros(tree.n_nodes)
    inner = np.flatnonzero(tree.kind != LEAF)
    when = inner if found else tree.child[tree.child_start[inner]]
    nodes = inner[np.argsort(when)].tolist()
    children = [tree.children(node).tolist() for node in nodes]
    spent = [len(c) - 1 for c in children]
    return Replay(
        weight=float(held.weight[0]),
        nodes=nodes,
        children=children,
        values=values,
        misses=missed,
        outside=missed if tree.costs is None else held.weight - held.counts.max(axis=1),
        gains=_without_rounding(_losses(values, nodes, children), values[nodes]),
        leaves=1 + np.concatenate(([0], np.cumsum(spent, dtype=np.int64))),
        totals=_curve(values, _losses(values, nodes, children), tree),
        errors=_curve(missed, _losses(missed, nodes, children), tree),
        rounding=rounding,
        slack=TOLERANCE * values + rounding,
    )


def misses(tree: Tree, held: Recount) -> FloatArray:
    """Return the weight outside the best class of each node or, if mistakes differ, its cost."""
    if tree.costs is None:
        return np.asarray(held.weight - held.counts.max(axis=1))
    by_label = [(held.counts * column).sum(axis=1) for column in tree.costs.T]
    return np.asarray(np.min(by_label, axis=0))


def largest_leaves(
    played: Replay, keys: FloatArray, until: Mapping[int, int] | None = None
) -> list[int | None]:
    """Return, before each step, the leaf with the largest key, or None if no leaf is left.

    ``until`` maps a leaf to the size of the tree from which on it is ignored.
    """
    limits = {} if until is None else until
    heap = [(-float(keys[0]), 0)]
    split: set[int] = set()
    found: list[int | None] = []
    for step, node in enumerate(played.nodes):
        size = int(played.leaves[step])
        while heap and (heap[0][1] in split or limits.get(heap[0][1], inf) <= size):
            heappop(heap)
        found.append(heap[0][1] if heap else None)
        split.add(node)
        for child in played.children[step]:
            heappush(heap, (-float(keys[child]), child))
    return found


def rounding_errors(held: Recount) -> FloatArray:
    """Return the rounding error of the impurity of each node of a numeric target.

    An impurity is a difference of sums, which may be much larger.
    """
    if held.counts.shape[1] == 3:
        return np.asarray(_ROUNDING * held.scale[:, 2])
    mean = np.abs(held.counts[:, 1]) / np.where(held.weight > 0, held.weight, 1.0)
    factor = 1.0 + np.abs(np.log(np.where(mean > 0, mean, 1.0)))
    return np.asarray(_ROUNDING * (held.scale[:, 3] + factor * held.scale[:, 1]))


def _losses(of_node: FloatArray, nodes: list[int], children: list[list[int]]) -> FloatArray:
    """Return by how much each step reduces the sum over the leaves."""
    return np.array([of_node[v] - fsum(of_node[c]) for v, c in zip(nodes, children, strict=True)])


def _without_rounding(gains: FloatArray, impurity: FloatArray) -> FloatArray:
    """Set gains that are only rounding errors to 0."""
    return np.where(np.abs(gains) > TIE * impurity, gains, 0.0)


def _curve(of_node: FloatArray, losses: FloatArray, tree: Tree) -> FloatArray:
    """Return the sum over the leaves at every size, added up from the final tree backwards."""
    last = fsum(of_node[tree.leaves()])
    return np.cumsum(np.concatenate(([last], losses[::-1])))[::-1]
