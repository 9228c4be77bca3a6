"""polytomy's estimators and the functions below them."""

from typing import Any

import numpy as np
from tables import Data

from contenders.job import Contender, Job
from polytomy import BoostedTreeClassifier, TreeClassifier, TreeRegressor
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.table import Table

PLAIN: dict[str, Any] = {"honest": False, "max_bins": 255}  # only the growth of one tree


class OurTree(Contender):
    """A TreeClassifier with one procedure; ``grow`` starts from encoded columns."""

    package = "polytomy"

    def __init__(self, name: str, procedure: str, index: str, gamma: float | None = None) -> None:
        self.name = name
        self.params: dict[str, Any] = {"procedure": procedure, "index": index, "gamma": gamma}
        shown = [(k, v) for k, v in (self.params | PLAIN).items() if v is not None]
        listed = ", ".join(f"{k}={v!r}" for k, v in shown)
        self.call = f"TreeClassifier(max_leaves, {listed})".replace("'", '"')

    def fit(self, data: Data, job: Job) -> Any:
        """Fit a tree."""
        if data.is_numeric:
            procedure = {"procedure": self.params["procedure"]}
            model = TreeRegressor(job.leaves, n_jobs=job.threads, **procedure, **PLAIN)
        else:
            model = TreeClassifier(job.leaves, n_jobs=job.threads, **self.params, **PLAIN)
        return model.fit(data.x, data.y, sample_weight=data.weight)

    def encode(self, data: Data, job: Job) -> Any:
        """Find bins and codes."""
        target = Target.of(data.y, weights=data.weight)
        return encode(Table.of(data.x), target.units, threads=job.threads), target

    def grow(self, encoded: Any, job: Job) -> Any:
        """Grow a tree on codes."""
        params = GrowParams(max_leaves=job.leaves, **self.params)
        return grow(*encoded, params, threads=job.threads).tree

    def predict(self, model: TreeClassifier, data: Data, job: Job) -> np.ndarray:
        """Predict with the estimator."""
        model.n_jobs = job.threads
        return model.predict(data.x)

    def leaves(self, model: Any) -> int:
        """Count the leaves of an estimator or a tree."""
        return model.n_leaves_ if hasattr(model, "n_leaves_") else model.n_leaves


class OurDefault(OurTree):
    """A TreeClassifier with its defaults: priced, with honest leaves."""

    def __init__(self) -> None:
        super().__init__("ours, default", "priced", "gini")
        self.call = "TreeClassifier(max_leaves)"

    def fit(self, data: Data, job: Job) -> Any:
        """Fit a tree."""
        kind = TreeRegressor if data.is_numeric else TreeClassifier
        model = kind(job.leaves, n_jobs=job.threads)
        return model.fit(data.x, data.y, sample_weight=data.weight)


class OurBoosting(Contender):
    """A BoostedTreeClassifier with one algorithm."""

    package = "polytomy"

    def __init__(self, algorithm: str) -> None:
        self.name = f"ours, {algorithm}"
        self.algorithm = algorithm
        self.call = f'BoostedTreeClassifier(algorithm="{algorithm}", n_rounds, max_leaves)'

    def fit(self, data: Data, job: Job) -> BoostedTreeClassifier:
        """Fit an ensemble."""
        params: dict[str, Any] = {"algorithm": self.algorithm, "max_leaves": job.leaves}
        model = BoostedTreeClassifier(job.rounds, n_jobs=job.threads, **params)
        return model.fit(data.x, data.y, sample_weight=data.weight)

    def predict(self, model: BoostedTreeClassifier, data: Data, job: Job) -> np.ndarray:
        """Predict with the estimator."""
        model.n_jobs = job.threads
        return model.predict(data.x)

    def leaves(self, model: BoostedTreeClassifier) -> int:
        """Count the leaves of all trees."""
        return sum(member.tree.n_leaves for member in model.ensemble_.members)


PER_LEAF = OurTree("ours", "per-leaf", "gini")
DEFAULT = OurDefault()
HATANO = OurTree("ours, hatano", "hatano", "sqrt")
MANSOUR = OurTree("ours, mansour-mcallester", "mansour-mcallester", "sqrt", 0.1)
KEARNS = OurTree("ours, kearns-mansour", "kearns-mansour", "sqrt")
ADABOOST = OurBoosting("adaboost")
ADABOOST_REAL = OurBoosting("adaboost-real")
LOGITBOOST = OurBoosting("logitboost")
