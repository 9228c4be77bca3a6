"""Reading tables: every format, the types of CSV columns, and what stands between cells."""

import gzip
import io
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

from polytomy.cli import binary, csv_file
from polytomy.cli.read import read_table
from polytomy.table import Table, Times

PEOPLE = "name,age,height,member,born\nAnn,31,1.7,true,1990-01-31\nBob,,1.8,false,NA\n"


def column(table, text, **kinds):
    sheet = read_table(table(text), kinds)
    return sheet.column(sheet.names[0])


def test_types_are_inferred_column_by_column(table):
    sheet = read_table(table(PEOPLE))
    assert sheet.names == ["name", "age", "height", "member", "born"]
    assert sheet.column("name").tolist() == ["Ann", "Bob"]
    assert sheet.column("age").tolist()[0] == 31
    assert np.isnan(sheet.column("age")[1])
    assert sheet.column("height").tolist() == [1.7, 1.8]
    assert sheet.column("member").dtype == np.bool_
    born = sheet.column("born")
    assert born[0] == np.datetime64("1990-01-31", "us")
    assert np.isnat(born[1])


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-2", "+3"], "i"),
        (["1", " 2 "], "i"),
        (["1", "2.5", "1e-3"], "f"),
        (["1", "", "3"], "f"),
        (["99999999999999999999999", "1"], "f"),
        (["true", "FALSE"], "b"),
        (["true", "NA"], "O"),
        (["2026-01-31", "2026-01-31 12:30"], "M"),
        (["2026-01-31T12:30:00Z", "2026-01-31T12:30:00+02:00"], "O"),
        (["2026-01-31T12:30:00Z", "2026-01-31T12:30:00"], "O"),
        (["2026-13-31"], "O"),
        (["2026", "now"], "O"),
        (["1_000", "2"], "O"),
        (["\u0661", "2"], "O"),  # a digit one in Arabic
        (["yes", "no"], "O"),
        (["?", "NaN", "null", "x"], "O"),
        (["?", "NaN", "null", "<NA>"], "f"),
    ],
)
def test_what_a_column_is(table, cells, kind):
    values = column(table, "x,y\n" + "".join(f"{c},1\n" for c in cells))
    assert values.dtype.kind == kind
    assert len(values) == len(cells)


def test_times_with_a_zone_keep_it_in_utc(table):
    values = column(table, "t\n2026-01-31T12:30:00Z\n2026-01-31T12:30:00+02:00\n")
    assert [v.isoformat() for v in values] == [
        "2026-01-31T12:30:00+00:00",
        "2026-01-31T10:30:00+00:00",
    ]
    read = Table.of({"t": values}).columns[0]
    assert read.scale == Times("datetime64[us]", "UTC")


def test_in_a_file_of_one_column_an_empty_line_is_a_missing_cell(table):
    assert column(table, "x\n1\n\n3\n\n\n").tolist()[::2] == [1, 3]
    assert len(column(table, "x\n1\n\n3\n\n\n")) == 3
    assert len(column(table, "x,y\n1,2\n\n  \n3,4\n")) == 2


def test_missing_cells_and_blanks_around_text(table):
    assert column(table, "x,y\n a ,1\nNA,1\n,1\n?,1\n").tolist() == ["a", None, None, None]


def test_a_column_that_turns_out_to_be_text_keeps_its_first_cells(table, monkeypatch):
    monkeypatch.setattr(csv_file, "_BLOCK", 2)
    text = "a,b,c,d\n" + "007,,true,1\n1.50,,false,2\n,,NA,2.5\nx,z,maybe,3\n"
    sheet = read_table(table(text))
    assert sheet.column("a").tolist() == ["007", "1.50", None, "x"]
    assert sheet.column("b").tolist() == [None, None, None, "z"]
    assert sheet.column("c").tolist() == ["true", "false", None, "maybe"]
    assert sheet.column("d").tolist() == [1, 2, 2.5, 3]


@pytest.mark.parametrize("late", ["true", "2026-01-31"])
def test_values_may_come_late(table, monkeypatch, late):
    monkeypatch.setattr(csv_file, "_BLOCK", 1)
    values = column(table, f"x,y\n,1\n,1\n{late},1\n")
    assert [v is None or np.isnat(v) for v in values[:2]] == [True, True]
    assert str(values[2]).lower().startswith(late)


def test_blocks_change_nothing(cars, monkeypatch):
    whole = read_table(cars)
    monkeypatch.setattr(csv_file, "_BLOCK", 7)
    parts = read_table(cars)
    for name in whole.names:
        assert whole.column(name).dtype == parts.column(name).dtype
        assert whole.column(name).tolist() == parts.column(name).tolist()


def test_kinds_can_be_given(table):
    assert column(table, "x,y\n01,1\n2,1\n", x="text").tolist() == ["01", "2"]
    assert column(table, "x,y\n1,1\n2,1\n", x="number").dtype == np.float64


@pytest.mark.parametrize(("name", "between"), [("t.csv", ","), ("t.csv", ";"), ("t.txt", "\t")])
def test_the_delimiter_is_found_in_the_header(table, name, between):
    text = f'"a,;b"{between}c\n1{between}"x{between}y"\n'
    sheet = read_table(table(text, name))
    assert sheet.names == ["a,;b", "c"]
    assert sheet.column("c").tolist() == [f"x{between}y"]


def test_tsv_has_tabs_whatever_the_header_looks_like(table):
    assert read_table(table("a,b,c\td\n1\t2\n", "t.TSV")).names == ["a,b,c", "d"]


def test_bom_line_ends_blank_lines_and_quoted_line_breaks(table):
    sheet = read_table(table('\ufeffa,b\r\n1,"x\r\ny"\r\n\r\n2,z\r\n'))
    assert sheet.names == ["a", "b"]
    assert sheet.column("b").tolist() == ["x\r\ny", "z"]


def test_a_column_without_a_name_gets_one(table):
    assert read_table(table(",a\n0,1\n")).names == ["column_1", "a"]


def arrow_table():
    return pa.table({"n": [1, None], "t": ["a", None], "b": [True, None]})


def written(form):
    file, made = io.BytesIO(), arrow_table()
    if form == "parquet":
        parquet.write_table(made, file)
    elif form == "feather":
        feather.write_feather(made, file, compression="uncompressed")
    else:
        opened = ipc.new_stream if form == "stream" else ipc.new_file
        with opened(file, made.schema) as writer:
            writer.write_table(made)
    return file.getvalue()


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("form", ["parquet", "feather", "arrow", "stream"])
def test_binary_formats_with_either_library(table, monkeypatch, library, form, zipped):
    if library == "polars":
        monkeypatch.setattr(binary, "_reader", lambda name: binary._by_polars)
    data = written(form)
    sheet = read_table(table(gzip.compress(data) if zipped else data, f"t.{form}"))
    assert (sheet.names, sheet.n_rows) == (["n", "t", "b"], 2)
    assert sheet.column("t").tolist() == ["a", None]
    assert sheet.column("b").tolist() == [True, None]
    assert sheet.take(np.array([0])).column("n").tolist() == [1]


def test_kinds_hold_for_binary_formats(table):
    file = io.BytesIO()
    parquet.write_table(pa.table({"zip": [1, 2], "x": ["1.5", None], "w": ["a", "b"]}), file)
    path = table(file.getvalue(), "t.parquet")
    sheet = read_table(path, {"zip": "text", "x": "number", "w": "text"})
    assert sheet.column("zip").tolist() == ["1", "2"]
    assert sheet.column("x")[0] == 1.5
    assert np.isnan(sheet.column("x")[1])


def test_categories_of_frames_are_labels(table):
    file = io.BytesIO()
    frame = pl.DataFrame({"y": ["a", "b"]}, schema={"y": pl.Enum(["b", "a"])})
    frame.write_parquet(file)
    assert read_table(table(file.getvalue(), "t.parquet")).column("y").tolist() == ["a", "b"]


def test_csv_gz_and_stdin(table, monkeypatch):
    zipped = gzip.compress(PEOPLE.encode())
    assert read_table(table(zipped, "t.csv.gz")).n_rows == 2
    for data in (PEOPLE.encode(), zipped, written("parquet")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read_table(table("").with_name("-").relative_to(table("").parent)).n_rows == 2


def test_csv_needs_no_data_frame_library(table, monkeypatch):
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    assert read_table(table(PEOPLE)).n_rows == 2
