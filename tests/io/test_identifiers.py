"""Columns that identify rows, left out by the command line and doubted by the estimators."""

import warnings

import numpy as np
import pandas as pd
import pytest

from polytomy import BoostedTreeClassifier, ForestClassifier, TreeClassifier, TreeRegressor
from polytomy.io import DoubtfulColumnWarning
from polytomy.io.identifiers import find_identifiers
from polytomy.table import Table

N = 400
RNG = np.random.default_rng(0)


def reasons(**columns):
    return {c.name: c.reason for c in find_identifiers(Table.of(columns), set())}


def test_whole_numbers_that_fill_their_range_identify_rows():
    numbers = np.arange(N)
    expected = f"{N} distinct whole numbers in {N} rows"
    assert reasons(a=numbers) == {"a": "row number"}
    assert reasons(a=numbers + 7_001) == {"a": expected}
    assert reasons(a=RNG.permutation(numbers) + 7_001) == {"a": expected}
    assert reasons(a=-10 * numbers) == {"a": expected}  # steps of 10
    assert reasons(a=numbers + 5.0) == {"a": expected}
    gaps = np.flatnonzero(RNG.random(600) < 0.7)[:N]
    assert "a" in reasons(a=gaps + 50)
    missing = np.where(numbers % 7 == 0, np.nan, numbers + 3.0)
    assert "distinct whole numbers" in reasons(a=missing)["a"]


def test_nearly_distinct_numbers_identify_rows():
    numbers = np.arange(N) + 1000
    numbers[:10] = numbers[10:20]
    assert reasons(a=numbers) == {"a": "390 distinct whole numbers in 400 rows"}
    numbers[:100] = numbers[100:200]
    assert reasons(a=numbers) == {}


def test_measurements_are_kept():
    assert reasons(salary=RNG.permutation(10**6)[:N]) == {}
    assert reasons(x=RNG.normal(size=N), n=RNG.integers(0, N, N)) == {}
    assert reasons(a=np.arange(20) + 5) == {}  # a small table
    assert reasons(a=np.full(N, 3), b=np.full(N, np.nan)) == {}


@pytest.mark.parametrize(
    "name", ["id", "customer_id", "OrderID", "invoiceNo", "row key", "ID", "id_2"]
)
def test_names_of_identifiers_count(name):
    sparse = RNG.permutation(10**6)[:N]
    assert list(reasons(**{name: sparse})) == [name]


@pytest.mark.parametrize("name", ["paid", "valid", "casino", "keyboard", "idea"])
def test_names_that_only_sound_alike_do_not_count(name):
    assert reasons(**{name: RNG.permutation(10**6)[:N]}) == {}


def frame():
    day = pd.date_range("2026-01-01", periods=60).strftime("%d/%m/%Y")
    return pd.DataFrame(
        {
            "x": np.arange(60.0),
            "name": [f"k{i}" for i in range(60)],
            "day": list(day),
            "town": ["Ulm", "Rom", "Bonn"] * 20,
            "month": ["2026-01-01", "2026-02-01"] * 30,
        }
    )


@pytest.mark.parametrize(
    "estimator",
    [
        TreeClassifier(max_leaves=3),
        TreeRegressor(max_leaves=3),
        BoostedTreeClassifier(2),
        ForestClassifier(2, random_state=0),
    ],
)
def test_estimators_warn_once_of_all_doubtful_columns(estimator):
    with pytest.warns(DoubtfulColumnWarning) as caught:
        estimator.fit(frame(), np.arange(60) % 2)
    assert len(caught) == 1
    assert str(caught[0].message) == (
        "column 'name' has 60 different texts in 60 rows, which a tree can only memorise: drop it; "
        "column 'day' holds dates as text: convert it, for example with pandas.to_datetime; "
        "column 'month' holds dates as text: convert it, for example with pandas.to_datetime "
        "(categorical_features=['name', 'day', 'month'] keeps such columns silently)"
    )


def test_estimators_do_not_warn_of_chosen_or_ordinary_columns():
    rows, y = frame(), np.arange(60) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error", DoubtfulColumnWarning)
        chosen = ["name", "day", "month"]
        TreeClassifier(max_leaves=3, categorical_features=chosen).fit(rows, y)
        TreeClassifier(max_leaves=3, categorical_features=[1, 2, 4]).fit(rows, y)
        TreeClassifier(max_leaves=3).fit(rows[["x", "town"]], y)
        TreeClassifier(max_leaves=3).fit(rows[:15], y[:15])
        remarks = np.where(np.arange(60) < 15, rows["name"], None)
        TreeClassifier(max_leaves=3).fit(pd.DataFrame({"remarks": remarks}), y)
        rows["day"] = pd.to_datetime(rows["day"], dayfirst=True)
        TreeClassifier(max_leaves=3).fit(rows[["day"]], y)


def test_numbers_as_text_are_named_at_the_line_of_the_caller():
    prices = [f"${1000 + 7 * i:,}" for i in range(60)]
    X = pd.DataFrame({"price": prices, "zip": [str(10000 + i % 25) for i in range(60)]})
    with pytest.warns(DoubtfulColumnWarning) as caught:
        TreeClassifier(max_leaves=2).fit(X, np.arange(60) % 2)
    assert "holds numbers as text, such as '$1,000': convert it" in str(caught[0].message)
    assert "zip" not in str(caught[0].message)
    assert caught[0].filename == __file__
