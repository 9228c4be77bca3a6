"""Importances of columns: each column's share of the total gain of all splits."""

import numpy as np

from polytomy._types import FloatArray
from polytomy.index import Index
from polytomy.tree import LEAF, Tree


def gains_of(tree: Tree, index: Index) -> FloatArray:
    """Return the gain of each node's split, not divided by the total weight; 0 at leaves."""
    value = index.value(tree.counts)
    gain = value.copy()
    np.subtract.at(gain, tree.parent[tree.child], value[tree.child])
    return np.where(tree.kind == LEAF, 0.0, np.maximum(gain, 0.0))


def importances(tree: Tree, index: Index, n_columns: int) -> FloatArray:
    """Return each column's share of the total gain, not counting user-defined splits."""
    gains = np.zeros(n_columns + 1)  # the last entry, -1, is for user-defined splits
    inner = tree.kind != LEAF
    np.add.at(gains, tree.feature[inner], gains_of(tree, index)[inner])
    total = gains.sum()
    return gains[:-1] / total if total > 0 else gains[:-1]
