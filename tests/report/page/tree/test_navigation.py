"""Moving through the tree: clicks, keys, focus, zoom and dragging."""

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier
from tests.report.facts_reader import tree_of
from tests.report.page_reader import expand_all, focused_node, settle, tree_items, visible_nodes
from tests.report.tree_cases import facts_of

IN_SIGHT = """() => {
  const area = document.querySelector(".tree-area").getBoundingClientRect();
  return [...document.querySelectorAll(".node")].filter((e) => {
    const r = e.querySelector(".box").getBoundingClientRect();
    return r.left >= area.left && r.right <= area.right
      && r.top >= area.top && r.bottom <= area.bottom;
  }).map((e) => Number(e.dataset.node));
}"""


@pytest.fixture(scope="module")
def large():
    """Return the facts of a tree of five hundred leaves."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(8000, 5)).round(3)).add_prefix("column ")
    y = np.digitize(np.sin(3 * X["column 0"]) + X["column 1"] * X["column 2"], [-0.5, 0.5])
    flip = rng.random(len(y)) < 0.2
    y[flip] = rng.integers(0, 3, flip.sum())
    return (
        TreeClassifier(procedure="per-leaf", max_leaves=500, contract=False)
        .fit(X, y)
        .report_facts()
    )


def press(page, name):
    page.get_by_role("button", name=name).click()
    settle(page)


def test_large_tree_becomes_an_icicle_and_back(open_facts, large):
    page = open_facts(large)
    before = len(page.evaluate(IN_SIGHT))
    press(page, "Expand all")
    seen = page.evaluate(IN_SIGHT)
    leaves = [n for n in seen if "children" not in large["nodes"][n]]
    rows = sum(large["nodes"][n]["rows"] for n in leaves)
    assert len(seen) > 5 * before
    assert rows > 0.8 * large["nodes"][0]["rows"]  # the others are thinner than a pixel
    area = page.locator(".tree-area").bounding_box()
    root = page.locator("[data-node='0'] .box").bounding_box()
    assert root["height"] > 0.95 * area["height"]
    page.locator("[data-node='0']").focus()
    page.keyboard.press("ArrowRight")
    child = focused_node(page)
    page.keyboard.press(" ")
    box = page.locator(f"[data-node='{child}'] .box").bounding_box()
    assert box["height"] == pytest.approx(root["height"], abs=5)
    page.get_by_role("button", name="Back to all rows").click()
    assert page.locator("[data-node='0']").count() == 1
    press(page, "Zoom in")
    assert page.locator(".node .answer").count() > 0
    press(page, "Zoom out")
    press(page, "Zoom out")
    assert page.locator(".node.cell").count() > 5 * before


@pytest.mark.parametrize("width", [1600, 360])
def test_expand_all_keeps_nodes_visible(open_facts, large, width):
    page = open_facts(large, width=width, height=740)
    press(page, "Expand all")
    seen = page.evaluate(IN_SIGHT)
    assert 0 in seen
    assert len(seen) >= 8


def test_zoom_keys_keep_the_focused_node_visible(open_facts):
    page = open_facts(facts_of("sixty classes"))
    press(page, "Expand all")
    page.get_by_role("treeitem").first.focus()
    page.keyboard.press("End")
    node = int(page.evaluate("document.activeElement.dataset.node"))
    for key in ("+", "+", "-", "0", "+"):
        page.keyboard.press(key)
        assert node in page.evaluate(IN_SIGHT)
        assert int(page.evaluate("document.activeElement.dataset.node")) == node


def test_tab_stops_at_one_node_of_the_drawing(open_facts):
    page = open_facts(facts_of("plain"))
    page.get_by_role("button", name="Watch it grow").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "treeitem"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.tree-area')") is None


def test_selected_line_links_to_the_details_on_a_phone(open_facts):
    page = open_facts(facts_of("plain"), width=360, height=740, has_touch=True, is_mobile=True)
    node = facts_of("plain")["nodes"][0]["children"][0]
    page.locator(f"[data-node='{node}'] .box").tap()
    line = page.locator(".chosen-line")
    text = line.get_by_role("status")
    assert text.inner_text() == f"Selected: {facts_of('plain')['nodes'][node]['answer']}"
    box = line.bounding_box()
    assert 0 <= box["y"] <= 740 - box["height"]
    page.emulate_media(reduced_motion="reduce")
    line.get_by_role("link", name="See details").tap()
    settle(page)
    assert 0 <= page.locator("#details h3").bounding_box()["y"] < 400


def test_selected_line_is_for_screen_readers_on_a_wide_screen(open_facts):
    page = open_facts(facts_of("plain"))
    assert page.locator(".chosen-line").bounding_box()["width"] <= 1
    page.locator("[data-node='0'] .box").click()
    text = page.locator(".chosen-line [role=status]")
    assert text.get_attribute("aria-live") == "polite"
    assert text.text_content() == "Selected: all rows"


def test_first_view_cuts_nothing_off(open_facts):
    page = open_facts(facts_of("plain"))
    settle(page)
    assert len(page.evaluate(IN_SIGHT)) == page.get_by_role("treeitem").count() >= 10


def test_first_view_expands_a_root_with_many_branches(open_facts):
    X = pd.DataFrame({"x": np.arange(800) // 20})
    facts = TreeClassifier(procedure="per-leaf", max_leaves=40).fit(X, X["x"] % 3).report_facts()
    assert len(tree_of(facts)[0]) == 40
    page = open_facts(facts)
    assert page.get_by_role("treeitem").count() > 5


def test_toggle_collapses_and_expands(plain):
    tree = tree_of(facts_of("plain"))
    expand_all(plain)
    child = next(c for c in tree[0] if tree[c])
    knob = plain.locator(f"[data-node='{child}'] .toggle .area")
    knob.click()
    item = plain.locator(f"[data-node='{child}']")
    assert item.get_attribute("aria-expanded") == "false"
    assert not set(tree[child]) & set(visible_nodes(plain))
    assert "hidden" in item.get_attribute("aria-label")
    knob.click()
    assert set(tree[child]) <= set(visible_nodes(plain))
    assert item.get_attribute("aria-expanded") == "true"


def test_collapse_leaves_the_first_level(plain):
    tree = tree_of(facts_of("plain"))
    plain.get_by_role("button", name="Collapse").click()
    assert set(visible_nodes(plain)) == {0, *tree[0]}


def test_arrow_keys_move_through_the_tree(plain):
    tree = tree_of(facts_of("plain"))
    expand_all(plain)
    order = visible_nodes(plain)
    tree_items(plain).first.focus()
    press = plain.keyboard.press
    press("ArrowRight")
    assert focused_node(plain) == tree[0][0]
    press("ArrowDown")
    assert focused_node(plain) == order[2]
    press("ArrowUp")
    assert focused_node(plain) == order[1]
    press("ArrowUp")
    assert focused_node(plain) == 0
    press("End")
    assert focused_node(plain) == order[-1]
    press("Home")
    assert focused_node(plain) == 0
    press(" ")
    assert tree_items(plain).first.get_attribute("aria-expanded") == "false"
    assert visible_nodes(plain) == [0]
    press("ArrowRight")
    assert tree_items(plain).first.get_attribute("aria-expanded") == "true"
    press("ArrowDown")
    press("Enter")
    assert plain.locator("#details").get_attribute("data-of") == str(order[1])
    assert plain.locator("[role=treeitem][tabindex='0']").count() == 1
    assert plain.locator("[role=treeitem][aria-selected=true]").count() == 1


def test_left_key_collapses_then_moves_up(plain):
    tree = tree_of(facts_of("plain"))
    expand_all(plain)
    inner = next(c for c in tree[0] if tree[c])
    item = plain.locator(f"[data-node='{inner}']")
    item.focus()
    plain.keyboard.press("ArrowLeft")
    assert item.get_attribute("aria-expanded") == "false"
    assert focused_node(plain) == inner
    plain.keyboard.press("ArrowLeft")
    assert focused_node(plain) == 0


def test_nodes_have_aria_levels_and_positions(plain):
    tree = tree_of(facts_of("plain"))
    expand_all(plain)
    for place, child in enumerate(tree[0], 1):
        item = plain.locator(f"[data-node='{child}']")
        shown = [item.get_attribute(f"aria-{a}") for a in ("level", "posinset", "setsize")]
        assert shown == ["2", str(place), str(len(tree[0]))]


def test_zoom_works_by_keys_buttons_and_wheel(plain):
    wide = lambda: plain.get_by_role("tree").bounding_box()["width"]  # noqa: E731
    tree_items(plain).first.focus()
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


def test_dragging_scrolls_without_selecting(open_facts):
    page = open_facts(facts_of("sixty classes"))
    press(page, "Expand all")
    press(page, "Zoom in")
    area = page.locator(".tree-area")
    area.evaluate("e => { e.scrollTop = 0; }")
    box = area.bounding_box()
    before = area.evaluate("e => e.scrollTop")
    page.mouse.move(box["x"] + 300, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 280, box["y"] + 180, steps=5)
    page.mouse.up()
    assert area.evaluate("e => e.scrollTop") == before + 120
    assert page.locator("#details").get_attribute("data-of") == "0"
