"""The sections for decisions in a browser: their numbers are those of the model."""

import re

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, precision_score, recall_score

from polytomy import TreeClassifier
from tests.report.decision_cases import HOSTILE, case, facts_of
from tests.report.page_reader import number, settle

SECTIONS = ["Decisions", "Groups by segment", "Drift", "Data", "Model card"]


def counts(page):
    return [number(t) for t in page.locator("#decision-matrix .count").all_inner_texts()]


def figures(page):
    part = page.locator("#decision .decide dl")
    names, values = part.locator("dt").all_inner_texts(), part.locator("dd").all_inner_texts()
    return dict(zip(names, values, strict=True))


@pytest.mark.parametrize("name", ["tree", "boosted", "forest", "three"])
@pytest.mark.parametrize("width", [1600, 360])
def test_page_has_the_sections_and_fits_its_screen(open_facts, name, width):
    page = open_facts(facts_of(name), width=width, scheme="dark" if width == 360 else "light")
    shown = page.locator("section h2").all_inner_texts()
    assert [title for title in shown if title in SECTIONS] == SECTIONS
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#decision figure").count() == 5
    assert HOSTILE in page.locator("#groups").inner_text()


TOO_WIDE = """() => [...document.querySelectorAll(".scroll")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1)
  .map((e) => e.ariaLabel)"""


@pytest.mark.parametrize("name", ["tree", "boosted", "forest", "three"])
def test_tables_fit_a_phone(open_facts, name):
    page = open_facts(facts_of(name), width=360)
    assert page.evaluate(TOO_WIDE) == []
    drift = page.locator("#drift .drift-columns tbody td").nth(1)
    heading = drift.evaluate("e => getComputedStyle(e, '::before').content")
    assert heading == '"Index [95 %]"'
    assert all(
        row.bounding_box()["height"] < 130 for row in page.locator("#certificate tbody tr").all()
    )
    wide = open_facts(facts_of(name), width=1600)
    heading = wide.locator("#drift .drift-columns tbody td").nth(1)
    assert heading.evaluate("e => getComputedStyle(e, '::before').content") == "none"


def test_slider_moves_by_keyboard_and_gives_the_confusion_matrix(open_facts):
    c, page = case("boosted"), open_facts(facts_of("boosted"))
    one = facts_of("boosted")["decision"]["classes"][0]
    slider = page.get_by_label("Threshold", exact=True)
    slider.focus()
    for key in ("ArrowRight", "ArrowRight", "PageDown", "ArrowLeft"):
        page.keyboard.press(key)
        settle(page)
        i = len(one["threshold"]) - 1 - int(slider.input_value())
        threshold = one["threshold"][i]
        assert slider.get_attribute("aria-valuetext").startswith("a threshold of ")
        truth = c.y_test == "yes"
        said = c.clf.predict_proba(c.X_test)[:, 1] >= threshold
        (tn, fp), (fn, tp) = confusion_matrix(truth, said)
        assert counts(page) == [tp, fn, fp, tn]
        shown = figures(page)
        assert number(shown["Recall"]) == pytest.approx(100 * recall_score(truth, said), abs=0.06)
        precision = 100 * precision_score(truth, said)
        assert number(shown["Precision"]) == pytest.approx(precision, abs=0.06)
    page.keyboard.press("End")
    settle(page)
    assert "for no row" in page.locator("#decide-line").inner_text()
    assert counts(page)[0] == 0


def test_costs_choose_the_threshold(open_facts):
    page = open_facts(facts_of("tree"))
    one = facts_of("tree")["decision"]["classes"][0]
    right, wrong = np.array(one["right"]), np.array(one["wrong"])
    page.get_by_label(re.compile("yes predicted as no")).fill("7")
    page.get_by_role("button", name="Least cost").click()
    settle(page)
    cost = 7 * (right[-1] - right) + wrong
    i = int(np.argmin(cost))
    assert counts(page)[::2] == [right[i], wrong[i]]
    line = page.locator(".cost-line").inner_text()
    assert number(line) == cost[i]
    assert "No threshold costs less" in line
    page.get_by_label(re.compile("yes predicted as no")).fill("")
    page.get_by_role("button", name="Above 50").click()
    settle(page)
    assert counts(page)[::2] == [right[one["own"]], wrong[one["own"]]]


def test_error_of_the_own_predictions_is_stated_if_it_differs(open_facts):
    c = case("tree")
    equal = open_facts(facts_of("tree"))
    own = np.mean(c.clf.predict(c.X_test) != c.y_test)
    assert number(figures(equal)["Error"]) == pytest.approx(100 * own, abs=0.06)
    assert not equal.locator("#own-error").is_visible()

    clf = TreeClassifier(max_leaves=7, class_weight={"yes": 5, "no": 1}).fit(c.X, c.y)
    page = open_facts(clf.report_facts(c.X, c.y, c.X_test, c.y_test))
    own = np.mean(clf.predict(c.X_test) != c.y_test)
    assert number(figures(page)["Error"]) != pytest.approx(100 * own, abs=0.06)
    said = page.locator("#own-error").inner_text()
    assert number(said) == pytest.approx(100 * own, abs=0.06)
    assert "training rows of each leaf" in said
    page.get_by_label("Threshold", exact=True).press("ArrowRight")
    assert not page.locator("#own-error").is_visible()

    three = open_facts(facts_of("three"))
    said = three.locator("#own-error").inner_text()
    assert "against all other classes" in said
    assert number(said.split("have an error of")[1]) == pytest.approx(
        100 * facts_of("three")["decision"]["error"], abs=0.06
    )


def test_class_can_be_chosen(open_facts):
    page = open_facts(facts_of("three"))
    page.locator("#decision-class").select_option(label="perhaps")
    settle(page)
    k = case("three").clf.classes_.tolist().index("perhaps")
    one = facts_of("three")["decision"]["classes"][k]
    assert sum(counts(page)[:2]) == one["right"][-1]
    assert f"{one['auc'][0]:.3f}" in page.locator("#decision figcaption").first.inner_text()
    page.locator("#groups-class").select_option(label="perhaps")
    assert "Predicted perhaps" in page.locator("#groups thead").inner_text()


NAMES_OF_CLASSES = (
    "#decision-class option, #groups-class option, #decide-line b, #decision-matrix th, "
    "#decision-matrix input, #decision figcaption, #groups thead th, #confusion .matrix th, "
    "#drift .drift-cells tbody th"
)


@pytest.mark.parametrize("name", ["numbered", "boosted numbered"])
def test_numeric_classes_are_called_classes(open_facts, name):
    page = open_facts(facts_of(name))
    shown = page.locator(NAMES_OF_CLASSES).evaluate_all(
        "all => all.flatMap((e) => [e.textContent, e.title, e.ariaLabel ?? ''])"
    )
    named = [text for text in shown if re.search(r"(?<![.\d])[012](?![.\d])", text)]
    assert len(named) >= 20
    assert [text for text in named if "class" not in text] == []
    page.locator("#decision-class").select_option(label="class 2")
    assert page.locator("#decide-line").inner_text().startswith("Predict class 2 if ")


def test_groups_drift_and_card_show_their_figures(open_facts):
    facts, page = facts_of("tree"), open_facts(facts_of("tree"))
    rows = page.locator("#groups tbody tr").all()
    assert len(rows) == len(facts["groups"]["groups"])
    for row, group in zip(rows, facts["groups"]["groups"], strict=True):
        cells = row.locator("td").all_inner_texts()
        assert number(cells[0]) == group["rows"]
        assert number(cells[1]) == pytest.approx(100 * group["error"][0], abs=0.06)
    assert f"{facts['drift']['psi'][0]:.3f}" in page.locator("#drift dd").first.inner_text()
    assert page.locator("#drift .drift-cells tbody tr").count() == len(
        facts["drift"]["cells"]["new"]
    )
    assert facts["card"]["fingerprints"][0][1] in page.locator("#card").inner_text()
    assert page.locator("#data tbody tr").count() == 3


def test_drift_of_an_ensemble_names_what_is_predicted(open_facts):
    heads = [
        open_facts(facts_of(name)).locator(".drift-cells th").first.inner_text()
        for name in ("boosted", "boosted numbered", "tree")
    ]
    assert heads == ["Probability of yes", "Prediction", "Leaf"]


def test_training_rows_are_called_optimistic_and_print_keeps_the_numbers(open_facts):
    c = case("tree")
    page = open_facts(c.clf.report_facts(c.X, c.y))
    assert "optimistic" in page.locator("#decision .pill").inner_text()
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Least cost").is_visible()
    assert page.locator("#decision-matrix .count").first.is_visible()
    assert page.locator("#decide-line").is_visible()


@pytest.mark.parametrize("name", ["tree", "boosted"])
def test_groups_follow_the_threshold(open_facts, name):
    c, page, facts = case(name), open_facts(facts_of(name)), facts_of(name)
    one, groups = facts["decision"]["classes"][0], facts["groups"]["groups"]
    assert "own predictions" in page.locator("#groups-by").inner_text()
    before = page.locator("#groups tbody").inner_text()
    slider = page.get_by_label("Threshold", exact=True)
    slider.focus()
    page.keyboard.press("PageDown")
    settle(page)
    at = len(one["threshold"]) - 1 - int(slider.input_value())
    assert at in facts["groups"]["classes"][0]["at"]
    assert "At the threshold of the section" in page.locator("#groups-by").inner_text()
    said = c.clf.predict_proba(c.X_test)[:, 1] >= one["threshold"][at]
    truth, segment = (c.y_test == "yes").to_numpy(), c.group.to_numpy()
    shown = [row.locator("td").all_inner_texts() for row in page.locator("#groups tbody tr").all()]
    checked = 0
    for group, cells in zip(groups, shown, strict=True):
        mine = segment == group["name"]
        if mine.sum() != group["rows"]:
            continue  # a group of missing cells, or of a name that is shortened
        checked += 1
        assert number(cells[1]) == pytest.approx(100 * np.mean(said[mine] != truth[mine]), abs=0.06)
        assert number(cells[3]) == pytest.approx(100 * said[mine].mean(), abs=0.06)
        alarms = said[mine & ~truth]
        assert number(cells[4]) == pytest.approx(100 * alarms.mean(), abs=0.06)
    assert checked >= 2
    page.get_by_role("button", name="Above 50").click()
    settle(page)
    assert page.locator("#groups tbody").inner_text() == before
