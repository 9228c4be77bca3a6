"""Predicting a row on the page of a tree: the page routes rows as the model does."""

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier
from tests.report.page_reader import follow_a_row, move_to_size, predict_rows, settle, typed_row
from tests.report.tree_cases import case, facts_of

CASES = ["plain", "weighted", "pruned", "raised", "uncontracted", "nasty", "700 categories"]


def rows_with_surprises(X, n, seed=0):
    """Return rows with cells from other rows, missing cells and unseen categories."""
    rng = np.random.default_rng(seed)
    rows = X.iloc[rng.integers(0, len(X), n)].reset_index(drop=True).copy()
    for name in rows.columns:
        rows[name] = X[name].iloc[rng.integers(0, len(X), n)].to_numpy(dtype=object)
        rows[name] = rows[name].astype(X[name].dtype)
        text = pd.api.types.is_string_dtype(X[name]) and not isinstance(
            X[name].dtype, pd.CategoricalDtype
        )
        if text:
            rows.loc[rng.random(n) < 0.15, name] = "never seen before"
        if not pd.api.types.is_integer_dtype(X[name]):
            rows.loc[rng.random(n) < 0.15, name] = None
    return rows


def assert_same_paths(page, facts, clf, rows):
    """Compare the path of each row on the page with the model's."""
    predicted = clf.predict(rows)
    paths = predict_rows(page, [typed_row(facts, row) for _, row in rows.iterrows()])
    for i, displayed in enumerate(paths):
        if displayed["leaf"] == "":  # no cell was typed
            asked = {n["column"] for n in facts["nodes"] if "children" in n}
            assert rows.iloc[i, sorted(asked)].isna().all()
            continue
        assert displayed["predicted"] == str(predicted[i])
        explained = clf.explain(rows.iloc[i : i + 1])
        assert displayed["conditions"] == [step.answer for step in explained.steps]
        assert facts["nodes"][int(displayed["leaf"])]["rows"] == explained.rows


TIMES = {
    "naive": pd.date_range("2023-12-30", periods=400, freq="7h31min"),
    "days": pd.date_range("1969-06-01", periods=400, freq="D").astype("M8[s]"),
    "Berlin": pd.date_range("2024-03-29", periods=400, freq="17min", tz="Europe/Berlin"),
    "autumn": pd.date_range("2024-10-26", periods=400, freq="13min", tz="America/New_York"),
    "offset": pd.date_range("2024-03-29", periods=400, freq="3h", tz="+05:30"),
    "nanoseconds": pd.date_range("2024-01-01", periods=400, freq="1001ns"),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_reach_the_leaf_of_the_model(open_facts, name):
    c, facts = case(name), facts_of(name)
    page = open_facts(facts)
    assert_same_paths(page, facts, c.clf, rows_with_surprises(c.X, 60))


@pytest.mark.parametrize("name", ["plain", "uncontracted"])
def test_rows_reach_the_leaf_of_the_current_pruning(open_facts, name):
    c, facts = case(name), facts_of(name)
    page = open_facts(facts)
    rows = rows_with_surprises(c.X, 25, seed=1)
    for size in facts["path"]["sizes"][1:-1:4]:
        move_to_size(page, size, facts)
        assert_same_paths(page, facts, c.clf.pruning_path().at(size), rows)


def test_typed_row_highlights_its_path(open_facts):
    facts = facts_of("plain")
    page = open_facts(facts)
    page.get_by_role("button", name="Collapse").click()
    follow_a_row(page)
    page.get_by_label("size", exact=True).fill("0.25")
    page.get_by_label("town", exact=True).select_option(label="Ulm")
    leaf = page.locator("#row-outcome").get_attribute("data-leaf")
    shown = page.locator(".node.on-path")
    assert shown.first.get_attribute("data-node") == "0"
    assert page.locator(f".node.leaf.on-path[data-node='{leaf}']").count() == 1
    assert page.locator("#row-outcome .outcome").inner_text().count("%") >= 3
    area = page.locator(".tree-area").bounding_box()
    for item in shown.all():  # the whole path is in view
        box = item.locator(".box").bounding_box()
        assert area["x"] <= box["x"] <= area["x"] + area["width"] - box["width"]
        assert area["y"] <= box["y"] <= area["y"] + area["height"] - box["height"]
    page.get_by_role("button", name="Clear all fields").click()
    settle(page)
    assert page.locator(".node.on-path").count() == 0
    assert "Enter at least one value" in page.locator("#row-outcome").inner_text()


def test_typed_text_that_is_not_a_number_is_reported(open_facts):
    page = open_facts(facts_of("plain"))
    follow_a_row(page)
    field = page.get_by_label("size", exact=True)
    field.fill("1,5 metres")
    assert "is not a number" in page.locator("#row-outcome").inner_text()
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("1.5")
    assert field.get_attribute("aria-invalid") == "false"
    assert page.locator("#row-outcome .outcome").count() == 1


def test_user_defined_split_stops_the_path(open_facts):
    facts = facts_of("own")
    page = open_facts(facts)
    follow_a_row(page)
    page.locator("#row [data-column]").first.fill("0.5")
    own = [n["asks"] for n in facts["nodes"] if n.get("own")]
    message = page.locator("#row-outcome").inner_text()
    assert any(asks in message for asks in own)
    assert "cannot be evaluated" in message


@pytest.mark.parametrize("name", TIMES)
def test_times_are_read_in_the_zone_of_the_column(open_facts, name):
    X = pd.DataFrame({"when": TIMES[name]})
    y = (np.arange(400) // 7) % 3
    clf = TreeClassifier(procedure="per-leaf", max_leaves=40).fit(X, y)
    page = open_facts(clf.report_facts(X, y))
    local = X["when"].dt.tz_localize(None)
    once = ~local.duplicated(keep=False)  # an hour of autumn comes twice
    for typed, rows in ((X["when"], X), (local[once], X[once])):
        displayed = predict_rows(
            page, [{"0": {"text": time.isoformat(sep=" ")}} for time in typed[::3]]
        )
        assert [way["predicted"] for way in displayed] == [str(c) for c in clf.predict(rows[::3])]


def test_durations_are_read(open_facts):
    X = pd.DataFrame({"took": pd.to_timedelta(np.arange(-50, 250) * 997, unit="s")})
    y = (np.arange(300) // 11) % 2
    clf = TreeClassifier(procedure="per-leaf", max_leaves=30).fit(X, y)
    page = open_facts(clf.report_facts(X, y))
    displayed = predict_rows(page, [{"0": {"text": str(t.to_pytimedelta())}} for t in X["took"]])
    assert [way["predicted"] for way in displayed] == [str(c) for c in clf.predict(X)]


@pytest.mark.parametrize("factor", [1, 1000, 1e18, 1e-9])
def test_range_hints_can_be_typed(open_facts, factor):
    x = np.linspace(1.613, 5.14, 200) * factor
    X = pd.DataFrame({"x": x, "y": -x})
    y = np.arange(200) // 20 % 2
    page = open_facts(
        TreeClassifier(procedure="per-leaf", max_leaves=8).fit(X, y).report_facts(X, y)
    )
    follow_a_row(page)
    field = page.locator("#row input").first
    hint = page.locator("#row .hint").first.inner_text()
    assert len(hint) <= 28
    for end in hint.split(" to "):
        field.fill(end)
        assert field.get_attribute("aria-invalid") == "false"
        assert min(abs(abs(float(end)) / np.abs(x) - 1)) < 1e-3
