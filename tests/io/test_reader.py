"""``read_table``: finding the format of a file, gzip, standard input, and unknown columns."""

import gzip
import io
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from polytomy import PolytomyError
from polytomy.io import DataFileError, display_name, read_table

TEXT = "name,age,height,member,born,weight,town,zip,country\n" + ",".join("123456789") + "\n"


def parquet_bytes():
    file = io.BytesIO()
    parquet.write_table(pa.table({"x": [1]}), file)
    return file.getvalue()


def refuse(path, **options):
    with pytest.raises(DataFileError) as error:
        read_table(path, **options)
    return str(error.value)


def test_gzip_is_recognised_by_content(data_file):
    assert read_table(data_file(gzip.compress(TEXT.encode()), "t.csv.gz")).n_rows == 1
    assert read_table(data_file(gzip.compress(TEXT.encode()), "t.csv")).n_rows == 1


def test_parquet_is_recognised_by_content(data_file):
    assert read_table(data_file(parquet_bytes(), "t.csv")).names == ("x",)


@pytest.mark.parametrize("data", [TEXT.encode(), gzip.compress(TEXT.encode()), parquet_bytes()])
def test_dash_is_standard_input(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read_table("-").n_rows == 1
    assert display_name(Path("-")) == "stdin"


def test_unknown_column_gets_a_suggestion(data_file):
    path = data_file(TEXT)
    assert refuse(path, columns=["Hieght"]) == (
        f"{path} has no column 'Hieght'; did you mean 'height'?"
    )
    assert refuse(path, drop=["qqq"]) == (
        f"{path} has no column 'qqq'; its columns are "
        "name, age, height, member, born, weight, town, zip, ..."
    )


def test_unreadable_files_are_refused(data_file, tmp_path):
    assert refuse("nothing.csv") == "file not found: nothing.csv"
    assert refuse(tmp_path) == f"{tmp_path} is a folder, not a file"
    assert "not a directory" in refuse(data_file(TEXT) / "t.csv")
    assert "t.csv is a damaged gzip file" in refuse(data_file(gzip.compress(TEXT.encode())[:-12]))


def test_wrong_suffix_is_refused(data_file):
    assert "is not a parquet file, although its name ends in it" in refuse(
        data_file(TEXT, "t.parquet")
    )


def test_error_is_a_value_error():
    assert issubclass(DataFileError, PolytomyError)
    assert issubclass(DataFileError, ValueError)
