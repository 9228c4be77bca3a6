"""The panel of the selected node."""

import json
import re

from tests.report.page_reader import leaf_table, move_to_size, number
from tests.report.tree_cases import facts_of


def test_panel_shows_rule_and_counts_of_a_leaf(open_facts):
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
    shown = panel.locator(".shares tbody tr td:nth-child(3) .muted").all_inner_texts()
    assert sorted(number(t) for t in shown if number(t)) == counts


def test_panel_shows_expected_and_training_shares(open_facts):
    facts = facts_of("balanced")
    assert any(n.get("doubtful") for n in facts["nodes"] if "children" not in n)
    page = open_facts(facts)
    page.get_by_role("button", name="Expand all").click()
    panel = page.locator("#details")
    for row in leaf_table(page):
        page.locator(f".leaves tr[data-leaf='{row['leaf']}'] button").click()
        node = facts["nodes"][row["leaf"]]
        counts, label = node["counts"], node["label"]
        verdict = panel.locator(".verdict").inner_text().replace("\xa0", " ")
        assert f"{100 * node['share']:.1f} % expected of new rows" in verdict
        trained = counts[label] / sum(counts)
        assert f"in training {100 * trained:.1f} % of {node['rows']} row" in verdict
        assert panel.locator(".doubt").count() == node.get("doubtful", False)
        box = page.locator(f"#node-{row['leaf']}")
        assert ("(these disagree)" in box.get_attribute("aria-label")) == node.get(
            "doubtful", False
        )
    assert facts["honesty"] in page.locator("#shares-note").inner_text()
    plain = open_facts(facts_of("training shares"))
    assert plain.locator("#shares-note").count() == 0
    assert "expected" not in plain.locator("#details .verdict").inner_text()


def test_panel_shows_alternatives_of_the_root(open_facts):
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


def test_panel_shows_merged_splits(open_facts):
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


def test_panel_links_to_parent_and_children(open_facts):
    page = open_facts(facts_of("plain"))
    panel = page.locator("#details")
    answer = panel.locator(".ways").last.get_by_role("button").first
    child = answer.get_attribute("data-goto")
    answer.click()
    assert panel.get_attribute("data-of") == child
    panel.get_by_role("button", name=re.compile("↑")).click()
    assert panel.get_attribute("data-of") == "0"


def test_panel_shows_both_p_values(open_facts):
    facts = json.loads(json.dumps(facts_of("plain")))
    facts["nodes"][0] |= {"p_adjusted": 0.0312, "p_chance": 2e-5, "among": "1,240 2-way splits"}
    page = open_facts(facts)
    shown = page.locator("#details .small-facts").inner_text()
    assert "0.0312 after choosing among 1,240 2-way splits; < 0.0001 for this split alone" in shown


def test_panel_shows_node_numbers(open_facts):
    facts = json.loads(json.dumps(facts_of("plain")))
    for i, node in enumerate(facts["nodes"]):
        node.pop("id", None)
        if i != 1:
            node["id"] = 1000 + i
    page = open_facts(facts)
    page.get_by_role("button", name="Expand all").click()
    shown = page.locator("#details .small-facts")
    assert "1000" in shown.inner_text()
    page.locator("[data-node='2'] .box").dispatch_event("click")
    assert "1002" in shown.inner_text()
    page.locator("[data-node='1'] .box").dispatch_event("click")
    assert "Node number" not in shown.inner_text()
    page.locator("[data-node='0'] .box").dispatch_event("click")
    move_to_size(page, facts["path"]["sizes"][-2], facts)
    assert "Node number" not in shown.inner_text()
    move_to_size(page, facts["path"]["sizes"][-1], facts)
    assert "1000" in shown.inner_text()
