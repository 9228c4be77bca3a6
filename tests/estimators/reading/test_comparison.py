"""``polytomy.compare``: two models on the same rows."""

from dataclasses import replace

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


@pytest.fixture(scope="module")
def costly():
    """Return a tree that was fitted with costs, one without, and rows."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "sick", 1: "well"})
    costs = {("sick", "well"): 20}
    a = TreeClassifier(max_leaves=4, cost_matrix=costs).fit(X[::2], y[::2])
    b = TreeClassifier(max_leaves=8).fit(X[::2], y[::2])
    return a, b, X[1::2], y[1::2]


def cost_of_rows(y, said):
    return np.where(said == y, 0, np.where(y == "sick", 20, 1))


def test_comparison_by_cost_uses_a_paired_test(costly):
    a, _, X, y = costly
    other = TreeClassifier(max_leaves=2, cost_matrix=[[0, 20], [1, 0]]).fit(X, y)
    found = polytomy.compare(a, other, X, y)  # the same costs, stated in another way
    first, second = (cost_of_rows(y, m.predict(X)) for m in (a, other))
    cost = found.measures["cost"]
    assert (cost.a, cost.b) == pytest.approx((first.mean(), second.mean()))
    assert (cost.a, cost.b) == pytest.approx((a.cost(X, y), other.cost(X, y)))
    assert cost.p_value == pytest.approx(ttest_rel(first, second).pvalue)
    assert list(found.measures) == ["cost", "error", "log loss"]
    assert (found.notes, found.predicted_a.tolist()) == ([], a.predict(X).tolist())
    weights = np.arange(len(y)) % 3
    weighted = polytomy.compare(a, other, X, y, sample_weight=weights).measures["cost"]
    assert weighted.a == pytest.approx(a.cost(X, y, weights))


def test_comparison_by_given_costs_lets_other_models_predict_by_them(costly):
    a, b, X, y = costly
    costs = {("sick", "well"): 20}
    peer = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X, y)
    found = polytomy.compare(a, b, X, y, cost_matrix=costs)
    assert found.predicted_b.tolist() == b.predict_by_cost(X, costs).tolist()
    assert found.measures["cost"].b == cost_of_rows(y, found.predicted_b).mean()
    assert found.measures["error"].b == (found.predicted_b != y).mean()
    assert found.notes == [
        "b was fitted without costs: the predictions are the classes of least expected cost by its "
        "probabilities."
    ]
    found = polytomy.compare(peer, b, X, y, cost_matrix=costs)
    shares = peer.predict_proba(X)
    assert (
        found.predicted_a.tolist()
        == np.where(20 * shares[:, 0] < shares[:, 1], "well", "sick").tolist()
    )
    assert found.notes[0].startswith("a and b were fitted without costs")
    with pytest.raises(ParameterError, match="names a class"):
        polytomy.compare(a, b, X, y, cost_matrix={("sick", "ill"): 2})


def test_comparison_says_if_the_costs_of_models_differ(costly):
    a, b, X, y = costly
    other = TreeClassifier(max_leaves=2, cost_matrix={("sick", "well"): 3}).fit(X, y)
    found = polytomy.compare(a, other, X, y)
    assert found.notes == [
        "The models were fitted with different costs; state the costs to compare by them."
    ]
    assert "cost" not in found.measures
    found = polytomy.compare(b, a, X, y)
    assert found.notes == ["Only b was fitted with costs; state the costs to compare by them."]
    assert found.notes[0] in repr(found)


def test_verdict_begins_with_the_cost(costly):
    a, _, X, y = costly
    worse = TreeClassifier(max_leaves=1, cost_matrix={("well", "sick"): 20}).fit(X, y)
    found = polytomy.compare(a, worse, X, y, cost_matrix={("sick", "well"): 20})
    assert found.verdict.startswith("a has the lower cost (p < 0.0001); ")
    unclear = replace(found.measures["cost"], p_value=0.4)
    found = replace(found, measures=found.measures | {"cost": unclear})
    assert found.verdict.startswith("No difference in cost (p = 0.4000); a has the lower error")
    assert polytomy.compare(a, a, X, y).verdict.startswith("These rows show no difference")


def test_comparison_by_cost_knows_classes_that_a_model_does_not(costly):
    a, _, X, y = costly
    three = y.to_numpy().astype("U9")
    three[::9] = "unsure"
    b = TreeClassifier(4, cost_matrix={("sick", "well"): 20, ("unsure", "well"): 5}).fit(X, three)
    found = polytomy.compare(a, b, X, three)
    n = int((three == "unsure").sum())
    assert found.notes == [
        f"Caution: a does not know class 'unsure', which {n} rows have: it is wrong on them, and "
        "its log loss is large."
    ]
    said = a.predict(X)
    costs = np.where(said == three, 0, np.where(three == "sick", 20, 1)).astype(float)
    costs[(three == "unsure") & (said == "well")] = 5
    costs[(three == "sick") & (said == "unsure")] = 1
    assert found.measures["cost"].a == pytest.approx(costs.mean())
    assert "0e+00" not in repr(found)


def test_comparison_of_numbers_has_no_costs():
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    model = polytomy.TreeRegressor(2).fit(X, y)
    with pytest.raises(ParameterError, match="these models predict numbers"):
        polytomy.compare(model, model, X, y, cost_matrix={(0, 1): 2})
