"""Facts and pages of trees that were found state their origin, and no growth."""

from sklearn.base import clone

from polytomy.export import describe_origin
from tests.export import number_trees
from tests.found_trees import with_origin
from tests.report.tree_cases import case
from tests.report.tree_facts_schema import check_facts


def taught():
    c = case("priced")
    return with_origin(c.clf), c


def test_facts_of_a_found_tree_have_its_origin():
    clf, c = taught()
    facts = clf.report_facts(c.X, c.y, c.X, c.y)
    check_facts(facts)
    assert facts["origin"] == describe_origin(clf._model)
    assert c.clf.report_facts()["origin"] == describe_origin(c.clf._model)
    plain = clone(c.clf).set_params(teacher=False).fit(c.X, c.y)
    assert "origin" not in plain.report_facts()
    assert facts["growth"]["bound_holds"]
    assert not facts["certificate"]["covered"]
    assert "teacher's targets" in facts["certificate"]["why_not"]
    assert [f[0] for f in facts["certificate"]["figures"]][:2] == ["gamma", "achieved gamma"]
    assert not any("not guaranteed" in figure[2] for figure in facts["certificate"]["figures"])
    assert not any("step" in node for node in facts["nodes"])
    assert "details" in facts


def test_facts_of_a_found_regression_tree_have_its_origin():
    reg = with_origin(number_trees.case(number_trees.NAMES[0])[0])
    facts = reg.report_facts()
    check_facts(facts)
    assert facts["origin"] == describe_origin(reg._model)


def test_page_of_a_found_tree_begins_with_its_origin(open_facts):
    facts = taught()[0].report_facts()
    page = open_facts(facts)
    first = page.locator("#main section").first
    assert first.get_by_role("heading").inner_text() == "Origin of the tree"
    assert first.locator("p").all_inner_texts() == facts["origin"]
    assert page.locator("#replay").count() == 0
    assert page.get_by_role("button", name="Replay growth").count() == 0
    assert page.get_by_text("so the bound is not guaranteed").count() == 0
    assert page.locator("#certificate .pill").inner_text() == "Not covered"
