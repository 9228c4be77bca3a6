"""Models, rows, groups and another table for reports that support decisions."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from polytomy import BoostedTreeClassifier, ForestClassifier, TreeClassifier

HOSTILE = '</script><b>x</b> & "y"'


@dataclass(frozen=True)
class Case:
    """A classifier, training and test rows, groups of the test rows, and another table."""

    clf: Any
    X: pd.DataFrame
    y: pd.Series
    X_test: pd.DataFrame
    y_test: pd.Series
    group: pd.Series
    new: pd.DataFrame

    @property
    def facts(self):
        """The facts of the report."""
        rows = self.X, self.y, self.X_test, self.y_test
        return self.clf.report_facts(*rows, group=self.group, drift=self.new)


def shoppers(n=900, seed=0):
    """Return a table with missing cells, whether a shopper bought, and groups with odd names."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": random.integers(18, 80, n).astype(float),
            "income": random.lognormal(10, 0.6, n).round(),
            "region": random.choice(["North", "South", "East"], n),
        }
    )
    X.loc[random.random(n) < 0.1, "income"] = np.nan
    score = (X["age"] - 45) / 15 + (X["region"] == "East") * 1.5 + random.normal(size=n)
    y = pd.Series(np.where(score > 0.5, "yes", "no"), name="bought")
    names = np.array(["a", "b", HOSTILE, " "], dtype=object)
    group = pd.Series(random.choice(names, n, p=[0.5, 0.3, 0.15, 0.05]), name="segment")
    return X, y, group.where(random.random(n) > 0.05)


@cache
def case(name):
    """Return the case of a name: tree, boosted or forest, or "three" or "numbered" classes."""
    X, y, group = shoppers()
    if name in ("three", "numbered", "boosted numbered"):
        y = y.where(X["income"].fillna(0) < 30_000, "perhaps")
    if "numbered" in name:
        y = y.map({"no": 0, "yes": 1, "perhaps": 2})
    models = {
        "boosted": BoostedTreeClassifier(20),
        "boosted numbered": BoostedTreeClassifier(20),
        "forest": ForestClassifier(10, max_leaves=9, random_state=0),
    }
    clf = models.get(name, TreeClassifier(max_leaves=7))
    clf.fit(X[:600], y[:600])
    new = X[600:].assign(age=X["age"][600:] + 15)
    return Case(clf, X[:600], y[:600], X[600:], y[600:], group[600:], new)


@cache
def facts_of(name):
    """Return the facts of a case."""
    return case(name).facts
