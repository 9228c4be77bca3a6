"""Tables: made of other tables, and their columns selected."""

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
