"""Scans: what they read, and one sentence for everything that cannot be read."""

import bz2
import gzip
import lzma
import os
import stat

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from polytomy import TreeClassifier, scan
from polytomy._errors import DataFileError, ParameterError, PolytomyError
from polytomy.encode import encode
from polytomy.io import read_table

pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")


def _frame(n=40):
    x = np.arange(n, dtype=np.float32)
    return pl.DataFrame({"x": x, "k": ["a", "b"] * (n // 2), "y": (x > 17).astype(np.int8)})


@pytest.fixture
def parts(tmp_path):
    """A pattern of two Parquet files."""
    for i in range(2):
        _frame()[20 * i : 20 * (i + 1)].write_parquet(tmp_path / f"{i}.parquet", row_group_size=8)
    return str(tmp_path / "*.parquet")


def _refused(*args, error=DataFileError, fit=False, **options):
    """Return the sentence that a scan, or a fit on it, is refused with."""
    with pytest.raises(error) as caught:  # noqa: PT012
        found = scan(*args, **options)
        if fit:
            TreeClassifier(4).fit(found)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_scan_tells_what_it_found(parts):
    found = scan(parts, target="y")
    assert repr(found) == f"<scan of {parts}: 40 rows, 2 columns, target='y'>"
    assert (found.n_rows, found.names) == (40, ("x", "k"))
    assert found.read("y").values.tolist() == _frame()["y"].to_list()
    weighted = scan(parts, target="y", weights="x")
    assert (weighted.names, weighted.weights) == (("k",), "x")
    assert found.with_roles(None, "x").names == ("k",)


def test_scan_chooses_columns(parts):
    assert scan(parts, columns=["k", "x"]).names == ("k", "x")
    assert scan(parts, columns=["k"], target="y").names == ("k",)
    assert scan(parts, drop=["k"], target="y").names == ("x",)
    assert scan(parts, target="y", categorical=["x"]).table.columns[0].kind == "nominal"


def test_scan_takes_files_in_the_order_of_their_names(tmp_path):
    for name in ("b", "a", "c"):
        folder = tmp_path / name
        folder.mkdir()
        pl.DataFrame({"x": [name]}).write_parquet(folder / "0.parquet")
    (tmp_path / "_SUCCESS").write_bytes(b"")
    (tmp_path / ".hidden").write_bytes(b"")
    assert scan(tmp_path).read("x").values.tolist() == ["a", "b", "c"]
    assert scan(f"{tmp_path}/**/*.parquet").n_rows == 3
    listed = [tmp_path / "c", tmp_path / "a" / "0.parquet"]
    assert scan(listed).read("x").values.tolist() == ["c", "a"]


def test_scan_reads_one_file_whose_name_is_a_pattern(tmp_path):
    path = tmp_path / "a[1].parquet"
    _frame().write_parquet(path)
    assert scan(path).n_rows == 40


def test_columns_may_have_another_order_in_other_files(tmp_path):
    _frame()[:20].write_parquet(tmp_path / "0.parquet")
    _frame()[20:].select("y", "k", "x").write_parquet(tmp_path / "1.parquet")
    found = scan(tmp_path)
    assert found.read("x").values.tolist() == _frame()["x"].to_list()
    assert found.read("k").values.tolist() == _frame()["k"].to_list()


def test_text_may_be_stored_in_several_ways(tmp_path):
    text = pa.array(["a", "b"])
    columns = [text, text.cast(pa.large_string()), text.dictionary_encode(), pa.nulls(2)]
    for i, column in enumerate(columns):
        pq.write_table(pa.table({"k": column}), tmp_path / f"{i}.parquet")
    assert scan(tmp_path).read("k").values.tolist() == ["a", "b"] * 3 + [None] * 2


def test_columns_without_values_have_the_type_of_other_files(tmp_path):
    for i, column in enumerate([pa.nulls(2), pa.array([1, 2]), pa.nulls(1)]):
        pq.write_table(pa.table({"x": column, "n": pa.nulls(len(column))}), tmp_path / f"{i}.pq")
    found = scan(tmp_path)
    assert np.isnan(found.read("x").values).tolist() == [True, True, False, False, True]
    assert np.isnan(found.read("n").values).all()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            lambda f: f.drop("k"),
            r"1.parquet does not have .* columns of .*0.parquet: it lacks .'k",
        ),
        (lambda f: f.with_columns(z=1), r"1.parquet .* it has .'z'. in addition"),
        (lambda f: f.cast({"x": pl.Float64}), r"'x' is double in .*1.parquet but float in .*0.par"),
        (lambda f: f.cast({"y": pl.String}), r"'y' is \w+ in .*1.parquet but int8 in .*0.parquet"),
    ],
)
def test_schemas_that_differ_are_refused(other, message, tmp_path):
    _frame()[:20].write_parquet(tmp_path / "0.parquet")
    other(_frame()[20:]).write_parquet(tmp_path / "1.parquet")
    with pytest.raises(DataFileError, match=message):
        scan(tmp_path)


def test_damaged_parquet_files_are_named(parts, tmp_path):
    path = tmp_path / "1.parquet"
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:-1], b"PAR1" + os.urandom(50), b"PAR1"):
        path.write_bytes(damaged)
        assert _refused(parts, target="y", fit=True).startswith(f"{path} cannot be read: ")
    middle = bytearray(whole)
    middle[20:200] = b"\xee" * 180
    path.write_bytes(bytes(middle))
    assert _refused(parts, target="y", fit=True).startswith(f"{path} cannot be read: ")


@pytest.mark.parametrize("form", ["file", "stream"])
def test_damaged_arrow_files_are_named(form, tmp_path):
    path, table = tmp_path / "t.arrow", _frame().to_arrow()
    with (pa.ipc.new_file if form == "file" else pa.ipc.new_stream)(path, table.schema) as file:
        file.write_table(table)
    path.write_bytes(path.read_bytes()[:-400])
    assert str(path) in _refused(path, target="y", fit=True)


def test_files_that_change_are_named(parts, tmp_path):
    path = tmp_path / "1.parquet"
    found = scan(parts, target="y")
    for rows, words in ((_frame()[:5], "fewer rows"), (_frame(), "more rows")):
        rows.write_parquet(path)
        with pytest.raises(DataFileError, match=f"1.parquet has changed while .* it has {words}"):
            TreeClassifier(4).fit(found)
    path.unlink()
    with pytest.raises(DataFileError, match=r"1.parquet has disappeared while it was read"):
        TreeClassifier(4).fit(found)
    _frame().drop("x").write_parquet(path)
    with pytest.raises(DataFileError, match=r"1.parquet "):
        TreeClassifier(4).fit(found)


def test_files_that_do_not_exist_are_named(tmp_path):
    assert _refused(tmp_path / "no.parquet") == f"file not found: {tmp_path}/no.parquet"
    assert _refused(f"{tmp_path}/*.csv") == f"no file matches {tmp_path}/*.csv"
    assert _refused(tmp_path) == f"the folder {tmp_path} has no files"
    assert _refused([]) == "the list of files is empty"
    (tmp_path / "e.parquet").write_bytes(b"")
    assert _refused(tmp_path) == f"{tmp_path}/e.parquet is empty"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read every file")
def test_files_without_permission_are_named(parts, tmp_path):
    (tmp_path / "0.parquet").chmod(0)
    assert "0.parquet: permission denied" in _refused(parts)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write to every folder")
def test_folders_without_permission_are_named(parts, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(stat.S_IRUSR | stat.S_IXUSR)
    message = _refused(parts, target="y", cache_dir=cache, error=PolytomyError, fit=True)
    assert message == f"cannot write temporary files in {cache}: permission denied"


def test_wrong_roles_are_refused(parts):
    assert _refused(parts, target="Y") == f"{parts} has no column 'Y'; did you mean 'y'?"
    assert "no column 'w'" in _refused(parts, weights="w")
    assert "no column 'q'" in _refused(parts, drop=["q"])
    assert "no columns left" in _refused(parts, columns=["y"], target="y")
    twice = _refused(parts, target="y", weights="y", error=ParameterError)
    assert twice == "column 'y' cannot be both the target and the weights"
    dropped = _refused(parts, target="y", drop=["y"], error=ParameterError)
    assert dropped == "column 'y' is the target and cannot be in drop as well"
    with pytest.raises(DataFileError, match="no column 'q'"):
        TreeClassifier().fit(scan(parts), "q")


def test_lazy_frames_of_narwhals_are_those_they_wrap():
    rows = _frame()
    wrapped = nw.from_native(rows.lazy())
    expected = TreeClassifier(4).fit(rows.drop("y"), rows["y"])
    found = TreeClassifier(4).fit(scan(wrapped, target="y"))
    assert found.tree_ == expected.tree_
    assert TreeClassifier(4).fit(wrapped.drop("y"), rows["y"]).tree_ == expected.tree_


def test_wrong_sources_are_refused(parts, tmp_path):
    for source in (3, np.eye(3), _frame()):
        assert "scan takes files" in _refused(source, error=ParameterError)
    message = _refused(parts, cache_dir=tmp_path / "absent", error=ParameterError)
    assert message == f"cache_dir must be an existing folder, got '{tmp_path}/absent'"
    assert "existing folder" in _refused(parts, cache_dir=__file__, error=ParameterError)


def test_tables_without_rows_are_refused(tmp_path):
    _frame()[:0].write_parquet(tmp_path / "0.parquet")
    assert _refused(tmp_path) == f"{tmp_path} has no rows"
    assert _refused(_frame()[:0].lazy()) == "the lazy frame has no rows"
    assert _refused(ds.dataset(tmp_path)) == "the dataset has no rows"
    (tmp_path / "h.csv").write_text("x,y\n")
    assert _refused(tmp_path / "h.csv") == f"{tmp_path}/h.csv has no rows"


def test_readers_can_be_read_once():
    reader = pa.RecordBatchReader.from_batches(
        _frame().to_arrow().schema, _frame().to_arrow().to_batches()
    )
    reader.read_all()
    message = "the stream has no rows; a reader can be read only once"
    assert _refused(reader) == message
    with pytest.raises(DataFileError, match=message):
        TreeClassifier().fit(reader, "y")


def test_names_that_occur_twice_are_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"])
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as file:
        file.write_table(table)
    (tmp_path / "t.csv").write_text("x,x\n1,2\n")
    for name in ("t.arrow", "t.csv"):
        message = f"{tmp_path}/{name} has more than one column named 'x'; rename all but one"
        assert _refused(tmp_path / name) == message


def test_nested_columns_are_refused(tmp_path):
    _frame().with_columns(z=[[1]] * 40).write_parquet(tmp_path / "0.parquet")
    message = _refused(tmp_path, target="y", fit=True, error=PolytomyError)
    assert "'z' contains List" in message
    TreeClassifier(2).fit(scan(tmp_path, target="y", drop=["z"]))


def test_errors_within_lazy_tables_are_one_sentence(tmp_path, parts):
    bad = pl.LazyFrame({"x": ["a"], "y": [1]}).with_columns(pl.col("x").cast(pl.Int64))
    assert _refused(bad).startswith("the lazy frame cannot be read: ")
    assert "absent" in _refused(_frame().lazy().select("absent"))
    assert "none.parquet" in _refused(pl.scan_parquet(tmp_path / "none.parquet"))
    dataset = ds.dataset(tmp_path)
    path = tmp_path / "1.parquet"
    path.write_bytes(path.read_bytes()[:200])
    assert "1.parquet" in _refused(dataset, target="y", fit=True)
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql("select error('broken cell') as x")
    assert "broken cell" in _refused(relation)


def test_errors_of_the_users_code_are_not_hidden():
    def make():
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        scan(make)


# ---- CSV ---------------------------------------------------------------------------------------

CSV = {
    "numbers": "x,y\n1,2.5\n,3\nNA,-1e9\n 4 ,0\n",
    "booleans": "b,c\ntrue,True\nFALSE,\ntrue,NA\n",
    "text": 'k,l\na,"b, c"\n b ,"d"\n?,\n007,7.0\n',
    "dates": "d,t\n2024-02-29,2024-02-29T12:30:01.5\n,\n2023-01-01,2023-01-01 00:00\n",
    "zones": "z,w\n2024-02-29T12:30Z,2024-02-29T12:30+02:00\n,2020-01-01T00:00:00Z\n",
    "clock": "h,n\n12:30,\n08:15,\n",
    "semicolons": "x;k\n1;a,b\n2;c\n",
    "bom": "\ufeffx,k\n1,ü\n2,b\n",
}


@pytest.mark.parametrize("name", CSV)
def test_csv_files_have_the_columns_of_read_table(name, data_file):
    path = data_file(CSV[name])
    _check_equal(scan(path).table, read_table(path))


def _check_equal(one, other):
    mine, yours = encode(one), encode(other)
    assert one.names == other.names
    for a, b in zip(one.columns, other.columns, strict=True):
        assert (a.kind, getattr(a, "scale", None)) == (b.kind, getattr(b, "scale", None))
        if a.kind == "nominal":
            assert a.values.tolist() == b.values.tolist()
    assert all(np.array_equal(a, b) for a, b in zip(mine.columns, yours.columns, strict=True))


def test_csv_files_may_be_compressed_and_tabbed(tmp_path):
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(gzip.compress(b"x\ty\n1\ta,b\n"))
    assert scan(path).names == ("x", "y")
    packed = tmp_path / "t.parquet.gz"
    _frame().write_parquet(tmp_path / "t.parquet")
    packed.write_bytes(gzip.compress((tmp_path / "t.parquet").read_bytes()))
    assert _refused(packed) == f"{packed} is compressed by gzip and cannot be read in pieces"


@pytest.mark.parametrize("threads", [1, 2])  # with one, pyarrow's errors number the row
def test_kinds_of_csv_columns_fit_all_rows(data_file, monkeypatch, threads):
    before = pa.cpu_count()
    pa.set_cpu_count(threads)
    monkeypatch.setattr("polytomy.io.data_files._CSV_BLOCK", 64)
    lines = ["i,n,b,t,e"] + ["1,2,true,2024-01-01,"] * 20 + ["1,2.5,maybe,never,true"] * 3
    path = data_file("\n".join(lines) + "\n")
    try:
        _check_equal(scan(path).table, read_table(path))
    finally:
        pa.set_cpu_count(before)


def test_kinds_of_csv_columns_fit_all_files(tmp_path):
    texts = ["x,k,n\n1,7,\n2,08,\n", "n,x,k\n1,2.5,a\n", "x,k,n\n,,\n"]
    for i, text in enumerate(texts):
        (tmp_path / f"{i}.csv").write_text(text)
    found = scan(tmp_path)
    assert found.read("x").values.tolist()[:3] == [1.0, 2.0, 2.5]
    assert found.read("k").values.tolist() == ["7", "08", "a", None]
    assert found.read("n").values[2] == 1


def test_damaged_csv_files_are_named(tmp_path):
    for text in (b"x,y\n1,2\n1\n", b"x,y\n1,\x81\n1,2\n"):
        (tmp_path / "t.csv").write_bytes(text)
        message = _refused(tmp_path / "t.csv", fit=True, target="x")
        assert message.startswith(
            (f"{tmp_path}/t.csv cannot be read: ", f"{tmp_path}/t.csv, line 2: byte 0x81 ")
        )


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_damaged_compressed_files_are_named(pack, tmp_path):
    path, random = tmp_path / "1.csv.packed", np.random.default_rng(0)
    rows = "".join(f"{x},{y}\n" for x, y in zip(random.random(400), [0, 1] * 200, strict=True))
    whole = pack(f"x,y\n{rows}".encode())
    (tmp_path / "0.csv.packed").write_bytes(whole)
    for half in (b"", bytes(len(whole) - len(whole) // 2)):
        path.write_bytes(whole[: len(whole) // 2] + half)
        message = _refused(tmp_path, fit=True, target="y")
        assert message.startswith(f"{path} cannot be read: ")
