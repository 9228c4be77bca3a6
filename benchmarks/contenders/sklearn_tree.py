"""scikit-learn's decision tree: exact, one thread, no categories."""

from typing import Any

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tables import Data

from contenders.job import Contender, Job


class SklearnTree(Contender):
    """The estimator; its time includes encoding categories as sparse one-hot columns."""

    name = "DecisionTree"
    package = "scikit-learn"
    call = (
        "DecisionTreeClassifier or -Regressor(max_leaf_nodes); one thread, as it supports no more; "
        "its time includes encoding categories as sparse one-hot columns"
    )

    def fit(self, data: Data, job: Job) -> Any:
        """Fit on raw rows, with one-hot columns for categories."""
        kind = DecisionTreeRegressor if data.is_numeric else DecisionTreeClassifier
        tree = kind(max_leaf_nodes=job.leaves, random_state=0)
        if not data.is_frame:
            return tree.fit(data.x, data.y, sample_weight=data.weight)
        one_hot = OneHotEncoder(handle_unknown="ignore", dtype=np.float32)
        chosen = (one_hot, make_column_selector(dtype_include="category"))
        numbers = make_column_transformer(chosen, remainder="passthrough")
        return make_pipeline(numbers, tree).fit(data.x, data.y)

    def predict(self, model: Any, data: Data, job: Job) -> np.ndarray:  # noqa: ARG002
        """Predict on raw rows."""
        return model.predict(data.x)

    def leaves(self, model: Any) -> int:
        """Count the leaves."""
        tree = model if hasattr(model, "get_n_leaves") else model[-1]
        return int(tree.get_n_leaves())


TREE = SklearnTree()
