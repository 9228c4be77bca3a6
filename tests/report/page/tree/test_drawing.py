"""The drawing of the tree: which nodes it shows, and how."""

import re

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier
from tests.report.facts_reader import tree_of
from tests.report.page_reader import expand_all, number, tree_items, visible_nodes
from tests.report.tree_cases import facts_of


def boxes(page, part):
    """Return left, top, right and bottom of a part of every node."""
    drawn = page.evaluate(
        """(part) => [...document.querySelectorAll(`.node ${part}`)]
          .map((e) => e.getBoundingClientRect()).map((r) => [r.left, r.top, r.right, r.bottom])""",
        part,
    )
    return np.array(drawn)


def test_drawing_shows_every_node(plain):
    expand_all(plain)
    assert set(visible_nodes(plain)) == set(tree_of(facts_of("plain")))


def test_drawing_shows_rows_and_conditions(plain):
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


def test_drawing_fills_its_canvas(plain):
    left, top, right, bottom = boxes(plain, ".box").T
    area = plain.locator(".tree-area").bounding_box()
    wide, high = right.max() - left.min(), bottom.max() - top.min()
    assert wide > 0.8 * area["width"]
    assert high > 0.8 * area["height"]


def test_splits_show_their_distribution_with_cuts(plain):
    facts, tree = facts_of("plain"), tree_of(facts_of("plain"))
    button = plain.get_by_role("button", name="Distributions")
    if button.get_attribute("aria-pressed") == "false":
        button.click()
    shown = [n for n in visible_nodes(plain) if tree[n] and str(n) in facts["details"]]
    assert shown
    for node in shown:
        chart = plain.locator(f"[data-node='{node}'] .node-chart")
        assert chart.count() == 1
        assert 1 <= chart.locator(".cut").count() < max(2, len(tree[node]) + 1)
    button.click()
    assert plain.locator(".node-chart").count() == 0


@pytest.mark.parametrize("name", ["plain", "uncontracted", "sixty classes"])
def test_boxes_do_not_overlap(open_facts, name):
    page = open_facts(facts_of(name))
    expand_all(page)
    left, top, right, bottom = boxes(page, ".box").T
    apart = (right[:, None] <= left) | (bottom[:, None] <= top)
    assert (apart | apart.T | np.eye(len(left), dtype=bool)).all()


def test_conditions_fit_their_column(open_facts):
    page = open_facts(facts_of("nasty"))
    expand_all(page)
    page.get_by_role("button", name="Zoom in").click()
    wide = lambda part: boxes(page, part)[:, 2] - boxes(page, part)[:, 0]  # noqa: E731
    assert wide(".answer").max() <= wide(".box").max() * 1.12


def test_boxes_have_no_text_at_small_zoom(open_facts):
    page = open_facts(facts_of("nasty"))
    expand_all(page)
    assert page.locator(".node .answer").count() == 0
    assert page.locator(".node.cell").count() > 50
    tree_items(page).first.focus()
    page.keyboard.press("0")
    assert page.locator(".node .answer").count() > 0


def test_first_view_shows_some_nodes(open_facts):
    page = open_facts(facts_of("700 categories"))
    assert 10 <= len(visible_nodes(page)) <= 30
    page = open_facts(facts_of("sixty classes"))
    assert 10 <= len(visible_nodes(page)) <= 30


def test_page_shows_a_tree_of_one_leaf(open_facts):
    for name in ("one leaf", "one class"):
        page = open_facts(facts_of(name))
        assert tree_items(page).count() == 1
        assert "Leaf" in page.locator("#details h3").inner_text()
        assert page.locator(".leaves tbody tr").count() == 1
        assert "all rows" in page.locator(".leaves tbody tr").inner_text()


@pytest.mark.parametrize("height", [1000, 720])
def test_root_with_many_branches_fits_at_first(open_facts, height):
    rng = np.random.default_rng(0)
    town, x = rng.integers(0, 20, 2_000), rng.random(2_000)
    frame = pd.DataFrame({"town": np.array([f"town {i}" for i in range(20)])[town], "x": x})
    y = rng.random(2_000) < (town % 5) / 5 + 0.1 * (x > 0.5)
    clf = TreeClassifier(40, procedure="id3", max_arity=32, honest=False).fit(frame, y)
    assert clf.tree_.arity(0) == 20
    page = open_facts(clf.report_facts(frame, y), height=height)
    high, whole = page.evaluate(
        "(() => { const a = document.querySelector('.tree-area'); "
        "return [a.clientHeight, a.scrollHeight]; })()"
    )
    assert whole <= high + 1
    assert page.locator(".icicle").count() == 0 or height == 720
