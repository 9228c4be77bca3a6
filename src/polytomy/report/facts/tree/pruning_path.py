"""The pruning path of a tree: the best pruning of each size, stored as differences."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from polytomy._types import FloatArray, IntArray
from polytomy.prune import PruningPath
from polytomy.report.facts.json_values import log_spaced, rounded, rounded_list
from polytomy.tree import LEAF, Tree, depth_first

from .target import TargetFacts

_ALWAYS_KEPT = 200  # the smallest sizes are all kept when others are dropped
_MOST_SIZES = 1200  # above this number, sizes are dropped before their differences are computed
_MOST_TOGGLES = 60_000  # node numbers in all the differences together


class Prunings(Protocol):
    """The best pruning of each size of a tree."""

    @property
    def sizes(self) -> IntArray:
        """The number of leaves of each pruning, ascending from 1."""

    def nodes_at(self, size: int) -> IntArray:
        """Return the nodes that become leaves in the best pruning of at most ``size`` leaves."""


@dataclass(frozen=True, slots=True, eq=False)
class NodeErrors:
    """The errors of each node as a leaf, on the training rows and on test rows.

    Parameters
    ----------
    training : array
        The training errors: weights of rows, or sums of a loss.
    total : float
        The weight of the training rows.
    test : array, optional
        The errors of the test rows.
    test_total : float, default=0.0
        The weight of the test rows.
    """

    training: FloatArray
    total: float
    test: FloatArray | None = None
    test_total: float = 0.0


def path_facts(tree: Tree, target: TargetFacts, held: FloatArray | None) -> dict[str, Any]:
    """Return the sizes and errors of the prunings, and the nodes that change between them.

    Prunings are those of the tree's own counts, which may contain class weights; errors are those
    of the target's facts.

    Parameters
    ----------
    tree : Tree
        The tree.
    target : TargetFacts
        The errors of each node as a leaf.
    held : array of shape (nodes, classes), optional
        The weight of the test rows of each class at each node, to choose a size by; without it,
        the size with the fewest errors of the test rows is chosen.
    """
    path = PruningPath(tree, held=held)
    errors = NodeErrors(target.errors, target.weight[0], target.test_errors, target.test_total)
    return pruning_facts(path, tree, errors, _choices(path, target))


def pruning_facts(
    path: Prunings, tree: Tree, errors: NodeErrors, choices: dict[str, int]
) -> dict[str, Any]:
    """Return the sizes and errors of prunings, and the nodes that change between them.

    The last size is always that of the whole tree.

    Parameters
    ----------
    path : Prunings
        The prunings.
    tree : Tree
        The tree.
    errors : NodeErrors
        The errors of each node as a leaf.
    choices : dict
        The sizes that selection rules choose. If there are test rows, the size with the fewest
        errors on them is added as "holdout", unless it is there.
    """
    sizes = path.sizes.tolist()
    if sizes[-1] < tree.n_leaves:  # the last splits reduce no error
        sizes.append(tree.n_leaves)
    keep, toggles = _toggles(path, tree, sizes, choices.values())
    shown = [sizes[i] for i in keep]
    facts: dict[str, Any] = {
        "sizes": shown,
        "errors": rounded_list(_path_errors(errors.training, toggles)),
        "toggles": toggles,
        "choices": choices,
        "total": rounded(errors.total),
    }
    if errors.test is not None:
        found = _path_errors(errors.test, toggles)
        choices.setdefault("holdout", shown[int(np.argmin(found))])
        facts["test_errors"] = rounded_list(found)
        facts["test_total"] = rounded(errors.test_total)
    return facts


def _choices(path: PruningPath, target: TargetFacts) -> dict[str, int]:
    """Return the sizes that selection rules choose."""
    chosen = {}
    if target.has_risk_bound:
        with warnings.catch_warnings():  # about weights that are not case counts
            warnings.simplefilter("ignore", UserWarning)
            chosen["srm"] = path.select("srm")
    if path.validation_errors is not None:
        chosen["holdout"] = path.select("holdout")
    return chosen


def _path_errors(errors: FloatArray, toggles: list[list[int]]) -> list[float]:
    """Return the errors of the leaves at each size."""
    is_leaf, found = np.zeros(len(errors), dtype=bool), []
    for changed in toggles:
        is_leaf[changed] ^= True
        found.append(float(errors[is_leaf].sum()))
    return found


def _toggles(
    path: Prunings, tree: Tree, sizes: list[int], always: Iterable[int]
) -> tuple[list[int], list[list[int]]]:
    """Return the sizes to keep, and for each the nodes that become or stop being leaves."""
    needed = {0, len(sizes) - 1, *(sizes.index(size) for size in always)}
    most = _MOST_SIZES
    prunings = _Prunings(tree)
    while True:
        keep = sorted(needed | set(_thinned(len(sizes), most)))
        before = np.zeros(tree.n_nodes, dtype=bool)
        toggles = []
        for i in keep:
            whole = sizes[i] == tree.n_leaves
            leaves = tree.kind == LEAF if whole else prunings.leaves(path.nodes_at(sizes[i]))
            toggles.append(np.flatnonzero(leaves != before).tolist())
            before = leaves
        if sum(map(len, toggles)) <= _MOST_TOGGLES or most <= 16:
            return keep, toggles
        most //= 2


def _thinned(n: int, most: int) -> list[int]:
    """Return about ``most`` of n positions: all the first ones, then ever sparser ones."""
    if n <= most:
        return list(range(n))
    first = min(_ALWAYS_KEPT, most // 2)
    rest = log_spaced(first + 1, n, most - first) - 1
    return [*range(first), *rest.tolist()]


class _Prunings:
    """Finds the leaves of the prunings of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._leaf = tree.kind == LEAF
        self._place, self._size = depth_first(tree)

    def leaves(self, cut: IntArray) -> Any:
        """Return a mask of the leaves once the nodes of ``cut`` are leaves."""
        n = len(self._place)
        marks = np.zeros(n + 1, dtype=np.int64)
        np.add.at(marks, self._place[cut] + 1, 1)
        np.add.at(marks, self._place[cut] + self._size[cut], -1)
        below = (np.cumsum(marks) > 0)[self._place]
        leaves = self._leaf & ~below
        leaves[cut] = True
        return leaves
