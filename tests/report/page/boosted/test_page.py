"""The page of boosted trees, in a browser: its numbers are the model's, for everyone to use."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from polytomy import BoostedTreeClassifier
from polytomy.data import load_cars
from tests.report.page_reader import confusion

MINUS = "\N{MINUS SIGN}"


def every_kind():
    """Return cars with a column of every kind, and missing cells."""
    columns, origin = load_cars()
    names = columns.pop("name")
    frame = pd.DataFrame(columns)[["mpg", "displacement", "horsepower"]]
    frame["letter"] = [name.split()[0][-1] for name in names]
    hours = pd.to_timedelta(np.arange(len(frame)) * 7, "h")
    frame["seen"] = pd.Timestamp("1970-06-01") + hours
    sizes = ["small", "middle", "big", "huge"]
    place = np.digitize(columns["weight"], [2200, 2800, 3600])
    frame["size"] = pd.Categorical.from_codes(place, sizes, ordered=True)
    frame["model"] = [name.split()[-1][:2] for name in names]
    frame.loc[::17, "horsepower"] = np.nan
    return frame, pd.Series(origin, name="origin")


@pytest.fixture(scope="module")
def cars():
    X, y = every_kind()
    clf = BoostedTreeClassifier(40, max_leaves=3, max_depth=1, learning_rate=0.7)
    return clf.fit(X[::2], y[::2]), X, y


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = pd.Series(np.array(["bad", "good"])[y], name="kind")
    return BoostedTreeClassifier(60, algorithm="adaboost").fit(X[:400], y[:400]), X, y


@pytest.fixture(scope="module")
def pages(cars, tumours, tmp_path_factory):
    """Write the pages; return their paths by name."""
    folder = tmp_path_factory.mktemp("boosted")
    clf, X, y = cars
    clf.report(folder / "cars.html", X[::2], y[::2], X[1::2], y[1::2])
    deep = BoostedTreeClassifier(12, max_leaves=5).fit(X, y)
    deep.report(folder / "deep.html", X, y)
    clf, X, y = tumours
    clf.report(folder / "tumours.html", X[:400], y[:400], X[400:], y[400:])
    clf.report(folder / "bare.html")
    with pytest.warns(UserWarning, match="nothing to boost"):
        none = BoostedTreeClassifier(5).fit(np.ones((8, 2)), np.arange(8) % 2)
    none.report(folder / "none.html", np.ones((8, 2)), np.arange(8) % 2)
    return {path.stem: path for path in folder.iterdir()}


@pytest.fixture
def show(open_page, pages):
    """Open a page by its name."""
    return lambda name, **how: open_page(pages[name], **how)


def verdict(page):
    """Return what the page makes of the row that is typed: votes, class, probabilities."""
    data = page.locator(".verdict").evaluate("e => ({...e.dataset})")
    return json.loads(data["votes"]), data["predicted"], json.loads(data["probabilities"])


@pytest.mark.parametrize("name", ["cars", "tumours", "deep", "bare", "none"])
@pytest.mark.parametrize(("width", "height"), [(1600, 1000), (360, 740)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_everywhere(show, name, width, height, scheme):
    page = show(name, width=width, height=height, scheme=scheme)
    assert page.locator("h1").inner_text().startswith("Boosted trees")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for heading in page.locator("nav a").all():
        assert page.locator(heading.get_attribute("href")).count() == 1


def test_pasted_rows_get_the_votes_of_the_model(show, tumours):
    clf, X, _ = tumours
    page = show("tumours")
    rows = X.iloc[::29]
    wanted = zip(
        clf.decision_function(rows), clf.predict(rows), clf.predict_proba(rows), strict=True
    )
    for (_, row), (votes, winner, chances) in zip(rows.iterrows(), wanted, strict=True):
        page.fill("#paste-row", "\t".join(map(repr, row.tolist())))
        told = verdict(page)
        assert told[0] == [votes]
        assert told[1] == winner
        np.testing.assert_allclose(told[2], chances, rtol=1e-9)


def cells_of(X, row):
    """Return a row's cells as one types them."""
    cells = ["" if pd.isna(cell) else str(cell) for cell in X.iloc[row].tolist()]
    return dict(zip(X.columns, cells, strict=True))


def type_in(page, cells):
    """Type cells into the fields, each by its label."""
    for name, cell in cells.items():
        field = page.locator("form.cells").get_by_label(name)
        if field.count() == 0:  # never asked about
            continue
        if field.evaluate("e => e.tagName") == "SELECT":
            field.select_option(label=cell or "(missing)")
        else:
            field.fill(cell)


def test_typed_cells_of_every_kind(show, cars):
    clf, X, _ = cars
    page = show("cars")
    kinds = page.locator("form.cells .cell").count()
    assert kinds >= 5
    for row in (0, 34, 101, 388):
        type_in(page, cells_of(X, row))
        votes, winner, chances = verdict(page)
        assert votes == clf.decision_function(X.iloc[[row]])[0].tolist()
        assert winner == clf.predict(X.iloc[[row]])[0]
        np.testing.assert_allclose(chances, clf.predict_proba(X.iloc[[row]])[0], rtol=1e-9)
        said = page.locator(".row-result .sum td").all_inner_texts()
        signs = [f"{v:+.3f}".replace("-", MINUS) for v in votes]
        assert said == signs


def test_times_with_zones_and_spans(open_page, tmp_path):
    rng = np.random.default_rng(5)
    hours = np.sort(rng.integers(0, 9000, 300))
    moment = pd.Timestamp("2024-01-01", tz="Europe/Berlin") + pd.to_timedelta(hours, "h")
    took = pd.to_timedelta(rng.integers(0, 5_000_000, 300), "s")
    X = pd.DataFrame({"moment": moment, "took": took, "date": moment.tz_localize(None).normalize()})
    y = (hours // 1500 + (took.total_seconds() > 2e6) + rng.integers(0, 2, 300)) % 2
    clf = BoostedTreeClassifier(30, max_leaves=3, max_depth=1).fit(X, y)
    clf.report(tmp_path / "times.html")
    page = open_page(tmp_path / "times.html")
    for row in (0, 77, 150, 222, 299):
        said = [str(X["moment"][row].tz_localize(None)), str(X["took"][row]), str(X["date"][row])]
        type_in(page, dict(zip(X.columns, said, strict=True)))
        assert verdict(page)[0] == [clf.decision_function(X.iloc[[row]])[0]]
    page.locator("form.cells").get_by_label("moment").fill("yesterday")
    example = clf.report_facts()["columns"][0]["low_text"]
    assert f"is not a time such as {example}" in page.locator(".verdict").inner_text()


def test_all_missing_and_new_values(show, cars):
    clf, X, _ = cars
    page = show("cars")
    page.get_by_role("button", name="Clear all fields").click()
    nothing = X.reindex([-1])
    assert verdict(page)[0] == clf.decision_function(nothing)[0].tolist()
    new = nothing.assign(letter="?!", model="never seen")
    type_in(page, {"letter": "(another value)", "model": "never seen"})
    assert verdict(page)[0] == clf.decision_function(new)[0].tolist()
    page.get_by_role("button", name="Typical values").click()
    assert verdict(page)[0] != clf.decision_function(new)[0].tolist()


def test_what_is_no_number_is_said(show):
    page = show("tumours")
    field = page.locator("form.cells input").first
    field.fill("12,5 or so")
    assert field.get_attribute("aria-invalid") == "true"
    assert "not a number" in page.locator(".verdict").inner_text()
    field.fill("12.5")
    assert field.get_attribute("aria-invalid") == "false"
    assert "probability" in page.locator(".verdict").inner_text()
    page.fill("#paste-row", "1,2,3")
    assert "3 cells, but the model has 30 columns" in page.locator("#row").inner_text()


def table_in(page, title):
    """Return the cells of a chart's table."""
    figure = page.locator("figure", has=page.locator("figcaption", has_text=title)).first
    figure.locator("summary").click()
    rows = figure.locator("tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def percent(x, digits=1):
    return f"{100 * x:.{digits}f}\u00a0%"


def test_the_rounds_are_those_of_the_model(show, tumours):
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
        told = [float(row[at].removesuffix("\u00a0%")) for row in rows]
        np.testing.assert_allclose(told, 100 * np.asarray(values), atol=0.0501)


def test_margins_and_mistakes(show, cars):
    clf, X, y = cars
    page = show("cars")
    margins = clf.margins(X[1::2], y[1::2])
    said = page.locator("#margins").inner_text()
    assert f"Test rows: {percent((margins < 0).mean())} have a negative margin" in said
    matrix = pd.crosstab(y[1::2], clf.predict(X[1::2])).to_numpy()
    assert confusion(page, "test") == matrix.tolist()
    errors = page.locator("#confusion-test .error").all_inner_texts()
    assert errors == [percent(1 - row[i] / row.sum()) for i, row in enumerate(matrix)]


def test_summary_and_certificate(show, tumours):
    clf, X, y = tumours
    page = show("tumours")
    figures = page.locator(".figures").inner_text()
    assert percent(1 - clf.score(X[400:], y[400:])) in figures
    assert percent(clf.certificate_.bound) in figures
    page.locator("#certificate summary").click()
    assert page.locator("#certificate pre").inner_text() == str(clf.certificate_)
    assert clf.certificate_.claim in page.locator("#certificate").inner_text()


def test_a_bound_above_one_is_called_that(open_facts):
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


def test_every_column_has_its_panel(show, tumours):
    clf = tumours[0]
    page = show("tumours")
    functions = clf.ensemble_.additive.by_spread()
    names = [clf.ensemble_.schema[f.feature].name for f in functions]
    panels = page.locator(".panel")
    assert panels.count() == min(12, len(names))
    page.get_by_role("button", name=f"Show all {len(names)}").last.click()
    assert [p.get_attribute("aria-label") for p in panels.all()] == names
    first = panels.first
    first.locator("summary").click()
    told = first.locator("tbody td").all_inner_texts()
    exact = functions[0].scores[:, 0]
    assert [float(t.replace(MINUS, "-")) for t in told] == [round(x, 3) for x in exact]
    page.select_option("#column-order", "name")
    assert [p.get_attribute("aria-label") for p in panels.all()] == sorted(names)[:12]
    page.fill("#column-search", "AREA")
    found = [p.get_attribute("aria-label") for p in panels.all()]
    assert found == sorted(n for n in names if "area" in n)


def test_scores_of_one_class(show, cars):
    page = show("cars")
    assert page.locator(".panel[aria-label=displacement] path.line").count() == 3
    page.select_option("#column-class", label="Japan")
    assert page.locator(".panel[aria-label=displacement] path.line").count() == 1
    assert page.locator(".panel .value-label").count() > 0


def test_deeper_trees_show_what_they_ask(show):
    page = show("deep")
    assert page.locator("#row, #scores").count() == 0
    said = page.locator("#summary").inner_text()
    assert "boost with max_depth=1" in said
    assert "Number of splits on each column" in said


def test_without_rows_there_are_no_margins(show):
    page = show("bare")
    assert page.locator("#margins, #confusion").count() == 0
    assert page.locator("#row, #scores, #rounds, #certificate").count() == 4


@pytest.mark.parametrize("name", ["cars", "tumours", "deep"])
def test_everything_has_a_name(show, name):
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


def test_it_works_by_keyboard(show):
    page = show("tumours")
    page.focus("#column-search")
    page.keyboard.type("texture")
    assert all("texture" in p.get_attribute("aria-label") for p in page.locator(".panel").all())
    page.locator(".panel summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".panel details").first.get_attribute("open") is not None


def test_names_are_text_and_never_markup(open_page, tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    odd = "</script><img src=x onerror=alert(1)>"
    frame = pd.DataFrame(X[:, :3], columns=[odd, "b & c", "d"])
    clf = BoostedTreeClassifier(8).fit(frame, np.array([f"<b>{k}</b>" for k in y]))
    clf.report(tmp_path / "odd.html", title="<i>odd</i>")
    page = open_page(tmp_path / "odd.html")
    assert page.locator("h1").inner_text() == "<i>odd</i>"
    assert page.locator("img, b, i").count() == 0
    assert odd in page.locator("#scores").inner_text()
