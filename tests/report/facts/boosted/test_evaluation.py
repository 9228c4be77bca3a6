"""Errors, margins and confusion matrices of given rows."""

import numpy as np
import pandas as pd
import pytest

from polytomy import BoostedTreeClassifier


def test_margins_are_the_distribution_of_margins(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(150, algorithm="adaboost-real").fit(X[:400], y[:400])
    curves = clf.report_facts(X[:400], y[:400], X[400:], y[400:])["margins"]
    assert [(c["rows"], c["rounds"]) for c in curves] == [
        (rows, n) for rows in ("training", "test") for n in (5, 25, 100, 150)
    ]
    margins = clf.margins(X[400:], y[400:])
    last = curves[-1]
    assert len(last["at"]) == len(last["share"]) <= 200
    assert last["least"] == pytest.approx(margins.min())
    assert last["negative"] == pytest.approx((margins < 0).mean())
    for at, share in zip(last["at"], last["share"], strict=True):
        assert share == pytest.approx((margins <= at + 1e-5).mean(), abs=1e-4)
    clf = BoostedTreeClassifier(25, algorithm="adaboost-real").fit(X[:400], y[:400])
    early = clf.margins(X[400:], y[400:])
    assert curves[5]["least"] == pytest.approx(early.min())


def test_confusion_matrix_and_errors_are_those_of_the_predictions(cars):
    X, y = cars
    clf = BoostedTreeClassifier(8, max_leaves=2).fit(X[::2], y[::2])
    facts = clf.report_facts(X[::2], y[::2], X[1::2], y[1::2])
    wanted = pd.crosstab(y[1::2], clf.predict(X[1::2])).to_numpy()
    np.testing.assert_array_equal(facts["confusion"]["test"], wanted)
    assert facts["summary"]["test_rows_error"] == pytest.approx(1 - clf.score(X[1::2], y[1::2]))
    assert facts["summary"]["train_error"] == facts["summary"]["train_rows_error"]
    assert "rows_note" not in facts


def test_weights_count_in_errors_and_confusion_matrix(cars):
    X, y = cars
    weight = np.arange(len(y)) % 4
    clf = BoostedTreeClassifier(6, max_leaves=2).fit(X, y, sample_weight=weight)
    facts = clf.report_facts(X, y, sample_weight=weight)
    assert facts["weighted"]
    assert "rows_note" not in facts
    assert np.sum(facts["confusion"]["training"]) == weight.sum()
    assert facts["summary"]["train_rows"] == (weight > 0).sum()
    assert facts["margins"][-1]["negative"] <= facts["summary"]["train_error"] + 1e-9
    other = clf.report_facts(X, y)
    assert not other["weighted"]
    assert "with other weights" in other["rows_note"]


def test_note_respects_class_weights(cars):
    X, y = cars
    clf = BoostedTreeClassifier(5, class_weight="balanced").fit(X, y)
    assert "rows_note" not in clf.report_facts(X, y)
