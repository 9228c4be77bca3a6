"""Our own estimators and the pieces under them."""

from typing import Any

import numpy as np
from tables import Given

from contenders.job import Contender, Job
from polytomy import BoostedTreeClassifier, TreeClassifier
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.table import Table


class OurTree(Contender):
    """A TreeClassifier of one procedure; ``grow`` is what it calls inside."""

    package = "polytomy"

    def __init__(self, name: str, procedure: str, index: str, gamma: float | None = None) -> None:
        self.name = name
        self.how: dict[str, Any] = {"procedure": procedure, "index": index, "gamma": gamma}
        own = "" if gamma is None else f", gamma={gamma}"
        self.asked = f'TreeClassifier(procedure="{procedure}", index="{index}"{own}, max_leaves)'

    def fit(self, given: Given, job: Job) -> TreeClassifier:
        """Fit, certificate included."""
        model = TreeClassifier(job.leaves, n_jobs=job.threads, **self.how)
        return model.fit(given.x, given.y, sample_weight=given.weight)

    def encode(self, given: Given, job: Job) -> Any:
        """Find cuts and codes."""
        target = Target.of(given.y, weights=given.weight)
        return encode(Table.of(given.x), target.units, threads=job.threads), target

    def grow(self, encoded: Any, job: Job) -> Any:
        """Grow a tree on codes."""
        params = GrowParams(max_leaves=job.leaves, **self.how)
        return grow(*encoded, params, threads=job.threads).tree

    def predict(self, model: TreeClassifier, given: Given, job: Job) -> np.ndarray:
        """Predict by the estimator."""
        model.n_jobs = job.threads
        return model.predict(given.x)

    def leaves(self, model: Any) -> int:
        """Count the leaves of an estimator or a tree."""
        return model.n_leaves_ if isinstance(model, TreeClassifier) else model.n_leaves


class OurBoosting(Contender):
    """A BoostedTreeClassifier of one algorithm."""

    package = "polytomy"

    def __init__(self, algorithm: str) -> None:
        self.name = f"ours, {algorithm}"
        self.algorithm = algorithm
        self.asked = f'BoostedTreeClassifier(algorithm="{algorithm}", n_rounds, max_leaves)'

    def fit(self, given: Given, job: Job) -> BoostedTreeClassifier:
        """Boost, certificate included."""
        how: dict[str, Any] = {"algorithm": self.algorithm, "max_leaves": job.leaves}
        model = BoostedTreeClassifier(job.rounds, n_jobs=job.threads, **how)
        return model.fit(given.x, given.y, sample_weight=given.weight)

    def predict(self, model: BoostedTreeClassifier, given: Given, job: Job) -> np.ndarray:
        """Predict by the estimator."""
        model.n_jobs = job.threads
        return model.predict(given.x)

    def leaves(self, model: BoostedTreeClassifier) -> int:
        """Count the leaves of all trees."""
        return sum(member.tree.n_leaves for member in model.ensemble_.members)


PER_LEAF = OurTree("ours", "per-leaf", "gini")
HATANO = OurTree("ours, hatano", "hatano", "sqrt")
MANSOUR = OurTree("ours, mansour-mcallester", "mansour-mcallester", "sqrt", 0.1)
KEARNS = OurTree("ours, kearns-mansour", "kearns-mansour", "sqrt")
ADABOOST = OurBoosting("adaboost")
ADABOOST_REAL = OurBoosting("adaboost-real")
LOGITBOOST = OurBoosting("logitboost")
