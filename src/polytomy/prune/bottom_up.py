"""Bottom-up pruning: each node is compared with its current subtree."""

from collections.abc import Iterable, Sequence

import numpy as np

from polytomy._types import IntArray
from polytomy.tree import LEAF, Tree


def cheapest(tree: Tree, cost: Sequence[float], tie: float = 0.0) -> IntArray:
    """Return the nodes that cost no more as leaves than their current subtrees.

    Parameters
    ----------
    tree : Tree
        The tree.
    cost : sequence of int or float
        The cost of each node as a leaf; a subtree costs the sum over its leaves. Integers add up
        exactly.
    tie : float, default=0.0
        A leaf may cost more than its subtree by this fraction.

    Returns
    -------
    ndarray of int
        The nodes that become leaves, none of them below another, in ascending order.
    """
    below: list[float] = [0] * tree.n_nodes  # cost of the children's current subtrees
    parent, inner = tree.parent.tolist(), (tree.kind != LEAF).tolist()
    prunes = [False] * tree.n_nodes
    for v in range(tree.n_nodes - 1, -1, -1):  # children have larger numbers
        limit = below[v] * (1 + tie) if tie else below[v]
        prunes[v] = inner[v] and cost[v] <= limit
        if v:
            below[parent[v]] += below[v] if inner[v] and not prunes[v] else cost[v]
    return topmost(tree, prunes)


def topmost(tree: Tree, marked: Iterable[bool]) -> IntArray:
    """Return the marked inner nodes without a marked node above them, in ascending order."""
    parent, inner = tree.parent.tolist(), (tree.kind != LEAF).tolist()
    found = []
    below = [False] * tree.n_nodes  # at a marked node, or below one
    for node, mark in enumerate(marked):
        if node and below[parent[node]]:
            below[node] = True
        elif mark and inner[node]:
            below[node] = True
            found.append(node)
    return np.array(found, dtype=np.int64)
