"""The size slider: the page shows the trees that ``pruning_path().at`` returns."""

import re

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from polytomy._text import class_title
from tests.report.page_reader import confusion, leaf_table, move_to_size, number, settle
from tests.report.tree_cases import case, facts_of

CASES = ["plain", "uncontracted", "nasty", "700 categories", "weighted"]


def some(sizes):
    """Return a few sizes, including both ends."""
    return [sizes[i] for i in np.unique(np.linspace(0, len(sizes) - 1, 5).astype(int))]


def pruned_to(clf, size):
    """Return the classifier pruned to a size; the largest size is the whole tree."""
    return clf if size == clf._model.kept.n_leaves else clf.pruning_path().at(size)


@pytest.mark.parametrize("name", CASES)
def test_leaves_are_those_of_the_pruning(open_facts, name):
    c, facts = case(name), facts_of(name)
    page = open_facts(facts)
    for size in some(facts["path"]["sizes"]):
        move_to_size(page, size, facts)
        shown = sorted(
            (r["cells"][0], r["cells"][1], number(r["cells"][2])) for r in leaf_table(page)
        )
        rules = pruned_to(c.clf, size).to_rules()
        wanted = [
            (" and ".join(r.conditions) or "all rows", class_title(r.prediction.name), r.rows)
            for r in rules
        ]
        assert shown == sorted(wanted)


@pytest.mark.parametrize("name", CASES)
def test_confusion_matrix_is_that_of_the_pruning(open_facts, name):
    c, facts = case(name), facts_of(name)
    page = open_facts(facts)
    for size in some(facts["path"]["sizes"]):
        move_to_size(page, size, facts)
        predicted = pruned_to(c.clf, size).predict(c.X)
        wanted = confusion_matrix(c.y, predicted, labels=c.clf.classes_, sample_weight=c.weights)
        np.testing.assert_allclose(confusion(page, "training"), wanted, atol=0.006)
        np.testing.assert_allclose(confusion(page, "test"), wanted, atol=0.006)
        wrong = 1 - np.trace(wanted) / wanted.sum()
        message = page.get_by_label("Size of the tree").get_attribute("aria-valuetext")
        leaves = "1 leaf" if size == 1 else f"{size} leaves"
        rate = f"{100 * wrong:.1f}\u00a0%"
        is_whole = size == facts["path"]["sizes"][-1]
        chosen = "" if is_whole else " (chosen on these rows, optimistic)"
        assert message == f"{leaves}, {rate} training error, {rate} test error{chosen}"
        assert rate in page.locator("#confusion-training h3").inner_text()


def test_buttons_show_the_suggested_sizes(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts)
    for name, size in (
        ("Risk bound", facts["path"]["choices"]["srm"]),
        ("Best on test rows", facts["path"]["choices"]["holdout"]),
        ("Whole tree", facts["path"]["sizes"][-1]),
    ):
        button = page.get_by_role("button", name=name)
        button.click()
        settle(page)
        assert button.get_attribute("aria-pressed") == "true"
        assert page.locator(".leaves tbody tr").count() == size


def test_chart_marks_and_sets_the_size(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts)
    chart = page.locator("#sizes figure").first
    assert chart.locator(".mark text").text_content() == f"{facts['path']['sizes'][-1]} leaves"
    box = chart.locator(".drawing").bounding_box()
    chart.locator(".drawing").click(position={"x": 60, "y": box["height"] / 2})
    settle(page)
    assert chart.locator(".mark text").text_content() == "1 leaf"
    assert page.locator(".leaves tbody tr").count() == 1


def test_slider_moves_by_keys(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts)
    slider = page.get_by_label("Size of the tree")
    slider.focus()
    page.keyboard.press("Home")
    settle(page)
    assert page.locator(".leaves tbody tr").count() == 1
    page.keyboard.press("ArrowRight")
    settle(page)
    assert page.locator(".leaves tbody tr").count() == facts["path"]["sizes"][1]


def test_confusion_list_is_shown_for_many_classes(open_facts):
    c, facts = case("sixty classes"), facts_of("sixty classes")
    page = open_facts(facts)
    counts = confusion_matrix(c.y, c.clf.predict(c.X), labels=c.clf.classes_)
    np.fill_diagonal(counts, 0)
    rows = page.locator("#confusion-training tbody tr")
    assert rows.count() == 20
    assert number(rows.first.locator("td").nth(1).inner_text()) == counts.max()


def test_headings_show_the_current_size(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts)
    heading = lambda name: page.locator(f"#{name}-title").inner_text()  # noqa: E731
    assert (heading("leaves"), heading("confusion")) == ("Leaves", "Confusion matrix")
    size = facts["path"]["sizes"][4]
    move_to_size(page, size, facts)
    assert heading("leaves") == f"Leaves (tree with {size} leaves)"
    assert heading("confusion") == f"Confusion matrix (tree with {size} leaves)"
    page.get_by_role("button", name="Whole tree").click()
    settle(page)
    assert heading("leaves") == "Leaves"


@pytest.mark.parametrize("name", ["plain", "small pruning"])
def test_chart_has_ticks_at_whole_numbers(open_facts, name):
    page = open_facts(facts_of(name))
    ticks = page.locator("#sizes .axes text[text-anchor=middle]").all_text_contents()
    assert len(ticks) >= 2
    assert all(tick.isdigit() for tick in ticks)


def test_table_of_sizes_states_the_errors_with_a_decimal(plain):
    path = facts_of("plain")["path"]
    details = plain.locator("#sizes details").first
    details.locator("summary").click()
    rows = details.locator("tbody tr")
    assert rows.count() == len(path["sizes"])
    for row, error in zip(rows.all(), path["errors"], strict=True):
        shown = row.locator("td").first.inner_text()
        assert re.fullmatch(r"\d+\.\d\s%", shown)
        assert number(shown) == pytest.approx(100 * error / path["total"], abs=0.06)
