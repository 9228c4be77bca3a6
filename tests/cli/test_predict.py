"""``polytomy predict``: the model's own answers, row by row, whatever the table comes as."""

import csv
import gzip
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

import polytomy
from polytomy import TreeClassifier
from polytomy.data import load_cars


def lines(text, delimiter=","):
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


@pytest.fixture
def told(cars, model):
    """What the model says of the cars, asked in Python."""
    columns, _ = load_cars()
    clf = polytomy.load(model)
    X = pd.DataFrame(columns)[list(clf.feature_names_in_)]
    return clf.predict(X), clf.predict_proba(X)


def test_stdout_gets_a_line_a_row(run, cars, model, told):
    code, out, err = run("predict", model, cars)
    assert (code, err) == (0, "")
    assert lines(out) == [["prediction"], *([p] for p in told[0])]


def test_probabilities_lose_nothing(run, cars, model, told):
    header, *rows = lines(run("predict", model, cars, "--proba")[1])
    assert header == ["prediction", "p_Europe", "p_Japan", "p_USA"]
    assert [row[0] for row in rows] == told[0].tolist()
    assert (np.array([row[1:] for row in rows], dtype=float) == told[1]).all()


@pytest.mark.parametrize(("name", "between"), [("p.csv", ","), ("p.tsv", "\t"), ("p.csv.gz", ",")])
def test_files(run, cars, model, told, tmp_path, name, between):
    path = tmp_path / name
    code, out, _ = run("predict", model, cars, "-o", path, "--proba")
    assert (code, out) == (0, f"Wrote 392 predictions to {path}\n")
    data = path.read_bytes()
    text = (gzip.decompress(data) if name.endswith("gz") else data).decode()
    assert [row[0] for row in lines(text, between)[1:]] == told[0].tolist()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_every_format_gives_the_same(run, cars, model, told, tmp_path, form):
    path = tmp_path / f"cars.{form}"
    frame = pd.read_csv(cars)
    getattr(frame[frame.columns[::-1]], f"to_{form}")(path)  # columns go by name, not by place
    assert lines(run("predict", model, path)[1])[1:] == [[p] for p in told[0]]


def test_stdin(run, cars, model, told, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(cars.read_bytes())))
    assert lines(run("predict", model, "-")[1])[1:] == [[p] for p in told[0]]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(model.read_bytes())))
    assert lines(run("predict", "-", cars)[1])[1:] == [[p] for p in told[0]]


def test_a_boosted_model(run, tumours, boosted):
    clf = polytomy.load(boosted)
    X = pd.read_csv(tumours)[list(clf.feature_names_in_)]
    rows = lines(run("predict", boosted, tumours)[1])[1:]
    assert rows == [[p] for p in clf.predict(X)]


def test_cells_are_read_as_they_were_when_fitted(run, table, tmp_path):
    rows = [("01", "a", "2026-01-31"), ("1", "b", "2026-02-01"), ("x", "c", "2026-03-01")]
    lived = [f"{z},{t},{d},{'pqr'[i]}\n" for i, (z, t, d) in enumerate(rows)] * 10
    data = table("zip,town,day,y\n" + "".join(lived))
    path = tmp_path / "m.json"
    assert run("fit", data, "--target", "y", "-o", path, "--drop", "town", "--drop", "day")[0] == 0
    # all of these look like numbers, and one of them like the same number as another
    new = table("zip\n1\n01\n", "new.csv")
    assert lines(run("predict", path, new)[1])[1:] == [["q"], ["p"]]


def test_missing_cells_and_new_categories(run, table, tmp_path):
    data = table("t,n,y\n" + "u,1,p\nv,2,q\nv,2,q\n,3,q\n" * 5)
    path = tmp_path / "m.json"
    assert run("fit", data, "--target", "y", "-o", path)[0] == 0
    new = table("t,n\n,\nnew,NA\nu,1\n", "new.csv")
    assert lines(run("predict", path, new)[1])[3] == ["p"]


def test_a_model_for_other_columns(refused, model, tumours, table):
    said = refused("predict", model, tumours)
    assert said.startswith(f"{tumours} has no column 'mpg'; it has mean radius, ")
    renamed = table(
        "mpg,cylinders,displacement,horse_power,weight,acceleration,year\n1,2,3,4,5,6,7\n"
    )
    said = refused("predict", model, renamed)
    assert said == f"{renamed} has no column 'horsepower'; did you mean 'horse_power'?"


def test_text_where_the_model_has_numbers(refused, model, table):
    data = table("mpg,cylinders,displacement,horsepower,weight,acceleration,year\n1,2,3,4,5,6,x\n")
    assert refused("predict", model, data).endswith(
        "line 2: column 'year' holds 'x', which is not a number"
    )


def test_files_that_are_no_models(refused, cars, tmp_path, table):
    assert refused("predict", "none.json", cars) == "there is no model file none.json"
    assert refused("predict", tmp_path, cars) == f"{tmp_path} is a folder, not a model file"
    for content in ("", "{}", "[1]", "a,b\n1,2\n", json.dumps({"format": 10**6}), b"\xff\xfe\x00"):
        assert refused("predict", table(content, "m.json"), cars)
    assert refused("predict", cars, cars)


def test_a_damaged_model(refused, model, cars, table):
    data = model.read_bytes()
    assert refused("show", table(data[: len(data) // 2], "m.json"))
    assert refused("predict", table(data.replace(b"USA", b"USB", 1), "m.json"), cars)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("p.parquet", "predictions are written as CSV: call the file .csv or .tsv"),
        ("no/such/p.csv", "there is no folder"),
        (".", "it is a folder"),
        ("cars.csv", "would replace what is read; choose another name"),
        ("m.json", "would replace what is read; choose another name"),
    ],
)
def test_places_that_cannot_be_written(refused, model, cars, tmp_path, name, said):
    (tmp_path / "cars.csv").write_bytes(cars.read_bytes())
    (tmp_path / "m.json").write_bytes(model.read_bytes())
    before = sorted(tmp_path.iterdir())
    path = tmp_path / name
    assert said in refused("predict", tmp_path / "m.json", tmp_path / "cars.csv", "-o", path)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "cars.csv").read_bytes() == cars.read_bytes()


def test_a_model_saved_in_python_without_names(run, table, tmp_path):
    X = np.arange(20.0).reshape(10, 2)
    TreeClassifier().fit(X, np.repeat([0, 1], 5)).save(tmp_path / "m.json")
    data = table("x0,x1\n0,1\n18,19\n")
    assert lines(run("predict", tmp_path / "m.json", data)[1])[1:] == [["0"], ["1"]]
