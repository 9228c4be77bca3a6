"""Names that are long, empty or blank."""

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier
from tests.report.page_reader import follow_a_row, leaf_table, settle

LONG = "x" * 300


def tree_with(names, n=300):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, len(names))).round(2))
    y = np.digitize(X.to_numpy() @ np.arange(1, len(names) + 1), [-1, 1])
    X.columns = names
    clf = TreeClassifier(procedure="per-leaf", max_leaves=12).fit(X, y)
    return clf.report_facts(X, y, X, y)


@pytest.mark.parametrize(("width", "widest"), [(1600, 1000), (360, 310)])
def test_long_name_leaves_room_for_the_numbers(open_facts, width, widest):
    page = open_facts(tree_with([LONG, "short"]), width=width, height=740)
    settle(page)
    rule = page.locator(".leaves tbody th").first.bounding_box()
    assert rule["width"] <= widest
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    table = page.get_by_role("region", name="Table of leaves")
    wide = table.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert wide[0] <= wide[1]


@pytest.mark.parametrize("name", ["", "  "])
def test_column_without_a_name_has_a_visible_one(open_facts, name):
    facts = tree_with([name, "other"])
    page = open_facts(facts)
    page.get_by_role("button", name="Expand all").click()
    follow_a_row(page)
    field = page.get_by_label("(no name)", exact=True)
    field.fill("0.5")
    asked = page.locator("[role=treeitem]").all()
    labels = [item.get_attribute("aria-label") for item in asked]
    assert any("split on (no name)" in label for label in labels)
    rules = [row["cells"][0] for row in leaf_table(page)]
    assert all(
        rule.count("(no name)") + rule.count("other") == rule.count(" and ") + 1 for rule in rules
    )
    assert any(" < (no name) <= " in rule for rule in rules)
    assert "(no name)" in page.locator("#importances").inner_text()
    assert "(no name) is 0.5" in page.locator("#row-outcome").inner_text()


@pytest.mark.parametrize("more", [0, 80])
def test_blank_category_can_be_entered(open_facts, more):
    names = ["", "Ulm", "Rom", *(f"t{i}" for i in range(more))]
    X = pd.DataFrame({"town": np.resize(np.array(names, dtype=object), 600)})
    y = (np.arange(600) % len(names) == 0).astype(int)
    clf = TreeClassifier(procedure="per-leaf", max_leaves=3).fit(X, y)
    page = open_facts(clf.report_facts())
    follow_a_row(page)
    field = page.get_by_label("town", exact=True)
    if more:
        field.fill("“”")
    else:
        field.select_option(label="“”")
    shown = page.locator("#row-outcome")
    assert "town is “”" in shown.inner_text()
    assert shown.locator(".outcome .class-label > span").last.text_content() == "class 1:"


ALIKE = [f"{'Household' * 8}{year}{'InEuro' * 8}" for year in (2019, 2020, 2021)]


@pytest.mark.parametrize("width", [1600, 360])
def test_long_columns_never_look_alike(open_facts, width):
    page = open_facts(tree_with(ALIKE), width=width)
    page.get_by_role("button", name="Expand all").click()
    settle(page)
    shown = page.evaluate(
        """() => [...document.querySelectorAll(".node > .name")]
          .filter((e) => e.querySelector("title"))
          .map((e) => [e.querySelector("title").textContent, e.firstChild.data])"""
    )
    assert len({asks for asks, _ in shown}) >= 2
    assert all("…" in name for _, name in shown)
    assert all(a == b or x != y for a, x in shown for b, y in shown)


def test_branch_labels_leave_out_the_column(open_facts):
    X = pd.DataFrame({"size": np.arange(400.0) % 20, "town": np.resize(list("abcd"), 400)})
    y = np.where(X["town"].isin(["a", "b"]), X["size"] // 7, 3).astype(int)
    page = open_facts(TreeClassifier(procedure="per-leaf", max_leaves=8).fit(X, y).report_facts())
    labels = page.locator(".node .answer").evaluate_all("all => all.map((e) => e.firstChild.data)")
    assert len(labels) >= 4
    assert not any("size" in text or "town" in text for text in labels)
    assert any(text.startswith("≤ ") for text in labels)
    assert any(" to " in text for text in labels)
