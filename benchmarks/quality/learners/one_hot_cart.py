"""scikit-learn's decision tree on one-hot columns."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from tables import Data

from quality.learners.tree import Answers, Learner, Tree


class OneHotTree(Tree):
    """A fitted DecisionTreeClassifier."""

    def __init__(self, model: DecisionTreeClassifier) -> None:
        self.model = model
        self.n_leaves, self.depth = int(model.get_n_leaves()), int(model.get_depth())
        self.classes = model.classes_

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""
        cells = one_hot(x)
        questions = np.diff(self.model.decision_path(cells).indptr) - 1
        return Answers(self.model.predict_proba(cells), self.model.apply(cells), questions)


def grow(data: Data, **params: Any) -> OneHotTree:
    """Fit a tree."""
    model = DecisionTreeClassifier(random_state=0, **params)
    return OneHotTree(model.fit(one_hot(data.x), data.y))


def grow_and_prune(data: Data, max_leaves: int) -> OneHotTree:
    """Grow a pure tree and prune it by cost and complexity until it has few enough leaves."""
    model = DecisionTreeClassifier(random_state=0)
    alphas = model.cost_complexity_pruning_path(one_hot(data.x), data.y).ccp_alphas
    low, high = 0, len(alphas) - 1  # the last alpha leaves the root
    while low < high:
        middle = (low + high) // 2
        if grow(data, ccp_alpha=max(alphas[middle], 0.0)).n_leaves <= max_leaves:
            high = middle
        else:
            low = middle + 1
    return grow(data, ccp_alpha=max(alphas[low], 0.0))


def one_hot(x: pd.DataFrame) -> np.ndarray:
    """Return numbers, and a column for each category of the whole table."""
    numbers, names = x.select_dtypes("number"), x.select_dtypes("category")
    parts = [numbers.to_numpy(np.float32)]
    for column in names:
        codes = names[column].cat.codes.to_numpy()
        parts.append(codes[:, None] == np.arange(-1, len(names[column].cat.categories)))
    return np.concatenate(parts, axis=1, dtype=np.float32)


CART = Learner(
    "DecisionTreeClassifier(max_leaf_nodes=s) on one-hot columns",
    lambda data, max_leaves: grow(data, max_leaf_nodes=max_leaves),
)
CART_5 = Learner(
    "DecisionTreeClassifier(max_leaf_nodes=s, min_samples_leaf=5) on one-hot columns",
    lambda data, max_leaves: grow(data, max_leaf_nodes=max_leaves, min_samples_leaf=5),
)
PRUNED = Learner(
    "DecisionTreeClassifier(ccp_alpha) on one-hot columns, the smallest ccp_alpha for s leaves",
    grow_and_prune,
)
