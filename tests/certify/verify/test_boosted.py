"""The verifier of boosted models: sound models pass, and every altered figure is found."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from polytomy import BoostedTreeClassifier, verify
from polytomy.boost import Rounds
from polytomy.ensemble import Member, quantized

TWO = ("adaboost", "adaboost-real", "adaboost-mh", "samme", "logitboost")
MANY = ("adaboost-mh", "samme", "logitboost")
CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
CASES = [*((CANCER, a) for a in TWO), *((IRIS, a) for a in MANY)]
IDS = [*(f"two-{a}" for a in TWO), *(f"three-{a}" for a in MANY)]


def fitted(data, algorithm, n_rounds=6, **params):
    return BoostedTreeClassifier(n_rounds, algorithm=algorithm, **params).fit(*data)


def with_rounds(clf, number, **changed):
    """Replace figures of a round, in the record and in what it is read from."""
    rounds = list(clf.rounds_)
    rounds[number] = replace(rounds[number], **changed)
    clf.rounds_ = Rounds(rounds)
    progress = replace(clf._state.progress, rounds=tuple(rounds))
    clf._state = replace(clf._state, progress=progress)
    return clf


def with_member(clf, number, member):
    """Replace a tree or its votes, in the model and in the record."""
    members = list(clf._state.progress.members)
    members[number] = member
    progress = replace(clf._state.progress, members=tuple(members))
    clf._state = replace(clf._state, progress=progress)
    clf._model = replace(clf._model, members=tuple(members[: len(clf._model)]))
    return clf


def places(report):
    return {finding.where for finding in report.findings}


@pytest.mark.parametrize(("data", "algorithm"), CASES, ids=IDS)
@pytest.mark.parametrize(
    "params", [{}, {"max_leaves": 7, "learning_rate": 0.3}, {"n_rounds": 60, "max_leaves": 4}]
)
def test_verify_accepts_sound_boosted_models(data, algorithm, params):
    report = verify(fitted(data, algorithm, **params), *data)
    assert report.ok, str(report)
    assert all(check.compared for check in report.checks)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(TWO))
def test_verify_accepts_boosted_models_of_random_tables(seed, algorithm):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    X = np.column_stack([rng.integers(0, 6, n), rng.standard_normal(n)]).astype(float)
    X[rng.random(n) < 0.1, 1] = np.nan
    y = rng.integers(0, int(rng.integers(2, 4)), n)
    y[:2] = 0, 1
    if len(np.unique(y)) > 2 and algorithm not in MANY:
        y = np.minimum(y, 1)
    weights = rng.choice([0.5, 1.0, 3.0], n)
    leaves = int(rng.integers(2, 9))
    clf = BoostedTreeClassifier(15, algorithm=algorithm, max_leaves=leaves)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the first tree is no better than chance")
        clf.fit(X, y, sample_weight=weights)
    report = verify(clf, X, y, weights)
    assert report.ok, str(report)


@pytest.mark.parametrize(("data", "algorithm"), CASES, ids=IDS)
@pytest.mark.parametrize("name", ["epsilon", "alpha", "z", "bound", "exponential_bound"])
@pytest.mark.parametrize("factor", [1 + 1e-7, 0.5])
def test_verify_finds_altered_figures_of_a_round(data, algorithm, name, factor):
    clf = fitted(data, algorithm)
    value = getattr(clf.rounds_[3], name)
    if value is None:
        altered = with_rounds(clf, 3, **{name: 0.25})
    else:
        altered = with_rounds(clf, 3, **{name: value * factor})
    found = places(verify(altered, *data))
    assert found & {"round 4", "tree 3", "tree 9"}


@pytest.mark.parametrize(("data", "algorithm"), CASES, ids=IDS)
def test_verify_finds_altered_training_errors_and_counts_of_a_round(data, algorithm):
    clf = fitted(data, algorithm)
    error = clf.rounds_[2].training_error
    altered = with_rounds(clf, 2, training_error=error + 1 / len(data[1]))
    assert "round 3" in places(verify(altered, *data))
    altered = with_rounds(fitted(data, algorithm), 2, leaves=clf.rounds_[2].leaves + 1)
    assert "round 3" in places(verify(altered, *data))
    altered = with_rounds(fitted(data, algorithm), 2, trees=clf.rounds_[2].trees + 1)
    assert "round 3" in places(verify(altered, *data))


@pytest.mark.parametrize(("data", "algorithm"), CASES, ids=IDS)
def test_verify_finds_altered_votes_of_a_leaf(data, algorithm):
    clf = fitted(data, algorithm)
    member = clf._state.progress.members[1]
    scores = member.scores.copy()
    scores[member.tree.leaves()[0]] += quantized(1e-6)
    altered = with_member(clf, 1, Member(member.tree, scores))
    assert "tree 1" in places(verify(altered, *data))


@pytest.mark.parametrize(("data", "algorithm"), CASES, ids=IDS)
def test_verify_finds_altered_trees_of_an_ensemble(data, algorithm):
    clf = fitted(data, algorithm)
    member = clf._state.progress.members[0]
    tree = replace(member.tree, threshold=member.tree.threshold * 1.5)
    altered = with_member(clf, 0, Member(tree, member.scores))
    assert {"tree 0, node 1", "round 1"} <= places(verify(altered, *data))
    clf = fitted(data, algorithm)
    tree = replace(member.tree, counts=member.tree.counts * 1.001)
    altered = with_member(clf, 0, Member(tree, member.scores))
    assert "tree 0, node 0" in places(verify(altered, *data))


@pytest.mark.parametrize(("data", "algorithm"), CASES, ids=IDS)
def test_verify_finds_altered_start_votes(data, algorithm):
    clf = fitted(data, algorithm)
    start = clf._model.start + quantized(np.linspace(0.1, 0.2, len(clf._model.start)))
    clf._model = replace(clf._model, start=start)
    assert {"start", "round 1"} <= places(verify(clf, *data))


def test_verify_compares_voting_trees_with_the_record():
    clf = fitted(CANCER, "adaboost-real")
    clf._model = clf._model.truncated(4)
    report = verify(clf, *CANCER)
    assert "the trees that vote are not those of the first 6 rounds" in str(report)
    clf = fitted(CANCER, "adaboost-real")
    clf.n_rounds_ = 4
    assert not verify(clf, *CANCER).ok


@pytest.mark.parametrize(("data", "algorithm"), CASES, ids=IDS)
def test_verify_finds_other_rows_of_an_ensemble(data, algorithm):
    X, y = data
    clf = fitted(data, algorithm)
    assert "sample" in places(verify(clf, X[1:], y[1:]))
    other = y.copy()
    other[0] = (y[0] + 1) % len(np.unique(y))
    assert not verify(clf, X, other).ok
    moved = X.copy()
    moved[:, clf.ensemble_.members[0].tree.feature[0]] *= -1
    assert not verify(clf, moved, y).ok


def test_verify_finds_unknown_classes_of_an_ensemble():
    clf = fitted(IRIS, "adaboost-mh")
    report = verify(clf, IRIS[0], np.where(IRIS[1] == 2, 7, IRIS[1]))
    assert [str(f) for f in report.findings] == [
        "sample: 50 rows have a class that the model does not know"
    ]


def test_verify_finds_altered_held_out_figures():
    params = {"early_stopping": {"fraction": 0.3, "patience": 5}}
    clf = fitted(CANCER, "adaboost", 12, **params)
    assert verify(clf, *CANCER).ok
    for name in ("validation_error", "validation_loss"):
        altered = fitted(CANCER, "adaboost", 12, **params)
        with_rounds(altered, 1, **{name: getattr(clf.rounds_[1], name) + 1e-6})
        assert places(verify(altered, *CANCER)) == {"round 2"}


@pytest.mark.filterwarnings("ignore:the first tree is no better than chance")
@pytest.mark.parametrize("algorithm", ["adaboost", "adaboost-real", "adaboost-mh", "samme"])
def test_models_without_rounds_predict_the_class_shares(algorithm):
    X, y = np.tile([[0.0], [1.0]], (4, 1)), np.array([0, 0, 1, 1] * 2)
    clf = BoostedTreeClassifier(5, algorithm=algorithm).fit(X, y)
    assert len(clf.rounds_) == 0
    assert verify(clf, X, y).ok
    clf._model = replace(clf._model, start=clf._model.start + 0.5)
    assert places(verify(clf, X, y)) == {"start"}
