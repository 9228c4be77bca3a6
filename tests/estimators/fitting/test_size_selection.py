"""``max_leaves="cv"`` with different scores."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import log_loss, make_scorer

from polytomy import ParameterError, TreeClassifier
from polytomy.estimators.base.rows import LabelledRows
from polytomy.estimators.fitting.size_selection import FoldPath, choose_size, loss_of
from polytomy.honesty import honest_shares
from polytomy.table import Table


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 4))
    y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(scale=0.7, size=500) > 0).astype(int)
    return X, y


@pytest.mark.parametrize("procedure", ["priced", "per-leaf"])
@pytest.mark.parametrize("scoring", ["error", "log_loss", "roc_auc", "balanced_accuracy"])
def test_cv_chooses_a_small_tree_on_noisy_rows(noisy, procedure, scoring):
    X, y = noisy
    clf = TreeClassifier("cv", procedure=procedure, scoring=scoring, random_state=0).fit(X, y)
    assert 2 <= clf.n_leaves_ <= 64
    again = TreeClassifier("cv", procedure=procedure, scoring=scoring, random_state=0).fit(X, y)
    assert again.tree_ == clf.tree_


def test_cv_with_a_scorer_equals_the_built_in_score(noisy):
    X, y = noisy
    built_in = TreeClassifier("cv", scoring="error", random_state=0).fit(X, y)
    by_name = TreeClassifier("cv", scoring="accuracy", random_state=0).fit(X, y)
    own = make_scorer(lambda truth, predicted: np.mean(truth == predicted))
    by_scorer = TreeClassifier("cv", scoring=own, random_state=0).fit(X, y)
    assert by_name.tree_ == built_in.tree_ == by_scorer.tree_


def test_scorers_see_fitted_classifiers_and_the_classes():
    X, y = load_wine(return_X_y=True)
    names = np.array(["barolo", "grignolino", "barbera"])[y]
    seen = []

    def scorer(clf, X, y):
        seen.append((clf.n_leaves_, sorted(set(y)), clf.predict_proba(X).shape))
        return clf.score(X, y)

    TreeClassifier("cv", scoring=scorer, random_state=0).fit(X, names)
    assert len({leaves for leaves, _, _ in seen}) > 2
    assert all(found == sorted(set(names)) for _, found, _ in seen)
    assert {shape[1] for _, _, shape in seen} == {3}


@pytest.mark.parametrize("scoring", ["", "f2", None, 3])
def test_cv_refuses_an_unknown_scoring(noisy, scoring):
    with pytest.raises(ParameterError, match="scoring must be 'error', 'log_loss', 'roc_auc'"):
        TreeClassifier("cv", scoring=scoring).fit(*noisy)


def test_model_files_refuse_a_scorer(noisy, tmp_path):
    clf = TreeClassifier("cv", scoring=make_scorer(np.mean)).set_params(max_leaves=4).fit(*noisy)
    with pytest.raises(ValueError, match="scoring must be the name of a scorer"):
        clf.save(tmp_path / "m.json")


def test_log_loss_is_that_of_the_shrunken_shares(noisy):
    X, y = noisy
    tree = TreeClassifier(8, honest=False).fit(X, y).tree_
    clf = TreeClassifier(8, honest=False).fit(X, y)
    rows = LabelledRows(Table.of(X), y, None, 2)
    shares = honest_shares(tree.counts, tree.parent, 16.0)[clf.apply(X)]
    loss = loss_of("log_loss", None, None)
    assert loss(tree, rows, clf.apply(X)) == pytest.approx(log_loss(y, shares))


def test_choose_size_takes_the_smallest_within_one_standard_error():
    class Fake:
        def __init__(self, leaves):
            self.n_leaves = leaves

    losses = {1: 0.5, 2: 0.3, 3: 0.21, 4: 0.2, 8: 0.2}

    def fold(shift):
        return FoldPath(np.arange(1, 9), lambda k: Fake(k if k < 5 else 8), lambda _: shift, None)

    def loss(tree, _rows, shift):
        return losses[tree.n_leaves] + shift

    assert choose_size(iter([fold(0.0), fold(0.02), fold(0.04)]), loss, 8) == 3
    assert choose_size(iter([fold(0.0), fold(0.0)]), loss, 8) == 4


def test_log_loss_does_not_depend_on_the_scale_of_small_weights():
    X, y = load_breast_cancer(return_X_y=True)
    clf = TreeClassifier("cv", scoring="log_loss", random_state=0, honest=False)
    plain = clone(clf).fit(X, y)
    assert plain.n_leaves_ > 2
    assert clone(clf).fit(X, y, np.full(len(y), 1e-6)).to_text() == plain.to_text()


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_a_scorer_of_probabilities_sees_honest_shares(load):
    # The training shares of pure leaves have an infinite log loss on rows of another class.
    X, y = load(return_X_y=True)
    sizes = [
        TreeClassifier("cv", scoring=scoring, random_state=0).fit(X, y).n_leaves_
        for scoring in ("log_loss", "neg_log_loss")
    ]
    assert sizes[0] == sizes[1] >= 3
