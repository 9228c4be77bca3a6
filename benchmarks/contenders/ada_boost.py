"""scikit-learn's AdaBoost on its own stumps."""

from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier
from tables import Data

from contenders.job import Contender, Job


class AdaBoost(Contender):
    """The estimator with one thread, as it supports no more."""

    name = "AdaBoost"
    package = "scikit-learn"
    call = "AdaBoostClassifier(DecisionTreeClassifier(max_leaf_nodes), n_estimators=rounds)"

    def fit(self, data: Data, job: Job) -> Any:
        """Fit on raw rows."""
        tree = DecisionTreeClassifier(max_leaf_nodes=job.leaves)
        model = AdaBoostClassifier(tree, n_estimators=job.rounds, random_state=0)
        return model.fit(data.x, data.y, sample_weight=data.weight)

    def predict(self, model: Any, data: Data, job: Job) -> np.ndarray:  # noqa: ARG002
        """Predict on raw rows."""
        return model.predict(data.x)

    def leaves(self, model: Any) -> int:
        """Count the leaves of all trees."""
        return sum(int(tree.get_n_leaves()) for tree in model.estimators_)


ADABOOST = AdaBoost()
