"""The page of boosted trees in a browser: its numbers are those of the model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from polytomy import BoostedTreeClassifier
from tests.report.page_reader import confusion

MINUS = "\N{MINUS SIGN}"


def table_in(page, title):
    """Return the cells of a chart's table."""
    figure = page.locator("figure", has=page.locator("figcaption", has_text=title)).first
    figure.locator("summary").click()
    rows = figure.locator("tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def percent(x, digits=1):
    return f"{100 * x:.{digits}f}\u00a0%"


@pytest.mark.parametrize("name", ["cars", "tumours", "deep", "bare", "none"])
@pytest.mark.parametrize(("width", "height"), [(1600, 1000), (360, 740)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_fits_its_screen(show, name, width, height, scheme):
    page = show(name, width=width, height=height, scheme=scheme)
    assert page.locator("h1").inner_text().startswith("Boosted trees")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for heading in page.locator("nav a").all():
        assert page.locator(heading.get_attribute("href")).count() == 1


def test_rounds_chart_shows_the_record(show, tumours):
    clf, X, y = tumours
    head, *rows = table_in(show("tumours"), "Errors and bound")
    assert len(rows) == 60
    figures = {
        "training error": clf.rounds_.training_error,
        "test error": [1 - s for s in clf.staged_score(X[400:], y[400:])],
        "bound on the training error": clf.rounds_.bound,
    }
    for name, values in figures.items():
        at = head.index(name)
        shown = [float(row[at].removesuffix("\u00a0%")) for row in rows]
        np.testing.assert_allclose(shown, 100 * np.asarray(values), atol=0.0501)


def test_margins_and_confusion_matrix_are_those_of_the_model(show, cars):
    clf, X, y = cars
    page = show("cars")
    margins = clf.margins(X[1::2], y[1::2])
    text = page.locator("#margins").inner_text()
    assert f"Test rows: {percent((margins < 0).mean())} have a negative margin" in text
    matrix = pd.crosstab(y[1::2], clf.predict(X[1::2])).to_numpy()
    assert confusion(page, "test") == matrix.tolist()
    errors = page.locator("#confusion-test .error").all_inner_texts()
    assert errors == [percent(1 - row[i] / row.sum()) for i, row in enumerate(matrix)]


def test_summary_and_certificate_are_those_of_the_model(show, tumours):
    clf, X, y = tumours
    page = show("tumours")
    figures = page.locator("#top .figures").inner_text()
    assert percent(1 - clf.score(X[400:], y[400:])) in figures
    assert percent(clf.certificate_.bound) in figures
    page.locator("#certificate summary").click()
    assert page.locator("#certificate pre").inner_text() == str(clf.certificate_)
    assert clf.certificate_.claim in page.locator("#certificate").inner_text()


def test_bound_above_one_is_called_uninformative(open_facts):
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    clf = BoostedTreeClassifier(3, algorithm="adaboost-mh").fit(X, rng.integers(0, 6, len(y)))
    assert clf.certificate_.bound > 1
    page = open_facts(clf.report_facts())
    assert "above 100\u00a0%" in page.locator(".figures").inner_text()
    assert (
        "is not informative; this one is above 100\u00a0% in every round"
        in page.locator("#rounds").inner_text()
    )


def test_score_panels_are_searched_and_sorted(show, tumours):
    clf = tumours[0]
    page = show("tumours")
    functions = clf.ensemble_.additive.by_spread()
    names = [clf.ensemble_.schema[f.feature].name for f in functions]
    panels = page.locator(".panel")
    assert panels.count() == min(12, len(names))
    page.get_by_role("button", name=f"Show all {len(names)}").last.click()
    shown = [p.get_attribute("aria-label") for p in panels.all()]
    assert (sorted(shown), shown != names) == (sorted(names), True)
    page.get_by_label("Sort by").select_option("spread")
    page.get_by_role("button", name=f"Show all {len(names)}").last.click()
    assert [p.get_attribute("aria-label") for p in panels.all()] == names
    assert panels.first.locator(".density rect").count() == 40
    first = panels.first
    first.locator("summary").click()
    shown = first.locator("tbody td").all_inner_texts()
    exact = functions[0].scores[:, 0]
    assert [float(t.replace(MINUS, "-")) for t in shown] == [round(x, 3) for x in exact]
    page.select_option("#column-order", "name")
    assert [p.get_attribute("aria-label") for p in panels.all()] == sorted(names)[:12]
    page.fill("#column-search", "AREA")
    found = [p.get_attribute("aria-label") for p in panels.all()]
    assert found == sorted(n for n in names if "area" in n)


def test_score_panels_show_one_class(show, cars):
    page = show("cars")
    assert page.locator(".panel[aria-label=displacement] path.line").count() == 3
    page.select_option("#column-class", label="Japan")
    assert page.locator(".panel[aria-label=displacement] path.line").count() == 1
    assert page.locator(".panel .value-label").count() > 0


def test_page_of_deep_trees_shows_importances(show):
    page = show("deep")
    assert page.locator("#row, #scores").count() == 0
    text = page.locator("#summary").inner_text()
    assert "boost with max_depth=1" in text
    assert "Number of splits on each column" in text


def test_page_without_rows_has_no_margins(show):
    page = show("bare")
    assert page.locator("#margins, #confusion").count() == 0
    assert page.locator("#row, #scores, #rounds, #certificate").count() == 4


@pytest.mark.parametrize("name", ["cars", "tumours", "deep"])
def test_controls_have_accessible_names(show, name):
    page = show(name)
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("input, select, button, [role=img], [tabindex='0']")]
          .filter((e) => !(e.labels?.length || e.textContent.trim() && e.tagName === "BUTTON"
            || e.getAttribute("aria-label") || e.tagName === "PRE"))
          .map((e) => e.outerHTML.slice(0, 120))"""
    )
    assert unnamed == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


def test_page_works_by_keyboard(show):
    page = show("tumours")
    page.focus("#column-search")
    page.keyboard.type("texture")
    assert all("texture" in p.get_attribute("aria-label") for p in page.locator(".panel").all())
    page.locator(".panel summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".panel details").first.get_attribute("open") is not None


def test_names_are_shown_as_text(open_page, tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    odd = "</script><img src=x onerror=alert(1)>"
    frame = pd.DataFrame(X[:, :3], columns=[odd, "b & c", "d"])
    clf = BoostedTreeClassifier(8, max_leaves=2).fit(frame, np.array([f"<b>{k}</b>" for k in y]))
    clf.report(tmp_path / "odd.html", title="<i>odd</i>")
    page = open_page(tmp_path / "odd.html")
    assert page.locator("h1").inner_text() == "<i>odd</i>"
    assert page.locator("img, b, i").count() == 0
    assert odd in page.locator("#scores").inner_text()
