"""Predicting a row on the page of boosted trees."""

import json

import numpy as np
import pandas as pd

from polytomy import BoostedTreeClassifier

MINUS = "\N{MINUS SIGN}"


def prediction(page):
    """Return the votes, class and probabilities of the typed row."""
    data = page.locator(".verdict").evaluate("e => ({...e.dataset})")
    return json.loads(data["votes"]), data["predicted"], json.loads(data["probabilities"])


def cells_of(X, row):
    """Return the cells of a row as typed text."""
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


def test_pasted_rows_get_the_votes_of_the_model(show, tumours):
    clf, X, _ = tumours
    page = show("tumours")
    rows = X.iloc[::29]
    wanted = zip(
        clf.decision_function(rows), clf.predict(rows), clf.predict_proba(rows), strict=True
    )
    for (_, row), (votes, winner, chances) in zip(rows.iterrows(), wanted, strict=True):
        page.fill("#paste-row", "\t".join(map(repr, row.tolist())))
        shown = prediction(page)
        assert shown[0] == [votes]
        assert shown[1] == winner
        np.testing.assert_allclose(shown[2], chances, rtol=1e-9)


def test_typed_rows_get_the_votes_of_the_model(show, cars):
    clf, X, _ = cars
    page = show("cars")
    kinds = page.locator("form.cells .cell").count()
    assert kinds >= 5
    for row in (0, 34, 101, 388):
        type_in(page, cells_of(X, row))
        votes, winner, chances = prediction(page)
        assert votes == clf.decision_function(X.iloc[[row]])[0].tolist()
        assert winner == clf.predict(X.iloc[[row]])[0]
        np.testing.assert_allclose(chances, clf.predict_proba(X.iloc[[row]])[0], rtol=1e-9)
        text = page.locator(".row-result .sum td").all_inner_texts()
        signs = [f"{v:+.3f}".replace("-", MINUS) for v in votes]
        assert text == signs


def test_typed_times_and_durations_get_the_votes_of_the_model(open_page, tmp_path):
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
        text = [str(X["moment"][row].tz_localize(None)), str(X["took"][row]), str(X["date"][row])]
        type_in(page, dict(zip(X.columns, text, strict=True)))
        assert prediction(page)[0] == [clf.decision_function(X.iloc[[row]])[0]]
    page.locator("form.cells").get_by_label("moment").fill("yesterday")
    example = clf.report_facts()["columns"][0]["low_text"]
    assert f"is not a time such as {example}" in page.locator(".verdict").inner_text()


def test_missing_and_unseen_values_get_the_votes_of_the_model(show, cars):
    clf, X, _ = cars
    page = show("cars")
    page.get_by_role("button", name="Clear all fields").click()
    nothing = X.reindex([-1])
    assert prediction(page)[0] == clf.decision_function(nothing)[0].tolist()
    new = nothing.assign(letter="?!", model="never seen")
    type_in(page, {"letter": "(another value)", "model": "never seen"})
    assert prediction(page)[0] == clf.decision_function(new)[0].tolist()
    page.get_by_role("button", name="Typical values").click()
    assert prediction(page)[0] != clf.decision_function(new)[0].tolist()


def test_typed_text_that_is_not_a_number_is_reported(show):
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
