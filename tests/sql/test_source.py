"""Histograms by GROUP BY against those of rows in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy.encode import Target, encode
from polytomy.grow import Partition
from polytomy.sql.bins import Column, Limits, Rows, read_schema
from polytomy.sql.database import Cell, CellType
from polytomy.sql.duckdb_database import DuckDB
from polytomy.sql.rows import DatabaseRows
from polytomy.sql.targets import StoredClasses
from polytomy.sql.weights import weigh
from polytomy.table import Numbers, Table

duckdb = pytest.importorskip("duckdb")

CODES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), min_size=4, max_size=25
)


def sources(connection, rows, has_sets):
    """Return a source in a database and one in memory, of the same rows."""
    connection.execute("CREATE OR REPLACE TABLE t (a DOUBLE, b DOUBLE, y INTEGER)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    a, b, y = (np.array(column) for column in zip(*rows, strict=True))
    database = DuckDB(connection)
    database.has_grouping_sets = has_sets
    database.open_table("t")
    kind = CellType("float", Numbers(), "double")
    columns = [Column("x0", "a", kind, False), Column("x1", "b", kind, False)]
    cells = {c.x: Cell(c.name, kind, as_number=True) for c in columns}
    database.define(cells | {"label": Cell("y", CellType("integer", Numbers(), "integer"), False)})
    schema = read_schema(database, Rows("cells", len(a), weighted=False), columns, Limits(99, 99))
    weighed = weigh(database, "cells", len(a), None, None)
    target = StoredClasses(database, weighed, 2)
    stored = DatabaseRows(database, weighed.rows, target, columns, schema)
    coded = encode(Table.of({"a": a.astype(float), "b": b.astype(float)}))
    return stored, Partition(coded, Target.of(y, 2)), coded


@settings(max_examples=15)
@given(rows=CODES, has_sets=st.booleans(), data=st.data())
def test_source_counts_like_one_in_memory(rows, has_sets, data):
    with duckdb.connect() as connection:
        stored, expected, coded = sources(connection, rows, has_sets)
        found, last = stored.source(), 0
        nodes = [0]
        for _ in range(data.draw(st.integers(0, 4))):
            column = data.draw(st.integers(0, 1))
            n_codes = coded.schema.n_codes()[column]
            branches = data.draw(st.lists(st.integers(0, 2), min_size=n_codes, max_size=n_codes))
            children = [last + 1, last + 2, last + 3]
            node = data.draw(st.sampled_from(nodes))
            nodes.remove(node)
            move = node, column, np.array(branches, "i4"), children
            expected.move([move])
            assert found.move([move]) is None
            nodes, last = [*nodes, *children], last + 3
        together = [nodes[-3:]] if last else [[0]]
        requests = [*together, *([node] for node in nodes)]
        apart = [[node] for node in nodes[-3:]]
        for asked in (requests, together, apart):
            pairs = zip(found.histograms(asked), expected.histograms(asked), strict=True)
            for ours, theirs in pairs:
                np.testing.assert_array_equal(ours.counts, theirs.counts)
        stored.close()
