"""``polytomy fit --table`` and ``--scheduler``: rows in a database, or on a cluster."""

import numpy as np
import pandas as pd
import pytest

import polytomy
from polytomy import sql

N = 400


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(9)
    x = random.normal(size=N)
    return pd.DataFrame(
        {
            "x": x,
            "town": random.choice(["Ulm", "Rom", "Oslo"], N),
            "y": np.where(np.digitize(x, [-1, 0, 1]) % 2 ^ (random.random(N) < 0.1), "yes", "no"),
            "z": x * x + random.normal(size=N),
        }
    )


@pytest.fixture(scope="module")
def warehouse(frame, tmp_path_factory):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path_factory.mktemp("data") / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", frame)
        connection.execute("CREATE TABLE sales AS SELECT * FROM given")
    return path


def test_fit_on_a_table_of_a_database(run, warehouse, tmp_path):
    model = tmp_path / "model.json"
    code, out, err = run(
        "fit", warehouse, "--table", "sales", "--target", "y", "--drop", "z", "-o", model
    )
    assert (code, err) == (0, "")
    assert "400 rows, 2 columns" in out
    assert "queries" in out
    expected = sql.fit(warehouse, "sales", target="y", drop=["z"])
    found = polytomy.load(model)
    assert found.to_text() == expected.to_text()


def test_fit_numbers_in_a_database(run, warehouse, tmp_path):
    model = tmp_path / "model.json"
    options = ["--table", "sales", "--target", "z", "--leaves", "6"]
    code, out, _ = run("fit", warehouse, *options, "-o", model)
    assert code == 0
    assert "mean squared error" in out
    assert isinstance(polytomy.load(model), polytomy.TreeRegressor)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--table", "sale"], "sales"),
        (["--table", "sales", "--scheduler", "tcp://127.0.0.1:1"], "together"),
        (["--table", "sales", "--test-fraction", "0.2"], "--test-fraction cannot be used"),
        (["--table", "sales", "--lazy"], "--lazy cannot be used"),
        (["--table", "sales", "--boost", "5"], "single tree"),
        (["--table", "sales", "--effort", "balanced"], "need all rows"),
    ],
)
def test_what_a_database_cannot_do(refuse, warehouse, tmp_path, options, what):
    said = refuse("fit", warehouse, "--target", "y", *options, "-o", tmp_path / "model.json")
    assert what in said


def test_a_database_that_does_not_exist(refuse, tmp_path):
    said = refuse(
        "fit", tmp_path / "no.duckdb", "--table", "t", "--target", "y", "-o", tmp_path / "m.json"
    )
    assert "file not found" in said


def test_fit_on_a_cluster(run, frame, tmp_path):
    distributed = pytest.importorskip("distributed")
    parts = tmp_path / "parts"
    parts.mkdir()
    for i in range(3):
        frame[i::3].to_parquet(parts / f"{i}.parquet", index=False)
    model, numbers = tmp_path / "model.json", tmp_path / "numbers.json"
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
    ) as cluster:
        where = [f"{parts}/*.parquet", "--scheduler", cluster.scheduler_address]
        code, out, _ = run("fit", *where, "--target", "y", "--drop", "z", "-o", model)
        assert run("fit", *where, "--target", "z", "-o", numbers)[0] == 0
    assert code == 0
    assert "400 rows, 2 columns" in out
    rows = pd.concat([pd.read_parquet(parts / f"{i}.parquet") for i in range(3)])
    expected = polytomy.TreeClassifier().fit(rows[["x", "town"]], rows["y"])
    assert polytomy.load(model).to_text() == expected.to_text()
    assert isinstance(polytomy.load(numbers), polytomy.TreeRegressor)


def test_numbers_that_are_not_classes(refuse, warehouse, tmp_path):
    options = ["--table", "sales", "--target", "z", "--task", "classification"]
    said = refuse("fit", warehouse, *options, "-o", tmp_path / "m.json")
    assert "--task regression" in said


def test_a_file_that_is_no_database(refuse, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    said = refuse("fit", path, "--table", "t", "--target", "y", "-o", tmp_path / "m.json")
    assert "is not a DuckDB file" in said
