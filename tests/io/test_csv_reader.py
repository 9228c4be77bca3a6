"""CSV and TSV files: delimiters, headers, blocks of rows, and errors that name the line."""

import sys

import numpy as np
import pytest

from polytomy.data import cars_csv
from polytomy.io import DataFileError, csv_reader, read_table
from polytomy.table import Nominal, Times

PEOPLE = "name,age,height,member,born\nAnn,31,1.7,true,1990-01-31\nBob,,1.8,false,NA\n"


def column(path, **kinds):
    return read_table(path, kinds=kinds).columns[0]


def test_kinds_are_inferred_for_each_column(data_file):
    table = read_table(data_file(PEOPLE))
    assert table.names == ("name", "age", "height", "member", "born")
    assert table.n_rows == 2
    assert table.column("name").tolist() == ["Ann", "Bob"]
    assert table.column("age").tolist()[0] == 31
    assert np.isnan(table.column("age")[1])
    assert table.column("height").tolist() == [1.7, 1.8]
    assert table.column("member").dtype == np.bool_
    born = table.columns[4]
    assert born.scale == Times("datetime64[us]")
    times = born.values.view(born.scale.dtype)
    assert times[0] == np.datetime64("1990-01-31", "us")
    assert np.isnat(times[1])


def test_times_with_a_zone_keep_it(data_file):
    times = column(data_file("t\n2026-01-31T12:30:00Z\n2026-01-31T12:30:00+02:00\n"))
    assert times.scale == Times("datetime64[us]", "UTC")
    assert times.values[0] - times.values[1] == 2 * 3600 * 10**6


def test_empty_line_is_a_missing_cell_in_a_file_of_one_column(data_file):
    values = column(data_file("x\n1\n\n3\n\n\n")).values
    assert values.tolist()[::2] == [1, 3]
    assert len(values) == 3
    assert read_table(data_file("x,y\n1,2\n\n  \n3,4\n")).n_rows == 2


def test_text_is_stripped_and_missing_words_are_missing(data_file):
    values = column(data_file("x,y\n a ,1\nNA,1\n,1\n?,1\n")).values
    assert values.tolist() == ["a", None, None, None]


def test_column_that_turns_out_to_be_text_keeps_its_first_cells(data_file, monkeypatch):
    monkeypatch.setattr(csv_reader, "_BLOCK", 2)
    text = "a,b,c,d\n" + "007,,true,1\n1.50,,false,2\n,,NA,2.5\nx,z,maybe,3\n"
    table = read_table(data_file(text))
    assert table.column("a").tolist() == ["007", "1.50", None, "x"]
    assert table.column("b").tolist() == [None, None, None, "z"]
    assert table.column("c").tolist() == ["true", "false", None, "maybe"]
    assert table.column("d").tolist() == [1, 2, 2.5, 3]


@pytest.mark.parametrize("value", ["true", "2026-01-31"])
def test_first_values_may_follow_blocks_of_missing_cells(monkeypatch, value):
    builder = csv_reader.ColumnBuilder("x")
    for cell in ("", "", value):
        assert builder.add([cell])
    values = builder.values()
    assert [v is None or np.isnat(v) for v in values[:2]] == [True, True]
    assert str(values[2]).lower().startswith(value)


def test_block_size_does_not_change_the_table(data_file, monkeypatch):
    path = data_file(cars_csv())
    whole = read_table(path)
    monkeypatch.setattr(csv_reader, "_BLOCK", 7)
    parts = read_table(path)
    assert whole.names == parts.names
    for name in whole.names:
        assert whole.column(name).dtype == parts.column(name).dtype
        assert whole.column(name).tolist() == parts.column(name).tolist()


def test_kinds_can_be_required(data_file):
    path = data_file("x,y\n01,1\n2,1\n")
    assert column(path, x="text").values.tolist() == ["01", "2"]
    assert column(path, x="number").values.dtype == np.float64


def test_only_chosen_columns_are_read(data_file):
    path = data_file("a,b,c\n1,2,3\n")
    assert read_table(path, columns=["c", "a"]).names == ("c", "a")
    assert read_table(path, drop=["b"]).names == ("a", "c")


@pytest.mark.parametrize(("name", "delimiter"), [("t.csv", ","), ("t.csv", ";"), ("t.txt", "\t")])
def test_delimiter_is_detected_in_the_header(data_file, name, delimiter):
    text = f'"a,;b"{delimiter}c\n1{delimiter}"x{delimiter}y"\n'
    table = read_table(data_file(text, name))
    assert table.names == ("a,;b", "c")
    assert table.column("c").tolist() == [f"x{delimiter}y"]


def test_tsv_file_is_split_at_tabs(data_file):
    assert read_table(data_file("a,b,c\td\n1\t2\n", "t.TSV")).names == ("a,b,c", "d")


def test_byte_order_mark_crlf_blank_lines_and_quoted_line_breaks_are_read(data_file):
    table = read_table(data_file('\ufeffa,b\r\n1,"x\r\ny"\r\n\r\n2,z\r\n'))
    assert table.names == ("a", "b")
    assert table.column("b").tolist() == ["x\r\ny", "z"]


def test_column_without_a_name_is_named_by_its_position(data_file):
    assert read_table(data_file(",a\n0,1\n")).names == ("column_1", "a")


def test_csv_is_read_without_a_data_frame_library(data_file, monkeypatch):
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    assert read_table(data_file(PEOPLE)).n_rows == 2


def test_categorical_column_is_nominal(data_file):
    path = data_file("x,y\n1,1\n2,1\n")
    table = read_table(path, categorical=["x", "not there"])
    assert isinstance(table.columns[0], Nominal)
    assert not isinstance(table.columns[1], Nominal)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "t.csv is empty; the first line must contain the column names"),
        (" \n\n", "t.csv is empty; the first line must contain the column names"),
        ("x,y\n", "t.csv has a header but no rows"),
        ("x,y,x\n1,2,3\n", "columns 1 and 3 have the same name, 'x'; rename all but one"),
        ("x,y\n1,a\n2\n", "t.csv, line 3: 1 cells, but the header has 2"),
        ('x,y\n"1\n2",a\n2,b,c\n', "t.csv, line 4: 3 cells, but the header has 2"),
        (b"x,y\n1,a\n2,caf\x81\n", "t.csv, line 3: byte 0x81 at offset 13 is neither UTF-8 nor "),
        ('x,y\n1,"a\n2,b\n', "unexpected end of data"),
        ('{"format": 1}', r"t.csv looks like JSON (a model file?), not like a table"),
    ],
)
def test_bad_content_is_refused(data_file, content, message):
    with pytest.raises(DataFileError) as error:
        read_table(data_file(content))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_cell_of_the_wrong_kind_is_named_with_its_line(data_file):
    path = data_file("x,y\n1,a\n\n2b,b\n")
    with pytest.raises(DataFileError) as error:
        read_table(path, kinds={"x": "number"})
    assert str(error.value).endswith("line 4: column 'x' contains '2b', which is not a number")
