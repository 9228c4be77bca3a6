"""Small tables with labels, and boosters on them."""

import numpy as np

from polytomy.boost import Booster, BoostingSample, BoostParams
from polytomy.encode import encode
from polytomy.grow import GrowParams
from polytomy.table import Table


def mixed(seed, n=120, n_classes=2):
    """Return columns (two numeric, one text, some cells missing), labels and weights."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 12, n).astype(float)
    b = rng.standard_normal(n).round(1)
    town = rng.choice(["Bonn", "Jena", "Kiel", "Ulm"], n).astype(object)
    effect = {"Bonn": -1, "Jena": 0.5, "Kiel": 0, "Ulm": 1}
    score = a / 6 - 1 + b + [effect[t] for t in town] + rng.standard_normal(n)
    labels = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    a[rng.random(n) < 0.1] = np.nan
    town[rng.random(n) < 0.1] = None
    return {"a": a, "b": b, "town": town}, labels, rng.uniform(0.2, 3, n)


def booster_on(columns, labels, weights=None, grow=None, progress=None, **params):
    """Return a booster on a mapping of columns."""
    table = Table.of(columns)
    sample = BoostingSample.of(encode(table), labels, int(np.max(labels)) + 1, weights)
    grow = GrowParams(**({"max_leaves": 2} | (grow or {})))
    return Booster(sample, BoostParams(grow=grow, **params), table=table, progress=progress)
