"""What the page tells of a tree: leaves, details of a node, certificate, importances."""

import json
import re

import numpy as np
import pytest

from tests.report.page_reader import leaf_table, move_to_size, number, settle
from tests.report.tree_cases import case, facts_of


@pytest.mark.parametrize("name", ["plain", "weighted", "balanced", "nasty", "own", "raised"])
def test_the_table_of_leaves_says_what_the_rules_say(open_facts, name):
    facts = facts_of(name)
    rules = {" and ".join(r.conditions): r for r in case(name).clf.to_rules()}
    rows = leaf_table(open_facts(facts))
    assert len(rows) == len(rules)
    for row in rows:
        cells = row["cells"]
        rule = rules.pop(cells[0])
        share = cells[4 if facts["weighted"] else 3]
        wanted = [100 * x for x in (rule.share.share, rule.share.low, rule.share.high)]
        assert cells[1] == rule.share.name
        assert number(cells[2]) == rule.rows
        told = [float(n) for n in re.findall(r"\d+", share)]
        np.testing.assert_allclose(told, wanted, atol=0.50001)


def test_leaves_are_sorted_by_their_headings(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts)
    heading = page.get_by_role("columnheader", name="Rows", exact=True)
    assert heading.get_attribute("aria-sort") == "none"
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    rows = [number(row["cells"][2]) for row in leaf_table(page)]
    assert rows == sorted(rows, reverse=True)
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    rows = [number(row["cells"][2]) for row in leaf_table(page)]
    assert rows == sorted(rows)


def test_a_leaf_of_the_table_is_found_in_the_tree(open_facts):
    page = open_facts(facts_of("plain"))
    page.get_by_role("button", name="Collapse").click()
    row = page.locator(".leaves tbody tr").last
    row.get_by_role("button").click()
    leaf = row.get_attribute("data-leaf")
    assert page.locator("#details").get_attribute("data-of") == leaf
    assert page.locator(f".node.selected[data-node='{leaf}']").is_visible()


def test_details_of_a_leaf(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts)
    row = leaf_table(page)[0]
    page.locator(".leaves tbody tr").first.get_by_role("button").click()
    node, panel = facts["nodes"][row["leaf"]], page.locator("#details")
    assert " and ".join(panel.locator(".rule li").all_inner_texts()) == row["cells"][0]
    verdict = panel.locator(".verdict").inner_text()
    low, high = node["interval"]
    assert facts["classes"][node["label"]] in verdict
    assert f"{100 * low:.1f} to {100 * high:.1f}" in verdict
    counts = sorted(c for c in node["counts"] if c)
    told = panel.locator(".shares tbody tr td:nth-child(3) .muted").all_inner_texts()
    assert sorted(number(t) for t in told if number(t)) == counts


def test_details_of_the_root_show_what_else_it_could_have_asked(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts)
    panel, known = page.locator("#details"), facts["details"]["0"]
    menu = panel.locator(".menu tbody")
    assert menu.count() == len(known["menu"])
    chosen = next(o for o in known["menu"] if o.get("chosen"))
    assert number(panel.locator(".menu .chosen th").inner_text()) == chosen["arity"]
    for row, option in zip(menu.all(), known["menu"], strict=True):
        assert option["question"] in row.inner_text()
    rivals = [facts["columns"][r["column"]]["name"] for r in known["rivals"]]
    assert panel.locator(".rivals tbody th").all_inner_texts() == rivals
    assert panel.locator(".spread .drawing").is_visible()


def test_merged_questions_are_told(open_facts):
    facts = facts_of("plain")
    merged = next(i for i, n in enumerate(facts["nodes"]) if n.get("joins"))
    top = merged
    while facts["nodes"][top].get("joins"):
        top = facts["nodes"][top]["parent"]
    page = open_facts(facts)
    page.get_by_role("button", name="Expand all").click()
    page.get_by_role("button", name="Fit").click()
    page.locator(f"[data-node='{top}'] .box").click()
    part = page.locator(f"#details [data-goto='{merged}']")
    assert "gain" in part.inner_text()
    part.click()
    assert "merged with the split above it" in page.locator("#details").inner_text()
    assert page.locator(f"[data-node='{top}']").get_attribute("aria-selected") == "true"


def test_the_panel_leads_to_parent_and_children(open_facts):
    page = open_facts(facts_of("plain"))
    panel = page.locator("#details")
    answer = panel.locator(".ways").last.get_by_role("button").first
    child = answer.get_attribute("data-goto")
    answer.click()
    assert panel.get_attribute("data-of") == child
    panel.get_by_role("button", name=re.compile("↑")).click()
    assert panel.get_attribute("data-of") == "0"


@pytest.mark.parametrize("name", ["plain", "hatano", "kearns-mansour", "pruned", "own"])
def test_the_certificate_is_told(open_facts, name):
    facts = facts_of(name)["certificate"]
    page = open_facts(facts_of(name))
    section = page.locator("#certificate")
    assert section.locator(".pill").inner_text() == (
        "Covered" if facts["covered"] else "Not covered"
    )
    table = section.get_by_role("table").first
    told = [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]
    assert told == [list(figure) for figure in facts["figures"]]
    section.get_by_text("Full text of the certificate").click()
    assert section.locator("pre").inner_text() == str(case(name).clf.certificate_)


def test_importances_are_the_models(open_facts):
    clf = case("plain").clf
    page = open_facts(facts_of("plain"))
    wanted = sorted((x for x in clf.feature_importances_ if x > 0), reverse=True)
    told = [number(t) / 100 for t in page.locator("#importances .value").all_inner_texts()]
    np.testing.assert_allclose(told, wanted, atol=0.0006)


def test_the_summary_is_the_models(open_facts):
    c = case("plain")
    page = open_facts(facts_of("plain"))
    told = dict(
        zip(
            page.locator(".figures dt").all_inner_texts(),
            map(number, page.locator(".figures dd").all_inner_texts()),
            strict=True,
        )
    )
    assert told["Leaves"] == c.clf.n_leaves_
    assert told["Depth"] == c.clf.depth_
    assert told["Questions per row"] == pytest.approx(c.clf.n_questions_, abs=0.006)
    assert told["Training error"] == pytest.approx(100 - 100 * c.clf.score(c.X, c.y), abs=0.06)


def test_without_rows_the_page_tells_what_the_model_knows(open_facts):
    page = open_facts(case("plain").clf.report_facts())
    assert page.locator(".menu").count() == 0
    assert page.locator("#confusion-test").count() == 0
    assert page.get_by_role("columnheader", name="Test rows").count() == 0
    page.get_by_label("Size of the tree").fill("2")
    settle(page)
    assert "test" not in page.get_by_label("Size of the tree").get_attribute("aria-valuetext")


def test_numbers_of_nodes_are_those_of_the_tree(open_facts):
    facts = json.loads(json.dumps(facts_of("plain")))
    for i, node in enumerate(facts["nodes"]):
        node.pop("id", None)
        if i != 1:
            node["id"] = 1000 + i
    page = open_facts(facts)
    page.get_by_role("button", name="Expand all").click()
    told = page.locator("#details .small-facts")
    assert "1000" in told.inner_text()
    page.locator("[data-node='2'] .box").dispatch_event("click")
    assert "1002" in told.inner_text()
    page.locator("[data-node='1'] .box").dispatch_event("click")
    assert "Node number" not in told.inner_text()
    page.locator("[data-node='0'] .box").dispatch_event("click")
    move_to_size(page, facts["path"]["sizes"][-2], facts)
    assert "Node number" not in told.inner_text()
    move_to_size(page, facts["path"]["sizes"][-1], facts)
    assert "1000" in told.inner_text()


def test_the_certificate_points_at_its_table(open_facts):
    page = open_facts(facts_of("plain"))
    said = page.locator("#certificate > p").nth(1).inner_text()
    assert "generalization()" not in said
    assert said.endswith(".")
    table = page.get_by_role("region", name="Bounds for new rows")
    told = [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]
    assert told == [list(bound) for bound in facts_of("plain")["certificate"]["generalization"]]
