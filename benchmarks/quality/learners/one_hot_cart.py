"""scikit-learn's decision tree on one-hot columns: grown to size, pruned, shrunk."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier
from tables import Data

from quality.learners.tree import Answers, Learner, Tree

FOLDS = 3
SIZES = 6  # sizes of the pruned tree that are compared
STRENGTHS = (0.0, 0.1, 1.0, 10.0, 50.0, 100.0, 500.0)  # of the shrinkage


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


# ---- pruning by cost and complexity ------------------------------------------------------------


def grow_and_prune(data: Data, max_leaves: int, **params: Any) -> OneHotTree:
    """Grow a large tree and prune it by cost and complexity until it has few enough leaves."""
    return grow(data, ccp_alpha=fitting_alphas(data, max_leaves, params)[0], **params)


def grow_and_choose(data: Data, max_leaves: int) -> OneHotTree:
    """Prune a large tree to the size, within the budget, with the fewest cross-validated errors."""
    alphas = fitting_alphas(data, max_leaves, {})
    chosen = alphas[np.unique(np.linspace(0, len(alphas) - 1, SIZES).astype(int))]
    errors = np.zeros(len(chosen))
    for train, test in folds(data):
        for i, alpha in enumerate(chosen):
            errors[i] += wrong(grow(train, ccp_alpha=alpha), test)
    best = np.flatnonzero(errors == errors.min())[-1]  # of equally good ones, the smallest tree
    return grow(data, ccp_alpha=chosen[best])


def fitting_alphas(data: Data, max_leaves: int, params: dict[str, Any]) -> np.ndarray:
    """Return the values of ``ccp_alpha``, from the least, whose trees have few enough leaves."""
    model = DecisionTreeClassifier(random_state=0, **params)
    path = model.cost_complexity_pruning_path(one_hot(data.x), data.y)
    alphas = np.maximum(path.ccp_alphas, 0.0)
    low, high = 0, len(alphas) - 1  # the last alpha leaves the root
    while low < high:
        middle = (low + high) // 2
        if grow(data, ccp_alpha=alphas[middle], **params).n_leaves <= max_leaves:
            high = middle
        else:
            low = middle + 1
    return alphas[low:]


# ---- hierarchical shrinkage --------------------------------------------------------------------


class ShrunkTree(OneHotTree):
    """A tree whose class shares are shrunk towards those of the nodes above.

    The share of a leaf is that of the root plus, for each step down, the change of the share
    divided by ``1 + strength / rows``, with the rows of the upper node.
    """

    def __init__(self, model: DecisionTreeClassifier, strength: float) -> None:
        super().__init__(model)
        tree = model.tree_
        shares = tree.value[:, 0]
        self.shares = shares.copy()
        for node in np.flatnonzero(tree.children_left >= 0):  # parents come before their children
            damping = 1 + strength / tree.weighted_n_node_samples[node]
            for child in (tree.children_left[node], tree.children_right[node]):
                self.shares[child] = self.shares[node] + (shares[child] - shares[node]) / damping

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""
        plain = super().answer(x)
        return Answers(self.shares[plain.leaf], plain.leaf, plain.questions)


def grow_and_shrink(data: Data, max_leaves: int) -> ShrunkTree:
    """Grow a tree and shrink its shares by the strength with the fewest cross-validated errors."""
    errors = np.zeros(len(STRENGTHS))
    for train, test in folds(data):
        model = grow(train, max_leaf_nodes=max_leaves).model
        errors += [wrong(ShrunkTree(model, strength), test) for strength in STRENGTHS]
    model = grow(data, max_leaf_nodes=max_leaves).model
    return ShrunkTree(model, STRENGTHS[int(errors.argmin())])


# ---- common ------------------------------------------------------------------------------------


def folds(data: Data) -> list[tuple[Data, Data]]:
    """Return the training and the test rows of each fold of a cross-validation."""
    parts = KFold(FOLDS, shuffle=True, random_state=0).split(data.y)
    return [
        (Data(data.x.iloc[train], data.y[train]), Data(data.x.iloc[test], data.y[test]))
        for train, test in parts
    ]


def wrong(tree: Tree, data: Data) -> int:
    """Return the number of rows that a tree classifies wrongly."""
    probabilities = tree.answer(data.x).probabilities
    return int(np.sum(tree.classes[probabilities.argmax(axis=1)] != data.y))


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
RPART = Learner(
    "DecisionTreeClassifier(ccp_alpha, min_samples_split=20, min_samples_leaf=7) on one-hot "
    "columns, the smallest ccp_alpha for s leaves",
    partial(grow_and_prune, min_samples_split=20, min_samples_leaf=7),
)
CHOSEN = Learner(
    "DecisionTreeClassifier(ccp_alpha) on one-hot columns, ccp_alpha for at most s leaves chosen "
    f"among {SIZES} by {FOLDS} folds",
    grow_and_choose,
)
SHRUNK = Learner(
    "DecisionTreeClassifier(max_leaf_nodes=s) on one-hot columns, hierarchical shrinkage whose "
    f"strength is chosen by {FOLDS} folds",
    grow_and_shrink,
)
