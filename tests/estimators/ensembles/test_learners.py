"""Boosting of other classifiers."""

import pickle
import re
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from polytomy import BoostedTreeClassifier, TargetError, TreeClassifier, verify
from polytomy.estimators.ensembles.learners import _matrix
from polytomy.format import ModelFormatError

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
STUMP = TreeClassifier(2, procedure="per-leaf", honest=False, max_bins=255)
ALGORITHMS = ("adaboost", "adaboost-real", "adaboost-mh", "samme")


class Recorder(ClassifierMixin, BaseEstimator):
    """Records the weights of every fit in a shared list, and predicts by the sign of a column."""

    weights: ClassVar[list] = []

    def fit(self, X, y, sample_weight):
        self.classes_ = np.unique(y)
        self.weights.append(sample_weight)
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["two classes", "three classes"])
def test_our_own_stump_gives_the_rounds_of_boosted_stumps(data):
    X, y = data[0][:200], data[1][:200]  # each number has a bin of its own
    algorithm = "adaboost" if y.max() == 1 else "samme"
    ours = BoostedTreeClassifier(12, algorithm=algorithm).fit(X, y)
    other = BoostedTreeClassifier(12, algorithm=algorithm, estimator=STUMP).fit(X, y)
    for name in ("epsilon", "alpha", "z", "bound", "exponential_bound", "training_error"):
        np.testing.assert_allclose(other.rounds_[name], ours.rounds_[name], rtol=1e-9)
    np.testing.assert_allclose(other.margins(X, y), ours.margins(X, y), atol=1e-9)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    "learner",
    [
        GaussianNB(),
        DecisionTreeClassifier(max_depth=1),
        make_pipeline(StandardScaler(), LogisticRegression(C=0.01)),
    ],
    ids=["naive bayes", "stump", "pipeline"],
)
def test_bounds_hold_and_figures_agree_with_the_predictions(algorithm, learner):
    X, y = CANCER
    clf = BoostedTreeClassifier(6, algorithm=algorithm, estimator=learner).fit(X, y)
    rounds = clf.rounds_
    assert len(rounds) == 6
    assert not clf.certificate_.findings
    assert verify(clf, X, y).ok
    if algorithm != "samme":
        assert (rounds.training_error <= rounds.bound).all()
    if algorithm == "adaboost":
        np.testing.assert_allclose(rounds.z, 2 * np.sqrt(rounds.epsilon * (1 - rounds.epsilon)))
    np.testing.assert_allclose(list(clf.staged_score(X, y)), 1 - rounds.training_error)
    np.testing.assert_array_equal(clf.margins(X, y) > 0, clf.predict(X) == y)


def test_weights_are_those_of_adaboost_computed_by_hand():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((40, 1)), rng.integers(0, 2, 40)
    y[:30] = X[:30, 0] > 0
    Recorder.weights.clear()
    clf = BoostedTreeClassifier(1, algorithm="adaboost", estimator=Recorder()).fit(X, y)
    clf.fit_more(1)
    first, second = Recorder.weights  # one fit for each round
    wrong = (X[:, 0] > 0) != y
    epsilon = wrong.mean()
    assert clf.rounds_[0].epsilon == pytest.approx(epsilon)
    np.testing.assert_allclose(first, 1.0)
    np.testing.assert_allclose(second, np.where(wrong, 0.5 / epsilon, 0.5 / (1 - epsilon)))


def test_the_votes_are_the_sum_of_the_signed_alphas():
    X, y = CANCER
    clf = BoostedTreeClassifier(4, algorithm="adaboost", estimator=GaussianNB()).fit(X, y)
    learners = [member.tree.own[0].learner for member in clf.ensemble_.members]
    signs = np.array([2 * learner.predict(X) - 1 for learner in learners])
    np.testing.assert_allclose(clf.decision_function(X), clf.rounds_.alpha @ signs, rtol=1e-9)


def test_text_categories_and_names_of_classes():
    X = pd.DataFrame({"a": ["x", "y", "z", "x", "y", None] * 10, "b": ["p", "q"] * 30})
    y = np.where((X["a"] == "x") | (X["b"] == "q"), "yes", "no")
    learner = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    clf = BoostedTreeClassifier(5, estimator=learner).fit(X, y)
    assert clf.score(X, y) == 1
    assert set(clf.predict(X.assign(a="new"))) <= {"yes", "no"}


def test_times_and_ordered_categories_are_numbers_and_missing_ones_nan():
    size = pd.Categorical(["s", "m", None, "l"] * 8, ["s", "m", "l"], ordered=True)
    day = pd.to_datetime(["2020-01-01", None, "2020-01-03", "2020-01-04"] * 8)
    X, y = pd.DataFrame({"size": size, "day": day}), [0, 1, 1, 0] * 8
    learner = DecisionTreeClassifier(max_depth=3)
    clf = BoostedTreeClassifier(2, estimator=learner).fit(X, y)
    assert clf.score(X, y) == 1
    given = _matrix(clf._read_table(X))
    np.testing.assert_array_equal(given[:4, 0], [0, 1, np.nan, 2])
    assert np.isnan(given[:4, 1]).tolist() == [False, True, False, False]


def test_a_class_predicted_for_no_training_row_goes_to_the_heaviest_leaf():
    X, y = IRIS
    clf = BoostedTreeClassifier(1, estimator=GaussianNB()).fit(X, y)
    split = clf.ensemble_.members[0].tree.own[0]
    narrow = type(split)(split.learner, np.array([0, 2]), 1)
    table = clf._read_table(X)
    expected = {0: 0, 1: 1, 2: 1}
    answers = split.learner.predict(X)
    assert narrow.route(table).tolist() == [expected[answer] for answer in answers]


def test_early_stopping_warm_start_and_pickle():
    X, y = IRIS
    stopping = {"fraction": 0.2, "patience": 2}
    clf = BoostedTreeClassifier(30, estimator=GaussianNB(), early_stopping=stopping).fit(X, y)
    assert len(clf.rounds_) < 30
    assert not np.isnan(clf.rounds_.validation_error).any()
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
    part = BoostedTreeClassifier(2, estimator=GaussianNB(), warm_start=True).fit(X, y)
    whole = BoostedTreeClassifier(4, estimator=GaussianNB()).fit(X, y)
    assert part.set_params(n_rounds=4).fit(X, y).rounds_ == whole.rounds_
    with pytest.raises(ValueError, match="these differ"):
        part.set_params(n_rounds=6, estimator__var_smoothing=0.1).fit(X, y)


def test_clone_and_nested_parameters():
    given = GaussianNB()
    clf = BoostedTreeClassifier(2, estimator=given)
    assert clf.get_params()["estimator"] is given
    copy = clone(clf).set_params(estimator__var_smoothing=0.5)
    assert copy.estimator.var_smoothing == 0.5
    clf.fit(*IRIS)
    assert not hasattr(given, "classes_")  # neither fitted nor changed
    assert given.var_smoothing == 1e-9


def test_a_fitted_learner_is_fitted_again():
    X, y = IRIS
    fitted = GaussianNB().fit(X[:, :2], y)
    one = BoostedTreeClassifier(2, estimator=fitted).fit(X, y)
    other = BoostedTreeClassifier(2, estimator=GaussianNB()).fit(X, y)
    assert one.rounds_ == other.rounds_
    assert fitted.n_features_in_ == 2


def test_a_learner_no_better_than_chance_ends_the_run():
    X, y = np.ones((6, 1)), [0, 0, 0, 1, 1, 1]
    learner = DecisionTreeClassifier(max_depth=1)
    with pytest.warns(UserWarning, match="no better than chance"):
        clf = BoostedTreeClassifier(3, estimator=learner).fit(X, y)
    assert len(clf.rounds_) == 0
    assert len(clf.predict(X)) == 6


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"estimator": GaussianNB}, "an instance of a scikit-learn classifier"),
        ({"estimator": "naive bayes"}, "an instance of a scikit-learn classifier"),
        ({"estimator": LinearRegression()}, "must be a classifier"),
        ({"estimator": StandardScaler()}, "must be a classifier"),
        ({"estimator": KNeighborsClassifier()}, "does not take sample_weight"),
        ({"estimator": make_pipeline(KNeighborsClassifier())}, "does not take sample_weight"),
        ({"max_leaves": 4}, "max_leaves is a parameter of trees: leave it at 2"),
        ({"families": ("intervals",)}, "families is a parameter of trees"),
        ({"index": "entropy"}, "index is a parameter of trees"),
        ({"algorithm": "logitboost"}, "logitboost fits numbers"),
        ({"checkpoint": "progress.json"}, "a boosted GaussianNB cannot be written to a file"),
    ],
)
def test_wrong_parameters_are_refused(changed, message):
    clf = BoostedTreeClassifier(2, **{"estimator": GaussianNB(), **changed})
    with pytest.raises(ValueError, match=message):
        clf.fit(*IRIS)
    assert not hasattr(clf, "rounds_")


def test_errors_of_the_learner_reach_the_user():
    X, y = IRIS[0].copy(), IRIS[1]
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        BoostedTreeClassifier(2, estimator=GaussianNB()).fit(X, y)


def test_files_exports_and_importances_are_refused(tmp_path):
    clf = BoostedTreeClassifier(2, estimator=GaussianNB()).fit(*IRIS)
    sentence = re.escape("a boosted GaussianNB cannot be written to a file")
    with pytest.raises(ModelFormatError, match=sentence):
        clf.save(tmp_path / "model.json")
    with pytest.raises(ModelFormatError, match=sentence):
        clf.set_params(estimator=None).save(tmp_path / "model.json")
    with pytest.raises(ValueError, match="ONNX cannot represent"):
        clf.to_onnx()
    assert not hasattr(clf, "feature_importances_")
    assert "predicted by GaussianNB" in clf.to_text()
    assert clf.report_facts(*IRIS)


def test_text_names_the_classes_that_a_learner_predicts():
    X, y = CANCER
    boosted = BoostedTreeClassifier(3, estimator=GaussianNB())
    text = boosted.fit(X, np.array(["malignant", "benign"])[y]).to_text()
    assert text.startswith("adaboost-real: 3 stumps with user-defined splits\n")
    assert "predicted by GaussianNB as malignant" in text
    assert "class number" not in text


def test_one_class_is_named_plainly():
    X, y = CANCER
    with pytest.raises(TargetError, match=r"y has one class, 0$"):
        BoostedTreeClassifier(2).fit(X, y * 0)
