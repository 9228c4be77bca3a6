"""Fitted regression trees of several kinds, with their rows and the facts of their reports."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from polytomy import TreeRegressor
from polytomy.prune import ErrorBudget
from tests.report.tree_cases import mixed


@dataclass(frozen=True)
class Case:
    """A regressor, the rows it was fitted on, and other rows to test it on."""

    reg: TreeRegressor
    X: Any
    y: Any
    X_test: Any
    y_test: Any
    weights: Any = None


def numbers(n=600, seed=0, scale=100.0):
    """Return a table of numbers, text, ranks and times with missing cells, and numbers."""
    X, _ = mixed(n, seed)
    rng = np.random.default_rng(seed + 100)
    score = X["size"].fillna(1.2) + 2 * X["town"].isin(["Ulm", "Oslo"]) - (X["grade"] == "mid")
    return X, pd.Series(scale * (score + 0.3 * rng.normal(size=n)), name="price")


def _fitted(seed, weights=None, target=None, **params):
    X, y = numbers(seed=seed)
    y = y if target is None else target(y)
    inside = slice(0, 400)
    given = None if weights is None else weights[inside]
    reg = TreeRegressor(**{"max_leaves": 12, **params}).fit(X[inside], y[inside], given)
    return Case(reg, X[inside], y[inside], X[400:], y[400:], given)


def _pruned():
    c = _fitted(4, max_leaves=20)
    return Case(c.reg.prune(ErrorBudget(select=9)), c.X, c.y, c.X_test, c.y_test)


def _weights():
    weights = np.random.default_rng(2).gamma(2.0, 1.0, 600)
    weights[::17] = 0
    return weights


MAKERS = {
    "plain": lambda: _fitted(0),
    "weighted": lambda: _fitted(1, _weights()),
    "training means": lambda: _fitted(2, honest=False, procedure="per-leaf"),
    "counts": lambda: _fitted(
        3, criterion="poisson", target=lambda y: (y - y.min()).floordiv(40.0).rename("visits")
    ),
    "pruned": _pruned,
    "uncontracted": lambda: _fitted(5, contract=False, max_leaves=20),
    "one leaf": lambda: _fitted(6, max_leaves=1),
    "huge": lambda: _fitted(7, target=lambda y: y * 1e12),
    "tiny": lambda: _fitted(8, target=lambda y: y * 1e-12),
    "far from zero": lambda: _fitted(9, target=lambda y: y + 1e7),
}
NAMES = list(MAKERS)


@cache
def case(name):
    return MAKERS[name]()


@cache
def facts_of(name):
    """Return the facts of a case with its training rows and test rows."""
    c = case(name)
    return c.reg.report_facts(c.X, c.y, c.X_test, c.y_test, sample_weight=c.weights)
