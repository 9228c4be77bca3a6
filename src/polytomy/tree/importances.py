"""The gain of each split, and column importances."""

import numpy as np

from polytomy._types import FloatArray
from polytomy.index import Index

from .tree import LEAF, Tree


def split_gains(tree: Tree, index: Index) -> FloatArray:
    """Return the gain of each node's split, in units of the sample's weight; 0 at leaves."""
    value = index.value(tree.counts)
    gain = value.copy()
    np.subtract.at(gain, tree.parent[tree.child], value[tree.child])
    return np.where(tree.kind == LEAF, 0.0, np.maximum(gain, 0.0))


def column_importances(tree: Tree, index: Index, n_columns: int) -> FloatArray:
    """Return the importance of each column: its share of the gains of all splits.

    User-defined splits count towards the total but belong to no column.
    """
    gains = np.zeros(n_columns + 1)  # the last entry, -1, is for user-defined splits
    inner = tree.kind != LEAF
    np.add.at(gains, tree.feature[inner], split_gains(tree, index)[inner])
    total = gains.sum()
    return np.asarray(gains[:-1] / total if total > 0 else gains[:-1])
