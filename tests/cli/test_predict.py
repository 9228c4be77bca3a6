"""``polytomy predict``."""

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
def predicted(cars, model):
    """The model's predictions and probabilities for the cars."""
    columns, _ = load_cars()
    clf = polytomy.load(model)
    X = pd.DataFrame(columns)[list(clf.feature_names_in_)]
    return clf.predict(X), clf.predict_proba(X)


def test_predict_prints_one_line_per_row(run, cars, model, predicted):
    code, out, err = run("predict", model, cars)
    assert (code, err) == (0, "")
    assert lines(out) == [["prediction"], *([p] for p in predicted[0])]


def test_predict_prints_exact_probabilities(run, cars, model, predicted):
    header, *rows = lines(run("predict", model, cars, "--proba")[1])
    assert header == ["prediction", "p_Europe", "p_Japan", "p_USA"]
    assert [row[0] for row in rows] == predicted[0].tolist()
    assert (np.array([row[1:] for row in rows], dtype=float) == predicted[1]).all()


@pytest.mark.parametrize(
    ("name", "delimiter"), [("p.csv", ","), ("p.tsv", "\t"), ("p.csv.gz", ",")]
)
def test_predict_writes_csv_tsv_and_gzip(run, cars, model, predicted, tmp_path, name, delimiter):
    path = tmp_path / name
    code, out, _ = run("predict", model, cars, "-o", path, "--proba")
    assert (code, out) == (0, f"Wrote 392 predictions to {path}\n")
    data = path.read_bytes()
    text = (gzip.decompress(data) if name.endswith("gz") else data).decode()
    assert [row[0] for row in lines(text, delimiter)[1:]] == predicted[0].tolist()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_predict_gives_the_same_for_every_format(run, cars, model, predicted, tmp_path, form):
    path = tmp_path / f"cars.{form}"
    frame = pd.read_csv(cars)
    getattr(frame[frame.columns[::-1]], f"to_{form}")(path)  # columns are matched by name
    assert lines(run("predict", model, path)[1])[1:] == [[p] for p in predicted[0]]


def test_predict_reads_data_or_model_from_stdin(run, cars, model, predicted, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(cars.read_bytes())))
    assert lines(run("predict", model, "-")[1])[1:] == [[p] for p in predicted[0]]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(model.read_bytes())))
    assert lines(run("predict", "-", cars)[1])[1:] == [[p] for p in predicted[0]]


def test_predict_uses_a_boosted_model(run, tumours, boosted):
    clf = polytomy.load(boosted)
    X = pd.read_csv(tumours)[list(clf.feature_names_in_)]
    rows = lines(run("predict", boosted, tumours)[1])[1:]
    assert rows == [[p] for p in clf.predict(X)]


def test_predict_reads_cells_as_in_training(run, data_file, tmp_path):
    rows = [("01", "a", "2026-01-31"), ("1", "b", "2026-02-01"), ("x", "c", "2026-03-01")]
    written = [f"{z},{t},{d},{'pqr'[i]}\n" for i, (z, t, d) in enumerate(rows)] * 10
    data = data_file("zip,town,day,y\n" + "".join(written))
    path = tmp_path / "m.json"
    assert run("fit", data, "--target", "y", "-o", path, "--drop", "town", "--drop", "day")[0] == 0
    # Both look like numbers, and even like the same number.
    new = data_file("zip\n1\n01\n", "new.csv")
    assert lines(run("predict", path, new)[1])[1:] == [["q"], ["p"]]


def test_predict_accepts_missing_cells_and_new_categories(run, data_file, tmp_path):
    data = data_file("t,n,y\n" + "u,1,p\nv,2,q\nv,2,q\n,3,q\n" * 5)
    path = tmp_path / "m.json"
    assert run("fit", data, "--target", "y", "-o", path)[0] == 0
    new = data_file("t,n\n,\nnew,NA\nu,1\n", "new.csv")
    assert lines(run("predict", path, new)[1])[3] == ["p"]


def test_predict_refuses_data_without_the_models_columns(refuse, model, tumours, data_file):
    message = refuse("predict", model, tumours)
    assert message.startswith(f"{tumours} has no columns 'mpg', 'cylinders', 'displacement', ")
    assert "'acceleration' and 'year'; its columns are mean radius, " in message
    renamed = data_file(
        "mpg,cylinders,displacement,horse_power,weight,acceleration,year\n1,2,3,4,5,6,7\n"
    )
    message = refuse("predict", model, renamed)
    assert message == f"{renamed} has no column 'horsepower'; did you mean 'horse_power'?"


def test_predict_refuses_text_in_a_numeric_column(refuse, model, data_file):
    data = data_file(
        "mpg,cylinders,displacement,horsepower,weight,acceleration,year\n1,2,3,4,5,6,x\n"
    )
    assert refuse("predict", model, data).endswith(
        "line 2: column 'year' contains 'x', which is not a number"
    )


def test_predict_refuses_files_that_are_not_models(refuse, cars, tmp_path, data_file):
    assert refuse("predict", "none.json", cars) == "model file not found: none.json"
    assert refuse("predict", tmp_path, cars) == f"{tmp_path} is a folder, not a model file"
    for content in ("", "{}", "[1]", "a,b\n1,2\n", json.dumps({"format": 10**6}), b"\xff\xfe\x00"):
        assert refuse("predict", data_file(content, "m.json"), cars)
    assert refuse("predict", cars, cars)


def test_predict_refuses_a_damaged_model(refuse, model, cars, data_file):
    data = model.read_bytes()
    assert refuse("predict", data_file(data.replace(b"USA", b"USB", 1), "m.json"), cars)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("p.parquet", "predictions are written as CSV; use the suffix .csv or .tsv"),
        ("no/such/p.csv", "does not exist"),
        (".", "it is a folder"),
        ("cars.csv", "it is also an input; choose another name"),
        ("m.json", "it is also an input; choose another name"),
    ],
)
def test_predict_refuses_an_output_that_cannot_be_written(
    refuse, model, cars, tmp_path, name, message
):
    (tmp_path / "cars.csv").write_bytes(cars.read_bytes())
    (tmp_path / "m.json").write_bytes(model.read_bytes())
    before = sorted(tmp_path.iterdir())
    path = tmp_path / name
    assert message in refuse("predict", tmp_path / "m.json", tmp_path / "cars.csv", "-o", path)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "cars.csv").read_bytes() == cars.read_bytes()


def test_predict_uses_a_model_fitted_on_an_array(run, data_file, tmp_path):
    X = np.arange(20.0).reshape(10, 2)
    TreeClassifier().fit(X, np.repeat([0, 1], 5)).save(tmp_path / "m.json")
    data = data_file("x0,x1\n0,1\n18,19\n")
    assert lines(run("predict", tmp_path / "m.json", data)[1])[1:] == [["0"], ["1"]]


@pytest.fixture
def hours(tmp_path):
    """Two files of 48 hours, with a time zone and without; the class is the half of the day."""

    def write(zone, name):
        path = tmp_path / name
        stamps = [(f"2024-01-0{1 + h // 24}T{h % 24:02d}:00:00{zone}", h % 24) for h in range(48)]
        rows = [f"{stamp},{'am' if hour < 12 else 'pm'}" for stamp, hour in stamps]
        path.write_text("when,y\n" + "\n".join(rows) + "\n")
        return path

    return write("+02:00", "zoned.csv"), write("", "naive.csv")


def test_predict_does_not_mix_times_with_and_without_a_zone(run, hours, tmp_path):
    zoned, naive = hours
    model = tmp_path / "m.json"
    for fitted, other in ((zoned, naive), (naive, zoned)):
        assert run("fit", fitted, "--target", "y", "--force", "-o", model)[0] == 0
        code, out, err = run("predict", model, fitted)
        assert code == 0
        assert out.split()[1:] == [line.split(",")[1] for line in fitted.read_text().split()[1:]]
        code, _, err = run("predict", model, other)
        assert code == 2
        assert "zone" in err
