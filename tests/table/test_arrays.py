"""The door for data: what is a column, and what is told that it is none."""

import numpy as np
import pytest

from polytomy import TableError
from polytomy.table import Table


def test_columns_are_views_not_copies():
    x = np.zeros((4, 3), dtype=np.float32)
    table = Table.of(x)
    assert all(np.shares_memory(c.values, x) for c in table.columns)
    assert table.names == ("x0", "x1", "x2")
    assert table.take(np.array([2, 0])).n_rows == 2


def test_a_field_of_a_structured_array_is_readable():
    packed = np.zeros(5, dtype=np.dtype([("flag", "u1"), ("x", "<f8")]))
    packed["x"] = np.arange(5)
    assert Table.of({"x": packed["x"]}).column("x").tolist() == [0, 1, 2, 3, 4]


BAD = {
    "no rows": (np.empty((0, 3)), "0 rows and 3 columns"),
    "no columns": (np.empty((3, 0)), "empty"),
    "no mapping": ({}, "empty"),
    "1-D": (np.arange(3), "a 2-D array or a mapping"),
    "ragged": ({"a": np.arange(3), "b": np.arange(2)}, r"column 'b' has shape \(2,\)"),
    "2-D column": ({"a": np.zeros((3, 2))}, r"column 'a' has shape \(3, 2\)"),
    "complex": ({"a": np.zeros(3, dtype=complex)}, "complex128, which has no order"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_tables_get_one_sentence(what):
    data, sentence = BAD[what]
    with pytest.raises(TableError, match=sentence):
        Table.of(data)


def test_names_must_fit_and_differ():
    x = np.zeros((2, 2))
    with pytest.raises(TableError, match="1 names for 2 columns"):
        Table.of(x, names=["a"])
    with pytest.raises(TableError, match=r"more than once: \['a'\]"):
        Table.of(x, names=["a", "a"])
    with pytest.raises(TableError, match=r"does not have: \['c', 5\]"):
        Table.of(x, names=["a", "b"], nominal=["a", "c", 5])
    with pytest.raises(TableError, match="names must be text, got 3"):
        Table.of(x, names=["a", 3])
    with pytest.raises(TableError, match=r"does not have: \[True\]"):
        Table.of(x, nominal=[True])
    assert [type(n) for n in Table.of(x, names=np.array(["a", "b"])).names] == [str, str]
    with pytest.raises(TableError, match="brings its own"):
        Table.of({"a": x[:, 0]}, names=["a"])


def test_masked_cells_are_missing():
    mask = [False, True, False]
    numbers = np.ma.array([1, 2, 3], mask=mask)
    np.testing.assert_array_equal(Table.of({"x": numbers}).column("x"), [1, np.nan, 3])
    np.testing.assert_array_equal(
        Table.of(np.ma.array([[1.0], [2], [3]], mask=[[0], [1], [0]])).column(0), [1, np.nan, 3]
    )
    text = np.ma.array(["a", "b", "c"], mask=mask)
    assert Table.of({"x": text}).column("x").tolist() == ["a", None, "c"]
    days = np.ma.array(np.arange("2024-01-01", "2024-01-04", dtype="M8[D]"), mask=mask)
    assert Table.of({"x": days}).column("x").tolist()[1] == np.iinfo(np.int64).min


def test_scalars_and_strings_get_one_sentence():
    with pytest.raises(TableError, match=r"column 'a' has shape \(\)"):
        Table.of({"a": np.array(3)})
    with pytest.raises(TableError, match=r"takes a collection of columns, such as \['ab'\]"):
        Table.of({"a": np.arange(3)}, nominal="ab")
