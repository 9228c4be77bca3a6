"""Searching for nodes that split on a column."""

from tests.report.facts_reader import tree_of
from tests.report.tree_cases import facts_of


def test_search_finds_and_reveals_nodes(plain):
    facts = facts_of("plain")
    plain.get_by_role("button", name="Collapse").click()
    tree = tree_of(facts)
    hits = [n for n, children in tree.items() if children and facts["nodes"][n]["asks"] == "size"]
    field = plain.get_by_role("combobox", name="Find nodes that split on a column")
    field.fill("size")
    assert plain.locator(".find output").inner_text() == f"{len(hits)} nodes"
    seen = set()
    for _ in hits:
        field.press("Enter")
        node = int(plain.locator("#details").get_attribute("data-of"))
        assert plain.locator(f".node.found[data-node='{node}']").is_visible()
        seen.add(node)
    assert seen == set(hits)
    plain.get_by_role("button", name="Next match").click()
    assert plain.locator(".find output").inner_text() == f"1 of {len(hits)}"
    field.fill("no such column")
    assert plain.locator(".find output").inner_text() == "0 nodes"
    assert plain.locator(".node.found").count() == 0
