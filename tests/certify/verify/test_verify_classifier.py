"""``polytomy.verify`` finds tampered classifiers: classes, text, names, end of growth."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from polytomy import TreeClassifier, verify
from polytomy.tree import pruned
from tests.certify.tampering import found

X, y = load_breast_cancer(return_X_y=True)


@pytest.fixture
def clf():
    return TreeClassifier(10, procedure="hatano", index="sqrt").fit(X, y)


def holding(clf, **changes):
    """Return a classifier with a changed model; its certificate is issued again."""
    other = copy(clf)
    other._model = replace(clf._model, **changes)
    return other


@pytest.mark.parametrize("load", [load_iris, load_digits])
@pytest.mark.parametrize("leaves", [4, 16, None])
def test_verify_accepts_the_default_classifier(load, leaves):
    table, labels = load(return_X_y=True)
    assert verify(TreeClassifier(leaves).fit(table, labels), table, labels)


def test_verify_finds_classes_in_another_order(clf):
    other = copy(clf)
    other.classes_ = clf.classes_[::-1]
    found(verify(other, X, y), "classes_: they are [1 0]")


@pytest.mark.parametrize("name", ["theorem", "why_not"])
def test_verify_finds_changed_certificate_text(clf, name):
    clf._model.__dict__["certificate"] = replace(clf.certificate_, **{name: "Step 5 is fine."})
    found(verify(clf, X, y), f"certificate: {name} is stated as")


def test_verify_finds_the_columns_of_another_table(clf):
    other = TreeClassifier(4).fit(*load_iris(return_X_y=True))
    clf._model.__dict__["certificate"] = replace(clf.certificate_, schema=other._model.schema)
    found(verify(clf, X, y), "it has the columns of another table")


def test_verify_finds_an_index_with_a_false_name(clf):
    run = clf._model.run
    other = holding(clf, run=replace(run, index=replace(run.index, name="gini")))
    found(verify(other, X, y), "the index is named gini but is a different function")


@pytest.mark.parametrize("budget", [11, None])
def test_verify_finds_an_unused_budget(clf, budget):
    run = clf._model.run
    other = holding(clf, run=replace(run, rules=replace(run.rules, max_leaves=budget)))
    found(verify(other, X, y), "it is impure, and the record does not give it up")


def test_verify_finds_steps_removed_at_the_end(clf):
    run, tree = clf._model.run, clf._model.grown
    short = replace(run, splits=run.splits[:-3])
    small = pruned(tree, [split.leaf for split in run.splits[-3:]])[0]
    other = holding(clf, run=short, grown=small)
    found(verify(other, X, y), "it is impure, and the record does not give it up")


def test_verify_ignores_class_weights_set_after_fitting():
    clf = TreeClassifier(6, class_weight="balanced").fit(X, y)
    clf.set_params(class_weight={0: 3, 1: 1})
    assert verify(clf, X, y)


def test_verify_accepts_weights_over_eighteen_decades():
    rng = np.random.default_rng(0)
    table, labels = rng.standard_normal((120, 2)), rng.integers(0, 2, 120)
    weights = 10.0 ** rng.uniform(-9, 9, 120)
    for order in ("heaviest", "steepest"):
        clf = TreeClassifier(None, procedure="kearns-mansour", leaf_order=order)
        report = verify(clf.fit(table, labels, weights), table, labels, weights)
        assert report, str(report)
