"""Rows from files as the options describe them: roles of columns and test rows."""

import numpy as np
import pytest

from polytomy.cli.rows import error_rate, split_test_rows
from polytomy.io import LabelledTable
from polytomy.table import Table


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--weights", "y"], "column 'y' cannot be both the target and the weights"),
        (["--drop", "y"], "column 'y' is the target and cannot be given to --drop"),
        (["--categorical", "y"], "column 'y' is the target and cannot be given to --categorical"),
        (
            ["--weights", "w", "--numeric", "w"],
            "column 'w' is the weights and cannot be given to --numeric",
        ),
        (
            ["--numeric", "x", "--categorical", "x"],
            "column 'x' cannot be both --categorical and --numeric",
        ),
    ],
)
def test_column_with_two_roles_is_refused(refuse, data_file, tmp_path, options, message):
    data = data_file("x,w,y\n1,1,a\n2,1,b\n")
    assert refuse("fit", data, "--target", "y", "-o", tmp_path / "m.json", *options) == message


@pytest.mark.parametrize(
    ("fraction", "message"),
    [
        ("-0.1", "--test-fraction must be at least 0 and less than 1, got -0.1"),
        ("1", "--test-fraction must be at least 0 and less than 1, got 1"),
        ("0.01", "--test-fraction 0.01 of 2 rows is less than one row; use a larger fraction"),
    ],
)
def test_fraction_of_no_rows_or_all_is_refused(refuse, data_file, tmp_path, fraction, message):
    data = data_file("x,y\n1,a\n2,b\n")
    fit = ["fit", data, "--target", "y", "-o", tmp_path / "m.json"]
    assert refuse(*fit, "--test-fraction", fraction) == message


def rows_of(n):
    labels = np.array(["a"] * (n // 2) + ["b"] * (n - n // 2))
    return LabelledTable(Table.of({"x": np.arange(n)}), labels, None, "y")


def test_test_rows_are_stratified_and_depend_on_the_seed():
    rows = rows_of(40)
    training, test = split_test_rows(rows, 0.25, None)
    assert (len(training), len(test)) == (30, 10)
    assert np.unique(test.labels, return_counts=True)[1].tolist() == [5, 5]
    split = [*training.table.column("x"), *test.table.column("x")]
    assert sorted(split) == list(range(40))
    same, other = split_test_rows(rows, 0.25, 0)[1], split_test_rows(rows, 0.25, 1)[1]
    assert same.table.column("x").tolist() == test.table.column("x").tolist()
    assert other.table.column("x").tolist() != test.table.column("x").tolist()


def test_no_rows_are_held_out_by_default():
    rows = rows_of(4)
    assert split_test_rows(rows, 0.0, None) == (rows, None)


def test_error_rate_is_weighted():
    rows = rows_of(4)
    predicted = np.array(["a", "b", "b", "b"])
    assert error_rate(predicted, rows) == 0.25
    weights = np.array([1.0, 3.0, 1.0, 1.0])
    assert error_rate(predicted, LabelledTable(rows.table, rows.labels, weights, "y")) == 0.5
