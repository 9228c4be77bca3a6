"""Explanations follow a row's path."""

import numpy as np
import pandas as pd

from polytomy import TreeClassifier


def test_explanation_follows_the_path(fitted):
    clf, X, _ = fitted
    for i in (0, 5, 11):
        explanation = clf.explain(X.iloc[[i]])
        assert explanation.leaf == clf.apply(X.iloc[[i]])[0]
        assert [s.node for s in explanation.steps] == clf.tree_.path(explanation.leaf)[:-1]
        forecast, held = str(explanation).splitlines()[len(explanation.steps) :][:2]
        assert forecast == f"=> {explanation.prediction} of new rows"
        trained = f"{explanation.prediction.training:.0%} of {explanation.rows} rows: "
        assert held.startswith(f"   in training {trained}")
        assert sum(explanation.weights.values()) == explanation.rows
        assert str(clf.explain(X.iloc[i].to_dict())) == str(explanation)
    unknown = str(clf.explain(X[X["price"].isna()].iloc[[0]]))
    assert "price is missing" in unknown or "price" not in unknown


def test_explanation_shows_every_digit():
    days = np.arange(20240101, 20240131)[:, None]
    clf = TreeClassifier().fit(days, np.arange(30) > 3)
    assert "x0 is 20240104, so x0 <= 20240104" in str(clf.explain([20240104]))
    assert "x0 is 20240105, so x0 > 20240104" in str(clf.explain([20240105]))


def test_explanation_accepts_rows_of_text_and_numbers():
    clf = TreeClassifier(procedure="per-leaf", honest=False)
    clf.fit(pd.DataFrame({"a": [1, 2.0], "b": ["x", "y"]}), [0, 1])
    assert "a is 1" in str(clf.explain({"a": 1, "b": "x"}))
    assert str(clf.explain({"a": None, "b": "x"})).count("\n") == 1
