"""Text, rules and explanations say what the tree does."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TreeClassifier
from polytomy.export import format_set, wilson


def cars():
    """A little of everything a tree can ask about."""
    rng = np.random.default_rng(3)
    n = 400
    frame = pd.DataFrame(
        {
            "price": np.round(rng.uniform(5, 60, n), 1),
            "town": rng.choice(["Bonn", "Graz", "Lund", "Pisa", "Riga", "Ulm"], n),
            "size": pd.Categorical(
                rng.choice(["small", "medium", "large"], n),
                ["small", "medium", "large"],
                ordered=True,
            ),
            "sold": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "new": rng.random(n) < 0.5,
        }
    )
    score = (
        (frame["price"] > 30).astype(int)
        + frame["town"].isin(["Graz", "Riga"])
        + (frame["size"] == "large")
        + (frame["sold"] > "2024-06-01")
        + frame["new"]
    )
    frame.loc[rng.random(n) < 0.1, "price"] = np.nan
    return frame, np.where(score > 2, "buy", "leave")


@pytest.fixture(scope="module")
def fitted():
    X, y = cars()
    return TreeClassifier(max_leaves=24).fit(X, y), X, y


def test_the_drawing_has_a_line_for_every_node(fitted):
    clf, _, _ = fitted
    lines = clf.to_text().splitlines()
    assert len(lines) == clf.tree_.n_nodes
    assert lines[0].startswith("400 rows: ")
    leaf_lines = [line for line in lines if re.search(r"\d+% \[\d+-\d+\] of \d+$", line)]
    assert len(leaf_lines) == clf.n_leaves_
    assert sum(int(line.rsplit(" ", 1)[1]) for line in leaf_lines) == 400


def test_every_kind_of_column_is_said_in_its_own_words(fitted):
    clf, _, _ = fitted
    text = clf.to_text(max_width=200)
    assert re.search(r"sold (<=|>) 2024-\d\d-\d\d", text)
    assert re.search(r"size (is|in) ", text)
    assert re.search(r"new is (True|False)", text)
    assert re.search(r"town in \{", text)
    assert "(or missing)" in text


@pytest.mark.parametrize("width", [40, 60, 100])
def test_no_line_is_wider_than_asked(fitted, width):
    clf, _, _ = fitted
    assert max(map(len, clf.to_text(max_width=width).splitlines())) <= width


def test_a_shallow_drawing_says_what_it_leaves_out(fitted):
    clf, _, _ = fitted
    text = clf.to_text(max_depth=1)
    below = [int(n) for n in re.findall(r"\.\.\. (\d+) leaves", text)]
    assert sum(below) + len(re.findall(r"% \[", text)) == clf.n_leaves_


def holds(conditions, row):
    """Evaluate a rule's conditions on a row, as a reader would."""
    return all(_holds(words, row) for words in conditions)


def _holds(words, row):
    found = re.fullmatch(r"(.*?)(?: \(or ([^)]*)\))?", words)
    words, more = found[1], (found[2] or "").split(" or ")
    missing = "missing" in more
    if found := re.fullmatch(r"(\w+) is missing", words):
        return pd.isna(row[found[1]])
    if found := re.fullmatch(r"(\w+) is known", words):
        return missing or not pd.isna(row[found[1]])
    if found := re.fullmatch(r"(\w+) in \{(.*)\}", words):
        return str(row[found[1]]) in found[2].split(", ")
    if found := re.fullmatch(r"(\w+) is (.*)", words):
        return str(row[found[1]]) == found[2]
    found = re.fullmatch(r"(?:(.+?) < )?(\w+)(?: (<=|>) (.+))?", words)
    low, name, sign, bound = found.groups()
    value = row[name]
    if pd.isna(value):
        return missing
    cast = pd.Timestamp if isinstance(value, dt.datetime) else float
    above = low is None or value > cast(low)
    return above and (
        sign is None or (value <= cast(bound) if sign == "<=" else value > cast(bound))
    )


def test_every_row_is_in_the_leaf_its_rule_says(fitted):
    clf, X, _ = fitted
    rules = clf.to_rules()
    leaves = clf.apply(X)
    for i in range(0, len(X), 7):
        row = X.iloc[i].to_dict()
        matching = [rule.leaf for rule in rules if holds(rule.conditions, row)]
        assert matching == [leaves[i]], clf.explain(X.iloc[[i]])


def test_rules_add_up_and_become_a_frame(fitted):
    clf, X, y = fitted
    rules = clf.to_rules()
    assert len(rules) == clf.n_leaves_
    assert sum(rule.rows for rule in rules) == len(X)
    frame = rules.to_frame("polars")
    assert frame.shape == (clf.n_leaves_, 7)
    assert rules.to_frame().shape == frame.shape
    leaf = frame["leaf"][0]
    inside = y[clf.apply(X) == leaf]
    assert frame["share"][0] == pytest.approx((inside == frame["prediction"][0]).mean())
    assert str(rules).count("\n") == clf.n_leaves_ - 1


def test_an_explanation_follows_the_path(fitted):
    clf, X, _ = fitted
    for i in (0, 5, 11):
        told = clf.explain(X.iloc[[i]])
        assert told.leaf == clf.apply(X.iloc[[i]])[0]
        assert [s.node for s in told.steps] == clf.tree_.path(told.leaf)[:-1]
        assert str(told).splitlines()[-1].startswith(f"=> {told.share.name} ")
        assert str(clf.explain(X.iloc[i].to_dict())) == str(told)
    unknown = str(clf.explain(X[X["price"].isna()].iloc[[0]]))
    assert "price is missing" in unknown or "price" not in unknown


def test_notebooks_show_the_tree(fitted):
    clf, _, _ = fitted
    html = clf._repr_html_()
    assert "400 rows" in html
    assert "&lt;=" in html
    assert "400 rows" not in TreeClassifier()._repr_html_()


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilson_brackets_the_share(k, n):
    k = min(k, n)
    low, high = wilson(k / n, n)
    assert 0 <= low <= k / n <= high <= 1
    # its ends solve (p - share)^2 = z^2 p (1 - p) / n
    for p in (low, high):
        if 1e-9 < p < 1 - 1e-9:
            assert (p - k / n) ** 2 == pytest.approx(
                1.959963984540054**2 * p * (1 - p) / n, rel=1e-6
            )


@given(
    st.lists(st.text("abcdef", min_size=1, max_size=8), min_size=1, max_size=60),
    st.integers(24, 80),
)
def test_sets_are_shortened_not_lost(names, width):
    text = format_set(names, width)
    assert text[0] + text[-1] == "{}"
    more = re.search(r"\+(\d+) more", text)
    shown = text[1:-1].split(", ")
    assert len(shown) - (more is not None) + (int(more[1]) if more else 0) == len(names)
    assert shown[0] == names[0]
    assert shown[-1] == names[-1]


def text_of(X, y, **params):
    return TreeClassifier(**{"max_leaves": 2, **params}).fit(X, y).to_text()


def test_zoned_times_are_told_in_their_own_zone():
    t = pd.Series(pd.date_range("2024-07-01", periods=24, freq="h", tz="Europe/Berlin"))
    clf = TreeClassifier(max_leaves=2).fit(pd.DataFrame({"t": t}), t.dt.hour >= 12)
    assert "t <= 2024-07-01 11:00 Europe/Berlin" in clf.to_text()
    assert "t is 2024-07-01 00:00 Europe/Berlin" in str(clf.explain(pd.DataFrame({"t": t[:1]})))


def test_clock_times_and_durations_are_told_as_such():
    gaps = pd.to_timedelta(np.arange(24) * 30, unit="m")
    assert "t <= 5:00:00" in text_of(pd.DataFrame({"t": gaps}), np.arange(24) > 10)
    moments = pd.Series(pd.date_range("2020-01-14 07:00", periods=8, freq="12h"))
    text = text_of(pd.DataFrame({"t": moments}), np.arange(8) > 2)
    assert "t <= 2020-01-15 13:00" in text


def test_infinities_have_names():
    x = np.r_[[-np.inf] * 5, 1:6.0, [np.inf] * 5][:, None]
    text = text_of(x, [0] * 5 + [1] * 5 + [2] * 5, max_leaves=3)
    assert "x0 is -inf" in text
    assert "-inf < x0 < inf" in text
    assert "x0 is inf" in text


def test_a_category_asked_about_twice_is_said_once_and_right():
    rng = np.random.default_rng(1)
    c = rng.choice(list("abcdef"), 4000, p=[0.2, 0.2, 0.2, 0.2, 0.1, 0.1])
    v = rng.random(4000)
    y = np.where(np.isin(c, list("def")), np.where(v > 0.5, np.where(c == "d", 0, 1), 2), 3)
    X = pd.DataFrame({"c": c, "v": v})
    clf = TreeClassifier(max_leaves=8, families=("groups", "intervals"), max_arity=2).fit(X, y)
    rules = clf.to_rules()
    others = [rule for rule in rules if any("other" in words for words in rule.conditions)]
    new = clf.apply(pd.DataFrame({"c": ["new"] * 50, "v": np.linspace(0, 1, 50)}))
    assert {rule.leaf for rule in others} == set(new.tolist())
    leaves = clf.apply(X)
    for i in range(0, 4000, 97):
        row = X.iloc[i].to_dict()
        assert [rule.leaf for rule in rules if holds(rule.conditions, row)] == [leaves[i]]


def test_where_missing_goes_is_never_cut_away():
    names = np.array([f"category {i:02d}" for i in range(40)] * 5, dtype=object)
    y = np.arange(200) % 40 < 20
    names[(np.arange(200) % 40 == 3)] = None
    text = text_of(pd.DataFrame({"c": names}), y)
    assert re.search(r"more, category \d\d\} \(or missing", text)


def test_an_explanation_shows_every_digit():
    days = np.arange(20240101, 20240131)[:, None]
    clf = TreeClassifier().fit(days, np.arange(30) > 3)
    assert "x0 is 20240104, so x0 <= 20240104" in str(clf.explain([20240104]))
    assert "x0 is 20240105, so x0 > 20240104" in str(clf.explain([20240105]))


def test_rows_of_text_and_numbers_are_explained():
    clf = TreeClassifier().fit(pd.DataFrame({"a": [1, 2.0], "b": ["x", "y"]}), [0, 1])
    assert "a is 1" in str(clf.explain({"a": 1, "b": "x"}))
    assert str(clf.explain({"a": None, "b": "x"})).count("\n") == 1


def test_names_that_break_lines_do_not():
    X = pd.DataFrame({"a\nb": ["p", "q\r\nz"] * 10})
    clf = TreeClassifier().fit(X, ["c\nd", "e"] * 10)
    assert len(clf.to_text().splitlines()) == clf.tree_.n_nodes == 3
    assert len(str(clf.to_rules()).splitlines()) == 2
    assert "a\\nb is p" in clf.to_text()
    assert len(str(clf.explain(X[:1])).splitlines()) == 2
    assert clf.predict(X[:1]).tolist() == ["c\nd"]


@pytest.mark.parametrize("size", [{"max_width": 0}, {"max_width": 19}, {"max_depth": 0}])
def test_a_drawing_needs_room(fitted, size):
    with pytest.raises(ValueError, match="max_width must be at least 20"):
        fitted[0].to_text(**size)


def test_a_day_is_told_as_a_day_whatever_the_unit_it_comes_in():
    days = pd.Series(pd.date_range("2024-01-01", periods=20)).astype("datetime64[s]")
    clf = TreeClassifier(max_leaves=2).fit(pd.DataFrame({"d": days}), np.arange(20) > 9)
    assert "d <= 2024-01-10" in clf.to_text()
    for unit in ("s", "ns"):
        one = pd.DataFrame({"d": days[:1].astype(f"datetime64[{unit}]")})
        assert str(clf.explain(one)).startswith("1. d is 2024-01-01, so d <= 2024-01-10")
