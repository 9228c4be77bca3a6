"""The facts of a report on boosted trees say what the model says, and are plain data."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import polytomy
from polytomy import BoostedTreeClassifier, ParameterError
from polytomy._errors import TargetError
from polytomy.data import load_cars
from polytomy.report import boosted_rounds, boosted_scores
from polytomy.report.boosted_rounds import rounds_facts
from polytomy.report.boosted_scores import scores_facts
from tests.ensemble.making import random_ensemble


@pytest.fixture(scope="module")
def cars():
    """Cars with a column of every kind, and missing cells."""
    columns, origin = load_cars()
    names = columns.pop("name")
    frame = pd.DataFrame(columns)
    frame["letter"] = [name.split()[0][-1] for name in names]
    frame["seen"] = pd.Timestamp("1970-06-01") + pd.to_timedelta(np.arange(len(frame)) * 7, "h")
    sizes = ["small", "middle", "big", "huge"]
    place = np.digitize(frame["weight"], [2200, 2800, 3600])
    frame["size"] = pd.Categorical.from_codes(place, sizes, ordered=True)
    frame.loc[::17, "horsepower"] = np.nan
    frame.loc[::13, "letter"] = None
    return frame.drop(columns="weight"), pd.Series(origin, name="origin")


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, pd.Series(np.array(["bad", "good"])[y], name="kind")


def code_of(column, cell):
    """Return a cell as score functions are asked: (value, missing, unseen)."""
    if pd.isna(cell):
        return None, True, False
    names = column.get("categories") or column.get("labels")
    if names is not None:
        return (names.index(cell), False, False) if cell in names else (None, False, True)
    if column["kind"] == "times":
        return int(np.datetime64(cell, column["dtype"][11:-1]).astype(np.int64)), False, False
    return float(cell), False, False


def added_up(facts, row):
    """Return the votes of a row from the facts alone, as the page adds them up."""
    votes = np.array(facts["scores"]["start"])
    for function in facts["scores"]["functions"]:
        column = facts["columns"][function["column"]]
        value, missing, unseen = code_of(column, row[column["name"]])
        if missing or unseen:
            votes = votes + function["missing" if missing else "unseen"]
        elif "place" in function:
            votes = votes + function["scores"][function["place"][value]]
        else:
            cuts = [float(t) for t in function["thresholds"]]
            votes = votes + function["scores"][int(np.searchsorted(cuts, value))]
    return votes


def test_they_are_plain_data(cars):
    X, y = cars
    facts = BoostedTreeClassifier(20, max_leaves=4, max_depth=1).fit(X, y).report_facts(X, y, X, y)
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert (facts["kind"], facts["format"], facts["version"]) == (
        "boosted",
        1,
        polytomy.__version__,
    )
    assert (facts["title"], facts["target"]) == ("Boosted trees for origin", "origin")
    assert facts["classes"] == ["Europe", "Japan", "USA"]
    kinds = {c["name"]: c["kind"] for c in facts["columns"]}
    assert kinds["letter"] == "categories"
    assert kinds["seen"] == "times"
    assert kinds["size"] == "labels"
    assert kinds["mpg"] == "numbers"


@pytest.mark.parametrize("max_leaves", [2, 6])
@pytest.mark.parametrize("algorithm", ["adaboost-mh", "samme", "logitboost"])
def test_scores_add_up_to_the_votes(cars, algorithm, max_leaves):
    X, y = cars
    clf = BoostedTreeClassifier(
        40, algorithm=algorithm, max_leaves=max_leaves, max_depth=1, learning_rate=0.5
    ).fit(X[::2], y[::2])
    facts = json.loads(json.dumps(clf.report_facts()))
    voted = clf.decision_function(X)
    for i, (_, row) in enumerate(X.iterrows()):
        np.testing.assert_array_equal(added_up(facts, row), voted[i])


def test_two_classes_have_one_vote(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(60).fit(X, y)
    facts = clf.report_facts(X, y)
    voted = clf.decision_function(X)
    for i in range(0, len(X), 7):
        assert added_up(facts, X.iloc[i]) == [voted[i]]
    spreads = [f["spread"] for f in facts["scores"]["functions"]]
    assert spreads == sorted(spreads, reverse=True)
    assert facts["votes"]["link"] == "one"
    assert "above 0 are for good" in facts["votes"]["wins"]


def test_every_range_is_in_words(cars):
    X, y = cars
    facts = BoostedTreeClassifier(60, max_leaves=3, max_depth=1).fit(X, y).report_facts()
    for function in facts["scores"]["functions"]:
        name = facts["columns"][function["column"]]["name"]
        assert len(function["words"]) == len(function["scores"])
        assert all(name in words for words in function["words"])
        assert "joined" not in function
        if "place" in function:
            assert sorted(set(function["place"])) == list(range(len(function["words"])))
        else:
            assert len(function["thresholds"]) == len(function["words"]) - 1


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("seed", range(20))
def test_any_stumps_are_told_exactly(seed, n_outputs):
    ensemble = random_ensemble(np.random.default_rng(seed), n_outputs=n_outputs, own=True)
    facts = scores_facts(ensemble, ensemble.additive)
    json.dumps(facts, allow_nan=False)
    told = {f["column"]: f for f in facts["functions"]}
    for function in ensemble.additive.functions:
        one = told[function.feature]
        assert one["missing"] == function.missing.tolist()
        assert one["unseen"] == function.unseen.tolist()
        if function.thresholds is None:
            assert [one["scores"][at] for at in one["place"]] == function.scores.tolist()
            continue
        column = ensemble.schema[function.feature]
        asked = [0, 1, 2] if column.name == "size" else [*function.thresholds, np.inf]
        exact = function.scores[np.searchsorted(function.thresholds, asked)]
        at = np.searchsorted([float(t) for t in one["thresholds"]], asked)
        assert np.array(one["scores"])[at].tolist() == exact.tolist()
    for one, member in zip(facts["own"], ensemble.additive.own, strict=True):
        assert one["asks"] == "is number even?"
        assert one["scores"] == member.scores[member.tree.children(0)].tolist()


def test_above_the_budget_neighbours_are_joined(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(400, learning_rate=0.3).fit(X, y)
    ensemble = clf.ensemble_
    whole = scores_facts(ensemble, ensemble.additive)["functions"]
    joined = scores_facts(ensemble, ensemble.additive, budget=10)["functions"]
    assert max(len(f["scores"]) for f in whole) > 8
    for exact, rough in zip(whole, joined, strict=True):
        assert len(rough["scores"]) <= 8
        assert rough.get("joined", False) == (len(exact["scores"]) > 8)
        at = [*exact["thresholds"], np.inf]
        there = np.searchsorted(rough["thresholds"], at)
        off = np.abs(np.array(rough["scores"])[there] - exact["scores"]).max()
        assert off <= rough.get("off", 0.0) * (1 + 1e-9)


def test_many_categories_are_joined(monkeypatch):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"word": [f"w{i % 60}" for i in range(600)], "x": rng.normal(size=600)})
    y = (np.arange(600) % 60 % 7 + X["x"] > 3).astype(int)
    clf = BoostedTreeClassifier(80, max_leaves=8, max_depth=1).fit(X, y)
    monkeypatch.setattr(boosted_scores, "BUDGET", 10)
    ensemble = clf.ensemble_
    facts = scores_facts(ensemble, ensemble.additive, budget=10)
    function = next(f for f in facts["functions"] if "place" in f)
    assert function["joined"]
    exact = ensemble.additive.functions[0]
    assert exact.feature == function["column"] == 0
    rough = np.array(function["scores"])[function["place"]]
    assert np.abs(rough - exact.scores).max() <= function["off"] * (1 + 1e-9)


def test_rounds_are_the_record(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(30, algorithm="adaboost").fit(X[:400], y[:400])
    rounds = clf.report_facts(X[:400], y[:400], X[400:], y[400:])["rounds"]
    assert rounds["round"] == list(range(1, 31))
    for name in ("epsilon", "alpha", "z", "training_error", "bound", "exponential_bound"):
        np.testing.assert_allclose(rounds[name], clf.rounds_[name], rtol=1e-9)
    assert "validation_error" not in rounds
    staged = [1 - s for s in clf.staged_score(X[400:], y[400:])]
    np.testing.assert_allclose(rounds["test_error"], staged, atol=1e-9)


def test_rounds_of_several_trees_are_one_round_each(cars):
    X, y = cars
    clf = BoostedTreeClassifier(7, algorithm="logitboost").fit(X[::2], y[::2])
    facts = clf.report_facts(X[::2], y[::2], X[1::2], y[1::2])
    assert facts["summary"]["trees"] == 21
    staged = [1 - s for s in clf.staged_score(X[1::2], y[1::2])]
    np.testing.assert_allclose(facts["rounds"]["test_error"], staged, atol=1e-9)
    assert [m["rounds"] for m in facts["margins"]] == [5, 7, 5, 7]


def test_many_rounds_are_thinned(tumours, monkeypatch):
    X, y = tumours
    clf = BoostedTreeClassifier(60).fit(X, y)
    monkeypatch.setattr(boosted_rounds, "MOST_ROUNDS", 50)
    monkeypatch.setattr(boosted_rounds, "_KEPT", 10)
    facts = rounds_facts(clf.rounds_, 43, None)
    assert facts["total"] == 60
    assert {1, 43, 60} <= set(facts["round"])
    assert len(facts["round"]) <= 11
    kept = np.array(facts["round"]) - 1
    np.testing.assert_allclose(facts["bound"], clf.rounds_.bound[kept], rtol=1e-9)


def test_early_stopping_marks_the_rounds_that_vote(tumours):
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


def test_margins_are_the_distribution_of_margins(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(150).fit(X[:400], y[:400])
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
    early = BoostedTreeClassifier(25).fit(X[:400], y[:400]).margins(X[400:], y[400:])
    assert curves[5]["least"] == pytest.approx(early.min())


def test_confusion_and_errors(cars):
    X, y = cars
    clf = BoostedTreeClassifier(8).fit(X[::2], y[::2])
    facts = clf.report_facts(X[::2], y[::2], X[1::2], y[1::2])
    wanted = pd.crosstab(y[1::2], clf.predict(X[1::2])).to_numpy()
    np.testing.assert_array_equal(facts["confusion"]["test"], wanted)
    assert facts["summary"]["test_rows_error"] == pytest.approx(1 - clf.score(X[1::2], y[1::2]))
    assert facts["summary"]["train_error"] == facts["summary"]["train_rows_error"]
    assert "rows_note" not in facts


def test_weights_count(cars):
    X, y = cars
    weight = np.arange(len(y)) % 4
    clf = BoostedTreeClassifier(6).fit(X, y, sample_weight=weight)
    facts = clf.report_facts(X, y, sample_weight=weight)
    assert facts["weighted"]
    assert "rows_note" not in facts
    assert np.sum(facts["confusion"]["training"]) == weight.sum()
    assert facts["summary"]["train_rows"] == (weight > 0).sum()
    assert facts["margins"][-1]["negative"] <= facts["summary"]["train_error"] + 1e-9
    other = clf.report_facts(X, y)
    assert not other["weighted"]
    assert "with other weights" in other["rows_note"]


def test_class_weights_are_those_of_fitting(cars):
    X, y = cars
    clf = BoostedTreeClassifier(5, class_weight="balanced").fit(X, y)
    assert "rows_note" not in clf.report_facts(X, y)


def test_deeper_trees_are_told_by_what_they_ask(cars):
    X, y = cars
    clf = BoostedTreeClassifier(12, max_leaves=5).fit(X, y)
    facts = clf.report_facts()
    assert "scores" not in facts
    assert "12 trees of 5 leaves" in facts["members"][0]
    asked = sum(c["questions"] for c in facts["columns"])
    assert asked == sum((m.tree.feature >= 0).sum() for m in clf.ensemble_.members)
    shares = [c["importance"] for c in facts["columns"]]
    np.testing.assert_allclose(shares, clf.feature_importances_, rtol=1e-9)


@pytest.mark.parametrize(
    "algorithm", ["adaboost", "adaboost-real", "adaboost-mh", "samme", "logitboost"]
)
def test_the_certificate(algorithm):
    load = load_breast_cancer if algorithm.startswith("adaboost") else load_wine
    X, y = load(return_X_y=True)
    clf = BoostedTreeClassifier(6, algorithm=algorithm).fit(X, y)
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


def test_a_model_that_was_saved_tells_the_same(cars, tmp_path):
    X, y = cars
    clf = BoostedTreeClassifier(9, max_leaves=3, max_depth=1).fit(X, y)
    clf.save(tmp_path / "m.json")
    again = polytomy.load(tmp_path / "m.json").report_facts(X, y, X[:50], y[:50])
    assert again == clf.report_facts(X, y, X[:50], y[:50])


def test_infinite_cells_and_constant_columns():
    x = np.array([-np.inf, -1.0, 0.0, 1.0, np.inf, np.inf, -np.inf, 2.0])
    X = np.column_stack([x, np.ones(8), np.full(8, np.nan)])
    y = np.array([0, 1, 0, 1, 0, 0, 0, 1])
    clf = BoostedTreeClassifier(20, max_leaves=4, max_depth=1, max_bins=8).fit(X, y)
    facts = json.loads(json.dumps(clf.report_facts(X, y), allow_nan=False))
    rows = [dict(zip(("x0", "x1", "x2"), row, strict=True)) for row in X.tolist()]
    assert [added_up(facts, row)[0] for row in rows] == clf.decision_function(X).tolist()


def test_a_model_without_rounds(tmp_path):
    X, y = np.ones((20, 2)), np.arange(20) % 2
    with pytest.warns(UserWarning, match="nothing to boost"):
        clf = BoostedTreeClassifier(5).fit(X, y)
    facts = json.loads(json.dumps(clf.report_facts(X, y, X, y), allow_nan=False))
    assert facts["summary"]["rounds"] == clf.n_rounds_
    assert facts["scores"]["functions"] == []
    clf.report(tmp_path / "page.html", X, y)


def test_names_are_kept_to_one_line():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = ["a\nb", "</script>", "c", "d"]
    facts = BoostedTreeClassifier(3).fit(X, y).report_facts(title="one\ntwo")
    assert facts["columns"][0]["name"] == "a\\nb"
    assert facts["title"] == "one\\ntwo"


def test_what_is_refused(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(3).fit(X, y)
    with pytest.raises(ParameterError, match="pass X and y together"):
        clf.report_facts(X)
    with pytest.raises(ParameterError, match="pass X_test and y_test together"):
        clf.report_facts(y_test=y)
    with pytest.raises(ParameterError, match="title must be text"):
        clf.report_facts(title=3)
    with pytest.raises(TargetError, match=r"was not fitted on: \['ugly'\]"):
        clf.report_facts(X, y.replace("bad", "ugly"))
    with pytest.raises(ValueError, match="not fitted"):
        BoostedTreeClassifier().report_facts()
