"""The pruning path: for every number of leaves, the pruning with the fewest training errors."""

from typing import Any

import numpy as np

from polytomy import kernels
from polytomy._errors import ParameterError
from polytomy._types import TIE, AnyArray, FloatArray, IntArray
from polytomy.tree import LEAF, Tree

from .counts import case_weight, held_errors, held_units, units_of
from .pruner import check_number, is_count
from .select import first_least, srm_scores


class PruningPath:
    """The best prunings of a tree, from its root alone to the largest that still saves errors.

    Among prunings of at most k leaves the best has the fewest training errors, then the fewest
    leaves, then its leaves closest to the root: the least sum of their depths. If several are still
    equal, the first branch of the root has the fewest leaves, then the second, and so on down. Not
    every size is reached (a three-way question adds two leaves) or worth it, so ``sizes`` has gaps.

    Parameters
    ----------
    tree : Tree
        The tree, of any arity.
    max_size : int or None
        The most leaves looked at; None looks at all.
    held : ndarray of shape (nodes, classes) or None
        The weight of held-out rows of each class at each node, in whole units where ties matter.

    Attributes
    ----------
    sizes : ndarray of int
        Leaves of the prunings, ascending from 1.
    training_errors : ndarray of float
        Their training errors, weighted, falling.
    validation_errors : ndarray of float or None
        Their errors on the held-out rows, in the unit of ``held``.

    Examples
    --------
    >>> from polytomy.tree import IntervalQuestion, TreeBuilder
    >>> builder = TreeBuilder(np.array([3.0, 3.0]), 6)
    >>> cuts = IntervalQuestion(0, np.array([0.5, 1.5]), -1, 0)
    >>> _ = builder.split(0, cuts, np.array([[2.0, 0], [0, 2], [1, 1]]), [2, 2, 2])
    >>> path = PruningPath(builder.finish())
    >>> path.sizes.tolist(), path.training_errors.tolist()
    ([1, 3], [3.0, 1.0])
    >>> path.nodes_at(2).tolist(), path.nodes_at(3).tolist()
    ([0], [])
    """

    def __init__(
        self, tree: Tree, max_size: int | None = None, held: AnyArray | None = None
    ) -> None:
        if max_size is not None and not is_count(max_size, 1):
            raise ParameterError(f"max_size must be a positive integer or None, got {max_size!r}")
        self._tree, self._made_of = tree, (tree, max_size, held)
        cap = tree.n_leaves if max_size is None else min(int(max_size), tree.n_leaves)
        self._complete = cap == tree.n_leaves
        units = units_of(tree)
        checked = None if held is None else held_units(tree, held)
        carried = None if checked is None else held_errors(tree.counts, checked.counts)
        self._prunings = kernels.prunings(tree.child_start, tree.child, units.errors, carried, cap)
        self.sizes: IntArray = self._prunings.sizes
        self.training_errors: FloatArray = units.weights(self._prunings.errors)
        self.validation_errors: FloatArray | None = None
        if checked is not None:
            self.validation_errors = checked.weights(self._prunings.carried)

    def __len__(self) -> int:
        return len(self.sizes)

    def __reduce__(self) -> tuple[type["PruningPath"], tuple[Any, ...]]:
        """Pickle what it was made of; the kernel's tables are made again."""
        return PruningPath, self._made_of

    def nodes_at(self, k: int) -> IntArray:
        """Return the nodes that become leaves in the best pruning of at most k leaves."""
        if not is_count(k, 1):
            raise ParameterError(f"a size is an integer of at least 1, got {k!r}")
        return self._nodes(int(np.searchsorted(self.sizes, int(k), side="right")) - 1)

    def for_errors(self, errors: float) -> int:
        """Return the size of the smallest pruning with at most so many training errors."""
        check_number("errors", errors, lambda x: x >= 0, "of at least 0")
        weight = float(self._tree.counts[0].sum())
        enough = self.training_errors <= float(errors) + TIE * weight
        if not enough.any():
            more = "" if self._complete else "; a larger max_size may have fewer"
            raise ParameterError(
                f"no pruning on the path has at most {errors:g} training errors, "
                f"the fewest are {self.training_errors[-1]:g}{more}"
            )
        return int(self.sizes[np.argmax(enough)])

    def srm_scores(self) -> FloatArray:
        """Return error + sqrt(leaves / m) of each pruning, m the weight of the sample."""
        weight = case_weight(self._tree, "structural risk minimisation")
        return srm_scores(self.sizes, self.training_errors, weight)

    def select(self, how: str) -> int:
        """Return the size that a criterion selects, the smaller one on a tie.

        Parameters
        ----------
        how : {"holdout", "srm"}
            The fewest held-out errors, or the least error + sqrt(leaves / m) on the training rows.
        """
        if how == "srm":
            return int(self.sizes[first_least(self.srm_scores())])
        if how != "holdout":
            raise ParameterError(f"select must be 'holdout' or 'srm' here, got {how!r}")
        if self.validation_errors is None:
            raise ParameterError("select='holdout' needs held-out rows, and the path has none")
        return int(self.sizes[np.argmin(self._prunings.carried)])

    def _nodes(self, which: int) -> IntArray:
        leaves = self._prunings.leaves(which).astype(np.int64)
        return np.asarray(leaves[self._tree.kind[leaves] != LEAF])
