"""The learners of the study: a named configuration or library each, and the trees they grow.

A learner grows a tree of at most so many leaves on a training table. The tree then answers, for
the rows of another table: class probabilities, leaf numbers and the number of questions asked.
"""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import lightgbm
import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from tables import Data

from polytomy import TreeClassifier

INTERVAL = ["share", "low", "high"]


@dataclass(frozen=True)
class Answers:
    """What a tree says of some rows."""

    probabilities: np.ndarray  # a row each; the columns are the classes of the tree
    leaf: np.ndarray | None  # the number of the leaf, or None if there is more than one tree
    questions: np.ndarray  # the number of nodes asked, in all trees


class Tree(Protocol):
    """A fitted tree, or one tree per class."""

    classes: np.ndarray
    n_leaves: int  # of all trees
    depth: int  # of the deepest tree

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""

    def intervals(self) -> pd.DataFrame | None:
        """Return the intervals that the tree states, or None if it states none.

        The index is the leaf number; the columns are ``share``, ``low`` and ``high``, for the class
        that the leaf predicts.
        """


@dataclass(frozen=True)
class Learner:
    """A named way to grow a tree: ``grow(data, max_leaves)``; ``call`` describes it."""

    name: str
    call: str
    grow: Callable[[Data, int], Tree] = field(repr=False)


# ---- polytomy ----------------------------------------------------------------------------------


class OurTree:
    """A fitted TreeClassifier."""

    def __init__(self, data: Data, max_leaves: int, params: dict[str, Any]) -> None:
        self.model = TreeClassifier(max_leaves, **{"n_jobs": 1} | params).fit(data.x, data.y)
        self.n_leaves, self.depth = self.model.n_leaves_, self.model.depth_
        self.classes = self.model.classes_

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""
        leaf = self.model.apply(x)
        return Answers(self.model.predict_proba(x), leaf, self.model.tree_.depth[leaf])

    def intervals(self) -> pd.DataFrame:
        """Return the intervals of the rules."""
        return self.model.to_rules().to_frame("pandas").set_index("leaf")[INTERVAL]


def ours(name: str, **params: Any) -> Learner:
    """Return a TreeClassifier with these parameters as a learner."""
    words = "".join(f", {key}={value!r}" for key, value in params.items())
    TreeClassifier(**params)  # so that an unknown parameter is found before the study begins
    return Learner(
        name,
        f"TreeClassifier(max_leaves=s{words})",
        lambda data, max_leaves: OurTree(data, max_leaves, params),
    )


def parse_ours(text: str) -> Learner:
    """Return the learner of ``name:key=value,...``; values are Python literals or plain text.

    >>> parse_ours("deep:overgrow=4,procedure=per-leaf").call
    "TreeClassifier(max_leaves=s, overgrow=4, procedure='per-leaf')"
    """
    name, _, rest = text.partition(":")
    pairs = [pair.partition("=") for pair in re.split(r",(?=\s*\w+\s*=)", rest) if pair.strip()]
    try:
        return ours(name, **{key.strip(): literal(value.strip()) for key, _, value in pairs})
    except TypeError as error:
        raise ValueError(f"{text!r}: {error}") from error


def literal(text: str) -> Any:
    """Return the value of a Python literal, or the text itself."""
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


# ---- scikit-learn ------------------------------------------------------------------------------


class OneHotTree:
    """scikit-learn's tree on one-hot columns; a missing category is a column of its own."""

    def __init__(self, data: Data, max_leaves: int) -> None:
        self.model = DecisionTreeClassifier(max_leaf_nodes=max_leaves, random_state=0)
        self.model.fit(one_hot(data.x), data.y)
        self.n_leaves, self.depth = int(self.model.get_n_leaves()), int(self.model.get_depth())
        self.classes = self.model.classes_

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""
        cells = one_hot(x)
        questions = np.diff(self.model.decision_path(cells).indptr) - 1
        return Answers(self.model.predict_proba(cells), self.model.apply(cells), questions)

    def intervals(self) -> None:
        """Return None: the tree states no intervals."""


def one_hot(x: pd.DataFrame) -> np.ndarray:
    """Return numbers, and a column for each category of the whole table."""
    numbers, names = x.select_dtypes("number"), x.select_dtypes("category")
    parts = [numbers.to_numpy(np.float32)]
    for column in names:
        codes = names[column].cat.codes.to_numpy()
        parts.append(codes[:, None] == np.arange(-1, len(names[column].cat.categories)))
    return np.concatenate(parts, axis=1, dtype=np.float32)


# ---- LightGBM ----------------------------------------------------------------------------------

FIXED = {
    "num_threads": 1,
    "verbose": -1,
    "learning_rate": 1.0,
    "min_data_in_leaf": 5,  # the defaults, 20 and 100, allow few splits of a small table
    "min_data_per_group": 5,
    "deterministic": True,
}


class LightTree:
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

    def intervals(self) -> None:
        """Return None: the tree states no intervals."""


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


# ---- all of them -------------------------------------------------------------------------------

LIGHT = "one LightGBM round, num_leaves=s, learning_rate=1, min_data_in_leaf=5, native categories"
CART = "one-hot CART"
PEERS = [
    Learner(CART, "DecisionTreeClassifier(max_leaf_nodes=s)", OneHotTree),
    Learner("LightGBM", LIGHT, lambda data, s: LightTree(data, s, shares=False)),
    Learner(
        "LightGBM shares",
        f"{LIGHT}; class shares of the leaves as probabilities",
        lambda data, s: LightTree(data, s, shares=True),
    ),
]
OURS = [
    ours("ours"),
    ours("per-leaf", procedure="per-leaf"),
    ours("overgrow", overgrow=4),
    ours("binary", max_arity=2),
]
LEARNERS = {learner.name: learner for learner in [*OURS, *PEERS]}
DEFAULT = ["ours", "overgrow", "binary", CART, "LightGBM", "LightGBM shares"]
