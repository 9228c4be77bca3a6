"""The facts for decisions are those that scikit-learn computes from the predictions."""

import hashlib
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    log_loss,
    roc_auc_score,
)

import polytomy
from polytomy import DensityTree, ParameterError, TableError, TreeClassifier, TreeRegressor
from polytomy.evaluate import drift as drift_of
from polytomy.report.facts.decision.curves import _shortest
from polytomy.report.facts.decision.groups import MISSING, OTHERS, grouping
from tests.report.decision_cases import HOSTILE, case, facts_of
from tests.report.tree_facts_schema import check_facts

NAMES = ["tree", "boosted", "forest", "three"]


@pytest.mark.parametrize("name", NAMES)
def test_curves_are_those_of_the_probabilities(name):
    c, facts = case(name), facts_of(name)["decision"]
    shares = c.clf.predict_proba(c.X_test)
    assert (facts["rows"], facts["n"]) == ("test", 300)
    assert facts["error"] == pytest.approx(np.mean(c.clf.predict(c.X_test) != c.y_test), abs=1e-5)
    assert facts["log_loss"] == pytest.approx(log_loss(c.y_test, shares), rel=1e-4)
    if name != "three":
        brier = brier_score_loss(c.y_test == "yes", shares[:, 1])
        assert facts["brier"] == pytest.approx(brier, rel=1e-4)
    assert [one["class"] for one in facts["classes"]] == ([0, 1, 2] if name == "three" else [1, 0])
    for one in facts["classes"]:
        truth, score = c.y_test == c.clf.classes_[one["class"]], shares[:, one["class"]]
        assert one["auc"][0] == pytest.approx(roc_auc_score(truth, score), abs=1e-5)
        average = average_precision_score(truth, score)
        assert one["average_precision"] == pytest.approx(average, abs=1e-5)
        for i in range(1, len(one["threshold"])):
            matrix = confusion_matrix(truth, score >= one["threshold"][i])
            assert [one["wrong"][i], one["right"][i]] == matrix[:, 1].tolist()
        own = confusion_matrix(truth, score > 0.5)[:, 1].tolist()
        assert [one["wrong"][one["own"]], one["right"][one["own"]]] == own
        assert (one["right"][0], one["wrong"][0]) == (0, 0)
        weights = np.array(one["calibration"]["weight"])
        mean = np.average(one["calibration"]["observed"], weights=weights)
        assert mean == pytest.approx(truth.mean(), abs=1e-5)
        assert weights.sum() == 300


def test_rows_are_test_rows_training_rows_or_out_of_bag():
    c = case("tree")
    assert c.clf.report_facts(c.X, c.y)["decision"]["rows"] == "training"
    assert "decision" not in c.clf.report_facts()
    assert "overview" not in c.clf.report_facts()
    forest = case("forest").clf
    facts = forest.report_facts(c.X, c.y)["decision"]
    assert facts["rows"] == "out-of-bag"
    known = ~np.isnan(forest.oob_decision_function_[:, 1])
    area = roc_auc_score(c.y[known] == "yes", forest.oob_decision_function_[known, 1])
    assert facts["classes"][0]["auc"][0] == pytest.approx(area, abs=1e-5)


def test_weights_count_but_class_weights_do_not():
    c = case("tree")
    weights = np.arange(300) % 3
    clf = TreeClassifier(max_leaves=5, class_weight={"yes": 5, "no": 1}).fit(c.X, c.y)
    facts = clf.report_facts(c.X, c.y, c.X_test, c.y_test, sample_weight_test=weights)["decision"]
    score = clf.predict_proba(c.X_test)[:, 1]
    area = roc_auc_score(c.y_test == "yes", score, sample_weight=weights)
    assert facts["classes"][0]["auc"][0] == pytest.approx(area, abs=1e-5)
    assert facts["weighted"] is True
    own = clf.report_facts(c.X, c.y)["decision"]
    assert own["weighted"] is False
    assert own["classes"][0]["right"][-1] == (c.y == "yes").sum()


@pytest.mark.parametrize("name", NAMES)
def test_groups_have_the_rates_of_their_rows(name):
    c, facts = case(name), facts_of(name)["groups"]
    assert facts["name"] == "segment"
    assert {one["name"] for one in facts["groups"]} == {"a", "b", HOSTILE, " ", MISSING}
    said, group = c.clf.predict(c.X_test), c.group.fillna(MISSING).to_numpy()
    for i, one in enumerate(facts["groups"]):
        held = group == one["name"]
        actual, predicted = c.y_test.to_numpy()[held], said[held]
        assert one["rows"] == held.sum()
        assert one["error"][0] == pytest.approx((actual != predicted).mean(), abs=1e-5)
        for rates in facts["classes"]:
            k = c.clf.classes_[rates["class"]]
            expected = {
                "base": actual == k,
                "selected": predicted == k,
                "false_positive": predicted[actual != k] == k,
                "false_negative": predicted[actual == k] != k,
            }
            for key, hits in expected.items():
                if len(hits) == 0:
                    assert rates[key][i] is None
                    continue
                value, low, high, rows = rates[key][i]
                assert value == pytest.approx(hits.mean(), abs=1e-5)
                assert low <= value <= high
                assert rows == len(hits)


def test_group_is_a_column_of_the_rows_or_an_array():
    c = case("tree")
    rows = c.X, c.y, c.X_test, c.y_test
    by_name = c.clf.report_facts(*rows, group="region")["groups"]
    assert [one["name"] for one in by_name["groups"]] == ["East", "North", "South"]
    frames = [frame.assign(team="t") for frame in (c.X, c.X_test)]
    more = c.clf.report_facts(frames[0], c.y, frames[1], c.y_test, group="team")["groups"]
    assert [one["name"] for one in more["groups"]] == ["t"]
    new = c.X_test.assign(region="West")
    facts = c.clf.report_facts(c.X, c.y, new, c.y_test, group="region")
    assert facts["groups"]["groups"][0]["unseen"] is True
    check_facts(facts)
    ages = c.clf.report_facts(*rows, group="age")["groups"]["groups"]
    assert len(ages) == 5
    assert sum(one["rows"] for one in ages) == 300


def test_lazy_tables_have_groups_and_drift(tmp_path):
    c = case("tree")
    path = tmp_path / "rows.csv"
    c.X_test.assign(bought=c.y_test, team=c.group.fillna("")).to_csv(path, index=False)
    rows = polytomy.scan(path, target="bought")
    facts = c.clf.report_facts(X_test=rows, group="team", drift=polytomy.scan(path))
    expected = {one["name"]: one["error"] for one in facts_of("tree")["groups"]["groups"]}
    found = {one["name"]: one["error"] for one in facts["groups"]["groups"]}
    assert found["a"] == expected["a"]
    assert facts["drift"]["new_rows"] == 300
    check_facts(facts)


@pytest.mark.parametrize(
    ("group", "message"),
    [("regoin", "did you mean 'region'"), ([1, 2], "one cell for each of the 300 rows")],
)
def test_bad_groups_are_refused(group, message):
    c = case("tree")
    with pytest.raises(ParameterError, match=message):
        c.clf.report_facts(c.X, c.y, c.X_test, c.y_test, group=group)


def test_groups_and_drift_need_rows_and_a_target():
    c = case("tree")
    with pytest.raises(ParameterError, match="needs rows"):
        c.clf.report_facts(group="region")
    number = TreeRegressor(max_leaves=3).fit(c.X[["age"]], c.X["age"])
    with pytest.raises(ParameterError, match="for classifiers"):
        number.report_facts(c.X[["age"]], c.X["age"], group=c.y)
    with pytest.raises(ParameterError, match="with a target"):
        DensityTree(max_leaves=2).fit(c.X[["age"]]).report_facts(drift=c.X[["age"]])
    with pytest.raises(ParameterError, match="needs rows"):
        case("boosted").clf.report_facts(drift=c.X)
    with pytest.raises(TableError, match="empty"):
        c.clf.report_facts(drift=c.X[:0])


def test_many_groups_are_joined():
    cells = np.array([f"g{i % 50:02}" for i in range(500)] + [None] * 7, dtype=object)
    found = grouping("g", cells)
    assert len(found.labels) == 31
    assert found.labels[-2:] == [OTHERS, MISSING]
    assert np.bincount(found.numbers).tolist() == [10] * 29 + [210, 7]
    assert grouping("n", np.array([2.0, 3.0, np.nan])).labels == ["2", "3", MISSING]
    assert grouping("t", np.array([True, False])).labels == ["False", "True"]
    ends = np.array([0] * 20 + [16] * 20 + list(range(1, 15)))
    assert grouping("ends", ends).labels[:2] == ["0", "1 to 2"]


def test_drift_compares_leaves_columns_and_predictions():
    c, facts = case("tree"), facts_of("tree")
    tree = c.clf._model.kept
    leaves = tree.leaves()
    before = np.array([(tree.rows[leaf]) for leaf in leaves])
    assert facts["drift"]["cells"]["nodes"] == leaves.tolist()
    shares = np.array(facts["drift"]["cells"]["reference"])
    np.testing.assert_allclose(shares, before / before.sum(), atol=1e-5)
    new = np.array(facts["drift"]["cells"]["new"])
    assert new.sum() == pytest.approx(1, abs=1e-4)
    expected = drift_of(before, np.rint(new * 300)).psi
    assert facts["drift"]["psi"][0] == pytest.approx(expected, rel=1e-3)
    columns = {facts["columns"][one["column"]]["name"]: one for one in facts["overview"]["columns"]}
    assert columns["age"]["drift"]["psi"][0] > 0.2
    assert columns["region"]["drift"]["p"] > 0.001
    assert sum(columns["age"]["weights"]) == 600
    assert sum(columns["age"]["new"]) == 300
    for name in ("boosted", "three", "forest"):
        other = facts_of(name)["drift"]
        assert other["new_rows"] == 300
        assert other["psi"][0] > 0.02
    same = c.clf.report_facts(drift=c.X)["drift"]
    assert same["psi"][0] == pytest.approx(0, abs=1e-9)


def test_drift_takes_new_categories_and_missing_cells():
    c = case("tree")
    odd = c.new.assign(region="Moon", age=np.nan)
    facts = c.clf.report_facts(c.X, c.y, drift=odd)
    check_facts(facts)
    assert facts["drift"]["psi"][0] > 0.1


def test_overview_counts_missing_cells_and_ranges():
    c, facts = case("tree"), facts_of("tree")
    columns = {facts["columns"][one["column"]]["name"]: one for one in facts["overview"]["columns"]}
    assert columns["income"]["missing"] == pytest.approx(c.X["income"].isna().mean(), abs=1e-5)
    assert [float(x) for x in columns["age"]["ends"]][::2] == [c.X["age"].min(), c.X["age"].max()]
    assert columns["region"]["distinct"] == 3
    assert sum(columns["income"]["weights"]) == 600


def test_card_has_the_hash_of_the_model_file(tmp_path):
    c = case("tree")
    c.clf.save(tmp_path / "m.json")
    card = c.clf.report_facts()["card"]
    digest = hashlib.sha256((tmp_path / "m.json").read_bytes()).hexdigest()
    assert card["fingerprints"] == [["Model file (SHA-256)", digest]]
    assert card["changed"] == [["max_leaves", "7"]]
    assert ["Training rows", "600"] in card["figures"]


def test_card_has_what_the_model_remembers(monkeypatch):
    clf = case("tree").clf
    made = {"time": "2026-01-02T03:04:05Z", "version": "0.1.0", "fingerprint": "ab" * 16}
    record = SimpleNamespace(target="bought", test_fraction=0.25, seed=3, **made)
    monkeypatch.setattr("polytomy.estimators.reading.decisions.record_of", lambda model: record)
    card = clf.report_facts()["card"]
    assert ["Training table", "ab" * 16] in card["fingerprints"]
    assert ["Target", "bought"] in card["figures"]
    assert ["Rows held out", "0.25 of the table, seed 3"] in card["figures"]
    assert ["Fitted", "2026-01-02T03:04:05Z by polytomy 0.1.0"] in card["figures"]


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.ones((4, 2)), ["a", "b", "a", "b"]),
        (np.array([[np.nan], [np.nan]]), ["a", "b"]),
        (np.array([[1.0], [np.inf], [-np.inf]]), ["a", "a", "b"]),
        (np.array([[1e300], [-1e300], [0.0]]), ["a", "b", "c"]),
        (pd.DataFrame({"x": ["u", None, "v"]}), ["a", "a", "a"]),
    ],
)
def test_facts_of_awkward_tables_have_their_schema(X, y):
    facts = TreeClassifier().fit(X, y).report_facts(X, y, group=y, drift=X)
    check_facts(facts)


def test_short_thresholds_separate_scores():
    random = np.random.default_rng(0)
    for low, high in np.sort(random.random((200, 2)), axis=1):
        assert low < _shortest(high, low) <= high
    assert _shortest(0.0, -np.inf) == 0


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_decisions_begin_with_the_costs_of_the_model_and_count_rows(class_weight):
    X, y = load_breast_cancer(return_X_y=True)
    costs = [[0, 10], [1, 0]]
    clf = TreeClassifier(6, cost_matrix=costs, class_weight=class_weight, honest=False).fit(X, y)
    facts = clf.report_facts(X, y)["decision"]
    assert (facts["costs"], facts["weighted"]) == (costs, False)
    predicted = (clf.predict_proba(X)[:, 0] < 1 / 11).astype(int)
    assert class_weight is not None or np.array_equal(predicted, clf.predict(X))
    for one in facts["classes"]:
        k, own = one["class"], one["own"]
        assert one["own_share"] == pytest.approx([1 / 11, 10 / 11][k], abs=1e-5)
        assert (one["right"][-1], one["wrong"][-1]) == (np.sum(y == k), np.sum(y != k))
        assert one["right"][own] == np.sum((y == k) & (predicted == k))
        assert one["wrong"][own] == np.sum((y != k) & (predicted == k))
    three = TreeClassifier(6, cost_matrix=[[0, 1, 2], [3, 0, 1], [1, 1, 0]])
    iris = load_iris(return_X_y=True)
    facts = three.fit(*iris).report_facts(*iris)["decision"]
    assert ("costs" in facts, {one["own_share"] for one in facts["classes"]}) == (False, {0.5})
