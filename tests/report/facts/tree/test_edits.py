"""Facts and pages of edited trees list the edits with their prices."""

import numpy as np

import polytomy
from polytomy.report.facts.tree import edits as edits_of_facts
from tests.report.tree_facts_schema import check_facts


def edited(estimator=polytomy.TreeClassifier):
    """Return a tree that was edited twice, and its session."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)).round(1)
    y = X[:, 0] + rng.normal(size=200)
    y = y if estimator is polytomy.TreeRegressor else (y > 0).astype(int)
    session = polytomy.edit(estimator(4).fit(X, y), X, y)
    session.collapse(0, reason="begin again")
    session.split(0, 1, thresholds=[0.25])
    return session.estimator(), session


def test_facts_of_an_edited_tree_have_the_price_of_each_edit():
    for estimator in (polytomy.TreeClassifier, polytomy.TreeRegressor):
        tree, session = edited(estimator)
        facts = tree.report_facts()
        check_facts(facts)
        for fact, entry in zip(facts["edits"], session.log, strict=True):
            cost = entry["cost"]
            assert fact["text"] == entry["text"]
            assert np.isclose(fact["forgone"], cost["gain_forgone"])
            for when in ("before", "after"):
                assert fact[when]["leaves"] == cost[when]["leaves"]
                assert np.isclose(fact[when]["error"], cost[when]["training_error"])
        assert facts["edits"][0]["after"]["leaves"] == 1
        assert facts["edits"][1]["forgone"] > 0


def test_facts_of_a_tree_without_edits_have_none_and_of_many_edits_the_first(monkeypatch):
    tree, session = edited()
    assert "edits" not in polytomy.TreeClassifier(2).fit([[0], [1]], [0, 1]).report_facts()
    monkeypatch.setattr(edits_of_facts, "_MOST", 1)
    facts = tree.report_facts()
    check_facts(facts)
    assert [fact["text"] for fact in facts["edits"]] == [session.log[0]["text"]]
    assert facts["edits_left_out"] == 1


def test_page_of_an_edited_tree_lists_the_edits(open_facts):
    tree, _ = edited()
    page = open_facts(tree.report_facts())
    cells = page.locator("#edits tbody tr").nth(1).locator("th, td").all_inner_texts()
    assert cells[0] == "2"
    assert cells[1].startswith("Split node 0: ")
    assert cells[3] == "1 → 2"
    assert page.locator("#edits tbody tr").count() == 2


def test_numeric_class_of_a_relabelled_leaf_is_called_a_class():
    _, session = edited()
    session.relabel(1, 1)
    assert session.log[2]["text"] == "relabel node 1 as class 1"
