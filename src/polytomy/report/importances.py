"""How much each column matters to a tree: its share of what all splits gained."""

import numpy as np

from polytomy._types import FloatArray
from polytomy.index import Index
from polytomy.tree import LEAF, Tree


def gains_of(tree: Tree, index: Index) -> FloatArray:
    """Return what each node's split gained, in the sample's weight; 0 at leaves."""
    value = index.value(tree.counts)
    gain = value.copy()
    np.subtract.at(gain, tree.parent[tree.child], value[tree.child])
    return np.where(tree.kind == LEAF, 0.0, np.maximum(gain, 0.0))


def importances(tree: Tree, index: Index, n_columns: int) -> FloatArray:
    """Return each column's share of what all splits gained; own questions have no column."""
    gains = np.zeros(n_columns + 1)  # the last, -1, is for a user's own questions
    inner = tree.kind != LEAF
    np.add.at(gains, tree.feature[inner], gains_of(tree, index)[inner])
    total = gains.sum()
    return gains[:-1] / total if total > 0 else gains[:-1]
