"""The view of the tree: what fits, what stays in sight, where the focus can go."""

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier
from tests.report.facts_reader import tree_of
from tests.report.page_reader import settle
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
    return TreeClassifier(max_leaves=500, contract=False).fit(X, y).report_facts()


def press(page, name):
    page.get_by_role("button", name=name).click()
    settle(page)


def test_fit_fits_a_large_tree(open_facts, large):
    page = open_facts(large)
    press(page, "Expand all")
    press(page, "Fit")
    assert len(page.evaluate(IN_SIGHT)) == len(large["nodes"])
    press(page, "Zoom in")
    assert len(page.evaluate(IN_SIGHT)) < len(large["nodes"])


@pytest.mark.parametrize("width", [1600, 360])
def test_expanding_a_large_tree_leaves_something_to_see(open_facts, large, width):
    page = open_facts(large, width=width, height=740)
    press(page, "Expand all")
    seen = page.evaluate(IN_SIGHT)
    assert 0 in seen
    assert len(seen) >= 8


def test_zooming_by_keys_keeps_the_focus_in_sight(open_facts):
    page = open_facts(facts_of("sixty classes"))
    press(page, "Expand all")
    page.get_by_role("treeitem").first.focus()
    page.keyboard.press("End")
    node = int(page.evaluate("document.activeElement.dataset.node"))
    for key in ("+", "+", "-", "0", "+"):
        page.keyboard.press(key)
        assert node in page.evaluate(IN_SIGHT)
        assert int(page.evaluate("document.activeElement.dataset.node")) == node


def test_tab_stops_at_one_node_and_not_at_the_drawing(open_facts):
    page = open_facts(facts_of("plain"))
    page.get_by_role("button", name="Replay growth").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "treeitem"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.tree-area')") is None


def test_on_a_phone_a_tap_tells_of_details_below(open_facts):
    page = open_facts(facts_of("plain"), width=360, height=740, has_touch=True, is_mobile=True)
    node = facts_of("plain")["nodes"][0]["children"][0]
    page.locator(f"[data-node='{node}'] .box").tap()
    line = page.locator(".chosen-line")
    said = line.get_by_role("status")
    assert said.inner_text() == f"Selected: {facts_of('plain')['nodes'][node]['answer']}"
    box = line.bounding_box()
    assert 0 <= box["y"] <= 740 - box["height"]
    page.emulate_media(reduced_motion="reduce")
    line.get_by_role("link", name="See details").tap()
    settle(page)
    assert 0 <= page.locator("#details h3").bounding_box()["y"] < 400


def test_beside_the_tree_the_line_is_for_the_ear(open_facts):
    page = open_facts(facts_of("plain"))
    assert page.locator(".chosen-line").bounding_box()["width"] <= 1
    page.locator("[data-node='0'] .box").click()
    said = page.locator(".chosen-line [role=status]")
    assert said.get_attribute("aria-live") == "polite"
    assert said.text_content() == "Selected: all rows"


def test_the_first_look_cuts_nothing_off(open_facts):
    page = open_facts(facts_of("plain"))
    settle(page)
    assert len(page.evaluate(IN_SIGHT)) == page.get_by_role("treeitem").count() >= 10


def test_a_root_of_many_branches_opens(open_facts):
    X = pd.DataFrame({"x": np.arange(800) // 20})
    facts = TreeClassifier(max_leaves=40).fit(X, X["x"] % 3).report_facts()
    assert len(tree_of(facts)[0]) == 40
    page = open_facts(facts)
    assert page.get_by_role("treeitem").count() > 5
