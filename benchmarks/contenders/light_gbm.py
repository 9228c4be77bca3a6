"""LightGBM: one round of boosting is one tree, or one per class if there are more than two."""

from typing import Any

import lightgbm
import numpy as np
from tables import Data

from contenders.job import Contender, Job, labels_by

MOST_LEAVES = 131_072  # its own limit
LEAST_GAIN = 1e-3  # until pure: below this it splits pure leaves because of rounding
# As for polytomy, only the number of leaves is limited.
FREE = {"min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0.0, "feature_pre_filter": False}


class LightGBM(Contender):
    """``lightgbm.train`` on a Dataset; categories are recognised by their dtype."""

    package = "lightgbm"

    def __init__(self, name: str, **layout: bool) -> None:
        self.name, self.layout = name, layout
        tuned = "".join(f", {key}={value}" for key, value in layout.items())
        self.call = (
            "lightgbm.train(Dataset), num_iterations=rounds, num_leaves, max_bin=255, "
            f"min_data_in_leaf=1, min_sum_hessian_in_leaf=0, native categories{tuned}; "
            f"until pure: min_gain_to_split={LEAST_GAIN:g}"
        )

    def encode(self, data: Data, job: Job) -> Any:
        """Construct the Dataset."""
        params = {"max_bin": 255, "num_threads": job.threads, "verbose": -1, **FREE, **self.layout}
        data = lightgbm.Dataset(data.x, label=data.y, weight=data.weight, params=params)
        return data.construct()

    def grow(self, encoded: Any, job: Job) -> Any:
        """Train on a constructed Dataset."""
        label = encoded.get_label()
        n_classes = int(label.max()) + 1
        params = {"objective": "binary", "learning_rate": 1.0 if job.rounds == 1 else 0.1}
        if (label[:100] % 1 != 0).any():
            params["objective"] = "regression"
        elif n_classes > 2:
            params |= {"objective": "multiclass", "num_class": n_classes}
        leaves = min(job.most_leaves(encoded.num_data()), MOST_LEAVES)
        params |= {"num_leaves": leaves, "max_bin": 255, "num_threads": job.threads}
        params |= {"verbose": -1, **FREE, **self.layout}
        if job.leaves is None:
            params["min_gain_to_split"] = LEAST_GAIN
        return lightgbm.train(params, encoded, num_boost_round=job.rounds)

    def predict(self, model: Any, data: Data, job: Job) -> np.ndarray:
        """Predict on raw rows."""
        scores = model.predict(data.x, num_threads=job.threads)
        return scores if data.is_numeric else labels_by(scores)

    def leaves(self, model: Any) -> int:
        """Count the leaves of all trees."""
        return sum(tree["num_leaves"] for tree in model.dump_model()["tree_info"])


PLAIN = LightGBM("LightGBM")
TUNED = LightGBM("LightGBM col-wise", force_col_wise=True)
