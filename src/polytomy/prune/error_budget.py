"""The best pruning of each size (``PruningPath``), and the pruner that selects one of them."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from polytomy import kernels
from polytomy._errors import ParameterError
from polytomy._types import TIE, AnyArray, BranchArray, FloatArray, IntArray
from polytomy.tree import LEAF, Tree

from .pruner import (
    Evidence,
    Pruner,
    check_folds,
    check_fraction,
    check_number,
    check_size,
    is_count,
    needed,
)
from .units import case_weight, training_errors, validation_errors

SELECTORS = ("holdout", "srm", "cv")


@dataclass(frozen=True, slots=True)
class ErrorBudget(Pruner):
    """Prune to the tree with the fewest training errors of a selected size.

    Parameters
    ----------
    select : {"holdout", "srm", "cv"} or int, default="holdout"
        How the size is selected: by the fewest errors on held-out rows; by the smallest training
        error + sqrt(size/m); by cross-validation with the one-standard-error rule; or as a
        maximum size. Ties go to the smaller tree.
    fraction : float, default=0.3
        The fraction of rows to hold out for "holdout" if no held-out rows are given.
    folds : int, default=5
        The number of folds for "cv".
    max_size : int or None, default=None
        The largest size to consider; None considers all.
    size : {"leaves", "nodes"}, default="leaves"
        What the size of a tree counts: its leaves, or all its nodes. They differ by more than a
        factor if splits have different numbers of branches.
    """

    name: ClassVar[str] = "error-budget"
    for_numbers: ClassVar[bool] = True
    select: str | int = "holdout"
    fraction: float = 0.3
    folds: int = 5
    max_size: int | None = None
    size: str = "leaves"

    def __post_init__(self) -> None:
        if self.select not in SELECTORS and not is_count(self.select, 1):
            raise ParameterError(
                f"select must be one of {', '.join(SELECTORS)}, or a number of leaves, "
                f"got {self.select!r}"
            )
        check_size(self.size)
        check_fraction(self.fraction)
        check_folds(self.folds)
        if self.max_size is not None and not isinstance(self.select, str):
            raise ParameterError("max_size cannot be combined with an integer select")
        if self.max_size is not None and not is_count(self.max_size, 1):
            raise ParameterError(
                f"max_size must be an integer of at least 1 or None, got {self.max_size!r}"
            )

    @property
    def held_fraction(self) -> float | None:
        """The fraction of rows to hold out for "holdout", or None."""
        return self.fraction if self.select == "holdout" else None

    @property
    def cross_validates(self) -> bool:
        """Whether the size is selected by cross-validation."""
        return self.select == "cv"

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves for the given or selected size.

        Parameters
        ----------
        tree : Tree
            The tree.
        evidence : Evidence
            The held-out counts if ``select="holdout"``.

        Returns
        -------
        ndarray of int
            Node numbers in ascending order, none of them below another.
        """
        if self.select == "cv":
            raise ParameterError("select='cv' needs the rows: cross-validate, then pass the size")
        if not isinstance(self.select, str):
            return PruningPath(tree, self.select, size=self.size).nodes_at(self.select)
        held = None
        if self.select == "holdout":
            held = needed(evidence.held, self.name, "held-out rows for select='holdout'")
        path = PruningPath(tree, self.max_size, held, self.size)
        return path.nodes_at(path.select(self.select))


class PruningPath:
    """The best pruning of each size, from the root alone to the largest that reduces the errors.

    Among prunings of at most k leaves the best has the fewest training errors, then the fewest
    leaves, then the smallest sum of leaf depths. If several are still equal, the first branch of
    the root has the fewest leaves, then the second, and so on down the tree. ``sizes`` has gaps,
    because a three-way split adds two leaves and not every size reduces the errors. The size of a
    tree may also be its number of nodes, which favours wide splits over deep trees: four leaves
    take five nodes with one split, seven with three.

    Parameters
    ----------
    tree : Tree
        The tree, of any arity.
    max_size : int or None, default=None
        The largest size to consider; None considers all.
    held : ndarray of shape (nodes, classes) or None, default=None
        The weight of held-out rows of each class at each node; integers make ties exact.
    size : {"leaves", "nodes"}, default="leaves"
        What the size of a tree counts.

    Attributes
    ----------
    sizes : ndarray of int
        The size of each pruning, its number of leaves (or nodes), ascending from 1.
    training_errors : ndarray of float
        The weighted training errors of each pruning, descending.
    validation_errors : ndarray of float or None
        The errors of each pruning on the held-out rows, in the unit of ``held``.

    Examples
    --------
    >>> from polytomy.tree import IntervalSplit, TreeBuilder
    >>> builder = TreeBuilder(np.array([3.0, 3.0]), 6)
    >>> split = IntervalSplit(0, np.array([0.5, 1.5]), -1, 0)
    >>> _ = builder.split(0, split, np.array([[2.0, 0], [0, 2], [1, 1]]), [2, 2, 2])
    >>> path = PruningPath(builder.finish())
    >>> path.sizes.tolist(), path.training_errors.tolist()
    ([1, 3], [3.0, 1.0])
    >>> path.nodes_at(2).tolist(), path.nodes_at(3).tolist()
    ([0], [])
    """

    def __init__(
        self,
        tree: Tree,
        max_size: int | None = None,
        held: AnyArray | None = None,
        size: str = "leaves",
    ) -> None:
        check_size(size)
        if max_size is not None and not is_count(max_size, 1):
            raise ParameterError(f"max_size must be a positive integer or None, got {max_size!r}")
        self._tree, self._arguments = tree, (tree, max_size, held, size)
        self.size = size
        largest = tree.n_leaves if size == "leaves" else tree.n_nodes
        cap = largest if max_size is None else min(int(max_size), largest)
        self._complete = cap == largest
        training = training_errors(tree)
        carried = None if held is None else validation_errors(tree, np.asarray(held))
        units = [training.units] if carried is None else [training.units, carried.units]
        child_start, child = tree.child_start, tree.child
        if size == "nodes":
            child_start, child, units = _with_counters(tree, units)
        self._prunings = kernels.prunings(
            child_start, child, units[0], None if carried is None else units[1], cap
        )
        self.sizes: IntArray = self._prunings.sizes
        self.training_errors: FloatArray = training.errors(self._prunings.errors)
        self.validation_errors: FloatArray | None = None
        if carried is not None:
            self.validation_errors = carried.errors(self._prunings.carried)

    def __len__(self) -> int:
        return len(self.sizes)

    def __reduce__(self) -> tuple[type["PruningPath"], tuple[Any, ...]]:
        """Pickle the arguments; the kernel's tables are computed again."""
        return PruningPath, self._arguments

    def nodes_at(self, k: int) -> IntArray:
        """Return the nodes that become leaves in the best pruning of at most size k.

        Parameters
        ----------
        k : int
            The largest number of leaves, or of nodes.

        Returns
        -------
        ndarray of int
            Node numbers of the tree.
        """
        if not is_count(k, 1):
            raise ParameterError(f"the size must be an integer of at least 1, got {k!r}")
        return self._nodes(int(np.searchsorted(self.sizes, int(k), side="right")) - 1)

    def at_leaves(self, size: int, held: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the labels of the leaves of a pruning, and held-out rows there.

        Parameters
        ----------
        size : int
            The largest number of leaves, or of nodes.
        held : ndarray of shape (nodes, classes)
            The weight of held-out rows of each class at each node of the tree.

        Returns
        -------
        ndarray of shape (leaves,)
            The class that each leaf predicts.
        ndarray of shape (leaves, classes)
            The weight of held-out rows at each leaf.
        """
        tree, cut = self._tree, self.nodes_at(size)
        is_leaf = tree.kind == LEAF
        is_gone = np.zeros(tree.n_nodes, dtype=bool)  # below a node that becomes a leaf
        is_leaf[cut] = True
        for node in range(1, tree.n_nodes):  # parents come first
            above = tree.parent[node]
            is_gone[node] = is_gone[above] or is_leaf[above]
        leaves = np.flatnonzero(is_leaf & ~is_gone)
        return tree.label[leaves], held[leaves]

    def for_errors(self, errors: float) -> int:
        """Return the size of the smallest pruning with at most ``errors`` training errors.

        Parameters
        ----------
        errors : float
            The largest weight of wrongly classified training rows.

        Returns
        -------
        int
            The number of leaves, or of nodes.
        """
        check_number("errors", errors, lambda x: x >= 0, "of at least 0")
        most = float(self._tree.errors[0] if self._tree.is_numeric else self._tree.weight[0])
        enough = self.training_errors <= float(errors) + TIE * most
        if not enough.any():
            more = "" if self._complete else "; a larger max_size may have fewer"
            raise ParameterError(
                f"no pruning on the path has at most {errors:g} training errors, "
                f"the fewest are {self.training_errors[-1]:g}{more}"
            )
        return int(self.sizes[np.argmax(enough)])

    def srm_scores(self) -> FloatArray:
        """Return error + sqrt(size / m) of each pruning, where m is the weight of the sample.

        For a numeric target, the error is a fraction of that of the root alone.

        Returns
        -------
        ndarray of float
            The scores, in the order of ``sizes``.
        """
        weight = case_weight(self._tree, "structural risk minimisation")
        errors = self.training_errors
        if self._tree.is_numeric and errors[0] > 0:
            errors = errors / errors[0] * weight
        return srm_scores(self.sizes, errors, weight)

    def select(self, how: str) -> int:
        """Return the size that a criterion selects, the smaller one on a tie.

        Parameters
        ----------
        how : {"holdout", "srm"}
            The fewest held-out errors, or the smallest training error + sqrt(size / m).

        Returns
        -------
        int
            The number of leaves, or of nodes.
        """
        if how == "srm":
            return int(self.sizes[first_least(self.srm_scores())])
        if how != "holdout":
            raise ParameterError(f"select must be 'holdout' or 'srm' here, got {how!r}")
        if self.validation_errors is None:
            raise ParameterError("select='holdout' needs a path with held-out rows")
        return int(self.sizes[np.argmin(self._prunings.carried)])

    def _nodes(self, which: int) -> IntArray:
        leaves = self._prunings.leaves(which).astype(np.int64)
        leaves = leaves[leaves < self._tree.n_nodes]  # without the counters
        return np.asarray(leaves[self._tree.kind[leaves] != LEAF])


def _with_counters(
    tree: Tree, units: list[IntArray]
) -> tuple[IntArray, BranchArray, list[IntArray]]:
    """Return the children and the errors of a tree in which every inner node has one more leaf.

    That leaf has no errors. A pruning then has as many leaves as it has nodes without them.
    """
    inner = np.flatnonzero(tree.kind != LEAF)
    added = np.arange(tree.n_nodes, tree.n_nodes + len(inner))
    child = np.insert(tree.child, tree.child_start[inner + 1], added.astype(tree.child.dtype))
    arity = np.diff(tree.child_start)
    arity[inner] += 1
    arity = np.concatenate([arity, np.zeros(len(inner), dtype=arity.dtype)])
    starts = np.concatenate([[0], np.cumsum(arity)]).astype(tree.child_start.dtype)
    none = np.zeros(len(inner), dtype=np.int64)
    return starts, child, [np.concatenate([of_node, none]) for of_node in units]


def first_least(scores: AnyArray) -> int:
    """Return the first index with the smallest score, up to rounding.

    Parameters
    ----------
    scores : ndarray of float
        The scores; at least one.

    Returns
    -------
    int
        The index of the first score within rounding of the smallest one.

    Examples
    --------
    >>> first_least(np.array([0.4, 0.1 + 0.2, 0.3]))
    1
    """
    least = scores.min()
    return int(np.argmax(scores <= least + TIE * abs(least)))


def srm_scores(sizes: IntArray, errors: FloatArray, weight: float) -> FloatArray:
    """Return the scores of structural risk minimisation, error + sqrt(size / m).

    Parameters
    ----------
    sizes : ndarray of int
        The number of leaves, or of nodes, of each pruning.
    errors : ndarray of float
        The weighted training errors of each pruning.
    weight : float
        The weight m of the sample.

    Returns
    -------
    ndarray of float
        The scores.
    """
    return np.asarray(errors / weight + np.sqrt(sizes / weight))


def one_standard_error(errors: FloatArray) -> int:
    """Return the first pruning within one standard error of the smallest mean error.

    Parameters
    ----------
    errors : ndarray of shape (folds, prunings)
        Error rates of at least two folds, from the smallest pruning to the largest.

    Returns
    -------
    int
        The index of the pruning.
    """
    mean = errors.mean(axis=0)
    best = first_least(mean)
    standard_error = errors[:, best].std(ddof=1) / np.sqrt(len(errors))
    limit = mean[best] + standard_error
    return int(np.argmax(mean <= limit + TIE * abs(limit)))
