"""A run played again from its tree and the recounted numbers, without its record.

A split numbers its children from the number of nodes there were, so the tree itself says in which
order its nodes were split.
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


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """What the tree weighed and erred at every size, from recounted numbers."""

    weight: float  # of the sample
    nodes: list[int]  # what was split, in order
    children: list[list[int]]  # by step
    values: FloatArray  # F of every node
    misses: FloatArray  # weight outside the majority, of every node
    gains: FloatArray  # by step
    leaves: IntArray  # before each step and after the last, as the two below
    totals: FloatArray  # the leaves' F, summed
    errors: FloatArray  # the leaves' misses, summed

    def advantage(self, step: int) -> float:
        """Return a step's gain as a share of what its leaf weighed."""
        weight = float(self.values[self.nodes[step]])
        return float(self.gains[step]) / weight if weight > 0 else 0.0

    def arity(self, step: int) -> int:
        """Return the number of branches of a step."""
        return len(self.children[step])

    def made_at(self) -> IntArray:
        """Return how many leaves the tree had when each node had just been made."""
        made = np.ones(len(self.values), dtype=np.int64)
        for step, children in enumerate(self.children):
            made[children] = self.leaves[step + 1]
        return made


def replay(tree: Tree, held: Recount, index: Index) -> Replay:
    """Play a run again."""
    values = np.zeros(tree.n_nodes)
    some = held.rows > 0  # an index need not be defined where there is nothing
    values[some] = index.value(held.counts[some])
    misses = held.counts.sum(axis=1) - held.counts.max(axis=1)
    inner = np.flatnonzero(tree.kind != LEAF)
    nodes = inner[np.argsort(tree.child[tree.child_start[inner]])].tolist()
    children = [tree.children(node).tolist() for node in nodes]
    spent = [len(c) - 1 for c in children]
    return Replay(
        weight=float(held.counts[0].sum()),
        nodes=nodes,
        children=children,
        values=values,
        misses=misses,
        gains=_without_specks(_losses(values, nodes, children), values[nodes]),
        leaves=1 + np.concatenate(([0], np.cumsum(spent, dtype=np.int64))),
        totals=_curve(values, _losses(values, nodes, children), tree),
        errors=_curve(misses, _losses(misses, nodes, children), tree),
    )


def largest_leaves(
    played: Replay, keys: FloatArray, until: Mapping[int, int] | None = None
) -> list[int | None]:
    """Return, before each step, the leaf with the largest key; None where no leaf is left.

    ``until`` says of some leaves from which size of the tree on they no longer count.
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


def _losses(of_node: FloatArray, nodes: list[int], children: list[list[int]]) -> FloatArray:
    """Return by how much each step makes the sum over the leaves smaller."""
    return np.array([of_node[v] - fsum(of_node[c]) for v, c in zip(nodes, children, strict=True)])


def _without_specks(gains: FloatArray, weights: FloatArray) -> FloatArray:
    """Return gains with those that are only rounding set to 0."""
    return np.where(np.abs(gains) > TIE * weights, gains, 0.0)


def _curve(of_node: FloatArray, losses: FloatArray, tree: Tree) -> FloatArray:
    """Sum over the leaves at every size, from the last back: what is added never cancels."""
    last = fsum(of_node[tree.leaves()])
    return np.cumsum(np.concatenate(([last], losses[::-1])))[::-1]
