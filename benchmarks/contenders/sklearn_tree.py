"""scikit-learn's decision tree: exact, one thread, no categories."""

from typing import Any

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from tables import Given

from contenders.job import Contender, Job


class SklearnTree(Contender):
    """The estimator as it is; categories become sparse one-hot columns, in its time."""

    name = "DecisionTree"
    package = "scikit-learn"
    asked = (
        "DecisionTreeClassifier(max_leaf_nodes); one thread, as it has no more; categories one-hot "
        "(sparse), in its time"
    )

    def fit(self, given: Given, job: Job) -> Any:
        """Fit on raw rows, or on one-hot columns of them."""
        tree = DecisionTreeClassifier(max_leaf_nodes=job.leaves, random_state=0)
        if not given.is_frame:
            return tree.fit(given.x, given.y, sample_weight=given.weight)
        one_hot = OneHotEncoder(handle_unknown="ignore", dtype=np.float32)
        chosen = (one_hot, make_column_selector(dtype_include="category"))
        numbers = make_column_transformer(chosen, remainder="passthrough")
        return make_pipeline(numbers, tree).fit(given.x, given.y)

    def predict(self, model: Any, given: Given, job: Job) -> np.ndarray:  # noqa: ARG002
        """Predict on raw rows."""
        return model.predict(given.x)

    def leaves(self, model: Any) -> int:
        """Count the leaves."""
        tree = model if isinstance(model, DecisionTreeClassifier) else model[-1]
        return int(tree.get_n_leaves())


TREE = SklearnTree()
