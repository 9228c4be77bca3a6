"""LightGBM: a single round of boosting."""

from functools import partial
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
from tables import Data

from quality.learners.tree import Answers, Learner, Tree

FIXED = {
    "num_threads": 1,
    "verbose": -1,
    "learning_rate": 1.0,
    "min_data_in_leaf": 5,  # the defaults, 20 and 100, allow few splits of a small table
    "min_data_per_group": 5,
    "deterministic": True,
}


class LightTree(Tree):
    """One boosting round: a tree, or one for each class if there are more than two.

    Its own probabilities are those of a single Newton step from the class frequencies, which are
    not the class shares of a leaf. With ``shares``, the probability of a class is its share in the
    leaf, divided by the sum over the classes if each has a tree.
    """

    def __init__(self, data: Data, max_leaves: int, shares: bool) -> None:
        self.classes, y = np.unique(data.y, return_inverse=True)
        params = FIXED | {"num_leaves": max_leaves, "objective": "binary"}
        if len(self.classes) > 2:
            params |= {"objective": "multiclass", "num_class": len(self.classes)}
        train = lightgbm.Dataset(plain_names(data.x), y, params=params)
        self.model = lightgbm.train(params, train, num_boost_round=1)
        trees = self.model.dump_model()["tree_info"]
        self.depths = [leaf_depths(tree["tree_structure"]) for tree in trees]
        self.n_leaves = sum(map(len, self.depths))
        self.depth = max(int(depths.max()) for depths in self.depths)
        self.shares = self.leaf_shares(data.x, y) if shares else None

    def leaves(self, x: pd.DataFrame) -> np.ndarray:
        """Return the leaf of each row (columns) in each tree (rows)."""
        leaf = self.model.predict(plain_names(x), pred_leaf=True, num_threads=1)
        return np.asarray(leaf, dtype=np.int64).reshape(len(x), -1).T

    def leaf_shares(self, x: pd.DataFrame, y: np.ndarray) -> list[np.ndarray]:
        """Return the share of the tree's class in each leaf, for each tree."""
        own = [1] if len(self.depths) == 1 else range(len(self.depths))
        return [
            np.bincount(leaf, y == label, len(depths)) / np.bincount(leaf, minlength=len(depths))
            for leaf, label, depths in zip(self.leaves(x), own, self.depths, strict=True)
        ]

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the trees."""
        leaves = self.leaves(x)
        if self.shares is None:
            scores = np.asarray(self.model.predict(plain_names(x), num_threads=1))
        else:
            pairs = zip(self.shares, leaves, strict=True)
            scores = np.stack([share[leaf] for share, leaf in pairs], axis=1)
        asked = [depths[leaf] for depths, leaf in zip(self.depths, leaves, strict=True)]
        only = leaves[0] if len(leaves) == 1 else None
        return Answers(self.normalised(scores), only, np.sum(asked, axis=0))

    def normalised(self, scores: np.ndarray) -> np.ndarray:
        """Return scores of all classes, or of the second of two, as probabilities."""
        if len(self.classes) == 2:
            return np.stack([1 - scores.ravel(), scores.ravel()], axis=1)
        total = scores.sum(axis=1, keepdims=True)
        uniform = np.full_like(scores, 1 / len(self.classes))
        return np.divide(scores, total, out=uniform, where=total > 0)


def plain_names(x: pd.DataFrame) -> pd.DataFrame:
    """Return a table with numbered columns, as LightGBM refuses some names."""
    return x.set_axis([f"column{j}" for j in range(x.shape[1])], axis=1)


def leaf_depths(root: dict[str, Any]) -> np.ndarray:
    """Return the depth of each leaf of a dumped LightGBM tree, by leaf number."""
    depths: dict[int, int] = {}
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if "left_child" in node:
            waiting += [(node["left_child"], depth + 1), (node["right_child"], depth + 1)]
        else:
            depths[node.get("leaf_index", 0)] = depth  # a tree of one leaf has no number
    return np.array([depths[leaf] for leaf in range(len(depths))])


CALL = "one LightGBM round, num_leaves=s, learning_rate=1, min_data_in_leaf=5, native categories"
ROUND = Learner(CALL, partial(LightTree, shares=False))
SHARES = Learner(
    f"{CALL}; class shares of the leaves as probabilities", partial(LightTree, shares=True)
)
