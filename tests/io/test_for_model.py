"""Data for a fitted model: kinds from its schema, and the target found by its classes."""

import numpy as np
import pytest

from polytomy.encode import encode
from polytomy.io import (
    DataFileError,
    TargetNotFoundError,
    check_known_classes,
    read_for_model,
    read_labelled_for_model,
    read_table,
)
from polytomy.table import Nominal, Table, Times

CLASSES = np.array(["high", "low"])


@pytest.fixture
def schema(data_file):
    """The schema of a table with text that looks like numbers, numbers, times and booleans."""
    text = "zip,n,day,when,flag\n01,1,2026-01-31,2026-01-31T12:00Z,true\nx,,NA,NA,false\n"
    return encode(read_table(data_file(text, "training.csv"))).schema


def test_cells_are_read_as_in_training(data_file, schema):
    path = data_file("flag,zip,n,day,when,other\ntrue,01,2,2026-02-01,2026-02-01T00:00+02:00,a\n")
    table = read_for_model(path, schema)
    assert table.names == ("zip", "n", "day", "when", "flag")
    assert isinstance(table.columns[0], Nominal)
    assert table.columns[0].categories == ("01",)
    assert table.column("n").dtype == np.float64
    assert table.columns[2].scale == Times("datetime64[us]")
    assert table.columns[3].scale == Times("datetime64[us]", "UTC")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("1,x,2026-02-01,2026-02-01T00:00Z,true", "column 'n' contains 'x', which is not a number"),
        ("1,2,2026-02-01T00:00Z,2026-02-01T00:00Z,true", "which is not a date or time without"),
        ("1,2,2026-02-01,2026-02-01T00:00,true", "which is not a time with a time zone"),
    ],
)
def test_cells_of_another_kind_are_refused(data_file, schema, cells, message):
    with pytest.raises(DataFileError, match=message):
        read_for_model(data_file(f"zip,n,day,when,flag\n{cells}\n"), schema)


def test_missing_column_is_refused(data_file, schema):
    with pytest.raises(DataFileError, match="has no column 'flag'"):
        read_for_model(data_file("zip,n,day,when\n1,2,,\n"), schema)


@pytest.fixture
def numbers():
    """The schema of one column of numbers."""
    return encode(Table.of({"x": np.arange(3.0)})).schema


def test_labels_and_weights_are_read(data_file, numbers):
    path = data_file("x,w,y,z\n1,2,low,a\n2,1,,b\n3,1,high,c\n")
    rows = read_labelled_for_model(
        path, numbers, CLASSES, target="y", weights="w", drop_unlabelled=True
    )
    assert rows.table.names == ("x",)
    assert rows.labels.tolist() == ["low", "high"]
    assert rows.weights.tolist() == [2, 1]


def test_target_is_found_by_its_classes(data_file, numbers):
    rows = read_labelled_for_model(data_file("x,a,b\n1,low,p\n2,high,q\n"), numbers, CLASSES)
    assert (rows.target, rows.labels.tolist()) == ("a", ["low", "high"])


def test_target_of_numbers_is_not_a_column_of_booleans(data_file, numbers):
    path = data_file("x,y,flag,z\n1,0,true,0\n2,1.0,false,2\n")
    rows = read_labelled_for_model(path, numbers, np.array([0, 1]))
    assert (rows.target, rows.labels.tolist()) == ("y", [0, 1])


def test_labels_that_look_like_numbers_are_text_if_the_classes_are(data_file, numbers):
    rows = read_labelled_for_model(data_file("x,y\n1,7\n2,7\n"), numbers, np.array(["7", "low"]))
    assert rows.labels.tolist() == ["7", "7"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x,a\n1,p\n", "no column of .* contains only the model's classes [(]high, low[)]"),
        ("x,a,b\n1,low,high\n", "2 columns of .* contain the model's classes: 'a', 'b'"),
    ],
)
def test_target_that_is_not_unique_is_refused(data_file, numbers, content, message):
    with pytest.raises(TargetNotFoundError, match=message):
        read_labelled_for_model(data_file(content), numbers, CLASSES)


def test_label_that_is_not_a_class_is_refused(data_file, numbers):
    path = data_file("x,y\n1,low\n2,middle\n")
    rows = read_labelled_for_model(path, numbers, CLASSES, target="y")
    with pytest.raises(DataFileError) as error:
        check_known_classes(rows, CLASSES, path)
    assert str(error.value) == (
        f"target 'y' of {path} is 'middle' in row 2, which is not a class of the model (high, low)"
    )
