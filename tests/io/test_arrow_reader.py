"""Parquet, Arrow and Feather files, read with pyarrow or polars."""

import gzip
import io
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

from polytomy import TableError
from polytomy.io import DataFileError, arrow_reader, read_table
from polytomy.table import Nominal, Times


def arrow_bytes(form, table=None):
    """Return a small table in one of the formats."""
    file = io.BytesIO()
    table = (
        pa.table({"n": [1, None], "t": ["a", None], "b": [True, None]}) if table is None else table
    )
    if form == "parquet":
        parquet.write_table(table, file)
    elif form == "feather":
        feather.write_feather(table, file, compression="uncompressed")
    else:
        opened = ipc.new_stream if form == "stream" else ipc.new_file
        with opened(file, table.schema) as writer:
            writer.write_table(table)
    return file.getvalue()


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("form", ["parquet", "feather", "arrow", "stream"])
def test_every_format_is_read_with_either_library(
    data_file, monkeypatch, library, form, compressed
):
    if library == "polars":
        read = arrow_reader._read_with_polars
        monkeypatch.setattr(arrow_reader, "_reader", lambda name: read)
    data = arrow_bytes(form)
    table = read_table(data_file(gzip.compress(data) if compressed else data, f"t.{form}"))
    assert (table.names, table.n_rows) == (("n", "t", "b"), 2)
    assert table.column("t").tolist() == ["a", None]
    assert table.column("b").tolist() == [1, -1]  # ranks of False and True, -1 if missing
    assert table.take(np.array([0])).column("n").tolist() == [1]


def test_kinds_convert_between_text_and_numbers(data_file):
    table = pa.table({"zip": [1, 2], "x": ["1.5", None], "w": ["a", "b"]})
    path = data_file(arrow_bytes("parquet", table), "t.parquet")
    read = read_table(path, kinds={"zip": "text", "x": "number", "w": "text"})
    assert read.column("zip").tolist() == ["1", "2"]
    assert read.column("x")[0] == 1.5
    assert np.isnan(read.column("x")[1])
    with pytest.raises(DataFileError, match="column 'w' contains text that is not a number"):
        read_table(path, kinds={"w": "number"})


def test_time_zone_is_kept(data_file):
    stamps = pa.array([0, 1], pa.timestamp("us", tz="Europe/Berlin"))
    path = data_file(arrow_bytes("parquet", pa.table({"t": stamps})), "t.parquet")
    assert read_table(path).columns[0].scale == Times("datetime64[us]", "Europe/Berlin")


@pytest.mark.parametrize("form", ["parquet", "ipc"])
def test_enum_and_text_written_by_polars_are_read(data_file, form):
    file = io.BytesIO()
    frame = pl.DataFrame(
        {"y": ["a", "b", None], "t": ["p", None, "q"]}, schema_overrides={"y": pl.Enum(["b", "a"])}
    )
    getattr(frame, f"write_{form}")(file)
    table = read_table(data_file(file.getvalue(), f"t.{form}"))
    assert table.column("y").tolist() == ["a", "b", None]
    assert table.column("t").tolist() == ["p", None, "q"]


def test_nested_column_is_refused_unless_dropped(data_file):
    table = pa.table({"x": [1, 2], "tags": [["a"], ["b", "c"]]})
    path = data_file(arrow_bytes("parquet", table), "t.parquet")
    with pytest.raises(TableError, match="'tags'"):
        read_table(path)
    assert read_table(path, drop=["tags"]).names == ("x",)
    assert read_table(path, columns=["x"]).names == ("x",)


def test_categorical_column_is_nominal(data_file):
    path = data_file(arrow_bytes("parquet", pa.table({"x": [2, 1], "z": [1, 2]})), "t.parquet")
    table = read_table(path, categorical=["x"])
    assert isinstance(table.columns[0], Nominal)
    assert not isinstance(table.columns[1], Nominal)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PAR1 and then nothing", "t.csv cannot be read as Parquet: "),
        (b"ARROW1 and then nothing", "t.csv cannot be read as Arrow: "),
        (arrow_bytes("parquet", pa.table({"x": pa.array([], pa.int64())})), "1 columns and 0 rows"),
        (
            arrow_bytes("arrow", pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"])),
            "more than one column named 'x'; rename all but one",
        ),
    ],
)
def test_bad_content_is_refused(data_file, content, message):
    with pytest.raises(DataFileError, match=message):
        read_table(data_file(content))


def test_missing_library_is_named(data_file, monkeypatch):
    for name in ("polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DataFileError) as error:
        read_table(data_file(b"PAR1", "t.parquet"))
    assert "requires pyarrow or polars (pip install pyarrow)" in str(error.value)
    assert "CSV files can be read without them" in str(error.value)
