"""Fitted tree classifiers of many kinds, with their rows and the facts of their reports."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import polytomy
from polytomy import TreeClassifier
from polytomy.prune import ErrorBudget, Pessimistic
from tests.export.awkward_tables import nasty_frame, random_labels
from tests.export.own_split import Signs


@dataclass(frozen=True)
class Case:
    """A classifier and the rows it was fitted on."""

    clf: TreeClassifier
    X: Any
    y: Any
    weights: Any = None


def grown(**params):
    """Return a classifier whose splits are in the order of the run, and were not merged since."""
    return TreeClassifier(**{"procedure": "per-leaf", **params})


def mixed(n=500, seed=0):
    """Return a table of numbers, text, ranks and times with missing cells, and its classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n).round(2),
            "town": rng.choice(["Ulm", "Rom", "Bonn", "Oslo", "Kiel"], n),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high", "top"], n),
                ["low", "mid", "high", "top"],
                ordered=True,
            ),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D"),
        }
    )
    for name in ("size", "town", "grade"):
        X.loc[rng.random(n) < 0.06, name] = None
    score = X["size"].fillna(1.2) + X["town"].isin(["Ulm", "Oslo"]) - 0.8 * (X["grade"] == "mid")
    y = np.digitize(score + 0.4 * rng.normal(size=n), [0.0, 0.9])
    return X, pd.Series(np.array(["no", "maybe", "yes"])[y], name="answer")


def _plain():
    X, y = mixed()
    return Case(grown(max_leaves=20).fit(X, y), X, y)


def _weighted():
    X, y = mixed(seed=1)
    weights = np.random.default_rng(2).gamma(2.0, 1.0, len(y))
    weights[::17] = 0
    clf = grown(max_leaves=24, index="entropy", min_samples_leaf=4)
    return Case(clf.fit(X, y, sample_weight=weights), X, y, weights)


def _balanced():
    X, y = mixed(seed=3)
    return Case(grown(max_leaves=16, class_weight="balanced").fit(X, y), X, y)


def _by(procedure, **params):
    def make():
        X, y = mixed(seed=4)
        options = {"max_leaves": 30, "procedure": procedure, **params}
        return Case(grown(**options).fit(X, y), X, y)

    return make


def _pruned():
    X, y = mixed(seed=5)
    clf = grown(max_leaves=60).fit(X, y)
    return Case(clf.prune("chi-square"), X, y)


def _held_out():
    X, y = mixed(seed=6)
    clf = grown(max_leaves=60, pruner="reduced-error", random_state=0)
    return Case(clf.fit(X, y), X, y)


def _overgrown():
    X, y = mixed(seed=7)
    return Case(grown(max_leaves=12, overgrow=4).fit(X, y), X, y)


def _raised():
    X, y = mixed(seed=8)
    clf = grown(max_leaves=80).fit(X, y)
    small = clf.prune(Pessimistic(raising=True), X=X, y=y)
    assert small._model.kept.n_leaves < clf._model.kept.n_leaves
    return Case(small, X, y)


def _small_pruning():
    X, y = mixed(seed=9)
    clf = grown(max_leaves=40, contract=False).fit(X, y)
    return Case(clf.prune(ErrorBudget(select=9)), X, y)


def _uncontracted():
    X, y = mixed(seed=10)
    return Case(grown(max_leaves=30, contract=False).fit(X, y), X, y)


def _own():
    X = np.random.default_rng(0).standard_normal((300, 3))
    y = ((X[:, 0] > 0) == (X[:, 1] > 0)) ^ (X[:, 2] > 1)
    clf = grown(families=(Signs(), "intervals"), max_leaves=10).fit(X, y)
    assert clf.tree_.own
    return Case(clf, X, y)


def _nasty():
    X, y = nasty_frame(), random_labels(600)
    return Case(grown(max_leaves=60).fit(X, y), X, y)


def _one_leaf():
    X, y = mixed(seed=11)
    return Case(grown(max_leaves=1).fit(X, y), X, y)


def _one_class():
    X, _ = mixed(n=40, seed=12)
    return Case(grown().fit(X, np.full(40, 7)), X, np.full(40, 7))


def _sixty():
    rng = np.random.default_rng(13)
    X = rng.normal(size=(900, 4)).round(2)
    y = (X[:, 0] * 3 + 10 * X[:, 1]).round().astype(int) % 60
    return Case(grown(max_leaves=70).fit(X, y), X, y)


def _wide():
    rng = np.random.default_rng(14)
    n = 3000
    codes = rng.integers(0, 700, n)
    X = pd.DataFrame({"code": [f"c{i:03d}" for i in codes], "x": rng.normal(size=n)})
    y = (np.sin(codes) + X["x"] + 0.3 * rng.normal(size=n) > 0).to_numpy().astype(int)
    return Case(grown(max_leaves=30).fit(X, y), X, y)


MAKERS = {
    "priced": _by("priced"),
    "training shares": _by("per-leaf", honest=False),
    "plain": _plain,
    "weighted": _weighted,
    "balanced": _balanced,
    "hatano": _by("hatano", index="entropy"),
    "mansour-mcallester": _by("mansour-mcallester", gamma=0.1, index="sqrt"),
    "kearns-mansour": _by("kearns-mansour", index="sqrt"),
    "id3": _by("id3"),
    "pruned": _pruned,
    "held out": _held_out,
    "overgrown": _overgrown,
    "raised": _raised,
    "small pruning": _small_pruning,
    "uncontracted": _uncontracted,
    "own": _own,
    "nasty": _nasty,
    "one leaf": _one_leaf,
    "one class": _one_class,
    "sixty classes": _sixty,
    "700 categories": _wide,
}
NAMES = list(MAKERS)


@cache
def case(name):
    return MAKERS[name]()


@cache
def facts_of(name):
    """Return the facts of a case, with its own rows as training rows and as test rows."""
    c = case(name)
    return c.clf.report_facts(
        c.X, c.y, c.X, c.y, sample_weight=c.weights, sample_weight_test=c.weights
    )


def reloaded(clf, folder):
    """Return a classifier that was saved and loaded."""
    clf.save(folder / "model.json")
    return polytomy.load(folder / "model.json")
