"""Scanned tables: pieces make up the columns, and the codes, of the whole table."""

import datetime as dt
import os
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy._errors import TableError
from polytomy.encode import encode
from polytomy.table import ColumnBuilder, Nominal, Numbers, Ordered, Ranks, ScannedTable, Table
from polytomy.table import scanned as module
from polytomy.table.spilled import SpilledRows


class Batches:
    """A source of batches that are frames in memory."""

    def __init__(self, frames):
        self.frames = frames
        self.names = tuple(frames[0].columns)
        self.read = []  # the columns of each reading

    @property
    def n_rows(self):
        return sum(map(len, self.frames))

    def batches(self, names):
        self.read.append(tuple(names))
        for frame in self.frames:
            if len(frame):
                yield frame.select(names)


def _cells(draw, n, cell):
    """Return cells of which none, some of the last, or any may be missing."""
    cells = draw(st.lists(cell, min_size=n, max_size=n))
    first = draw(st.sampled_from([0, n // 2, n]))
    gone = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return [None if i >= first and gone[i] else c for i, c in enumerate(cells)]


KINDS = {
    "int8": (st.integers(-128, 127), pl.Int8),
    "int64": (st.integers(-(2**63), 2**63 - 1), pl.Int64),
    "uint64": (st.integers(0, 2**64 - 1), pl.UInt64),
    "float32": (st.floats(width=32), pl.Float32),
    "float64": (st.floats(), pl.Float64),
    "bool": (st.booleans(), pl.Boolean),
    "text": (st.sampled_from(["a", "b", "", "c d", "ü"]), pl.String),
    "categories": (st.sampled_from(["x", "y", "z"]), pl.Categorical),
    "enum": (st.sampled_from(["low", "high"]), pl.Enum(["low", "high", "top"])),
    "date": (st.dates(dt.date(1950, 1, 1), dt.date(2100, 1, 1)), pl.Date),
    "time": (st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2100, 1, 1)), pl.Datetime("us")),
    "zoned": (
        st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2100, 1, 1), timezones=st.just(dt.UTC)),
        pl.Datetime("ms", "UTC"),
    ),
    "span": (st.timedeltas(dt.timedelta(-9), dt.timedelta(9)), pl.Duration("us")),
    "nothing": (st.none(), pl.Null),
}


NOMINAL = (pl.Int8, pl.Float32, pl.Boolean, pl.String, pl.Categorical)  # chosen as categories


@st.composite
def partitions(draw):
    """A frame, and the same rows in batches, some of which may be empty."""
    n = draw(st.integers(1, 12))
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=4))
    frame = pl.DataFrame(
        [
            pl.Series(f"c{j}", _cells(draw, n, KINDS[kind][0]), dtype=KINDS[kind][1])
            for j, kind in enumerate(kinds)
        ]
    )
    cuts = sorted(draw(st.lists(st.integers(0, n), max_size=4)))
    edges = [0, *cuts, n]
    parts = [frame[a:b] for a, b in pairwise(edges)]
    return frame, parts


def _check_equal(one, other):
    assert one.n_rows == other.n_rows
    assert len(one.schema) == len(other.schema)
    for mine, yours in zip(one.schema, other.schema, strict=True):
        assert type(mine) is type(yours)
        for name in mine.__dataclass_fields__:
            np.testing.assert_equal(getattr(mine, name), getattr(yours, name))
    for mine, yours in zip(one.columns, other.columns, strict=True):
        assert mine.dtype == yours.dtype
        assert np.array_equal(mine, yours)


@given(partitions(), st.booleans(), st.data())
def test_encoding_pieces_equals_encoding_the_table(case, spilled, data):
    frame, parts = case
    may_be_nominal = [n for n, dtype in frame.schema.items() if dtype in NOMINAL]
    nominal = [n for n in may_be_nominal if data.draw(st.booleans())]
    source = Batches(parts)
    if spilled:
        source = SpilledRows([p for p in parts if len(p)], frame.columns)
    table = ScannedTable(source, nominal=nominal)
    whole = Table.of(frame, nominal=nominal)
    _check_equal(encode(table), encode(whole))
    rows = data.draw(st.lists(st.integers(0, len(frame) - 1), min_size=1))
    _check_equal(encode(table.take(np.array(rows))), encode(whole.take(np.array(rows))))


@given(partitions(), st.data())
def test_rows_that_are_read_later_are_those_of_the_table(case, data):
    frame, parts = case
    rows = data.draw(st.lists(st.integers(0, len(frame) - 1), min_size=1, unique=True))
    rows = np.sort(rows)
    table = ScannedTable(Batches(parts), rows=rows)
    _check_equal(encode(table), encode(Table.of(frame).take(rows)))
    inner = np.arange(0, len(rows), 2)
    _check_equal(encode(table.take(inner)), encode(Table.of(frame).take(rows[inner])))


def _table(n=10, **more):
    frame = pl.DataFrame({"x": np.arange(n) * 1.5, "k": ["a", "b"] * (n // 2), "b": [True] * n})
    source = Batches([frame[:3], frame[3:4], frame[4:]])
    return ScannedTable(source, **more), Table.of(frame), source


def test_columns_are_read_in_groups_and_once(monkeypatch):
    table, whole, source = _table()
    monkeypatch.setattr(module, "GROUP_BYTES", 8 * 10 * 2)
    _check_equal(encode(table), encode(whole))
    assert source.read == [("x", "k"), ("b",)]
    monkeypatch.setattr(module, "GROUP_BYTES", 1)
    encode(table)
    assert source.read[2:] == [("x",), ("k",), ("b",)]


def test_codes_are_in_files_without_names(tmp_path):
    table, whole, _ = _table(cache_dir=tmp_path)
    coded = encode(table)
    _check_equal(coded, encode(whole))
    assert all(isinstance(codes, np.memmap) for codes in coded.columns)
    assert os.listdir(tmp_path) == []


def test_columns_are_mapped_files(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_FEW_ROWS", 2)
    table, whole, source = _table(cache_dir=tmp_path)
    assert table.column("x").tolist() == whole.column("x").tolist()
    assert table.column("k").tolist() == whole.column("k").tolist()
    assert isinstance(table.columns[0].values, np.memmap)
    assert len(source.read) == 1
    assert os.listdir(tmp_path) == []
    _check_equal(encode(table), encode(whole))
    assert len(source.read) == 1


def test_rows_are_taken_in_any_order():
    table, whole, source = _table()
    none = np.array([], dtype=np.int64)
    for rows in (np.array([7, 2, 2, 9]), np.array([3, 4]), np.arange(10) % 3 == 0, none):
        taken = table.take(rows)
        expected = whole.take(np.flatnonzero(rows) if rows.dtype == bool else rows)
        assert taken.column("x").tolist() == expected.column("x").tolist()
        assert taken.column("k").tolist() == expected.column("k").tolist()
    n_read = len(source.read)
    assert table.columns[0].values.tolist() == whole.column("x").tolist()
    assert table.take(np.array([2, 5])).column("x").tolist() == [3.0, 7.5]
    assert len(source.read) == n_read + 1


@pytest.mark.parametrize("few", [0, 1000])
def test_ascending_rows_are_read_when_they_are_needed(few, monkeypatch):
    monkeypatch.setattr(module, "_FEW_ROWS", few)
    table, _, source = _table()
    taken = table.take(np.array([0, 3, 8, 9])).take(np.array([0, 1, 3]))
    assert source.read == []
    assert taken.row_name(1) == "row 4"
    parts = [part.column("x").tolist() for _ in range(2) for _, part in taken.parts(["x"])]
    expected = [0.0, 4.5, 13.5]
    assert [x for part in parts for x in part] == expected * 2
    assert len(source.read) == (1 if few else 2)
    assert taken.column("x").tolist() == expected
    assert [start for start, _ in taken.parts()] == [0]


def test_progress_counts_cells():
    seen = []
    table, _, _ = _table(on_progress=seen.append)
    encode(table)
    assert [p.cells for p in seen] == [9, 12, 30]
    assert {(p.total, p.rows) for p in seen} == {(30, 10)}
    half = module.ScanProgress(500, 1000, 20_000, 4.0)
    assert str(half) == "50% of 20,000 rows read, 2,500 rows/s, 4 s left"
    assert str(module.ScanProgress(0, 0, 0, 0.0)).startswith("0% of 0 rows read")


def test_rows_that_change_are_noticed():
    table, _, source = _table()
    source.frames = source.frames[:-1]
    with pytest.raises(TableError, match="changed while they were read: there were 10, now 4"):
        encode(table)
    table, _, source = _table()
    longer = ScannedTable(source)
    source.frames = [*source.frames, source.frames[0]]
    n_rows = source.n_rows
    type(source).n_rows, before = 10, type(source).n_rows
    try:
        with pytest.raises(TableError, match=f"there were 10, now {n_rows}"):
            encode(longer)
    finally:
        type(source).n_rows = before


def test_columns_that_change_their_type_are_refused():
    frames = [pl.DataFrame({"x": [1]}), pl.DataFrame({"x": ["a"]})]
    with pytest.raises(TableError, match=r"'x' changes its type .* from numbers to categories"):
        encode(ScannedTable(Batches(frames)))
    builder = ColumnBuilder("x", 2)
    builder.add(0, Ordered("x", np.array([0], dtype=np.int32), Ranks(("a",))))
    with pytest.raises(TableError, match="from ranks to numbers"):
        builder.add(1, Ordered("x", np.array([0]), Numbers()))


def test_nested_columns_are_refused():
    with pytest.raises(TableError, match="'x' contains List"):
        encode(ScannedTable(Batches([pl.DataFrame({"x": [[1]]})])))


def test_builder_widens_numbers():
    builder = ColumnBuilder("x", 4)
    for i, value in enumerate((np.int8(3), np.int64(2**40), np.float32(0.5), np.float64(1e300))):
        builder.add(i, Ordered("x", np.array([value])))
    assert builder.column().values.tolist() == [3, 2**40, 0.5, 1e300]
    builder = ColumnBuilder("k", 3)
    builder.add(0, Nominal("k", np.array([0, -1], dtype=np.int32), ("b",)))
    builder.add(2, Nominal("k", np.array([1], dtype=np.int32), ("a", "b")))
    assert builder.column().values.tolist() == ["b", None, "b"]


def test_other_names_are_refused():
    table, _, _ = _table()
    assert table.with_names(["x", "k", "b"]) is table
    with pytest.raises(TableError, match="must be"):
        table.with_names(["u", "v", "w"])


def test_folders_that_cannot_be_written_are_named(tmp_path):
    table, _, _ = _table(cache_dir=tmp_path / "absent")
    with pytest.raises(TableError, match=r"cannot write temporary files in .*absent: no such file"):
        encode(table)
    with pytest.raises(TableError, match="absent"):
        SpilledRows([pl.DataFrame({"x": [1]})], ["x"], tmp_path / "absent")


def test_a_full_disk_is_an_error(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    table, _, _ = _table(cache_dir="/tmp")
    with pytest.raises(TableError, match="no space left on device"):
        encode(table)


def test_spilled_rows_come_back_as_they_were():
    frame = pl.DataFrame({"x": [1, None, 3], "k": ["a", None, "b"], "b": [None, True, False]})
    rows = SpilledRows([frame[:1], frame[1:]], frame.columns)
    assert rows.n_rows == 3
    parts = list(rows.batches(["k", "b"]))
    assert [p.names for p in parts] == [("k", "b")] * 2
    assert [c for p in parts for c in p.column("k").tolist()] == ["a", None, "b"]
    assert [c for p in parts for c in p.column("b").tolist()] == [-1, 1, 0]
