"""The score functions of boosted stumps."""

import json

import numpy as np
import pandas as pd
import pytest

from polytomy import BoostedTreeClassifier
from polytomy.report.facts.boosted.scores import score_facts
from tests.ensemble.random_ensembles import random_ensemble


def code_of(column, cell):
    """Return a cell as (value, missing, unseen)."""
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


def test_scores_of_two_classes_have_one_output(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(60, max_leaves=2).fit(X, y)
    facts = clf.report_facts(X, y)
    voted = clf.decision_function(X)
    for i in range(0, len(X), 7):
        assert added_up(facts, X.iloc[i]) == [voted[i]]
    assert facts["votes"]["link"] == "one"
    assert "above 0 predict good" in facts["votes"]["wins"]
    effects = [f["effect"] for f in facts["scores"]["functions"]]
    assert effects == sorted(effects, reverse=True)
    spreads = [f["spread"] for f in clf.report_facts()["scores"]["functions"]]
    assert spreads == sorted(spreads, reverse=True)


def test_effects_and_densities_are_those_of_the_rows(cars):
    X, y = cars
    clf = BoostedTreeClassifier(40, max_depth=1, max_leaves=4).fit(X, y)
    facts = clf.report_facts(X, y)
    for function in facts["scores"]["functions"]:
        column = facts["columns"][function["column"]]
        added, known, missing = [], [], 0
        for cell in X[column["name"]]:
            value, is_missing, unseen = code_of(column, cell)
            assert not unseen
            missing += is_missing
            if is_missing:
                added.append(function["missing"])
                continue
            place = (
                function["place"][value]
                if "place" in function
                else int(np.searchsorted([float(t) for t in function["thresholds"]], value))
            )
            known.append(place if "place" in function else value)
            added.append(function["scores"][place])
        scores = np.array(added)
        effect = np.abs(scores - scores.mean(axis=0)).mean()
        assert function["effect"] == pytest.approx(effect, rel=1e-6)
        assert function.get("missing_share", 0) == pytest.approx(missing / len(X), abs=1e-4)
        if "shares" in function:
            counts = np.bincount(known, minlength=len(function["words"]))
            assert function["shares"] == pytest.approx(counts / len(X), abs=1e-4)
        elif "density" in function:
            counts = np.histogram(known, len(function["density"]), function["axis"])[0]
            assert function["density"] == pytest.approx(counts / len(X), abs=0.01)
            assert sum(function["density"]) == pytest.approx(counts.sum() / len(X), abs=1e-3)


def test_scores_have_a_text_for_every_range(cars):
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
def test_scores_are_exact_for_random_stumps(seed, n_outputs):
    ensemble = random_ensemble(np.random.default_rng(seed), n_outputs=n_outputs, own=True)
    facts = score_facts(ensemble, ensemble.additive)
    json.dumps(facts, allow_nan=False)
    shown = {f["column"]: f for f in facts["functions"]}
    for function in ensemble.additive.functions:
        one = shown[function.feature]
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


def test_scores_above_the_budget_are_joined(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(400, max_leaves=2, learning_rate=0.3).fit(X, y)
    ensemble = clf.ensemble_
    whole = score_facts(ensemble, ensemble.additive)["functions"]
    joined = score_facts(ensemble, ensemble.additive, most=10)["functions"]
    assert max(len(f["scores"]) for f in whole) > 8
    for exact, rough in zip(whole, joined, strict=True):
        assert len(rough["scores"]) <= 8
        assert rough.get("joined", False) == (len(exact["scores"]) > 8)
        at = [*exact["thresholds"], np.inf]
        there = np.searchsorted(rough["thresholds"], at)
        off = np.abs(np.array(rough["scores"])[there] - exact["scores"]).max()
        assert off <= rough.get("off", 0.0) * (1 + 1e-9)


def test_scores_of_many_categories_are_joined():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"word": [f"w{i % 60}" for i in range(600)], "x": rng.normal(size=600)})
    y = (np.arange(600) % 60 % 7 + X["x"] > 3).astype(int)
    clf = BoostedTreeClassifier(80, max_leaves=8, max_depth=1).fit(X, y)
    ensemble = clf.ensemble_
    facts = score_facts(ensemble, ensemble.additive, most=10)
    function = next(f for f in facts["functions"] if "place" in f)
    assert function["joined"]
    exact = ensemble.additive.functions[0]
    assert exact.feature == function["column"] == 0
    rough = np.array(function["scores"])[function["place"]]
    assert np.abs(rough - exact.scores).max() <= function["off"] * (1 + 1e-9)


def test_scores_hold_for_infinite_cells_and_constant_columns():
    x = np.array([-np.inf, -1.0, 0.0, 1.0, np.inf, np.inf, -np.inf, 2.0])
    X = np.column_stack([x, np.ones(8), np.full(8, np.nan)])
    y = np.array([0, 1, 0, 1, 0, 0, 0, 1])
    clf = BoostedTreeClassifier(20, max_leaves=4, max_depth=1, max_bins=8).fit(X, y)
    facts = json.loads(json.dumps(clf.report_facts(X, y), allow_nan=False))
    rows = [dict(zip(("x0", "x1", "x2"), row, strict=True)) for row in X.tolist()]
    assert [added_up(facts, row)[0] for row in rows] == clf.decision_function(X).tolist()
