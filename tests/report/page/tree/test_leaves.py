"""The table of leaves."""

import re

import numpy as np
import pytest

from polytomy._text import class_title
from tests.report.page_reader import leaf_table, number
from tests.report.tree_cases import case, facts_of


@pytest.mark.parametrize(
    "name", ["priced", "training shares", "weighted", "balanced", "nasty", "own", "raised"]
)
def test_leaves_table_agrees_with_the_rules(open_facts, name):
    facts = facts_of(name)
    rules = {" and ".join(r.conditions): r for r in case(name).clf.to_rules()}
    rows = leaf_table(open_facts(facts))
    assert len(rows) == len(rules)
    for row in rows:
        cells = row["cells"]
        rule = rules.pop(cells[0])
        share, training = cells[4 if facts["weighted"] else 3 :][:2]
        wanted = [
            100 * x for x in (rule.prediction.share, rule.prediction.low, rule.prediction.high)
        ]
        assert cells[1] == class_title(rule.prediction.name)
        assert number(cells[2]) == rule.rows
        shown = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", share)]
        np.testing.assert_allclose(shown, wanted, atol=0.50001)
        assert share.endswith("!") == rule.prediction.is_doubtful
        if rule.prediction.is_forecast:
            trained = float(training.removesuffix("%"))
            assert trained == pytest.approx(100 * rule.prediction.training, abs=0.50001)


def test_leaves_table_has_one_share_without_honest_shares(open_facts):
    def headings(name):
        return open_facts(facts_of(name)).locator(".leaves thead th").all_inner_texts()

    assert not {"Training", "Expected [95 %]"} & set(headings("training shares"))
    assert {"Training", "Expected [95 %]"} <= set(headings("priced"))


def test_leaves_table_sorts_by_its_headings(open_facts):
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


def test_leaves_table_selects_nodes(open_facts):
    page = open_facts(facts_of("plain"))
    page.get_by_role("button", name="Collapse").click()
    row = page.locator(".leaves tbody tr").last
    row.get_by_role("button").click()
    leaf = row.get_attribute("data-leaf")
    assert page.locator("#details").get_attribute("data-of") == leaf
    assert page.locator(f".node.selected[data-node='{leaf}']").is_visible()
