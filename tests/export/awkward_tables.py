"""Tables of values that are hard to export, as frames and as plain rows, and extreme trees."""

import datetime as dt
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd

from polytomy import TreeClassifier, TreeRegressor
from polytomy.export.code.conditions import split_columns
from polytomy.model import Model
from polytomy.tree import IntervalSplit, TreeBuilder

NASTY = [
    "plain",
    "it's",
    'say "hi"',
    "back\\slash",
    "two\nlines\ttab",
    "é",
    "e\u0301",  # the same letter, decomposed
    "日本",
    "%s {x} ${y}",
    "*/ ??/ //",
    "-- ;",
    " blank ",
    "",
    "1",
    "True",
    "NULL",
    "🌳",
]
SIZES = ["small", "mid'dle", "large", "x\\l"]
START = dt.datetime(2024, 1, 1)


def nasty_frame(n=600, seed=0):
    """A frame with a column of every kind; all columns that can have missing cells."""
    rng = np.random.default_rng(seed)
    near = 2**53 + 2 * rng.integers(-3, 9, n)
    frame = pd.DataFrame(
        {
            "float64": rng.choice([-np.inf, -1.5, -0.0, 0.0, 0.1, 0.3, 1e-300, 2.5e17, np.inf], n),
            "float32": rng.choice(np.array([0.1, 0.2, 0.7, 1e-40, 3e38], dtype=np.float32), n),
            "near 2^53": near.astype(np.int64),
            "huge": (2**62 + 1024 * rng.integers(0, 5, n)).astype(np.int64),
            "bool": rng.random(n) < 0.5,
            'te"xt': rng.choice(NASTY, n),
            "or`dered": pd.Categorical(rng.choice(SIZES, n), SIZES, ordered=True),
            "day": (START + pd.to_timedelta(rng.integers(0, 40, n), unit="D")).astype("M8[us]"),
            "zoned": pd.to_datetime(
                1_700_000_000_000_000 + rng.integers(0, 9, n) * 1_800_000_001, unit="us", utc=True
            ).tz_convert("Europe/Berlin"),
        }
    )
    gone = rng.random((n, frame.shape[1])) < 0.08
    for j, name in enumerate(frame.columns):
        if name not in ("near 2^53", "huge"):
            if name == "bool":
                frame[name] = frame[name].astype(object)
            frame.loc[gone[:, j], name] = None
    frame["bool"] = frame["bool"].astype("boolean")
    return frame


def jitter(frame, rng):
    """Change large whole numbers by less than a 64-bit float can tell."""
    for name in {"near 2^53", "huge"} & set(frame.columns):
        frame[name] += rng.integers(-2, 3, len(frame))


def with_new_values(frame, clf, seed=1):
    """Return rows with new categories, and numbers and times exactly on and next to thresholds."""
    rng = np.random.default_rng(seed)
    out = frame.copy()
    n = len(out)
    tree, schema = clf.tree_, clf._model.schema
    jitter(out, rng)
    out.loc[rng.random(n) < 0.2, 'te"xt'] = "never seen ' \\ \" ?"
    for node in np.flatnonzero(tree.kind == 1).tolist():
        name = schema[int(tree.feature[node])].name
        cuts = tree.split(node).thresholds
        if name == "float64" and len(cuts):
            with np.errstate(over="ignore"):
                around = [np.nextafter(cuts, -np.inf), cuts, np.nextafter(cuts, np.inf)]
            out.loc[rng.random(n) < 0.1, name] = float(rng.choice(np.concatenate(around)))
        if name == "day" and len(cuts):
            tick = int(rng.choice(cuts)) + int(rng.integers(-1, 2))
            out.loc[rng.random(n) < 0.1, name] = pd.Timestamp(tick, unit="us")
    return out


def fitted(frame, labels, estimator=TreeClassifier, **params):
    options = {"procedure": "per-leaf", "max_leaves": 60, "min_samples_leaf": 1, **params}
    return estimator(**options).fit(frame, labels)


TARGETS = ("classes", "squared_error", "poisson")


def fitted_to(target, frame, **params):
    """Return a tree that is fitted to random classes, or to random numbers by a criterion."""
    n = len(frame)
    if target == "classes":
        return fitted(frame, random_labels(n), **params)
    numbers = np.random.default_rng(5).gamma(0.5, 1e3, n) - (700 if target != "poisson" else 0)
    return fitted(frame, numbers, TreeRegressor, criterion=target, **params)


def random_labels(n, labels=("a", "b'c", "ü"), seed=5):
    return np.array(labels)[np.random.default_rng(seed).integers(0, len(labels), n)]


def plain_rows(frame):
    """Return a frame's rows as dicts of Python values; missing cells are None."""
    columns = {}
    for name in frame.columns:
        cells = frame[name].astype(object).tolist()
        columns[name] = [None if pd.isna(c) else _plain(c) for c in cells]
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _plain(cell):
    if isinstance(cell, pd.Timestamp):
        return cell.to_pydatetime()
    return cell.item() if isinstance(cell, np.generic) else cell


def asks_about(model: Model):
    return {model.schema[j].name for j in split_columns(model)}


@lru_cache
def chain(depth):
    """Return a classifier, and its model with a chain of splits on two columns in turn."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.permutation(8.0 * np.arange(8)), "b": np.arange(8.0)})
    clf = TreeClassifier(max_leaves=2, procedure="per-leaf", contract=False).fit(
        frame, np.arange(8) % 2
    )
    return clf, _with_tree(clf._model, _chain_tree(depth))


def _chain_tree(depth):
    total = depth + 1
    builder = TreeBuilder(np.array([total - total // 2, total // 2], dtype=float), total)
    node, left = 0, np.array([total - total // 2, total // 2], dtype=float)
    for level in range(depth):
        own = np.eye(2)[level % 2]
        left = left - own
        split = IntervalSplit(level % 2, np.array([float(level)]), -1, 1)
        _, node = builder.split(node, split, np.array([own, left]), [1, int(left.sum())])
    return builder.finish()


@lru_cache
def bushy(leaves):
    """Return a model of many leaves, grown on noise."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(leaves * 4, 6)).round(3), columns=list("abcdef"))
    clf = TreeClassifier(max_leaves=leaves, procedure="per-leaf", max_bins=1000)
    return clf.fit(frame, rng.integers(0, 2, len(frame))), frame


def _with_tree(model, tree):
    return replace(model, grown=tree, contracted=False)
