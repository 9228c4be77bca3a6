"""The tree of the page: opened, closed, walked by keys, searched."""

import re

import numpy as np
import pytest

from tests.report.facts_reader import tree_of
from tests.report.page_reader import number, settle
from tests.report.tree_cases import facts_of


def items(page):
    return page.get_by_role("treeitem")


def focused(page):
    """Return the node that has the focus."""
    return int(page.evaluate("document.activeElement.dataset.node"))


def shown(page):
    """Return the nodes that are visible, from top to bottom."""
    return [int(item.get_attribute("data-node")) for item in items(page).all()]


def expand_all(page):
    page.get_by_role("button", name="Expand all").click()
    page.get_by_role("button", name="Fit").click()


@pytest.fixture
def plain(open_facts):
    return open_facts(facts_of("plain"), height=1400)


def test_every_node_can_be_seen(plain):
    expand_all(plain)
    assert set(shown(plain)) == set(tree_of(facts_of("plain")))


def test_children_come_with_their_answers(plain):
    facts = facts_of("plain")
    expand_all(plain)
    for node, children in tree_of(facts).items():
        item = plain.locator(f"[data-node='{node}']")
        label = item.get_attribute("aria-label")
        rows = number(re.search(r"([\d,]+) rows?", label).group())
        assert rows == facts["nodes"][node]["rows"]
        assert item.get_attribute("aria-expanded") == ("true" if children else None)
        for child in children:
            title = plain.locator(f"[data-node='{child}'] .answer title")
            assert title.text_content() == facts["nodes"][child]["answer"]


def boxes(page, part):
    """Return left, top, right and bottom of a part of every node."""
    drawn = page.evaluate(
        """(part) => [...document.querySelectorAll(`.node ${part}`)]
          .map((e) => e.getBoundingClientRect()).map((r) => [r.left, r.top, r.right, r.bottom])""",
        part,
    )
    return np.array(drawn)


@pytest.mark.parametrize("name", ["plain", "uncontracted", "sixty classes"])
def test_no_two_boxes_overlap(open_facts, name):
    page = open_facts(facts_of(name))
    expand_all(page)
    left, top, right, bottom = boxes(page, ".box").T
    apart = (right[:, None] <= left) | (bottom[:, None] <= top)
    assert (apart | apart.T | np.eye(len(left), dtype=bool)).all()


def test_answers_stay_within_their_column(open_facts):
    page = open_facts(facts_of("nasty"))
    page.get_by_role("button", name="Expand all").click()
    wide = lambda part: boxes(page, part)[:, 2] - boxes(page, part)[:, 0]  # noqa: E731
    assert wide(".answer").max() <= wide(".box").max() * 1.12


def test_from_afar_boxes_have_no_text(open_facts):
    page = open_facts(facts_of("nasty"))
    expand_all(page)
    assert page.locator(".node .answer").count() == 0
    items(page).first.focus()
    page.keyboard.press("0")
    assert page.locator(".node .answer").count() > 0


def test_a_knob_closes_and_opens(plain):
    tree = tree_of(facts_of("plain"))
    expand_all(plain)
    child = next(c for c in tree[0] if tree[c])
    knob = plain.locator(f"[data-node='{child}'] .toggle .area")
    knob.click()
    item = plain.locator(f"[data-node='{child}']")
    assert item.get_attribute("aria-expanded") == "false"
    assert not set(tree[child]) & set(shown(plain))
    assert "hidden" in item.get_attribute("aria-label")
    knob.click()
    assert set(tree[child]) <= set(shown(plain))
    assert item.get_attribute("aria-expanded") == "true"


def test_collapse_leaves_the_first_answers(plain):
    tree = tree_of(facts_of("plain"))
    plain.get_by_role("button", name="Collapse").click()
    assert set(shown(plain)) == {0, *tree[0]}


def test_the_first_look_shows_a_handful(open_facts):
    page = open_facts(facts_of("700 categories"))
    assert 10 <= len(shown(page)) <= 30
    page = open_facts(facts_of("sixty classes"))
    assert 10 <= len(shown(page)) <= 30


def test_keys_walk_the_tree(plain):
    tree = tree_of(facts_of("plain"))
    expand_all(plain)
    order = shown(plain)
    items(plain).first.focus()
    press = plain.keyboard.press
    press("ArrowRight")
    assert focused(plain) == tree[0][0]
    press("ArrowDown")
    assert focused(plain) == order[2]
    press("ArrowUp")
    assert focused(plain) == order[1]
    press("ArrowUp")
    assert focused(plain) == 0
    press("End")
    assert focused(plain) == order[-1]
    press("Home")
    assert focused(plain) == 0
    press(" ")
    assert items(plain).first.get_attribute("aria-expanded") == "false"
    assert shown(plain) == [0]
    press("ArrowRight")
    assert items(plain).first.get_attribute("aria-expanded") == "true"
    press("ArrowDown")
    press("Enter")
    assert plain.locator("#details").get_attribute("data-of") == str(order[1])
    assert plain.locator("[role=treeitem][tabindex='0']").count() == 1
    assert plain.locator("[role=treeitem][aria-selected=true]").count() == 1


def test_left_closes_and_then_goes_up(plain):
    tree = tree_of(facts_of("plain"))
    expand_all(plain)
    inner = next(c for c in tree[0] if tree[c])
    item = plain.locator(f"[data-node='{inner}']")
    item.focus()
    plain.keyboard.press("ArrowLeft")
    assert item.get_attribute("aria-expanded") == "false"
    assert focused(plain) == inner
    plain.keyboard.press("ArrowLeft")
    assert focused(plain) == 0


def test_levels_and_places_are_told(plain):
    tree = tree_of(facts_of("plain"))
    expand_all(plain)
    for place, child in enumerate(tree[0], 1):
        item = plain.locator(f"[data-node='{child}']")
        told = [item.get_attribute(f"aria-{a}") for a in ("level", "posinset", "setsize")]
        assert told == ["2", str(place), str(len(tree[0]))]


def test_zoom_by_keys_buttons_and_wheel(plain):
    wide = lambda: plain.get_by_role("tree").bounding_box()["width"]  # noqa: E731
    items(plain).first.focus()
    start = wide()
    plain.keyboard.press("+")
    assert wide() > start
    plain.keyboard.press("-")
    assert abs(wide() - start) <= 2
    plain.get_by_role("button", name="Zoom in").click()
    assert wide() > start
    plain.get_by_role("button", name="Fit").click()
    area = plain.locator(".tree-area").bounding_box()
    assert wide() <= area["width"]
    before = wide()
    plain.mouse.move(area["x"] + 200, area["y"] + 200)
    plain.keyboard.down("Control")
    plain.mouse.wheel(0, -120)
    plain.keyboard.up("Control")
    plain.wait_for_function(
        "wide => document.querySelector('[role=tree]').clientWidth > wide", arg=before
    )


def test_dragging_moves_and_does_not_select(open_facts):
    page = open_facts(facts_of("sixty classes"))
    page.get_by_role("button", name="Expand all").click()
    area = page.locator(".tree-area")
    box = area.bounding_box()
    before = area.evaluate("e => e.scrollTop")
    page.mouse.move(box["x"] + 300, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 280, box["y"] + 180, steps=5)
    page.mouse.up()
    assert area.evaluate("e => e.scrollTop") == before + 120
    assert page.locator("#details").get_attribute("data-of") == "0"


def test_hover_and_focus_tell_the_counts(plain):
    facts = facts_of("plain")
    items(plain).first.locator(".box").hover()
    tip = plain.get_by_role("tooltip")
    for name, held in zip(facts["classes"], facts["nodes"][0]["counts"], strict=True):
        assert re.search(rf"{name}\s+{held}\b", tip.inner_text())
    plain.keyboard.press("Escape")
    assert tip.is_hidden()
    items(plain).first.focus()
    plain.keyboard.press("ArrowDown")
    assert tip.is_visible()


def test_search_finds_steps_and_opens(plain):
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


def test_the_growth_can_be_watched(plain):
    facts = facts_of("plain")
    plain.get_by_role("button", name="Replay growth").click()
    slider = plain.get_by_label("Growth steps")
    for steps in (0, 1, 3, 7):
        slider.fill(str(steps))
        settle(plain)
        grown = [n for n in facts["nodes"] if 0 < n.get("step", 0) <= steps]
        leaves = 1 + sum(len(n["children"]) - 1 for n in grown)
        assert slider.get_attribute("aria-valuetext").startswith(
            f"{steps} step{'' if steps == 1 else 's'}: {leaves} lea"
        )
        assert plain.locator(".leaves tbody tr").count() == leaves
    plain.get_by_role("button", name="Whole tree").click()
    settle(plain)
    assert plain.locator(".leaves tbody tr").count() == facts["path"]["sizes"][-1]


def test_the_growth_plays_by_itself(plain):
    plain.get_by_role("button", name="Replay growth").click()
    plain.get_by_role("button", name="Play", exact=True).click()
    plain.wait_for_function("() => document.getElementById('step').value === '3'")
    plain.get_by_role("button", name="Pause").click()
    assert plain.get_by_role("button", name="Play", exact=True).is_visible()


def test_a_tree_of_one_leaf_is_a_page_too(open_facts):
    for name in ("one leaf", "one class"):
        page = open_facts(facts_of(name))
        assert items(page).count() == 1
        assert "Leaf" in page.locator("#details h3").inner_text()
        assert page.locator(".leaves tbody tr").count() == 1
        assert "all rows" in page.locator(".leaves tbody tr").inner_text()
