"""Fits on tables that are read in pieces: the model file is that of the same rows in memory."""

import datetime as dt
import os

import numpy as np
import polars as pl
import pytest

import polytomy
from examples.hyperplanes import Slopes
from polytomy import (
    BoostedTreeClassifier,
    DensityTree,
    ForestClassifier,
    ForestRegressor,
    TreeClassifier,
    TreeRegressor,
    scan,
)
from polytomy.io.scanned_files import ScannedFiles
from polytomy.table import scanned

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
ds = pytest.importorskip("pyarrow.dataset")

N = 600


def _with_gaps(values, every, after=0):
    return [None if i >= after and i % every == 0 else v for i, v in enumerate(values)]


@pytest.fixture(scope="module")
def frame():
    """Rows with columns of every kind; some have missing cells in later rows only."""
    r = np.random.default_rng(3)
    x = r.normal(size=N).astype(np.float32)
    wide = r.normal(size=N)
    wide[[5, 500]], wide[[7, 450]], wide[[9, 33]] = np.inf, -np.inf, np.nan
    start = dt.datetime(2024, 2, 28)
    hours = [start + dt.timedelta(hours=int(h)) for h in r.integers(0, 5000, N)]
    town = r.choice(["Ulm", "Rom", "Bonn", "Oslo", "Ålesund"], N).tolist()
    late = ["early"] * 400 + r.choice(["b", "a"], N - 400).tolist()
    frame = pl.DataFrame(
        {
            "x": x,
            "wide": wide,
            "byte": pl.Series(_with_gaps(r.integers(-9, 9, N).tolist(), 7, 350), dtype=pl.Int8),
            "large": pl.Series(r.integers(-(2**60), 2**60, N), dtype=pl.Int64),
            "count": pl.Series(r.integers(0, 2**40, N), dtype=pl.UInt64),
            "few": pl.Series(_with_gaps(r.integers(0, 5, N).tolist(), 11), dtype=pl.Int32),
            "flag": r.random(N) < 0.4,
            "maybe": _with_gaps((r.random(N) < 0.6).tolist(), 5, 420),
            "town": _with_gaps(town, 13),
            "late": late,
            "kind": pl.Series(late[::-1], dtype=pl.Categorical),
            "day": [h.date() for h in hours],
            "time": pl.Series(_with_gaps(hours, 9, 300), dtype=pl.Datetime("ms")),
            "zoned": pl.Series(hours, dtype=pl.Datetime("us", "Europe/Berlin")),
            "none": pl.Series([None] * N, dtype=pl.Float64),
            "weight": r.integers(0, 4, N).astype(np.float64),
        }
    )
    noisy = (x > 0.3).astype(int) + (frame["flag"].to_numpy() & (wide > 0)) ^ (r.random(N) < 0.15)
    names = np.array(["no", "yes", "maybe"])[noisy % 3]
    return frame.with_columns(y=pl.Series(names), z=pl.Series(x * 2 + noisy))


def _write_parts(frame, folder):
    """Write five Parquet files: one has a row, one has none, groups have 70 rows."""
    for i, (start, end) in enumerate([(0, 1), (1, 250), (250, 250), (250, 480), (480, N)]):
        frame[start:end].write_parquet(folder / f"p{i}.parquet", row_group_size=70)
    return folder


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    """All columns."""
    return _write_parts(frame, tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="module")
def plain(frame):
    """The rows without weights and numeric target."""
    return frame.drop("z", "weight")


@pytest.fixture(scope="module")
def plain_folder(plain, tmp_path_factory):
    return _write_parts(plain, tmp_path_factory.mktemp("parts"))


def _batches(frame, size=37):
    table = frame.to_arrow()
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=size))


def _relation(frame):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("rows", frame.to_arrow())
    return connection.sql("select * from rows")


def _written(frame, path, write):
    path.mkdir()
    for i, (start, end) in enumerate([(0, 200), (200, 201), (201, N)]):
        write(frame[start:end].to_arrow(), path / f"part{i}")
    return path


def _write_file(table, path):
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table, max_chunksize=50)


def _write_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as file:
        file.write_table(table, max_chunksize=50)


SOURCES = {
    "pattern": lambda _, folder, __: scan(f"{folder}/*.parquet"),
    "folder": lambda _, folder, __: scan(folder),
    "list": lambda _, folder, __: scan([folder / f"p{i}.parquet" for i in range(5)]),
    "cache": lambda _, folder, tmp: scan(folder, cache_dir=tmp),
    "arrow": lambda frame, _, tmp: scan(_written(frame, tmp / "a", _write_file)),
    "stream file": lambda frame, _, tmp: scan(_written(frame, tmp / "a", _write_stream)),
    "lazy frame": lambda frame, _, __: frame.lazy(),
    "lazy scan": lambda _, folder, __: pl.scan_parquet(f"{folder}/*.parquet"),
    "lazy cache": lambda frame, _, tmp: scan(frame.lazy(), cache_dir=tmp),
    "dataset": lambda _, folder, __: ds.dataset(folder),
    "relation": lambda frame, _, __: _relation(frame),
    "reader": lambda frame, _, __: _batches(frame),
    "one row each": lambda frame, _, __: _batches(frame, 1),
    "factory": lambda frame, _, __: lambda: _batches(frame),
}


def _same_file(one, other, tmp_path):
    paths = tmp_path / "one.json", tmp_path / "other.json"
    one.save(paths[0])
    other.save(paths[1])
    return paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("name", SOURCES)
def test_fit_gives_the_same_model_for_every_source(name, plain, plain_folder, tmp_path):
    if name == "one row each":
        plain = plain[:40]
    if name == "relation":
        plain = plain.drop("zoned")  # DuckDB converts times to its own zone
    eager = TreeClassifier(24).fit(plain.drop("y"), plain["y"])
    lazy = TreeClassifier(24).fit(SOURCES[name](plain, plain_folder, tmp_path), "y")
    assert _same_file(eager, lazy, tmp_path)
    again = tmp_path / "again"
    again.mkdir()
    X = SOURCES[name](plain, plain_folder, again)
    assert (lazy.predict(X) == eager.predict(plain.drop("y"))).all()


ESTIMATORS = {
    "tree": (lambda: TreeClassifier(16), "y"),
    "two prices": (lambda: TreeClassifier(16, procedure="priced"), "y"),
    "bins": (lambda: TreeClassifier(16, max_bins=20, class_weight="balanced"), "y"),
    "pruner": (lambda: TreeClassifier(pruner="reduced-error", random_state=1), "y"),
    "cross-validation": (lambda: TreeClassifier("cv", random_state=2), "y"),
    "contracted": (lambda: TreeClassifier(12, contract=True, honest=False), "y"),
    "categories": (lambda: TreeClassifier(9, categorical_features=["few", "large"]), "y"),
    "regressor": (lambda: TreeRegressor(12), "z"),
    "forest": (lambda: ForestClassifier(5, random_state=3), "y"),
    "forest regressor": (lambda: ForestRegressor(5, random_state=3), "z"),
    "boosted": (lambda: BoostedTreeClassifier(n_rounds=5), "y"),
    "stopped": (
        lambda: BoostedTreeClassifier(
            5, early_stopping={"fraction": 0.2, "patience": 2}, random_state=4
        ),
        "y",
    ),
}


@pytest.mark.parametrize("weights", [None, "weight"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_fit_gives_the_same_model_for_every_estimator(name, weights, frame, folder, tmp_path):
    make, target = ESTIMATORS[name]
    other = {"y", "z", "weight"} - {target, weights}
    X = frame.drop("y", "z", "weight")
    weight = None if weights is None else frame[weights]
    eager = make().fit(X, frame[target], weight)
    rows = scan(folder, target=target, weights=weights, drop=other)
    lazy = make().fit(rows)
    assert _same_file(eager, lazy, tmp_path)
    assert (lazy.predict(rows) == eager.predict(X)).all()
    assert lazy.score(rows) == eager.score(X, frame[target], weight)
    assert polytomy.verify(lazy, rows).ok
    if target == "y":
        assert np.array_equal(lazy.predict_proba(rows), eager.predict_proba(X))


def test_fit_with_a_teacher_gives_the_same_model(frame, folder, tmp_path):
    teacher = polytomy.Teacher("forest", n_estimators=5, synthetic_rows=60, folds=2)
    made = [TreeClassifier(8, teacher=teacher, random_state=0) for _ in range(2)]
    eager = made[0].fit(frame.drop("y", "z", "weight"), frame["y"])
    lazy = made[1].fit(scan(folder, target="y", drop=["z", "weight"]))
    assert lazy.origin_ is not None
    assert _same_file(eager, lazy, tmp_path)


def test_fit_of_a_density_gives_the_same_model(frame, folder, tmp_path):
    rows = frame.select("x", "few", "flag")[:200]
    rows.write_parquet(tmp_path / "rows.parquet", row_group_size=70)
    eager = DensityTree(8, random_state=0).fit(rows)
    lazy = DensityTree(8, random_state=0).fit(rows.lazy())
    assert _same_file(eager, lazy, tmp_path)
    assert np.array_equal(lazy.score_samples(rows.lazy()), eager.score_samples(rows))
    scanned_rows = scan(tmp_path / "rows.parquet")
    lazy = DensityTree(8, random_state=0).fit(scanned_rows)
    assert np.array_equal(lazy.score_samples(scanned_rows), eager.score_samples(rows))
    assert list(lazy.sample(3).columns) == rows.columns


def test_fit_reads_columns_in_groups(frame, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(scanned, "GROUP_BYTES", 8 * N * 3)
    eager = TreeClassifier(16).fit(frame.drop("y", "z", "weight"), frame["y"])
    lazy = TreeClassifier(16).fit(scan(folder, target="y", drop=["z", "weight"]))
    assert _same_file(eager, lazy, tmp_path)


def test_fit_reads_every_column_once(tmp_path, monkeypatch):
    r = np.random.default_rng(0)
    frame = pl.DataFrame({"x": r.normal(size=20_000), "k": r.integers(0, 9, 20_000)})
    frame = frame.with_columns(y=pl.col("x") > r.normal(size=20_000))
    frame.write_parquet(tmp_path / "rows.parquet")
    read = []
    batches = ScannedFiles.batches
    monkeypatch.setattr(
        ScannedFiles, "batches", lambda self, names: read.append(names) or batches(self, names)
    )
    TreeClassifier(16).fit(scan(tmp_path / "rows.parquet", target="y"))
    assert [tuple(names) for names in read] == [("y",), ("x", "k")]


def test_rows_that_are_many_are_not_read_at_once(frame, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(scanned, "_FEW_ROWS", 10)
    eager = TreeClassifier(pruner="reduced-error", random_state=1)
    eager.fit(frame.drop("y", "z", "weight"), frame["y"], frame["weight"])
    rows = scan(folder, target="y", weights="weight", drop=["z"])
    lazy = TreeClassifier(pruner="reduced-error", random_state=1).fit(rows)
    assert _same_file(eager, lazy, tmp_path)


@pytest.mark.parametrize("target", ["flag", "few", "maybe", "day", "kind"])
def test_the_target_may_have_any_type(target, frame, tmp_path):
    kept = frame.filter(pl.col(target).is_not_null()).select("x", "wide", target)[:90]
    if target == "day":
        kept = kept.with_columns(pl.col("day").dt.truncate("3mo"))
    if target == "kind":
        kept = kept.cast({target: pl.String})  # NumPy reads categories as objects
    eager = TreeClassifier(4)
    try:
        eager.fit(kept.drop(target), kept[target])
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            TreeClassifier(4).fit(kept.lazy(), target)
        return
    assert _same_file(eager, TreeClassifier(4).fit(kept.lazy(), target), tmp_path)


def test_the_target_may_be_an_array_or_lazy(plain, tmp_path):
    eager = TreeClassifier(4).fit(plain.drop("y"), plain["y"])
    for y in (plain["y"], plain.lazy().select("y"), plain["y"].to_list()):
        assert _same_file(eager, TreeClassifier(4).fit(plain.drop("y").lazy(), y), tmp_path)


def test_enum_keeps_its_order(tmp_path):
    sizes = pl.Enum(["small", "large", "medium"])
    labels = ["small", "large", "medium", None] * 30
    frame = pl.DataFrame({"size": pl.Series(labels, dtype=sizes), "y": [0, 1, 1, 0] * 30})
    eager = TreeClassifier(4).fit(frame[["size"]], frame["y"])
    lazy = TreeClassifier(4).fit(frame.lazy(), "y")
    assert _same_file(eager, lazy, tmp_path)


def test_predictions_equal_those_in_memory(frame, folder):
    X, rows = frame.drop("y", "z", "weight"), scan(folder)
    tree = TreeClassifier(16).fit(X, frame["y"])
    assert np.array_equal(tree.apply(rows), tree.apply(X))
    assert np.array_equal(tree.predict_proba(rows), tree.predict_proba(X))
    assert np.array_equal(tree.predict_log_proba(rows), tree.predict_log_proba(X))
    regressor = TreeRegressor(16).fit(X, frame["z"])
    assert np.array_equal(regressor.predict_interval(rows), regressor.predict_interval(X))
    boosted = BoostedTreeClassifier(5).fit(X, frame["y"])
    assert np.array_equal(boosted.decision_function(rows), boosted.decision_function(X))
    staged = zip(boosted.staged_predict(rows), boosted.staged_predict(X), strict=True)
    assert all(np.array_equal(a, b) for a, b in staged)
    assert list(boosted.staged_score(rows, "y")) == list(boosted.staged_score(X, frame["y"]))
    assert np.array_equal(boosted.margins(rows, "y"), boosted.margins(X, frame["y"]))


def test_readers_of_the_training_rows_take_scans(frame, folder, tmp_path):
    names = ["few", "flag", "town"]
    X, y, rows = frame[names], frame["y"], scan(folder, target="y", columns=names)
    tree = TreeClassifier(3).fit(rows)
    assert str(tree.split_table(rows)) == str(tree.split_table(X, y))
    assert str(tree.optimality(rows)) == str(tree.optimality(X, y))
    tree.report(tmp_path / "lazy.html", rows, X_test=rows)
    tree.report(tmp_path / "eager.html", X, y, X_test=X, y_test=y)
    assert (tmp_path / "lazy.html").read_bytes() == (tmp_path / "eager.html").read_bytes()
    pruned = tree.prune("reduced-error", X_val=rows)
    assert pruned.n_leaves_ == tree.prune("reduced-error", X_val=X, y_val=y).n_leaves_


def test_own_families_get_rows_of_scans(plain, plain_folder, tmp_path):
    names = ["x", "few"]
    make = lambda: TreeClassifier(3, families=[Slopes(2)], random_state=0)  # noqa: E731
    eager = make().fit(plain[names], plain["y"])
    rows = scan(plain_folder, target="y", columns=names)
    lazy = make().fit(rows)
    assert _same_file(eager, lazy, tmp_path)
    assert np.array_equal(lazy.apply(rows), eager.apply(plain[names]))


def test_missing_labels_are_located(frame, tmp_path):
    gaps = frame.select("x", "few", y=pl.when(pl.int_range(N) % 100 < 90).then("y"))
    gaps[:87].write_parquet(tmp_path / "a.parquet")
    gaps[87:].write_parquet(tmp_path / "b.parquet")
    with pytest.raises(
        ValueError, match=r"'y' is missing in 60 of 600 rows, .* row 4 of .*b.parquet"
    ):
        TreeClassifier().fit(scan(tmp_path / "*.parquet", target="y"))
    with pytest.raises(ValueError, match=r"'few' is missing in .* of the lazy frame"):
        TreeRegressor().fit(gaps.lazy(), "few")
    with pytest.raises(ValueError, match="'few' is missing in"):
        TreeClassifier().fit(gaps.lazy().drop_nulls("y"), "y", "few")


def test_unknown_classes_are_named(plain):
    tree = TreeClassifier(4).fit(plain.drop("y"), plain["y"])
    other = plain.lazy().with_columns(y=pl.lit("perhaps"))
    with pytest.raises(ValueError, match="perhaps"):
        tree.split_table(other, "y")


def test_columns_must_be_those_of_the_model(plain):
    tree = TreeClassifier(4).fit(plain.lazy(), "y")
    with pytest.raises(ValueError, match=r"has no columns .'x'., which the model needs"):
        tree.predict(plain.lazy().drop("x"))
    shuffled = plain.lazy().select(plain.columns[::-1])
    assert (tree.predict(shuffled) == tree.predict(plain.drop("y"))).all()
    nameless = TreeClassifier(4).fit(plain["x", "wide"].to_numpy(), plain["y"])
    with pytest.raises(ValueError, match="columns without names"):
        nameless.predict(plain.lazy())


def test_targets_of_other_lengths_are_refused(plain):
    with pytest.raises(ValueError, match="X has 600 rows but y has 5"):
        TreeClassifier(4).fit(plain.lazy().drop("y"), plain["y"][:5])
    with pytest.raises(ValueError, match="X has 600 rows but y has 5"):
        TreeClassifier(4).fit(plain.lazy().drop("y"), plain.lazy().select("y").head(5))
    with pytest.raises(ValueError, match="y must have one column"):
        TreeClassifier(4).fit(plain.lazy().drop("y"), plain.lazy())
    with pytest.raises(ValueError, match="requires y"):
        TreeClassifier(4).fit(plain.lazy())


def test_an_interrupt_leaves_no_files_and_the_old_model(plain, plain_folder, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    tree = TreeClassifier(4, verbose=1).fit(plain[["x"]], plain["y"])
    before = dict(vars(tree))
    monkeypatch.setattr("polytomy.estimators.base.input.ScanPrinter.__call__", interrupt)
    cache = tmp_path / "cache"
    cache.mkdir()
    with pytest.raises(KeyboardInterrupt):
        tree.fit(scan(plain_folder, target="y", cache_dir=cache))
    assert os.listdir(cache) == []
    assert vars(tree) == before


def test_progress_is_printed(plain, plain_folder, capsys, monkeypatch):
    monkeypatch.setattr("polytomy.estimators.base.input.INTERVAL", 0)
    TreeClassifier(4, verbose=1).fit(scan(plain_folder, target="y"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].startswith("100% of 600 rows read, ")
    assert lines[-2].endswith(" rows/s, 0 s left")


def test_a_target_of_a_scan_that_is_replaced_is_no_predictor(tmp_path):
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", "b", "a", "b"], "z": [1, 0, 1, 0]})
    frame.write_parquet(tmp_path / "t.parquet")
    scan = polytomy.scan(tmp_path / "t.parquet", target="y")
    tree = polytomy.TreeClassifier(2).fit(scan, "z")
    assert tree.feature_names_in_.tolist() == ["x"]


def test_text_is_neither_weights_nor_numbers(tmp_path):
    labels = ["a", "b", "a", "b"]
    lazy = pl.LazyFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": labels, "w": labels})
    with pytest.raises(polytomy.TargetError, match="weights must be numbers"):
        polytomy.TreeClassifier(2).fit(lazy, "y", "w")
    with pytest.raises(polytomy.ParameterError, match="both the target and the weights"):
        polytomy.TreeClassifier(2).fit(lazy, "y", "y")
    with pytest.raises(polytomy.TargetError, match="y holds text"):
        polytomy.TreeRegressor(2).fit(lazy, "y")
