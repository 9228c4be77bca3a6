"""YDF's CART learner, best leaf first, without its default pruning."""

from logging import ERROR, getLogger
from typing import Any

import numpy as np
import ydf
from tables import Data

from contenders.job import Contender, Job, labels_by

getLogger("absl").setLevel(ERROR)  # it warns about categories that look like numbers
LABEL, WEIGHT = "the class", "the weight"


class YdfCart(Contender):
    """``ydf.CartLearner`` on a dictionary of columns; its time includes reading them."""

    name = "YDF CART"
    package = "ydf"
    call = (
        'CartLearner(growing_strategy="BEST_FIRST_GLOBAL", max_num_nodes=leaves, max_depth=-1, '
        "min_examples=1, validation_ratio=0, discretize_numerical_columns with 255 bins, "
        "min_vocab_frequency=1, max_vocab_count=-1)"
    )

    def fit(self, data: Data, job: Job) -> Any:
        """Train on columns."""
        ydf.verbose(0)
        columns = columns_of(data) | {LABEL: data.y}
        limits: dict[str, Any] = {}
        if job.leaves is not None:
            limits = {"growing_strategy": "BEST_FIRST_GLOBAL", "max_num_nodes": job.leaves}
        if data.weight is not None:
            columns[WEIGHT] = data.weight
            limits["weights"] = WEIGHT
        learner = ydf.CartLearner(
            label=LABEL,
            task=ydf.Task.CLASSIFICATION,
            max_depth=-1,
            min_examples=1,
            validation_ratio=0.0,
            discretize_numerical_columns=True,
            num_discretized_numerical_bins=255,
            min_vocab_frequency=1,
            max_vocab_count=-1,
            num_threads=job.threads,
            **limits,
        )
        return learner.train(columns)

    def predict(self, model: Any, data: Data, job: Job) -> np.ndarray:
        """Predict on columns."""
        scores = model.predict(columns_of(data), num_threads=job.threads)
        order = np.argsort([int(name) for name in model.label_classes()])
        return labels_by(scores if scores.ndim == 1 else scores[:, order])

    def leaves(self, model: Any) -> int:
        """Count the leaves."""
        waiting, count = [model.get_tree(0).root], 0
        while waiting:
            node = waiting.pop()
            if node.is_leaf:
                count += 1
            else:
                waiting += [node.pos_child, node.neg_child]
        return count


def columns_of(data: Data) -> dict[str, Any]:
    """Return the columns by name, with categories as text."""
    if not data.is_frame:
        return {f"column{j}": data.x[:, j] for j in range(data.x.shape[1])}
    return {name: text_of(data.x[name]) for name in data.x}


def text_of(column: Any) -> np.ndarray:
    """Return categories as text, empty if missing; numbers unchanged."""
    if not hasattr(column, "cat"):
        return column.to_numpy()
    names = np.append(column.cat.categories.to_numpy(dtype=str), "")
    return names[column.cat.codes.to_numpy()]  # the code of missing cells is -1, the last name


CART = YdfCart()
