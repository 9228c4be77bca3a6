"""The order of a tree's leaves along columns with a direction.

If column j has direction 1, leaf a comes before leaf b if a row of a and a row of b can be equal in
all other columns, and the row of a has the smaller value in column j. Then a must not predict more
than b.
"""

from collections.abc import Sequence

import numpy as np

from polytomy._types import AnyArray, FloatArray

from .splits import CategorySplit, IntervalSplit
from .tree import Tree


def leaf_order(tree: Tree, directions: Sequence[int], n_codes: Sequence[int]) -> AnyArray:
    """Return which leaf comes before which.

    Parameters
    ----------
    tree : Tree
        The tree.
    directions : sequence of int
        The direction of each column: 1, -1, or 0 for none.
    n_codes : sequence of int
        The number of categories of each nominal column; any number for the others.

    Returns
    -------
    bool array of shape (leaves, leaves)
        Whether the first leaf comes before the second, directly or by way of others; leaves in the
        order of ``tree.leaves()``.
    """
    boxes = _Boxes(tree, n_codes)
    asked = sorted({int(j) for j in tree.feature[tree.feature >= 0]})
    meets = {j: boxes.meet(j) for j in asked}
    n_leaves = len(tree.leaves())
    before = np.zeros((n_leaves, n_leaves), dtype=bool)
    for j in asked:
        if directions[j] == 0:
            continue
        first = boxes.starts_before(j)
        for other in asked:
            if other != j:
                first = first & meets[other]
        before |= first if directions[j] > 0 else first.T
    np.fill_diagonal(before, val=False)
    return _closure(before)


def sums_of_class_numbers(counts: FloatArray) -> FloatArray:
    """Return the sum of each row of class counts or shares, with classes weighted by their numbers.

    Not by BLAS: its last digits depend on the processor.

    Parameters
    ----------
    counts : ndarray of shape (nodes, classes)
        The counts, or the shares, whose sums are then means.

    Returns
    -------
    float64 array of shape (nodes,)
        The sums.

    Examples
    --------
    >>> sums_of_class_numbers(np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])).tolist()
    [0.75, 1.0]
    """
    return np.asarray((counts * np.arange(counts.shape[1])).sum(axis=1))


def ordered_values(values: FloatArray, before: AnyArray) -> FloatArray:
    """Return values in order, and as they are if they are in order.

    Parameters
    ----------
    values : float array
        A value for each leaf.
    before : bool array of shape (leaves, leaves)
        Which leaf comes before which, closed under going on.

    Returns
    -------
    float array
        For each leaf, the mean of the largest value of those before it and the smallest value of
        those after it, itself included in both.

    Examples
    --------
    >>> ordered_values(np.array([1.0, 3.0, 2.0]), np.triu(np.ones((3, 3), dtype=bool), 1)).tolist()
    [1.0, 2.5, 2.5]
    """
    reach = before | np.eye(len(values), dtype=bool)
    most = np.where(reach, values[:, None], -np.inf).max(axis=0)
    least = np.where(reach, values[None, :], np.inf).min(axis=1)
    return np.asarray(np.where(most == least, values, 0.5 * most + 0.5 * least))


def _closure(before: AnyArray) -> AnyArray:
    while True:
        further = before | ((before.astype(np.float32) @ before.astype(np.float32)) > 0)
        if (further == before).all():
            return before
        before = further


class _Boxes:
    """What each leaf admits of each column: a range, missing cells, and categories."""

    def __init__(self, tree: Tree, n_codes: Sequence[int]) -> None:
        self._leaves = tree.leaves()
        n_nodes, n_columns = tree.n_nodes, len(n_codes)
        self._low = np.full((n_nodes, n_columns), -np.inf)
        self._high = np.full((n_nodes, n_columns), np.inf)
        self._missing = np.ones((n_nodes, n_columns), dtype=bool)
        self._codes = {
            j: np.ones(
                (n_nodes, n_codes[j] + 2), dtype=bool
            )  # the last: missing cells, new categories
            for j in {int(j) for j in tree.feature[tree.feature >= 0]}
        }
        for node in range(n_nodes):  # parents come first
            if not tree.is_leaf(node):
                self._divide(tree, node)

    def _divide(self, tree: Tree, node: int) -> None:
        """Give the children their parts of a node's box."""
        split, children = tree.split(node), tree.children(node)
        for child in children:
            self._low[child], self._high[child] = self._low[node], self._high[node]
            self._missing[child] = self._missing[node]
            for codes in self._codes.values():
                codes[child] = codes[node]
        if isinstance(split, IntervalSplit):
            j = split.feature
            for branch, child in enumerate(children):
                low, high = split.range_of(branch) or (np.inf, -np.inf)
                self._low[child, j] = max(self._low[node, j], low)
                self._high[child, j] = min(self._high[node, j], high)
                self._missing[child, j] &= branch == split.branch_of_missing
        elif isinstance(split, CategorySplit):
            j = split.feature
            codes = self._codes[j]
            of_code = split.branch_of_codes(codes.shape[1])
            of_code[-2:] = split.branch_of_missing, split.default_branch
            for branch, child in enumerate(children):
                codes[child] &= of_code == branch

    def meet(self, j: int) -> AnyArray:
        """Return whether two leaves admit a common value of a column."""
        low, high, missing = (a[self._leaves, j] for a in (self._low, self._high, self._missing))
        codes = self._codes[j][self._leaves].astype(np.float32)
        ranges = np.maximum(low[:, None], low) < np.minimum(high[:, None], high)
        return np.asarray((ranges | (missing[:, None] & missing)) & ((codes @ codes.T) > 0))

    def starts_before(self, j: int) -> AnyArray:
        """Return whether the first of two leaves admits a value that is below one of the second."""
        low, high = self._low[self._leaves, j], self._high[self._leaves, j]
        has_range = low < high
        return np.asarray((low[:, None] < high) & has_range[:, None] & has_range)
