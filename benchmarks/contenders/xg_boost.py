"""XGBoost: one round of its histogram method, best leaf first."""

from typing import Any

import numpy as np
import xgboost
from tables import Given

from contenders.job import Contender, Job, labels_by


class XGBoost(Contender):
    """``xgboost.train`` on a QuantileDMatrix, limited by nothing but the number of leaves."""

    name = "XGBoost"
    package = "xgboost"
    asked = (
        'xgboost.train(QuantileDMatrix), tree_method="hist", grow_policy="lossguide", max_leaves, '
        "max_depth=0, min_child_weight=0, reg_lambda=0, max_bin=255, enable_categorical"
    )

    def encode(self, given: Given, job: Job) -> Any:
        """Make the quantile matrix."""
        return xgboost.QuantileDMatrix(
            given.x,
            given.y,
            weight=given.weight,
            max_bin=255,
            nthread=job.threads,
            enable_categorical=given.is_frame,
        )

    def grow(self, encoded: Any, job: Job) -> Any:
        """Train on the quantile matrix."""
        n_classes = int(encoded.get_label().max()) + 1
        params = {"objective": "binary:logistic", "eta": 1.0 if job.rounds == 1 else 0.3}
        if n_classes > 2:
            params |= {"objective": "multi:softprob", "num_class": n_classes}
        params |= {"tree_method": "hist", "grow_policy": "lossguide", "max_bin": 255}
        params |= {"max_leaves": job.leaves or 0, "max_depth": 0, "reg_lambda": 0}
        params |= {"min_child_weight": 0, "nthread": job.threads, "verbosity": 0}
        return xgboost.train(params, encoded, num_boost_round=job.rounds)

    def predict(self, model: Any, given: Given, job: Job) -> np.ndarray:
        """Predict on raw rows, in place."""
        model.set_param({"nthread": job.threads})
        if given.is_frame:
            return labels_by(model.predict(xgboost.DMatrix(given.x, enable_categorical=True)))
        return labels_by(model.inplace_predict(given.x))

    def leaves(self, model: Any) -> int:
        """Count the leaves of all trees."""
        return sum(text.count("leaf=") for text in model.get_dump())


XGBOOST = XGBoost()
