"""The rounds of boosting and their certificate."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from polytomy import BoostedTreeClassifier
from polytomy.report.facts.boosted import rounds as rounds_module
from polytomy.report.facts.boosted.rounds import rounds_facts


def test_rounds_are_those_of_the_record(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(30, algorithm="adaboost").fit(X[:400], y[:400])
    rounds = clf.report_facts(X[:400], y[:400], X[400:], y[400:])["rounds"]
    assert rounds["round"] == list(range(1, 31))
    for name in ("epsilon", "alpha", "z", "training_error", "bound", "exponential_bound"):
        np.testing.assert_allclose(rounds[name], clf.rounds_[name], rtol=1e-9)
    assert "validation_error" not in rounds
    staged = [1 - s for s in clf.staged_score(X[400:], y[400:])]
    np.testing.assert_allclose(rounds["test_error"], staged, atol=1e-9)


def test_rounds_of_several_trees_count_once(cars):
    X, y = cars
    clf = BoostedTreeClassifier(7, algorithm="logitboost", max_leaves=2).fit(X[::2], y[::2])
    facts = clf.report_facts(X[::2], y[::2], X[1::2], y[1::2])
    assert facts["summary"]["trees"] == 21
    staged = [1 - s for s in clf.staged_score(X[1::2], y[1::2])]
    np.testing.assert_allclose(facts["rounds"]["test_error"], staged, atol=1e-9)
    assert [m["rounds"] for m in facts["margins"]] == [5, 7, 5, 7]


def test_rounds_above_the_limit_are_thinned(tumours, monkeypatch):
    X, y = tumours
    clf = BoostedTreeClassifier(60, max_leaves=2).fit(X, y)
    monkeypatch.setattr(rounds_module, "MOST_ROUNDS", 50)
    monkeypatch.setattr(rounds_module, "_KEPT", 10)
    facts = rounds_facts(clf.rounds_, 43, None)
    assert facts["total"] == 60
    assert {1, 43, 60} <= set(facts["round"])
    assert len(facts["round"]) <= 11
    kept = np.array(facts["round"]) - 1
    np.testing.assert_allclose(facts["bound"], clf.rounds_.bound[kept], rtol=1e-9)


def test_rounds_after_early_stopping_do_not_vote(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(
        200, early_stopping={"fraction": 0.3, "patience": 5}, random_state=1
    ).fit(X, y)
    facts = clf.report_facts(X, y, X, y)
    assert facts["rounds"]["voting"] == facts["summary"]["rounds"] == clf.n_rounds_
    assert facts["rounds"]["total"] == len(clf.rounds_) > clf.n_rounds_
    assert facts["rounds"]["test_error"][clf.n_rounds_ :] == [None] * 5
    np.testing.assert_allclose(
        facts["rounds"]["validation_error"], clf.rounds_.validation_error, rtol=1e-9
    )
    assert "not those the model was fitted on" in facts["rows_note"]


@pytest.mark.parametrize(
    "algorithm", ["adaboost", "adaboost-real", "adaboost-mh", "samme", "logitboost"]
)
def test_certificate_is_that_of_the_model(algorithm):
    load = load_breast_cancer if algorithm.startswith("adaboost") else load_wine
    X, y = load(return_X_y=True)
    clf = BoostedTreeClassifier(6, algorithm=algorithm, max_leaves=2).fit(X, y)
    certificate = clf.report_facts()["certificate"]
    assert certificate["text"] == str(clf.certificate_)
    assert certificate["claim"] == clf.certificate_.claim
    assert certificate["holds"]
    assert certificate["bounded"] == (algorithm != "samme")
    figures = {name: value for name, value, _ in certificate["figures"]}
    assert figures["training error"] == f"{clf.certificate_.training_error:.6g}"
    if certificate["bounded"]:
        assert figures["bound"] == f"{clf.certificate_.bound:.6g}"
    assert certificate["why"]
