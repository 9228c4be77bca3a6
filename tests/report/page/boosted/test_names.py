"""Odd names on the page of boosted trees: blanks, words for missing cells, huge numbers."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from polytomy import BoostedTreeClassifier

ODD = ["", "  ", "missing", "none", "NA", "null", "?", "(missing)", "Ulm"]


def table(n=450, odd=ODD):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": np.resize(np.array(odd, dtype=object), n), "x": rng.normal(size=n)})
    place = np.arange(n) % len(odd)
    return X, ((place * 7 % len(odd) > len(odd) / 2) ^ (X["x"] > 0.8)).astype(int)


def fitted(odd=ODD):
    X, y = table(odd=odd)
    return BoostedTreeClassifier(60, max_leaves=6, max_depth=1).fit(X, y)


def votes(page):
    return json.loads(page.locator(".verdict").get_attribute("data-votes"))


@pytest.fixture
def opened(open_facts):
    def of(clf):
        page = open_facts(clf.report_facts())
        page.locator("form.cells").get_by_label("x", exact=False).last.fill("0.1")
        return page

    return of


def wanted(clf, town):
    return clf.decision_function(
        pd.DataFrame({"town": [town], "x": [0.1]}).astype({"town": object})
    ).tolist()


def test_categories_can_all_be_chosen(opened):
    clf = fitted()
    page = opened(clf)
    field = page.locator("form.cells select")
    options = field.locator("option").all_inner_texts()
    quoted = [f"“{c}”" if not c.strip() or c == "(missing)" else c for c in sorted(ODD)]
    assert options == ["(missing)", *quoted, "(another value)"]
    for place, town in enumerate(sorted(ODD)):
        field.select_option(str(place))
        assert votes(page) == wanted(clf, town)
    field.select_option("missing")
    assert votes(page) == wanted(clf, None)
    field.select_option("unseen")
    assert votes(page) == wanted(clf, "never seen")
    words = page.locator(".panel[aria-label=town] .bars th").all_inner_texts()
    assert all(word.strip() for word in words)


def test_typical_value_may_be_an_empty_category(opened):
    clf = fitted()
    page = opened(clf)
    page.get_by_role("button", name="Typical values").click()
    assert page.locator("form.cells select").input_value() == "0"
    page.get_by_role("button", name="Clear all fields").click()
    assert page.locator("form.cells select").input_value() == "missing"


@pytest.mark.parametrize("many", [False, True])
def test_pasted_words_are_categories_of_the_column_first(opened, many):
    clf = fitted([*ODD, *(f"t{i}" for i in range(60))] if many else ODD)
    page = opened(clf)
    pasted = {
        "none": "none",
        "NA": "NA",
        "?": "?",
        '""': "",
        '"  "': "  ",
        "": None,
        "nan": None,
        "Bonn": "Bonn",
        ' "Ulm"': "Ulm",
    }
    for cell, town in pasted.items():
        page.fill("#paste-row", f"{cell},0.1")
        assert votes(page) == wanted(clf, town), cell


def test_pasted_quoted_cells_may_contain_separators(opened):
    clf = fitted(["a, b", 'say "c"', "d;e", "f"])
    page = opened(clf)
    for cell, town in {
        '"a, b"': "a, b",
        '"say ""c"""': 'say "c"',
        '"d;e"': "d;e",
        "f": "f",
    }.items():
        page.fill("#paste-row", f"{cell},0.1")
        assert votes(page) == wanted(clf, town), cell


def test_column_without_a_name_has_a_visible_one(open_facts):
    X, y = table()
    clf = BoostedTreeClassifier(20, max_leaves=3, max_depth=1).fit(X.rename(columns={"x": ""}), y)
    page = open_facts(clf.report_facts())
    page.locator("form.cells").get_by_label("(no name)").fill("0.5")
    assert page.locator(".panel[aria-label='(no name)'] h3").inner_text().startswith("(no name)")
    assert "(no name)" in page.locator(".row-result").inner_text()


@pytest.mark.parametrize("start", [0, 1e18])
def test_axis_labels_of_huge_numbers_do_not_overlap(open_facts, start):
    x = start + np.arange(400) * 2.5e16
    y = (np.arange(400) // 70 % 2) ^ (np.random.default_rng(0).random(400) < 0.1)
    clf = BoostedTreeClassifier(20, max_leaves=2).fit(pd.DataFrame({"x": x}), y)
    page = open_facts(clf.report_facts(), width=360)
    ticks = page.locator(".stairs .axes text[text-anchor=middle]")
    boxes = [tick.bounding_box() for tick in ticks.all()]
    assert len(boxes) >= 2
    for a, b in pairwise(boxes):
        assert a["x"] + a["width"] <= b["x"]
    hint = page.locator("form.cells .hint").first.inner_text().split(" to ")
    for end in hint:
        page.locator("form.cells input").fill(end.strip())
        assert "probability" in page.locator(".verdict").inner_text()


def test_axis_of_nearly_equal_numbers_is_drawn(open_facts):
    x = 2.0**60 + np.arange(40) * 256
    clf = BoostedTreeClassifier(5, max_leaves=2).fit(pd.DataFrame({"x": x}), np.arange(40) > 17)
    page = open_facts(clf.report_facts())
    assert page.locator(".stairs path.line").count() == 1


def test_charts_of_deep_trees_name_a_column_without_a_name(open_facts):
    X, y = table()
    clf = BoostedTreeClassifier(5, max_leaves=5).fit(X.rename(columns={"x": ""}), y)
    charts = open_facts(clf.report_facts()).locator("#summary figure").all()
    assert len(charts) == 2
    for chart in charts:
        assert "(no name)" in chart.locator("th").all_inner_texts()
