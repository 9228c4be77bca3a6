"""The best pruning of every size, told by what changes from one to the next."""

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from polytomy._types import FloatArray, IntArray
from polytomy.prune import PruningPath
from polytomy.tree import LEAF, Tree

from .numbers import plain, plain_list

_EVERY = 200  # sizes up to this are all kept where some must go
_MOST_SIZES = 1200  # beyond, sizes are thinned before anything is compared
_MOST_TOGGLES = 60_000  # numbers in all the lists of what changes


def path_facts(tree: Tree, held: FloatArray | None) -> dict[str, Any]:
    """Return sizes, errors and what changes; the last size is always that of the whole tree.

    ``held`` are the weights of test rows, (nodes, classes).
    """
    path = PruningPath(tree, held=held)
    choices = _choices(path)
    errors, test = path.training_errors.tolist(), path.validation_errors
    sizes = path.sizes.tolist()
    if sizes[-1] < tree.n_leaves:  # leaves that save no error
        sizes.append(tree.n_leaves)
        errors.append(errors[-1])
        if test is not None and held is not None:
            test = np.append(test, _test_errors(tree, held))
    keep, toggles = _toggles(path, tree, sizes, choices.values())
    facts = {
        "sizes": [sizes[i] for i in keep],
        "errors": plain_list(errors[i] for i in keep),
        "toggles": toggles,
        "choices": choices,
        "total": plain(tree.counts[0].sum()),
    }
    if test is not None and held is not None:
        facts["test_errors"] = plain_list(test[keep])
        facts["test_total"] = plain(held[0].sum())
    return facts


def _choices(path: PruningPath) -> dict[str, int]:
    with warnings.catch_warnings():  # weights that are no case counts: the certificate says so
        warnings.simplefilter("ignore", UserWarning)
        chosen = {"srm": path.select("srm")}
    if path.validation_errors is not None:
        chosen["holdout"] = path.select("holdout")
    return chosen


def _test_errors(tree: Tree, held: FloatArray) -> float:
    leaves = tree.leaves()
    right = held[leaves, tree.label[leaves]]
    return float(held[leaves].sum() - right.sum())


def _toggles(
    path: PruningPath, tree: Tree, sizes: list[int], always: Iterable[int]
) -> tuple[list[int], list[list[int]]]:
    """Return which sizes to keep, and for each the nodes that become or cease to be leaves."""
    needed = {0, len(sizes) - 1, *(sizes.index(size) for size in always)}
    most = _MOST_SIZES
    cutter = _Cutter(tree)
    while True:
        keep = sorted(needed | set(_thinned(len(sizes), most)))
        before = np.zeros(tree.n_nodes, dtype=bool)
        toggles = []
        for i in keep:
            whole = sizes[i] == tree.n_leaves
            leaves = tree.kind == LEAF if whole else cutter.leaves(path.nodes_at(sizes[i]))
            toggles.append(np.flatnonzero(leaves != before).tolist())
            before = leaves
        if sum(map(len, toggles)) <= _MOST_TOGGLES or most <= 16:
            return keep, toggles
        most //= 2


def _thinned(n: int, most: int) -> list[int]:
    """Return places among n: all of them where there are few, the first and then ever fewer."""
    if n <= most:
        return list(range(n))
    first = min(_EVERY, most // 2)
    rest = np.unique(np.rint(np.geomspace(first + 1, n, most - first)).astype(int)) - 1
    return [*range(first), *rest.tolist()]


class _Cutter:
    """Finds the leaves of prunings."""

    def __init__(self, tree: Tree) -> None:
        self._leaf = tree.kind == LEAF
        self._place, self._size = depth_first(tree)

    def leaves(self, cut: IntArray) -> Any:
        """Return which nodes are leaves once those of ``cut`` are."""
        n = len(self._place)
        marks = np.zeros(n + 1, dtype=np.int64)
        np.add.at(marks, self._place[cut] + 1, 1)
        np.add.at(marks, self._place[cut] + self._size[cut], -1)
        below = (np.cumsum(marks) > 0)[self._place]
        leaves = self._leaf & ~below
        leaves[cut] = True
        return leaves


def depth_first(tree: Tree) -> tuple[IntArray, IntArray]:
    """Return each node's place in depth-first order, and the size of its subtree.

    What lies below a node, and the node itself, are the ``size`` places from its own on.
    """
    size = np.ones(tree.n_nodes, dtype=np.int64)
    parent = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children have larger numbers
        size[parent[node]] += size[node]
    place = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes):
        children = tree.children(node)
        place[children] = place[node] + 1 + np.cumsum(size[children]) - size[children]
    return place, size
