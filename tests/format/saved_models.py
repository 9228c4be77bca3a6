"""Saved models for tests that damage them, and what reading the damaged files must raise."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from polytomy import BoostedTreeClassifier, TreeClassifier, TreeRegressor
from polytomy.estimators.base.files import load_bytes, to_file_bytes
from polytomy.format import ModelFormatError, to_bytes
from tests.found_trees import with_origin

X, Y = load_iris(return_X_y=True)
TOWNS = np.array([["Ulm", "Rom", "Bari"][(y + i % 2) % 3] for i, y in enumerate(Y)], dtype=object)
TABLE = np.column_stack((X.astype(object), TOWNS))
TREE = to_file_bytes(TreeClassifier(5, families=("values", "intervals")).fit(TABLE[:, 3:], Y))
PRUNED = to_file_bytes(TreeClassifier(9, pruner="reduced-error", random_state=0).fit(X, Y))
LENGTHS = X[:, 2] * 2.5 - 1.0  # positive, and predictable from the other columns
REGRESSION, POISSON = (
    to_file_bytes(TreeRegressor(5, criterion=c).fit(TABLE[:, 3:], LENGTHS))
    for c in ("squared_error", "poisson")
)
TAUGHT = to_file_bytes(with_origin(TreeClassifier(5).fit(X, Y)))
TAUGHT_NUMBERS = to_file_bytes(with_origin(TreeRegressor(5).fit(X, LENGTHS)))
BOOSTED = to_file_bytes(BoostedTreeClassifier(2, algorithm="adaboost-real").fit(X[50:], Y[50:]))


def put(document, path, value):
    """Set the value at a path such as ("tree", "child", 1)."""
    *way, last = path
    for step in way:
        document = document[step]
    document[last] = value


def refused(data, match):
    """Return the message of the error that loading must raise."""
    with pytest.raises(ModelFormatError, match=match) as caught:
        load_bytes(data)
    return str(caught.value)


def changed(base, *changes):
    """Return a file with some values replaced and a checksum that fits."""
    document = json.loads(base)
    del document["checksum"]
    for path, value in changes:
        put(document, path, value)
    return to_bytes(document)
