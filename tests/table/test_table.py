"""Tables are made from arrays, mappings and other tables; invalid ones are refused."""

import numpy as np
import pytest

from polytomy import TableError
from polytomy.table import Nominal, Ordered, Ranks, Table


@pytest.fixture
def table():
    rank = Ordered("size", np.array([1, 0], dtype=np.int32), Ranks(("small", "large")))
    plain = Table.of({"age": np.array([31, 40]), "town": np.array(["Ulm", "Rom"])})
    return Table((*plain.columns, rank), 2)


def test_table_of_a_table_keeps_its_columns(table):
    assert Table.of(table).columns == table.columns
    assert table.shape == (2, 3)


def test_table_of_a_table_makes_columns_nominal(table):
    changed = Table.of(table, nominal=["age", 2])
    assert [c.kind for c in changed.columns] == ["nominal"] * 3
    assert changed.columns[0].categories == (31, 40)
    assert changed.column("size").tolist() == ["large", "small"]
    with pytest.raises(TableError, match="weight"):
        Table.of(table, nominal=["weight"])


def test_select_returns_columns_in_order(table):
    chosen = table.select(["size", "age"])
    assert chosen.names == ("size", "age")
    assert isinstance(table.select(["town"]).columns[0], Nominal)
    assert chosen.n_rows == 2


def test_columns_of_an_array_are_views():
    x = np.zeros((4, 3), dtype=np.float32)
    table = Table.of(x)
    assert all(np.shares_memory(c.values, x) for c in table.columns)
    assert table.names == ("x0", "x1", "x2")
    assert table.take(np.array([2, 0])).n_rows == 2


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
def test_invalid_table_is_refused(what):
    data, sentence = BAD[what]
    with pytest.raises(TableError, match=sentence):
        Table.of(data)


def test_invalid_column_names_are_refused():
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
    with pytest.raises(TableError, match="has its own names"):
        Table.of({"a": x[:, 0]}, names=["a"])


def test_scalar_columns_and_string_as_nominal_are_refused():
    with pytest.raises(TableError, match=r"column 'a' has shape \(\)"):
        Table.of({"a": np.array(3)})
    with pytest.raises(TableError, match=r"must be a collection of columns, such as \['ab'\]"):
        Table.of({"a": np.arange(3)}, nominal="ab")


def test_new_code_columns_have_their_types_and_are_apart():
    table = Table.of({"x": np.arange(5.0)})
    dtypes = [np.uint8, np.uint16, np.uint8, np.uint32, np.uint8]
    columns = table.new_code_columns(dtypes)
    assert [c.dtype.type for c in columns] == dtypes
    assert {c.shape for c in columns} == {(5,)}
    assert all(c.flags.c_contiguous and c.flags.writeable for c in columns)
    for j, column in enumerate(columns):
        column[:] = j
    assert [c.tolist() for c in columns] == [[j] * 5 for j in range(5)]
    assert table.new_code_columns([]) == []
