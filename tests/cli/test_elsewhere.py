"""``polytomy fit --table`` and ``--scheduler``: rows in a database, or on a cluster."""

import numpy as np
import pandas as pd
import pytest

import polytomy
from polytomy import sql
from polytomy.estimators.base.files import record_of

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


def test_fit_with_costs_in_a_database(run, frame, warehouse, tmp_path):
    model, local = tmp_path / "model.json", tmp_path / "local.json"
    options = ["--target", "y", "--drop", "z", "--cost", "yes:no=5", "--leaves", "6"]
    code, out, err = run("fit", warehouse, "--table", "sales", *options, "-o", model)
    assert (code, err) == (0, "")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    _, printed, _ = run("fit", tmp_path / "rows.csv", *options, "-o", local)
    found, expected = polytomy.load(model), polytomy.load(local)
    assert found.cost_matrix == {("yes", "no"): 5.0}
    assert found.to_text() == expected.to_text()
    (cost,) = (line for line in printed.splitlines() if "per row)" in line)
    assert cost in out


def test_costs_of_classes_that_are_numbers_in_a_database(run, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "numbers.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT i AS x, i // 9 % 2 AS y FROM range(90) r(i)")
    model = tmp_path / "model.json"
    options = ["--table", "t", "--target", "y", "--cost", "1:0=3"]
    assert run("fit", path, *options, "-o", model)[0] == 0
    assert polytomy.load(model).cost_matrix == {(1, 0): 3.0}


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--table", "sale"], "sales"),
        (["--table", "sale", "--cost", "yes:no=5"], "sales"),
        (["--table", "sales", "--cost", "yes:never=5"], "with classes among no, yes; got"),
        (["--table", "sales", "--cost", "yes:no=5", "--task", "regression"], "--cost is for"),
        (
            ["--table", "sales", "--cost", "Ulm:Rom=5", "--target", "town"],
            "in which costs depend on the predicted class needs all rows",
        ),
        (["--table", "sales", "--scheduler", "tcp://127.0.0.1:1"], "together"),
        (["--table", "sales", "--test-fraction", "0.2"], "--test-fraction cannot be used"),
        (["--table", "sales", "--lazy"], "--lazy cannot be used"),
        (["--table", "sales", "--dayfirst"], "--dayfirst cannot be used with --table"),
        (["--table", "sales", "--monthfirst"], "--monthfirst cannot be used with --table"),
        (["--table", "sales", "--weights", "y"], "cannot be both the target and the weights"),
        (["--table", "sales", "--drop", "y"], "cannot be given to --drop"),
        ([], "warehouse.duckdb is a DuckDB file: add --table NAME; its tables are sales"),
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


@pytest.fixture(scope="module")
def scheduler():
    """The address of a scheduler with one worker."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def parts(frame, tmp_path):
    """A folder with the rows in three files of each format."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for i in range(3):
        frame[i::3].to_parquet(folder / f"{i}.parquet", index=False, row_group_size=50)
        frame[i::3].reset_index(drop=True).to_feather(folder / f"{i}.arrow")
        frame[i::3].to_csv(folder / f"{i}.csv", index=False, sep=";")
        frame[i::3].to_csv(folder / f"{i}.csv.gz", index=False, sep=";")
    return folder


@pytest.mark.parametrize("form", ["parquet", "arrow", "csv", "csv.gz"])
def test_fit_on_a_cluster(run, frame, parts, scheduler, tmp_path, form):
    model, numbers = tmp_path / "model.json", tmp_path / "numbers.json"
    where = [f"{parts}/*.{form}", "--scheduler", scheduler]
    code, out, _ = run("fit", *where, "--target", "y", "--drop", "z", "-o", model)
    assert code == 0
    assert "400 rows, 2 columns" in out
    rows = pd.concat([frame[i::3] for i in range(3)])
    expected = polytomy.TreeClassifier().fit(rows[["x", "town"]], rows["y"])
    assert polytomy.load(model).to_text() == expected.to_text()
    assert run("fit", *where, "--target", "z", "-o", numbers)[0] == 0
    assert isinstance(polytomy.load(numbers), polytomy.TreeRegressor)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_fit_with_costs_on_a_cluster(run, refuse, frame, parts, scheduler, tmp_path, form):
    model = tmp_path / "model.json"
    where = [f"{parts}/*.{form}", "--scheduler", scheduler, "--drop", "z", "-o", model]
    code, out, _ = run("fit", *where, "--target", "y", "--cost", "yes:no=5", "--leaves", "6")
    assert code == 0
    assert "per row) of 400 rows" in out
    rows = pd.concat([frame[i::3] for i in range(3)])
    tree = polytomy.TreeClassifier(6, cost_matrix={("yes", "no"): 5.0})
    expected = tree.fit(rows[["x", "town"]], rows["y"])
    found = polytomy.load(model)
    assert found.cost_matrix == tree.cost_matrix
    assert found.to_text() == expected.to_text()
    said = refuse("fit", *where, "--force", "--target", "y", "--cost", "yes=5")
    assert "with classes among no, yes; got 'yes=5'" in said
    said = refuse("fit", *where, "--force", "--target", "town", "--cost", "Ulm:Rom=5")
    assert "costs depend on the predicted class needs all rows" in said


@pytest.mark.parametrize("options", [[], ["--forest", "3"], ["--boost", "2"]])
def test_a_model_of_a_cluster_remembers_its_target(run, parts, scheduler, tmp_path, options):
    model, files = tmp_path / "model.json", f"{parts}/*.parquet"
    where = [files, "--scheduler", scheduler, "--target", "y", "--drop", "z", "--leaves", "4"]
    assert run("fit", *where, *options, "-o", model)[0] == 0
    found = record_of(polytomy.load(model))
    assert (found.target, found.n_rows, found.weights) == ("y", N, None)
    if not options:
        code, out, err = run("certify", model, files)
        assert (code, err) == (0, "")
        assert "Verified" in out


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def damage_a_page(path):
    data = bytearray(path.read_bytes())
    data[4:400] = bytes(396)
    path.write_bytes(data)


def damage_the_end(path):
    data = bytearray(path.read_bytes())
    data[-20:-10] = bytes(10)
    path.write_bytes(data)


def with_a_longer_line(path):
    lines = path.read_text().splitlines()
    lines[40] += ";1;2"
    path.write_text("\n".join(lines))


def with_text_for_a_number(path):
    lines = path.read_text().splitlines()
    lines[40] = "many;Ulm;yes;1.5"
    path.write_text("\n".join(lines))


def with_a_missing_label(path):
    rows = pd.read_parquet(path)
    rows.loc[7, "y"] = None
    rows.to_parquet(path, row_group_size=50)


def without_y(path):
    read = {".parquet": pd.read_parquet, ".arrow": pd.read_feather, ".csv": _read_csv}[path.suffix]
    rows = read(path).drop(columns="y")
    if path.suffix == ".csv":
        rows.to_csv(path, index=False, sep=";")
    else:
        getattr(rows, "to_parquet" if path.suffix == ".parquet" else "to_feather")(path)


def _read_csv(path):
    return pd.read_csv(path, sep=";")


@pytest.mark.parametrize("task", ["auto", "classification"])
@pytest.mark.parametrize(
    ("form", "harm", "what"),
    [
        ("parquet", cut, "1.parquet cannot be read"),
        ("parquet", damage_a_page, "1.parquet cannot be read"),
        ("parquet", without_y, "1.parquet does not have the columns of"),
        ("parquet", with_a_missing_label, "1.parquet: Input y contains NaN: 1 of 133"),
        ("arrow", cut, "1.arrow cannot be read"),
        ("arrow", without_y, "1.arrow does not have the columns of"),
        ("csv", without_y, "1.csv does not have the columns of"),
        ("csv", with_a_longer_line, "1.csv cannot be read"),
        ("csv", with_text_for_a_number, "1.csv cannot be read"),
        ("csv.gz", cut, "1.csv.gz cannot be read"),
        ("csv.gz", damage_the_end, "1.csv.gz cannot be read"),
    ],
)
def test_a_cluster_names_the_file_that_is_wrong(
    refuse, parts, scheduler, tmp_path, task, form, harm, what
):
    harm(parts / f"1.{form}")
    where = [f"{parts}/*.{form}", "--scheduler", scheduler, "--task", task]
    assert what in refuse("fit", *where, "--target", "y", "-o", tmp_path / "m.json")


def test_a_cluster_names_a_file_that_ends_on_the_workers(refuse, scheduler, tmp_path):
    random = np.random.default_rng(0)
    for i in range(3):  # so long that the beginning of a file does not show that its end is gone
        rows = pd.DataFrame({"x": random.random(60_000), "y": random.integers(0, 2, 60_000)})
        rows.to_csv(tmp_path / f"{i}.csv.gz", index=False)
    cut(tmp_path / "2.csv.gz")
    where = [f"{tmp_path}/*.csv.gz", "--scheduler", scheduler, "-o", tmp_path / "m.json"]
    said = refuse("fit", *where, "--target", "y")
    assert "2.csv.gz cannot be read: Compressed file ended before" in said
    said = refuse("fit", *where, "--target", "y", "--task", "classification")
    assert "2.csv.gz cannot be read: Compressed file ended before" in said


@pytest.mark.parametrize("form", ["parquet", "arrow", "csv"])
def test_a_cluster_names_a_pattern_without_files(refuse, scheduler, tmp_path, form):
    where = [f"{tmp_path}/*.{form}", "--scheduler", scheduler]
    said = refuse("fit", *where, "--target", "y", "-o", tmp_path / "m.json")
    assert said == f"no file matches {tmp_path}/*.{form}"


def test_a_cluster_needs_files_of_one_format_with_the_target(refuse, parts, scheduler, tmp_path):
    where = ["--scheduler", scheduler, "-o", tmp_path / "m.json"]
    assert "different formats" in refuse("fit", parts, *where, "--target", "y")
    said = refuse("fit", f"{parts}/*.arrow", *where, "--target", "no")
    assert "/*.arrow has no column 'no'" in said


def test_numbers_that_are_not_classes(refuse, warehouse, tmp_path):
    options = ["--table", "sales", "--target", "z", "--task", "classification"]
    said = refuse("fit", warehouse, *options, "-o", tmp_path / "m.json")
    assert "--task regression" in said


def test_a_file_that_is_no_database(refuse, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    said = refuse("fit", path, "--table", "t", "--target", "y", "-o", tmp_path / "m.json")
    assert "is not a DuckDB file" in said
