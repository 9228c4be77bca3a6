"""Scorecards: their scale, and their points in Python, SQL and workbooks."""

import csv
import io
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from polytomy import BoostedTreeClassifier, ForestClassifier, TreeClassifier
from polytomy._errors import ParameterError, TreeError
from tests.export.awkward_tables import nasty_frame, plain_rows, random_labels
from tests.export.code.test_sql import TYPES, in_duckdb, in_sqlite, without_zone
from tests.export.ensembles import fitted_ensemble
from tests.export.libreoffice import computed, needs_office
from tests.naive.excel import Book

openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture(scope="module")
def applicants():
    rng = np.random.default_rng(0)
    n = 800
    frame = pd.DataFrame(
        {
            "income": rng.gamma(4, 1e4, n).round(-2),
            "age": rng.integers(18, 80, n).astype(float),
            "housing": rng.choice(["own", "rent", "it's free"], n),
            "late": rng.random(n) < 0.2,
        }
    )
    frame.loc[rng.random(n) < 0.1, "income"] = np.nan
    frame.loc[rng.random(n) < 0.1, "housing"] = None
    good = frame["income"].fillna(3e4) / 1e4 + (frame["housing"] == "own") - 3 * frame["late"]
    return frame, np.where(good + rng.normal(size=n) > 3, "good", "bad")


@pytest.fixture(scope="module")
def boosted(applicants):
    return BoostedTreeClassifier(40, max_leaves=4, max_depth=1).fit(*applicants)


def test_scorecard_follows_its_scale(boosted, applicants):
    frame, _ = applicants
    card = boosted.scorecard(base_score=600, base_odds=50, points_to_double_odds=20, decimals=None)
    odds = np.exp(2 * boosted.decision_function(frame))
    expected = 600 + 20 * np.log2(odds / 50)
    np.testing.assert_allclose(card.points(frame), expected, rtol=1e-12)
    np.testing.assert_allclose(card.odds(card.points(frame)), odds, rtol=1e-9)
    shares = card.probability(card.points(frame))
    np.testing.assert_allclose(shares, boosted.predict_proba(frame)[:, 1], atol=1e-12)
    other = boosted.scorecard(favours="bad", decimals=None)
    np.testing.assert_allclose(card.odds(card.points(frame)) * other.odds(other.points(frame)), 1)


@pytest.mark.parametrize("algorithm", ["samme", "adaboost-mh"])
def test_scorecard_of_two_votes_has_the_odds_of_the_model(algorithm, applicants):
    frame, labels = applicants
    clf = BoostedTreeClassifier(20, algorithm=algorithm, max_leaves=3, max_depth=1)
    clf.fit(frame, labels)
    assert clf.ensemble_.n_outputs == 2
    card = clf.scorecard(decimals=None)
    shares = card.probability(card.points(frame))
    np.testing.assert_allclose(shares, clf.predict_proba(frame)[:, 1], atol=1e-12)


def test_scorecard_rounds_each_entry(boosted, applicants):
    frame, _ = applicants
    card, exact = boosted.scorecard(), boosted.scorecard(decimals=None)
    table = card.to_frame("pandas")
    assert all(isinstance(p, int) for p in card.to_dict()["points"])
    assert list(table.columns) == ["column", "values", "points"]
    assert set(table["column"]) == {"", *card.columns}
    away = np.abs(card.points(frame) - exact.points(frame))
    assert 0 < away.max() <= (len(card.columns) + 1) / 2
    assert (card.points(frame) % 1 == 0).all()


def test_scorecard_lists_each_value_once(boosted):
    card = boosted.scorecard()
    table = card.to_frame("pandas")
    for name in card.columns:
        words = table.loc[table["column"] == name, "values"].tolist()
        assert len(words) == len(set(words)) >= 2
        assert sum("missing" in w for w in words) == 1
    lines = str(card).splitlines()
    assert lines[-1] == "600 points are odds of 50:1 for good; 20 points double the odds"
    assert len(lines) == len(table) + 1
    rows = list(csv.reader(io.StringIO(card.to_csv())))
    assert [r[0] for r in rows] == ["column", *table["column"]]


def test_scorecard_of_trees_with_one_column_each():
    X = np.arange(60.0)[:, None]
    clf = BoostedTreeClassifier(10, max_leaves=4, max_arity=2).fit(X, np.arange(60) // 10 % 2)
    assert clf.ensemble_.depth > 1
    exact = clf.scorecard(decimals=None)
    np.testing.assert_allclose(
        np.log(exact.odds(exact.points(X))), 2 * clf.decision_function(X), atol=1e-9
    )


@pytest.mark.parametrize("kind", ["stumps", "discrete"])
def test_scorecard_in_sql_gives_the_same_points(kind):
    clf, frame = fitted_ensemble(kind)
    card = clf.scorecard()
    found = in_duckdb(card.to_sql("duckdb"), plain_rows(frame)[:60], TYPES)
    assert found == card.points(frame.head(60)).tolist()
    clf, frame = fitted_ensemble(kind, zoned=False)
    card = clf.scorecard()
    found = in_sqlite(card.to_sql("sqlite"), plain_rows(frame), without_zone(TYPES))
    assert found == card.points(frame).tolist()


def scores_in(path, n):
    book = Book(openpyxl.load_workbook(path))
    heads = book.row("Score", 1)
    rows = [dict(zip(heads, book.row("Score", i + 2), strict=True)) for i in range(n)]
    return heads, rows


def test_scorecard_workbook_computes_the_same_points(boosted, applicants, tmp_path):
    frame, _ = applicants
    some = frame.head(80).copy()
    some.loc[3, "housing"] = "a tent"
    some.loc[4, "housing"] = "OWN"  # Excel ignores case, unless told not to
    card, path = boosted.scorecard(), tmp_path / "card.xlsx"
    card.to_xlsx(path, some)
    heads, rows = scores_in(path, 80)
    assert heads[: len(card.columns)] == card.columns
    assert [row["score"] for row in rows] == card.points(some).tolist()
    np.testing.assert_allclose([r["odds"] for r in rows], card.odds(card.points(some)))
    shares = card.probability(card.points(some))
    np.testing.assert_allclose([r["probability"] for r in rows], shares)


def test_scorecard_workbook_holds_awkward_values(tmp_path):
    frame = nasty_frame(300).drop(columns=["zoned", "day"])
    frame["float64"] = frame["float64"].replace([np.inf, -np.inf], [1e300, -1e300])
    clf = BoostedTreeClassifier(60, max_leaves=4, max_depth=1)
    clf.fit(frame, random_labels(300, ("no", "yes")))
    card, path = clf.scorecard(points_to_double_odds=400), tmp_path / "card.xlsx"
    some = frame.head(80)
    card.to_xlsx(path, some)
    assert 'te"xt' in card.columns
    _, rows = scores_in(path, 80)
    blank = [i for i, t in enumerate(some['te"xt']) if t == ""]  # a cell of "" is not blank
    found = [row["score"] for row in rows]
    expected = card.points(some).tolist()
    assert [f for i, f in enumerate(found) if i not in blank] == [
        e for i, e in enumerate(expected) if i not in blank
    ]


def test_scorecard_workbook_is_empty_at_first(boosted, tmp_path):
    path = tmp_path / "card.xlsx"
    boosted.scorecard().to_xlsx(path, rows=3)
    _, rows = scores_in(path, 3)
    assert [(r["score"], r["odds"], r["probability"]) for r in rows] == [("", "", "")] * 3
    again = tmp_path / "again.xlsx"
    boosted.scorecard().to_xlsx(again, rows=3)
    assert path.read_bytes() == again.read_bytes()


def test_scorecard_refuses_other_models(applicants):
    frame, labels = applicants
    deep = BoostedTreeClassifier(5, max_leaves=6).fit(frame, labels)
    with pytest.raises(ParameterError, match="max_depth=1"):
        deep.scorecard()
    three = BoostedTreeClassifier(5, max_leaves=2).fit(frame, np.arange(len(frame)) % 3)
    with pytest.raises(ParameterError, match="two classes, but this model has 3"):
        three.scorecard()
    own = BoostedTreeClassifier(2, estimator=DecisionTreeClassifier(max_depth=1))
    own.fit(frame[["age"]], labels)
    with pytest.raises(TreeError, match="user-defined splits"):
        own.scorecard()
    assert not hasattr(ForestClassifier, "scorecard")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_odds": 0}, "base_odds must be a number above 0"),
        ({"points_to_double_odds": -1}, "points_to_double_odds must be a number above 0"),
        ({"base_score": float("nan")}, "base_score must be a number"),
        ({"favours": "ugly"}, "favours must be one of"),
        ({"decimals": 1.5}, "decimals must be an integer"),
    ],
)
def test_scorecard_refuses_bad_parameters(boosted, options, message):
    with pytest.raises(ParameterError, match=message):
        boosted.scorecard(**options)


def dated_applicants(unit, n=400):
    rng = np.random.default_rng(1)
    start = np.datetime64("2019-03-01").astype(f"datetime64[{unit}]")
    steps = rng.integers(0, 2_000, n)
    since = pd.Series(start + steps.astype(f"timedelta64[{'D' if unit == 'D' else 'm'}]"))
    since[rng.random(n) < 0.1] = pd.NaT
    frame = pd.DataFrame({"since": since, "age": rng.integers(18, 80, n)})
    frame["zoned"] = frame["since"].dt.tz_localize(
        "Europe/Paris", nonexistent="NaT", ambiguous="NaT"
    )
    frame["took"] = pd.to_timedelta(rng.integers(1, 500, n), unit="h")
    good = steps / 500 + (frame["age"] > 40) + (frame["took"] > pd.Timedelta(9, "D"))
    return frame, np.where(good + rng.normal(size=n) > 3.5, "good", "bad")


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_workbooks_compare_dates_and_durations(unit, tmp_path):
    frame, labels = dated_applicants(unit)
    clf = BoostedTreeClassifier(40, max_leaves=4, max_depth=1).fit(frame, labels)
    card, path = clf.scorecard(), tmp_path / "card.xlsx"
    assert {"since", "took"} <= set(card.columns)
    some = frame.head(60)
    card.to_xlsx(path, some)
    book = openpyxl.load_workbook(path)
    dates = [cell.value for cell in book["Score"]["A"][1:] if cell.value is not None]
    assert all(isinstance(value, datetime) for value in dates)
    _, rows = scores_in(path, 60)
    assert [row["score"] for row in rows] == card.points(some).tolist()
    card.to_xlsx(path, rows=2)
    _, rows = scores_in(path, 2)
    assert [row["score"] for row in rows] == ["", ""]
    tree = TreeClassifier(8).fit(frame, labels)
    tree.to_xlsx(path, some)
    tree_book = Book(openpyxl.load_workbook(path))
    heads = tree_book.row("Predict", 1)
    at = heads.index("prediction")
    found = [tree_book.row("Predict", i + 2)[at] for i in range(60)]
    assert found == tree.predict(some).tolist()


def test_workbooks_refuse_times_that_they_cannot_hold(tmp_path):
    old = pd.DataFrame({"t": pd.to_datetime(["1850-01-01", "1851-01-01"]).repeat(10)})
    near = pd.to_datetime([1_700_000_000_000_000_000, 1_700_000_000_000_002_000])
    fine = pd.DataFrame({"t": near.repeat(10)})
    for frame, message in (
        (old, "outside the years 1900 to 9999"),
        (fine, "between times that Excel rounds to the same"),
    ):
        clf = TreeClassifier(2, procedure="per-leaf").fit(frame, np.arange(2).repeat(10))
        assert clf.n_leaves_ == 2
        with pytest.raises(TreeError, match=message):
            clf.to_xlsx(tmp_path / "x.xlsx")


def test_scorecard_workbook_refuses_bad_numbers_of_rows(boosted, tmp_path):
    with pytest.raises(ParameterError, match="rows must be an integer"):
        boosted.scorecard().to_xlsx(tmp_path / "x.xlsx", rows=0)


@needs_office
def test_scorecard_workbook_computes_the_same_points_in_libreoffice(boosted, applicants, tmp_path):
    some = applicants[0].head(40)
    card = boosted.scorecard()
    card.to_xlsx(tmp_path / "card.xlsx", some)
    rows = computed(tmp_path / "card.xlsx", "Score")
    assert [row["score"] for row in rows] == card.points(some).tolist()
