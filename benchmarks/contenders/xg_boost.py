"""XGBoost: one round of its histogram method, best leaf first."""

from typing import Any

import numpy as np
import xgboost
from tables import Data

from contenders.job import Contender, Job, labels_by


class XGBoost(Contender):
    """``xgboost.train`` on a QuantileDMatrix; only the number of leaves is limited."""

    name = "XGBoost"
    package = "xgboost"
    call = (
        'xgboost.train(QuantileDMatrix), tree_method="hist", grow_policy="lossguide", max_leaves, '
        "max_depth=0, min_child_weight=0, reg_lambda=0, max_bin=255, enable_categorical"
    )

    def encode(self, data: Data, job: Job) -> Any:
        """Make the quantile matrix."""
        return xgboost.QuantileDMatrix(
            data.x,
            data.y,
            weight=data.weight,
            max_bin=255,
            nthread=job.threads,
            enable_categorical=data.is_frame,
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

    def predict(self, model: Any, data: Data, job: Job) -> np.ndarray:
        """Predict on raw rows, in place."""
        model.set_param({"nthread": job.threads})
        if data.is_frame:
            return labels_by(model.predict(xgboost.DMatrix(data.x, enable_categorical=True)))
        return labels_by(model.inplace_predict(data.x))

    def leaves(self, model: Any) -> int:
        """Count the leaves of all trees."""
        return sum(text.count("leaf=") for text in model.get_dump())


XGBOOST = XGBoost()
