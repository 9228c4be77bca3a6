"""Verifying a fitted classifier against the rows it was fitted on."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from polytomy._errors import ParameterError
from polytomy.certify import Run, overgrown
from polytomy.certify.report import Ledger, Report
from polytomy.certify.verify import verify_kept, verify_run
from polytomy.model import Model
from polytomy.tree import Tree, contract

from ._input import class_numbers, renamed, table_of
from ._sample import Sample, grown_on
from .classifier import TreeClassifier


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
        What it was fitted on. The order of the rows does not matter, unless a pruner kept some of
        them back (``held_out_``).

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
    if not isinstance(clf, TreeClassifier):
        raise ParameterError(
            f"verify checks a TreeClassifier, not a {type(clf).__name__}; a boosted model's bounds "
            "are in its certificate_"
        )
    check_is_fitted(clf)
    model = clf._model
    table = renamed(table_of(clf, X, reset=False), model.schema)
    labels = class_numbers(y, table.n_rows, model.classes)
    known = np.maximum(labels, 0)  # what is of no known class is a finding, whatever it weighs
    given = Sample(table, labels, clf._weights(X, known, sample_weight), len(model.classes))
    sample = grown_on(given, clf.held_out_, clf._n_rows)
    rows = sample.table, sample.labels, sample.weights
    certificate = clf.certificate_
    run, tree = _certified(model)
    report = verify_run(run, certificate, tree, model.schema, *rows)
    report += _words(clf, model)
    if model.contracted or model.pruning is not None:
        expected = contract(model.kept) if model.contracted else model.kept
        report += verify_kept(clf.tree_, expected, certificate, model.schema, rows)
    return report


def _words(clf: TreeClassifier, model: Model) -> Report:
    """Check the names of the classes, and the words of the certificate against fresh ones."""
    ledger = Ledger()
    ledger.begin("classes, and the certificate's words")
    ledger.holds(
        np.array_equal(np.asarray(clf.classes_), np.asarray(model.classes)),
        "classes_",
        f"they are {clf.classes_}, but the model's are {model.classes}",
    )
    fresh = replace(model).certificate
    for name in ("theorem", "why_not"):
        stated, own = getattr(clf.certificate_, name), getattr(fresh, name)
        ledger.same(stated, own, "certificate", name)
    return ledger.report()


def _certified(model: Model) -> tuple[Run, Tree]:
    """Return the run and the tree a certificate speaks of: as far as the budget, if overgrown."""
    if model.pruning is None or model.pruning.overgrown is None:
        return model.run, model.grown
    return overgrown(model.run, model.grown, model.pruning.overgrown)
