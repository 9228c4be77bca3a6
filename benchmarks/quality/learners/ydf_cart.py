"""YDF's CART learner: binary splits with native categories."""

from typing import Any

import numpy as np
import pandas as pd
import ydf
from contenders.ydf_cart import LABEL, columns_of
from tables import Data

from quality.learners.tree import Answers, Learner, Tree


class YdfTree(Tree):
    """A trained CartLearner, best leaf first, without its default pruning."""

    def __init__(self, data: Data, max_leaves: int) -> None:
        ydf.verbose(0)
        learner = ydf.CartLearner(
            label=LABEL,
            task=ydf.Task.CLASSIFICATION,
            growing_strategy="BEST_FIRST_GLOBAL",
            max_num_nodes=max_leaves,
            max_depth=-1,
            validation_ratio=0.0,
            min_vocab_frequency=1,
            max_vocab_count=-1,
            num_threads=1,
        )
        self.model = learner.train(columns_of(data) | {LABEL: data.y})
        self.depths = leaf_depths(self.model.get_tree(0).root)
        self.n_leaves, self.depth = len(self.depths), int(self.depths.max())
        names = [int(name) for name in self.model.label_classes()]
        self.order, self.classes = np.argsort(names), np.sort(names)

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""
        columns = columns_of(Data(x, np.zeros(len(x), dtype=np.int64)))
        scores = self.model.predict(columns, num_threads=1)
        if scores.ndim == 1:
            scores = np.stack([1 - scores, scores], axis=1)
        ignored = {LABEL: np.full(len(x), self.classes[0])}  # it wants a class all the same
        leaf = self.model.predict_leaves(columns | ignored)[:, 0]
        return Answers(scores[:, self.order], leaf, self.depths[leaf])


def leaf_depths(root: Any) -> np.ndarray:
    """Return the depth of each leaf; leaves are numbered from the negative side."""
    depths, waiting = [], [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if node.is_leaf:
            depths.append(depth)
        else:
            waiting += [(node.pos_child, depth + 1), (node.neg_child, depth + 1)]
    return np.array(depths)


CART = Learner(
    'ydf.CartLearner(growing_strategy="BEST_FIRST_GLOBAL", max_num_nodes=s, max_depth=-1, '
    "validation_ratio=0), native categories",
    YdfTree,
)
