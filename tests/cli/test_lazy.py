"""``polytomy fit`` and ``predict`` on folders and patterns, which are read in pieces."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest

import polytomy
from polytomy.io import identifiers

pytest.importorskip("pyarrow")

N = 300


@pytest.fixture(scope="module")
def frame():
    r = np.random.default_rng(5)
    x = r.normal(size=N)
    return pl.DataFrame(
        {
            "id": np.arange(1, N + 1),
            "name": [f"row {i}" for i in range(N)],
            "x": x,
            "zip": r.integers(0, 9, N),
            "town": r.choice(["Ulm", "Rom"], N),
            "w": r.integers(0, 3, N) * 0.5,
            "z": x * 2 + r.normal(size=N),
            "y": np.where(x > r.normal(size=N) * 0.4, "yes", "no"),
        }
    )


@pytest.fixture(scope="module", params=["parquet", "csv"])
def parts(request, frame, tmp_path_factory):
    """A file with all rows, and a pattern of three files with the same rows."""
    folder = tmp_path_factory.mktemp("data")
    parts = folder / "parts"
    parts.mkdir()

    def write(rows, path):
        rows.write_csv(path) if request.param == "csv" else rows.write_parquet(path)

    write(frame, folder / f"all.{request.param}")
    for i, (start, end) in enumerate([(0, 120), (120, 121), (121, N)]):
        write(frame[start:end], parts / f"{i}.{request.param}")
    return folder / f"all.{request.param}", f"{parts}/*.{request.param}"


OPTIONS = {
    "classes": ["--target", "y", "--drop", "z"],
    "numbers": ["--target", "z", "--drop", "y", "--weights", "w"],
    "lists": ["--target", "y", "--drop", "z", "--categorical", "zip", "--numeric", "w"],
    "kept": ["--target", "y", "--numeric", "id", "--categorical", "name"],
    "test": ["--target", "y", "--test-fraction", "0.25", "--seed", "3"],
    "pruned": ["--target", "y", "--prune", "reduced-error", "--seed", "1"],
    "boosted": ["--target", "y", "--boost", "3"],
    "forest": ["--target", "z", "--forest", "3", "--seed", "0"],
    "task": ["--target", "zip", "--task", "regression"],
}


@pytest.mark.parametrize("name", OPTIONS)
def test_fit_gives_the_same_model_and_summary(name, run, parts, tmp_path):
    one, pattern = parts
    printed = []
    for data, output in ((one, "one.json"), (pattern, "many.json")):
        code, out, err = run("fit", data, *OPTIONS[name], "-o", tmp_path / output)
        assert (code, err) == (0, "")
        printed.append(out.replace(output, ""))
    assert printed[0] == printed[1]
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "many.json").read_bytes()


def test_fit_takes_folders_and_single_files(run, parts, tmp_path):
    one, pattern = parts
    cache = tmp_path / "cache"
    cache.mkdir()
    folder = pattern.rpartition("/")[0]
    given = ([one], [folder], [one, "--lazy"], [pattern, "--cache", cache])
    models = set()
    for args in given:
        code, _, err = run("fit", *args, "--target", "y", "--force", "-o", tmp_path / "m.json")
        assert (code, err) == (0, "")
        models.add((tmp_path / "m.json").read_bytes())
    assert len(models) == 1
    assert list(cache.iterdir()) == []


def test_fit_drops_rows_without_labels(run, refuse, frame, tmp_path):
    gaps = frame.with_columns(y=pl.when(pl.int_range(N) % 50 != 49).then("y"))
    gaps[:100].write_parquet(tmp_path / "a.parquet")
    gaps[100:].write_parquet(tmp_path / "b.parquet")
    gaps.write_parquet(tmp_path / "all.pq")
    pattern = tmp_path / "*.parquet"
    message = refuse("fit", pattern, "--target", "y", "-o", tmp_path / "m.json")
    assert message == (
        f"target 'y' is missing in 6 of 300 rows, first in row 50 of {tmp_path}/a.parquet; fill in "
        "these cells, or leave these rows out with --drop-unlabelled"
    )
    for data, output in ((pattern, "m.json"), (tmp_path / "all.pq", "n.json")):
        args = ("fit", data, "--target", "y", "--drop-unlabelled", "-o", tmp_path / output)
        assert run(*args)[0] == 0
    assert (tmp_path / "m.json").read_bytes() == (tmp_path / "n.json").read_bytes()


def test_fit_refuses_what_cannot_be_read(refuse, parts, tmp_path):
    output = ("-o", tmp_path / "m.json")
    pattern = parts[1]
    assert refuse("fit", tmp_path / "*.csv", "--target", "y", *output) == (
        f"no file matches {tmp_path}/*.csv"
    )
    assert "did you mean 'y'?" in refuse("fit", pattern, "--target", "Y", *output)
    absent = tmp_path / "absent"
    message = refuse("fit", pattern, "--target", "y", "--cache", absent, *output)
    assert message == f"--cache must be an existing folder, got {absent}"
    message = refuse("fit", "-", "--target", "y", "--lazy", *output)
    assert message == "stdin cannot be read in pieces; write it to a file first"
    message = refuse("compare", pattern, "--target", "y")
    assert message == f"{pattern} is read in pieces, which this command cannot do"
    text = refuse("fit", pattern, "--target", "y", "--numeric", "town", *output)
    assert "town" in text or "Ulm" in text or "Rom" in text
    assert list(tmp_path.iterdir()) == []


def test_text_with_too_many_categories_is_decided_early(run, refuse, frame, tmp_path, monkeypatch):
    monkeypatch.setattr(identifiers, "MAX_CATEGORIES", 50)
    repeated = pl.Series([f"t{i // 3}" for i in range(N)])
    frame.with_columns(more=repeated).write_parquet(tmp_path / "a.parquet", row_group_size=100)
    args = ("fit", tmp_path / "a.parquet", "--lazy", "--target", "y", "-o", tmp_path / "m.json")
    assert refuse(*args).startswith("column 'more' has 67 categories in 200 rows, more than the 50")
    code, out, _ = run(*args, "--drop", "more")
    assert code == 0
    assert "left out column name: 100 distinct values in the first 100 rows" in out


@pytest.mark.parametrize("output", ["p.csv", "p.tsv.gz", "-"])
def test_predict_streams(output, run, parts, frame, tmp_path, monkeypatch):
    monkeypatch.setattr("polytomy.cli.predict._ROWS", 50)
    one, pattern = parts
    model = tmp_path / "m.json"
    run("fit", one, "--target", "y", "--drop", "z", "-o", model)
    path = output if output == "-" else tmp_path / output
    found = []
    for data in (one, pattern):
        code, out, err = run("predict", model, data, "--proba", "-o", path)
        assert (code, err) == (0, "")
        content = out.encode() if output == "-" else path.read_bytes()
        found.append(gzip.decompress(content) if output.endswith("gz") else content)
    assert found[0] == found[1]
    clf = polytomy.load(model)
    X = frame.select(list(clf.feature_names_in_))
    (tmp_path / "again.csv").write_bytes(found[0])
    predicted = pd.read_csv(tmp_path / "again.csv", sep="\t" if "tsv" in output else ",")
    assert predicted["prediction"].tolist() == clf.predict(X).tolist()
    assert (predicted[["p_no", "p_yes"]].to_numpy() == clf.predict_proba(X)).all()


def test_predict_leaves_no_file_if_a_later_one_is_damaged(run, parts, frame, tmp_path):
    model, data, output = tmp_path / "m.json", tmp_path / "data", tmp_path / "p.csv"
    run("fit", parts[0], "--target", "y", "-o", model)
    data.mkdir()
    frame.write_parquet(data / "a.parquet")
    frame.write_parquet(data / "b.parquet")
    damaged = bytearray((data / "b.parquet").read_bytes())
    damaged[50:2000] = b"\xee" * 1950
    (data / "b.parquet").write_bytes(bytes(damaged))
    code, out, err = run("predict", model, data, "-o", output)
    assert (code, out) == (2, "")
    assert err.startswith(f"polytomy: {data}/b.parquet cannot be read: ")
    assert sorted(tmp_path.iterdir()) == [data, model]


def test_other_commands_take_patterns(run, parts, tmp_path):
    one, pattern = parts
    model = tmp_path / "m.json"
    run("fit", pattern, "--target", "y", "--leaves", "5", "-o", model)
    checked = [run("certify", model, data, "--target", "y") for data in (one, pattern)]
    assert checked[0] == checked[1]
    assert checked[0][0] == 0
    pages = []
    for data in (one, pattern):
        code, *_ = run("report", model, data, "--target", "y", "-o", tmp_path / "r.html")
        assert code == 0
        pages.append((tmp_path / "r.html").read_bytes())
    assert pages[0] == pages[1]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_lazy_fit_prints_the_notes_of_a_plain_one(suffix, run, tmp_path, monkeypatch):
    monkeypatch.setattr("polytomy.io.data_files._BATCH", 30)
    monkeypatch.setattr("polytomy.io.data_files._CSV_BLOCK", 500)
    r = np.random.default_rng(0)
    n = 200
    frame = pl.DataFrame(
        {
            "price": [f"{'$' if i % 3 else '€'}{i % 50}" for i in range(n)],
            "late": [f"{i % 50} kg" if i < 150 else f"{i % 50} lb" for i in range(n)],
            "odd": [str(i % 40) if i != 170 else "n. 7" for i in range(n)],
            "town": r.choice(["Ulm", "Rom"], n),
            "y": r.choice(["yes", "no"], n),
        }
    )
    path = tmp_path / f"t.{suffix}"
    frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
    fit = ["fit", path, "--target", "y", "--force", "-o", tmp_path / "m.json"]
    plain, lazy = (
        [line for line in run(*fit, *more)[1].splitlines() if "stays text" in line]
        for more in ([], ["--lazy"])
    )
    assert plain[:3] == [
        "column price stays text, because its numbers have different units: '€' and '$'",
        "column late stays text, because its numbers have different units: 'lb' and 'kg'",
        "column odd stays text, because 'n. 7' is not a number",
    ]
    assert lazy == plain
