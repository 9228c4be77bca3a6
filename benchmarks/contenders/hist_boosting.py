"""scikit-learn's HistGradientBoosting with one iteration: one tree, or one per class above two."""

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from tables import Data
from threadpoolctl import threadpool_limits

from contenders.job import Contender, Job

MOST_CATEGORIES = 255


class HistBoosting(Contender):
    """The estimator, with its threads limited by threadpoolctl."""

    name = "HistGradientBoosting"
    package = "scikit-learn"
    call = (
        "HistGradientBoostingClassifier(max_iter=rounds, max_leaf_nodes, min_samples_leaf=1, "
        "early_stopping=False), native categories up to 255"
    )

    def cannot(self, data: Data, job: Job) -> str | None:  # noqa: ARG002
        """Refuse more categories than it supports."""
        if data.is_frame:
            kinds = data.x.select_dtypes("category")
            if any(len(kinds[c].cat.categories) > MOST_CATEGORIES for c in kinds):
                return f"it supports up to {MOST_CATEGORIES} categories"
        return None

    def fit(self, data: Data, job: Job) -> Any:
        """Fit on raw rows."""
        model = HistGradientBoostingClassifier(
            max_iter=job.rounds,
            learning_rate=1.0 if job.rounds == 1 else 0.1,
            max_leaf_nodes=job.leaves,
            min_samples_leaf=1,
            early_stopping=False,
        )
        with threadpool_limits(limits=job.threads, user_api="openmp"):
            return model.fit(data.x, data.y, sample_weight=data.weight)

    def predict(self, model: Any, data: Data, job: Job) -> np.ndarray:
        """Predict on raw rows."""
        with threadpool_limits(limits=job.threads, user_api="openmp"):
            return model.predict(data.x)

    def leaves(self, model: Any) -> int:
        """Count the leaves of all trees, through a private attribute."""
        return sum(tree.get_n_leaf_nodes() for trees in model._predictors for tree in trees)


HIST = HistBoosting()
