"""``polytomy.compare``: two models on the same rows."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, ttest_rel
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier

import polytomy
from polytomy import BoostedTreeClassifier, ParameterError, TableError, TreeClassifier


@pytest.fixture(scope="module")
def models():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "bad", 1: "good"})
    a = TreeClassifier(max_leaves=3).fit(X.iloc[::2, :20], y[::2])
    b = BoostedTreeClassifier(20).fit(X.iloc[::2, 5:], y[::2])
    return a, b, X[1::2], y[1::2]


def test_comparison_of_models_with_different_columns(models):
    a, b, X, y = models
    found = polytomy.compare(a, b, X, y)
    said = a.predict(X.iloc[:, :20]), b.predict(X.iloc[:, 5:])
    wrong = [p != y.to_numpy() for p in said]
    only = int((wrong[0] & ~wrong[1]).sum()), int((wrong[1] & ~wrong[0]).sum())
    error = found.measures["error"]
    assert (error.a, error.b) == pytest.approx((wrong[0].mean(), wrong[1].mean()))
    assert error.p_value == pytest.approx(binomtest(only[0], sum(only)).pvalue)
    shares = a.predict_proba(X.iloc[:, :20]), b.predict_proba(X.iloc[:, 5:])
    loss = found.measures["log loss"]
    assert (loss.a, loss.b) == pytest.approx(tuple(log_loss(y, p) for p in shares))
    assert found.disagreements.tolist() == np.flatnonzero(said[0] != said[1]).tolist()
    assert found.counts["only b right"] == only[0]
    assert sum(found.counts.values()) == len(y)


def test_comparison_counts_disagreements_by_leaf(models):
    a, b, X, y = models
    found = polytomy.compare(a, b, X, y)
    leaf = a.apply(X.iloc[:, :20])
    assert sum(one.rows for one in found.leaves) == len(y)
    counts = [one.disagreements for one in found.leaves]
    assert counts == sorted(counts, reverse=True)
    for one in found.leaves:
        assert one.rows == (leaf == one.leaf).sum()
        assert one.disagreements == (leaf[found.disagreements] == one.leaf).sum()
    assert found.leaves[0].rule in str(a.to_rules())


def test_comparison_is_printed_and_framed(models):
    a, b, X, y = models
    found = polytomy.compare(a, b, X, y, names=("old\n", "new"))
    text = repr(found)
    assert text.startswith("a: old\\n\nb: new\n284 rows\n")
    assert "McNemar's exact test" in text
    assert f"disagree on {len(found.disagreements)} rows" in text
    frame = found.to_frame("pandas")
    assert frame["measure"].tolist() == ["error", "log loss"]
    assert frame["difference"][0] == found.measures["error"].difference
    same = polytomy.compare(a, a, X, y)
    assert "agree on every row" in repr(same)
    assert "no difference" in same.verdict


def test_comparison_takes_other_estimators_and_frames(models):
    a, _, X, y = models
    polars = pytest.importorskip("polars")
    peer = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X.to_numpy()[:90], y[:90])
    rows = X.to_numpy()
    bare = TreeClassifier(max_leaves=3).fit(rows[:90], y[:90])
    assert len(polytomy.compare(peer, bare, rows, y).predicted_a) == len(y)
    frame = polars.from_pandas(X.reset_index(drop=True))
    found = polytomy.compare(a, a, frame, y.to_numpy())
    assert found.measures["error"].difference == 0


def test_comparison_of_regressors_uses_t_tests():
    X, y = load_diabetes(return_X_y=True)
    a = polytomy.TreeRegressor(max_leaves=4).fit(X[:200], y[:200])
    b = LinearRegression().fit(X[:200], y[:200])
    found = polytomy.compare(a, b, X[200:], y[200:])
    far = [(m.predict(X[200:]) - y[200:]) ** 2 for m in (a, b)]
    assert found.measures["squared error"].p_value == pytest.approx(ttest_rel(*far).pvalue)
    assert found.leaves == []
    assert "absolute error" in repr(found)


def test_comparison_weighs_rows(models):
    a, b, X, y = models
    weights = np.arange(len(y)) % 3
    found = polytomy.compare(a, b, X, y, sample_weight=weights)
    wrong = a.predict(X.iloc[:, :20]) != y
    assert found.measures["error"].a == pytest.approx(np.average(wrong, weights=weights))
    assert found.measures["error"].test == "paired t-test"


def test_comparison_counts_unknown_classes_as_wrong(models):
    a, b, X, y = models
    y = y.to_numpy().astype("U9")
    y[:3] = "unknown"
    found = polytomy.compare(a, b, X, y)
    assert found.counts["both wrong"] >= 3
    assert found.measures["log loss"].a > 0.3


def test_comparison_refuses_what_does_not_compare(models):
    a, b, X, y = models
    with pytest.raises(TableError, match="has no columns"):
        polytomy.compare(a, b, X.iloc[:, :3], y)
    with pytest.raises(ParameterError, match="but a predicts"):
        polytomy.compare(a, b, X, np.arange(len(y)) % 2)
    number = polytomy.TreeRegressor(max_leaves=2).fit(X, np.arange(len(y)))
    with pytest.raises(ParameterError, match="compare two alike"):
        polytomy.compare(a, number, X, y)
    with pytest.raises(polytomy.TargetError):
        polytomy.compare(a, b, X, y[:-1])
    assert isinstance(pd.DataFrame(polytomy.compare(a, b, X, y).to_dict()), pd.DataFrame)
