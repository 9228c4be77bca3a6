"""Saving, loading and verifying: the class of a loaded model, and messages for bad arguments."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

import polytomy
from polytomy import (
    BoostedTreeClassifier,
    ModelFormatError,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
)
from polytomy.boost import Checkpoint, EarlyStopping
from polytomy.estimators.base.files import load_bytes, to_file_bytes

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("clf", [TreeClassifier(4), TreeRegressor(4), BoostedTreeClassifier(3)])
def test_load_chooses_the_class_by_the_kind_of_the_document(tmp_path, clf):
    clf.fit(X, y).save(tmp_path / "model.json")
    loaded = polytomy.load(tmp_path / "model.json")
    assert type(loaded) is type(clf)
    np.testing.assert_array_equal(loaded.predict(X), clf.predict(X))


def test_save_rejects_subclasses_and_unfitted_classifiers(tmp_path):
    class Mine(TreeClassifier):
        __init__ = TreeClassifier.__init__
        __signature__ = inspect.signature(TreeClassifier)

    with pytest.raises(ModelFormatError, match="a model file cannot hold a Mine"):
        Mine(4).fit(X, y).save(tmp_path / "model.json")
    with pytest.raises(NotFittedError):
        TreeClassifier().save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_verify_rejects_other_estimators_and_unfitted_ones():
    message = "one of BoostedTreeClassifier, .*TreeRegressor; not a DecisionTreeClassifier"
    with pytest.raises(ParameterError, match=message):
        polytomy.verify(DecisionTreeClassifier().fit(X, y), X, y)
    with pytest.raises(NotFittedError):
        polytomy.verify(BoostedTreeClassifier(), X, y)


def test_classes_of_parameters_are_exported():
    assert polytomy.EarlyStopping is EarlyStopping
    assert polytomy.Checkpoint is Checkpoint
    assert {"EarlyStopping", "Checkpoint"} <= set(dir(polytomy))


@pytest.mark.parametrize("weights", [None, np.arange(569) % 3])
def test_verify_finds_the_held_out_rows_of_a_boosted_model_again(weights):
    X, y = load_breast_cancer(return_X_y=True)
    stopping = EarlyStopping(fraction=0.2, patience=3)
    clf = BoostedTreeClassifier(40, early_stopping=stopping, random_state=5)
    clf.fit(X, y, sample_weight=weights)
    kept = len(y) if weights is None else int((weights > 0).sum())
    assert len(clf.held_out_) == round(0.2 * kept)
    assert clf.n_rounds_ < len(clf.rounds_)
    assert polytomy.verify(clf, X, y, weights).ok
    loaded = load_bytes(to_file_bytes(clf))
    assert loaded.held_out_ is None
    assert polytomy.verify(loaded, X, y, weights).ok
    assert not polytomy.verify(loaded.set_params(random_state=6), X, y, weights).ok


def test_verify_uses_the_held_out_rows_that_were_given():
    stopping = EarlyStopping(X_val=X[::3], y_val=y[::3], patience=2)
    clf = BoostedTreeClassifier(20, early_stopping=stopping).fit(X, y)
    assert clf.held_out_ is None
    assert polytomy.verify(clf, X, y).ok


def test_verify_weights_the_rows_of_a_boosted_model_as_in_fit():
    weights = np.random.default_rng(0).random(len(y))
    clf = BoostedTreeClassifier(5, class_weight="balanced").fit(X, y, sample_weight=weights)
    assert polytomy.verify(clf, X, y, weights).ok
    assert polytomy.verify(load_bytes(to_file_bytes(clf)), X, y, weights).ok
    assert not polytomy.verify(clf, X, y).ok


def test_a_pickled_model_can_be_saved(tmp_path):
    tree = TreeClassifier(4).fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
    copied = pickle.loads(pickle.dumps(tree))
    tree.save(tmp_path / "tree.json")
    copied.save(tmp_path / "copied.json")
    assert (tmp_path / "tree.json").read_bytes() == (tmp_path / "copied.json").read_bytes()
