"""The tooltip of a node."""

import re

from tests.report.page_reader import tree_items
from tests.report.tree_cases import facts_of


def test_tooltip_shows_counts_on_hover_and_focus(plain):
    facts = facts_of("plain")
    tree_items(plain).first.locator(".box").hover()
    tip = plain.get_by_role("tooltip")
    for name, held in zip(facts["classes"], facts["nodes"][0]["counts"], strict=True):
        assert re.search(rf"{name}\s+{held}\b", tip.inner_text())
    plain.keyboard.press("Escape")
    assert tip.is_hidden()
    tree_items(plain).first.focus()
    plain.keyboard.press("ArrowDown")
    assert tip.is_visible()
