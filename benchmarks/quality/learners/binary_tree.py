"""A tree of binary splits on complete columns, for libraries that only return its structure."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from tables import Data

from quality.learners.one_hot_cart import one_hot
from quality.learners.tree import Answers, Tree

MISSING = -1e30  # below every number, so that a threshold can divide missing cells from the rest


@dataclass(frozen=True)
class Split:
    """Cells of a column up to a threshold go to ``low``, others to ``high``; None is a leaf."""

    column: int
    threshold: float
    low: "Split | None"
    high: "Split | None"


class BinaryTree(Tree):
    """A tree that was grown elsewhere, whose probabilities are the class shares of its leaves.

    A leaf that no training row reaches has the shares of the whole table.
    """

    def __init__(self, root: Split | None, data: Data) -> None:
        self.root = root
        self.classes, y = np.unique(data.y, return_inverse=True)
        self.depths = np.array(list(leaf_depths(root)))
        self.n_leaves, self.depth = len(self.depths), int(self.depths.max())
        counts = np.zeros((self.n_leaves, len(self.classes)))
        np.add.at(counts, (self.leaf_of(complete_columns(data.x)), y), 1)
        counts[counts.sum(axis=1) == 0] = counts.sum(axis=0)
        self.shares = counts / counts.sum(axis=1, keepdims=True)

    def leaf_of(self, cells: np.ndarray) -> np.ndarray:
        """Return the number of the leaf of each row, counted from the low side."""
        leaf = np.empty(len(cells), dtype=np.int64)
        waiting, found = [(self.root, np.arange(len(cells)))], 0
        while waiting:
            node, rows = waiting.pop()
            if node is None:
                leaf[rows] = found
                found += 1
            else:
                low = cells[rows, node.column] <= node.threshold
                waiting += [(node.high, rows[~low]), (node.low, rows[low])]
        return leaf

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""
        leaf = self.leaf_of(complete_columns(x))
        return Answers(self.shares[leaf], leaf, self.depths[leaf])


def leaf_depths(node: Split | None, depth: int = 0) -> Iterator[int]:
    """Yield the depth of each leaf below a node, from the low side."""
    if node is None:
        yield depth
    else:
        yield from leaf_depths(node.low, depth + 1)
        yield from leaf_depths(node.high, depth + 1)


def complete_columns(x: pd.DataFrame) -> np.ndarray:
    """Return one-hot columns, in which missing numbers are below all others."""
    cells = one_hot(x).astype(np.float64)
    cells[np.isnan(cells)] = MISSING
    return cells


def promising_cuts(cells: np.ndarray, y: np.ndarray, most: int) -> list[tuple[int, float]]:
    """Return pairs of column and threshold that other trees find useful, at most ``most``.

    Optimal trees need a short list of yes-or-no columns. Those that reduce the impurity most in a
    small random forest lead the list, after all splits of a tree of ``most // 4`` leaves.
    """
    tree = DecisionTreeClassifier(max_leaf_nodes=max(2, most // 4), random_state=0).fit(cells, y)
    forest = RandomForestClassifier(20, max_leaf_nodes=32, max_features=None, random_state=0)
    gains = dict.fromkeys(gains_of(tree), np.inf)
    for member in forest.fit(cells, y).estimators_:
        for cut, gain in gains_of(member).items():
            gains[cut] = gains.get(cut, 0.0) + gain
    return sorted(gains, key=gains.__getitem__, reverse=True)[:most]


def gains_of(model: DecisionTreeClassifier) -> dict[tuple[int, float], float]:
    """Return the impurity that each split of a tree removes, by column and threshold."""
    tree = model.tree_
    weighted = tree.weighted_n_node_samples * tree.impurity
    gains: dict[tuple[int, float], float] = {}
    for node in np.flatnonzero(tree.children_left >= 0):
        cut = int(tree.feature[node]), float(tree.threshold[node])
        gain = weighted[node] - weighted[tree.children_left[node]]
        gains[cut] = gains.get(cut, 0.0) + gain - weighted[tree.children_right[node]]
    return gains


def binarised(cells: np.ndarray, cuts: list[tuple[int, float]]) -> np.ndarray:
    """Return whether each cell is above the threshold, a column for each cut."""
    columns, thresholds = zip(*cuts, strict=True)
    return cells[:, list(columns)] > np.array(thresholds)
