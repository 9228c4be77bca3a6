"""The bundled cars table is complete and matches its documentation."""

import csv
from importlib.resources import files

import numpy as np

from polytomy.data import cars_csv, load_cars

COLUMNS = [
    "name",
    "mpg",
    "cylinders",
    "displacement",
    "horsepower",
    "weight",
    "acceleration",
    "year",
]


def test_cars_are_392_complete_rows():
    columns, origin = load_cars()
    assert list(columns) == COLUMNS
    assert {len(held) for held in columns.values()} == {len(origin)} == {392}
    assert columns["name"].dtype.kind == origin.dtype.kind == "U"
    for name in COLUMNS[1:]:
        assert columns[name].dtype == np.float64
        assert (columns[name] > 0).all()  # NaN would not be
        assert np.isfinite(columns[name]).all()
    assert (columns["name"] != "").all()


def test_cars_match_the_source():
    columns, origin = load_cars()
    kinds, counts = np.unique(origin, return_counts=True)
    assert dict(zip(kinds.tolist(), counts.tolist(), strict=True)) == {
        "Europe": 68,
        "Japan": 79,
        "USA": 245,
    }
    assert (columns["year"].min(), columns["year"].max()) == (1970, 1982)
    assert np.unique(columns["cylinders"]).tolist() == [3, 4, 5, 6, 8]
    assert round(float(columns["mpg"].mean()), 3) == 23.446
    assert not any("Acceleration" in name for name in columns["name"].tolist())


def test_load_cars_returns_a_new_copy():
    load_cars()[0]["mpg"][:] = 0
    assert load_cars()[0]["mpg"].min() == 9


def test_cars_csv_is_plain_csv():
    lines = cars_csv().decode("ascii").split("\n")
    assert lines[-1] == ""
    assert all(len(row) == 9 and all(row) for row in csv.reader(lines[:-1]))


def test_readme_names_the_source_of_the_cars():
    readme = files("polytomy.data").joinpath("README.md").read_text(encoding="utf-8")
    for fact in ("vega_datasets", "0.9.0", "StatLib", "UCI", "MIT", "392 of 406", "1982"):
        assert fact in readme
