"""Verifying a fitted classifier against the rows it was fitted on."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from polytomy._types import AnyArray
from polytomy.certify.report import Report
from polytomy.certify.verify import verify_contracted, verify_run

from ._input import labels_of, table_of
from .classifier import TreeClassifier, _renamed, _without_weightless


def verify(clf: TreeClassifier, X: Any, y: Any, sample_weight: Any = None) -> Report:
    """Check a classifier's tree, the record of its run and its certificate against their data.

    Every row is sent down the tree and every node counted afresh, in plain NumPy, by code that
    shares nothing with what grew the tree. Gains, gammas, bounds and the theorem's conditions
    follow from those counts and are compared with what is stated, to 1e-9.

    Parameters
    ----------
    clf : TreeClassifier
        A fitted classifier.
    X, y, sample_weight
        What it was fitted on; the order of the rows does not matter.

    Returns
    -------
    Report
        True where nothing was found; ``findings`` holds what was, ``notes`` what rests on the
        grower's word. Print it.

    Notes
    -----
    What nothing was stated about cannot be found: a column the tree does not ask about, and whose
    questions were never the best, may hold other values within the same bins.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = TreeClassifier(max_leaves=4).fit(X, y)
    >>> verify(clf, X, y).ok
    True
    >>> print(verify(clf, X[1:], y[1:]).findings[0])
    sample: the number of rows is stated as 150, found 149
    """
    check_is_fitted(clf)
    model = clf._model
    table = _renamed(table_of(clf, X, reset=False), model)
    labels = _class_numbers(y, table.n_rows, model.classes)
    known = np.maximum(labels, 0)  # what is of no known class is a finding, whatever it weighs
    weights = clf._weights(X, known, sample_weight)
    table, labels, weights = _without_weightless(table, labels, weights)
    grown, rows = model.grown, (table, labels, weights)
    report = verify_run(model.run, clf.certificate_, grown, model.schema, *rows)
    if model.contracted:
        report += verify_contracted(clf.tree_, grown, model.schema, *rows)
    return report


def _class_numbers(y: Any, n_rows: int, classes: AnyArray) -> AnyArray:
    """Return each row's class number, -1 where the model has no such class."""
    given, numbers = labels_of(y, n_rows)
    known = {name: number for number, name in enumerate(np.asarray(classes).tolist())}
    return np.array([known.get(name, -1) for name in given.tolist()])[numbers]
