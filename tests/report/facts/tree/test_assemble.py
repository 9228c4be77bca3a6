"""The facts of a tree's report agree with the model."""

import json

import numpy as np
import pytest

from polytomy import ParameterError, TargetError, TreeClassifier
from tests.report.tree_cases import NAMES, case, facts_of, mixed, reloaded
from tests.report.tree_facts_schema import check_facts

every = pytest.mark.parametrize("name", NAMES)


@every
def test_facts_match_the_schema(name):
    facts = facts_of(name)
    check_facts(facts)
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    check_facts(case(name).clf.report_facts())


@every
def test_summary_has_the_errors_of_score(name):
    c, facts = case(name), facts_of(name)
    summary = facts["summary"]
    score = c.clf.score(c.X, c.y, sample_weight=c.weights)
    assert summary["test_error"] == pytest.approx(1 - score)
    if c.clf.class_weight is not None:
        assert summary["train_error"] == pytest.approx(1 - score)
    else:
        kept = np.asarray(c.clf._model.kept.counts)[c.clf._model.kept.leaves()]
        assert summary["train_error"] == pytest.approx(1 - kept.max(axis=1).sum() / kept.sum())
    assert summary["leaves"] == c.clf.n_leaves_
    assert summary["depth"] == c.clf.depth_
    assert summary["questions"] == pytest.approx(c.clf.n_questions_, rel=1e-5)


@every
def test_importances_and_curves_are_those_of_the_classifier(name):
    c, facts = case(name), facts_of(name)
    shown = [column["importance"] for column in facts["columns"]]
    assert shown == pytest.approx(c.clf.feature_importances_)
    certificate = c.clf.certificate_
    assert facts["growth"]["leaves"] == certificate.leaves_curve.tolist()
    assert facts["growth"]["index"] == pytest.approx(certificate.index_curve, rel=1e-5)
    assert facts["certificate"]["text"] == str(certificate)
    short = " ".join(str(certificate).split())
    assert facts["certificate"]["in_short"] in short
    for name_, value, _ in facts["certificate"]["figures"]:
        assert name_ in short
        assert value in short


@pytest.mark.parametrize("name", ["plain", "pruned", "nasty", "weighted"])
def test_facts_of_a_loaded_model_are_the_same(name, tmp_path):
    c = case(name)
    again = reloaded(c.clf, tmp_path)
    given = {"sample_weight": c.weights, "sample_weight_test": c.weights}
    assert again.report_facts(c.X, c.y, c.X, c.y, **given) == facts_of(name)


def test_title_names_the_target():
    c = case("plain")
    assert facts_of("plain")["title"] == "Decision tree for answer"
    assert c.clf.report_facts()["title"] == "Decision tree"
    assert c.clf.report_facts(title="My\ntree")["title"] == "My\\ntree"


def test_facts_reject_incomplete_or_unknown_rows():
    c = case("plain")
    for given in ({"X": c.X}, {"y": c.y}, {"sample_weight": np.ones(len(c.y))}):
        with pytest.raises(ParameterError, match="pass X and y together"):
            c.clf.report_facts(**given)
    for given in ({"X_test": c.X}, {"y_test": c.y}, {"sample_weight_test": [1]}):
        with pytest.raises(ParameterError, match="pass X_test and y_test together"):
            c.clf.report_facts(**given)
    with pytest.raises(
        TargetError, match=r"y_test has classes that the model was not fitted on: \['never'\]"
    ):
        c.clf.report_facts(X_test=c.X, y_test=np.full(len(c.y), "never"))
    with pytest.raises(ParameterError, match="title must be text"):
        c.clf.report_facts(title=3)
    with pytest.raises(ValueError, match="not fitted"):
        TreeClassifier().report_facts()


def test_note_mentions_rows_the_tree_was_not_grown_on():
    c = case("plain")
    assert "rows_note" not in facts_of("plain")
    X, y = mixed(n=90, seed=99)
    X.loc[0, "town"] = "Nowhere"
    facts = c.clf.report_facts(X, y)
    check_facts(facts)
    assert "it was grown on 500 rows, and 90 are given" in facts["rows_note"]
    assert sum(facts["details"]["0"]["spread"]["here"]) == 90


def test_note_ignores_the_order_of_rows():
    c = case("plain")
    assert "rows_note" not in c.clf.report_facts(c.X[::-1], c.y[::-1])
    assert "rows_note" in c.clf.report_facts(c.X, c.y.sample(frac=1, random_state=0).to_numpy())


def test_report_is_written_completely_or_not_at_all(tmp_path):
    c = case("plain")
    for path in (tmp_path / "a.html", str(tmp_path / "b.html")):
        c.clf.report(path, c.X, c.y, c.X, c.y, title="Ünder <test>")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Ünder" in text
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "b.html"]
    with pytest.raises(OSError, match="is a folder"):
        c.clf.report(tmp_path)
    with pytest.raises(TypeError, match="weight"):
        c.clf.report(tmp_path / "c.html", weight=c.weights)
    assert not (tmp_path / "c.html").exists()
