"""YDF's CART learner, best leaf first, without the pruning it does by default."""

from logging import ERROR, getLogger
from typing import Any

import numpy as np
import ydf
from tables import Given

from contenders.job import Contender, Job, labels_by

getLogger("absl").setLevel(ERROR)  # it warns of categories that look like numbers
LABEL, WEIGHT = "the class", "the weight"


class YdfCart(Contender):
    """``ydf.CartLearner`` on a dictionary of columns, its reading of them included."""

    name = "YDF CART"
    package = "ydf"
    asked = (
        'CartLearner(growing_strategy="BEST_FIRST_GLOBAL", max_num_nodes=leaves, max_depth=-1, '
        "min_examples=1, validation_ratio=0, discretize_numerical_columns with 255 bins, "
        "min_vocab_frequency=1, max_vocab_count=-1)"
    )

    def fit(self, given: Given, job: Job) -> Any:
        """Train on columns."""
        ydf.verbose(0)
        data = columns_of(given) | {LABEL: given.y}
        limits: dict[str, Any] = {}
        if job.leaves is not None:
            limits = {"growing_strategy": "BEST_FIRST_GLOBAL", "max_num_nodes": job.leaves}
        if given.weight is not None:
            data[WEIGHT] = given.weight
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
        return learner.train(data)

    def predict(self, model: Any, given: Given, job: Job) -> np.ndarray:
        """Predict on columns."""
        scores = model.predict(columns_of(given), num_threads=job.threads)
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


def columns_of(given: Given) -> dict[str, Any]:
    """Return the columns by name, categories as text, which is how it knows them."""
    if not given.is_frame:
        return {f"column{j}": given.x[:, j] for j in range(given.x.shape[1])}
    return {name: text_of(given.x[name]) for name in given.x}


def text_of(column: Any) -> np.ndarray:
    """Return categories as text, empty where missing; numbers as they are."""
    if not hasattr(column, "cat"):
        return column.to_numpy()
    names = np.append(column.cat.categories.to_numpy(dtype=str), "")
    return names[column.cat.codes.to_numpy()]  # missing is -1, and reads the last


CART = YdfCart()
