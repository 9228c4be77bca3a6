"""Regression trees of many kinds, with columns of every kind and missing cells."""

from functools import cache

import numpy as np
import pandas as pd

from polytomy import TreeRegressor

_SCALES = {"huge": 1e12, "tiny": 1e-12}
NAMES = [
    "squared error",
    "poisson",
    "weights",
    "training means",
    "noise",
    "one leaf",
    "constant",
    "two rows",
    *_SCALES,
]


def table():
    """Return a table of 300 rows and a number of at least 0 that depends on it."""
    rng = np.random.default_rng(5)
    n = 300
    X = pd.DataFrame(
        {
            "price": rng.uniform(5, 60, n).round(1),
            "town": rng.choice(["Bonn", "Graz", "Lund", "Pisa", "Riga", "Ulm"], n),
            "sold": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
        }
    )
    y = X["price"] / 4 + 20.0 * X["town"].isin(["Graz", "Riga"]) + 6 * (X["sold"] > "2024-06-01")
    y = (y + rng.normal(0, 3, n)).clip(0).to_numpy()
    X.loc[rng.random(n) < 0.1, "price"] = np.nan
    return X, y


@cache
def case(name):
    """Return a fitted tree and its table."""
    X, y = table()
    if name == "noise":
        y = np.random.default_rng(7).normal(size=len(y))
        return TreeRegressor(40, procedure="per-leaf").fit(X, y), X
    if name == "constant":
        return TreeRegressor(6).fit(X, np.full(len(y), 3.25)), X
    if name == "two rows":
        X = X[:2]
        return TreeRegressor(6).fit(X, y[:2]), X
    if name == "weights":
        weights = np.random.default_rng(6).uniform(0.01, 0.1, len(y))
        return TreeRegressor(6).fit(X, y, sample_weight=weights), X
    params = {
        "poisson": {"criterion": "poisson"},
        "training means": {"honest": False},
        "one leaf": {"max_leaves": 1},
    }.get(name, {})
    return TreeRegressor(**{"max_leaves": 6, **params}).fit(X, y * _SCALES.get(name, 1.0)), X
