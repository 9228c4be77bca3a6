"""The facts of a report on boosted trees agree with the model."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

import polytomy
from polytomy import BoostedTreeClassifier, ParameterError
from polytomy._errors import TargetError


def test_facts_are_plain_data(cars):
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


def test_facts_of_deep_trees_have_no_scores(cars):
    X, y = cars
    clf = BoostedTreeClassifier(12, algorithm="adaboost-mh", max_leaves=5).fit(X, y)
    facts = clf.report_facts()
    assert "scores" not in facts
    assert (facts["summary"]["trees"], facts["summary"]["leaves"]) == (12, [5, 5])
    asked = sum(c["questions"] for c in facts["columns"])
    assert asked == sum((m.tree.feature >= 0).sum() for m in clf.ensemble_.members)
    shares = [c["importance"] for c in facts["columns"]]
    np.testing.assert_allclose(shares, clf.feature_importances_, rtol=1e-9)


def test_facts_of_a_loaded_model_are_the_same(cars, tmp_path):
    X, y = cars
    clf = BoostedTreeClassifier(9, max_leaves=3, max_depth=1).fit(X, y)
    clf.save(tmp_path / "m.json")
    again = polytomy.load(tmp_path / "m.json").report_facts(X, y, X[:50], y[:50])
    assert again == clf.report_facts(X, y, X[:50], y[:50])


def test_facts_exist_for_a_model_without_rounds(tmp_path):
    X, y = np.ones((20, 2)), np.arange(20) % 2
    with pytest.warns(UserWarning, match="nothing to boost"):
        clf = BoostedTreeClassifier(5, max_leaves=2).fit(X, y)
    facts = json.loads(json.dumps(clf.report_facts(X, y, X, y), allow_nan=False))
    assert facts["summary"]["rounds"] == clf.n_rounds_
    assert facts["scores"]["functions"] == []
    clf.report(tmp_path / "page.html", X, y)


def test_names_are_kept_to_one_line():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = ["a\nb", "</script>", "c", "d"]
    facts = BoostedTreeClassifier(3, max_leaves=2).fit(X, y).report_facts(title="one\ntwo")
    assert facts["columns"][0]["name"] == "a\\nb"
    assert facts["title"] == "one\\ntwo"


def test_facts_reject_incomplete_or_unknown_rows(tumours):
    X, y = tumours
    clf = BoostedTreeClassifier(3, max_leaves=2).fit(X, y)
    with pytest.raises(ParameterError, match="pass X and y together"):
        clf.report_facts(X)
    with pytest.raises(ParameterError, match="pass X_test and y_test together"):
        clf.report_facts(y_test=y)
    with pytest.raises(ParameterError, match="title must be text"):
        clf.report_facts(title=3)
    with pytest.raises(TargetError, match=r"model was not fitted on: \['ugly'\]"):
        clf.report_facts(X, y.replace("bad", "ugly"))
    with pytest.raises(ValueError, match="not fitted"):
        BoostedTreeClassifier().report_facts()
