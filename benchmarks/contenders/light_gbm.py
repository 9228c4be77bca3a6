"""LightGBM: one round of boosting is one tree (with over two classes, one a class)."""

from typing import Any

import lightgbm
import numpy as np
from tables import Given

from contenders.job import Contender, Job, labels_by

MOST_LEAVES = 131_072  # that it allows
LEAST_GAIN = 1e-3  # until pure: less is rounding, by which it would split pure leaves for ever
# Limited as ours by nothing but the number of leaves.
FREE = {"min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0.0, "feature_pre_filter": False}


class LightGBM(Contender):
    """``lightgbm.train`` on a Dataset; a frame's categories are found by their dtype."""

    package = "lightgbm"

    def __init__(self, name: str, **layout: bool) -> None:
        self.name, self.layout = name, layout
        tuned = "".join(f", {key}={value}" for key, value in layout.items())
        self.asked = (
            "lightgbm.train(Dataset), num_iterations=rounds, num_leaves, max_bin=255, "
            f"min_data_in_leaf=1, min_sum_hessian_in_leaf=0, native categories{tuned}; "
            f"until pure: min_gain_to_split={LEAST_GAIN:g}, less being rounding"
        )

    def encode(self, given: Given, job: Job) -> Any:
        """Construct the Dataset."""
        params = {"max_bin": 255, "num_threads": job.threads, "verbose": -1, **FREE, **self.layout}
        data = lightgbm.Dataset(given.x, label=given.y, weight=given.weight, params=params)
        return data.construct()

    def grow(self, encoded: Any, job: Job) -> Any:
        """Train on a constructed Dataset."""
        n_classes = int(encoded.get_label().max()) + 1
        params = {"objective": "binary", "learning_rate": 1.0 if job.rounds == 1 else 0.1}
        if n_classes > 2:
            params |= {"objective": "multiclass", "num_class": n_classes}
        leaves = min(job.most_leaves(encoded.num_data()), MOST_LEAVES)
        params |= {"num_leaves": leaves, "max_bin": 255, "num_threads": job.threads}
        params |= {"verbose": -1, **FREE, **self.layout}
        if job.leaves is None:
            params["min_gain_to_split"] = LEAST_GAIN
        return lightgbm.train(params, encoded, num_boost_round=job.rounds)

    def predict(self, model: Any, given: Given, job: Job) -> np.ndarray:
        """Predict on raw rows."""
        return labels_by(model.predict(given.x, num_threads=job.threads))

    def leaves(self, model: Any) -> int:
        """Count the leaves of all trees."""
        return sum(tree["num_leaves"] for tree in model.dump_model()["tree_info"])


PLAIN = LightGBM("LightGBM")
TUNED = LightGBM("LightGBM col-wise", force_col_wise=True)
