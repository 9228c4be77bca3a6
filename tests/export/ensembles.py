"""Fitted ensembles of every kind, for tests that run exported code."""

from functools import lru_cache

import numpy as np

from polytomy import BoostedTreeClassifier, ForestClassifier, ForestRegressor
from tests.export.awkward_tables import jitter, nasty_frame, random_labels

TWO, THREE = ("no", "it's"), ("a", "b'c", "ü")

KINDS = {
    "stumps": (BoostedTreeClassifier, TWO, {"n_rounds": 40, "max_leaves": 4, "max_depth": 1}),
    "trees": (BoostedTreeClassifier, TWO, {"n_rounds": 5, "max_leaves": 6}),
    "discrete": (BoostedTreeClassifier, TWO, {"n_rounds": 15, "algorithm": "adaboost"}),
    "mh": (BoostedTreeClassifier, THREE, {"n_rounds": 25, "algorithm": "adaboost-mh"}),
    "samme": (BoostedTreeClassifier, THREE, {"n_rounds": 5, "algorithm": "samme", "max_leaves": 5}),
    "logitboost": (BoostedTreeClassifier, THREE, {"n_rounds": 8, "max_leaves": 2}),
    "forest": (ForestClassifier, THREE, {"n_estimators": 6, "max_leaves": 12}),
    "numbers": (ForestRegressor, None, {"n_estimators": 6, "max_leaves": 12}),
}


@lru_cache
def fitted_ensemble(kind, zoned=True):
    """Return a fitted ensemble on a table with columns of every kind, and the table."""
    estimator, classes, params = KINDS[kind]
    frame = nasty_frame(300, seed=3)
    if not zoned:
        frame = frame.drop(columns="zoned")
    n = len(frame)
    if classes is None:
        y = np.random.default_rng(5).gamma(0.5, 1e3, n) - 700
    else:
        y = random_labels(n, classes)
    return estimator(**params).fit(frame, y), frame


def with_new_cells(frame, clf, seed=1):
    """Return rows with new categories, and numbers on and next to the thresholds of the trees."""
    rng = np.random.default_rng(seed)
    out, n = frame.copy(), len(frame)
    schema = clf._model.schema
    jitter(out, rng)
    out.loc[rng.random(n) < 0.2, 'te"xt'] = "never seen ' \\ \" ?"
    for member in clf._model.members:
        tree = member.tree
        for node in np.flatnonzero(tree.kind == 1).tolist():
            cuts = tree.split(node).thresholds
            if schema[int(tree.feature[node])].name == "float64" and len(cuts):
                with np.errstate(over="ignore"):
                    near = [np.nextafter(cuts, -np.inf), cuts, np.nextafter(cuts, np.inf)]
                some = float(rng.choice(np.concatenate(near)))
                out.loc[rng.random(n) < 0.05, "float64"] = some
    return out
