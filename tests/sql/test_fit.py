"""Fits in DuckDB: the model files of fits in memory, byte for byte."""

from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import TreeClassifier
from polytomy.sql import fit

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

BIG = 2**53
WHOLE = st.one_of(st.integers(-4, 4), st.sampled_from([BIG, BIG + 1, BIG + 2, -BIG - 1]))
FLOATS = st.one_of(
    st.sampled_from(
        [0.0, -0.0, 1.0, 1.5, -2.25, float("inf"), float("-inf"), float("nan"), 5e-324]
    ),
    st.floats(width=32),
)
TIMES = st.datetimes(datetime(1960, 1, 1), datetime(2040, 1, 1))
TEXTS = st.sampled_from(["a", "b", "B", "", "it's", "z\\", "é", "zz", "\U0001f600", "%", " "])
CELLS = {
    "BOOLEAN": st.booleans(),
    "TINYINT": st.integers(-3, 3),
    "UINTEGER": st.integers(0, 2**32 - 1),
    "BIGINT": WHOLE,
    "FLOAT": FLOATS,
    "DOUBLE": FLOATS,
    "DATE": st.dates(date(1950, 1, 1), date(2040, 1, 1)),
    "TIMESTAMP": TIMES,
    "TIMESTAMP_S": TIMES.map(lambda t: t.replace(microsecond=0)),
    "TIMESTAMP_MS": TIMES.map(lambda t: t.replace(microsecond=t.microsecond // 1000 * 1000)),
    "TIMESTAMP_NS": TIMES,
    "TIMESTAMPTZ": TIMES.map(lambda t: t.replace(tzinfo=UTC)),
    "TIME": st.times(),
    "VARCHAR": TEXTS,
    "ENUM('b', 'a', '')": st.sampled_from(["a", "b", ""]),
}
MAY_BE_CATEGORICAL = {"BOOLEAN", "TINYINT", "UINTEGER", "BIGINT", "VARCHAR"}
TARGETS = {
    "INTEGER": st.integers(-1, 2),
    "VARCHAR": st.sampled_from(["no", "yes", "may'be"]),
    "BOOLEAN": st.booleans(),
    "ENUM('z', 'y')": st.sampled_from(["y", "z"]),
    "DOUBLE": st.sampled_from([0.0, 1.0, 3.0]),
}
WEIGHTS = {
    "INTEGER": st.integers(0, 3),
    "DOUBLE": st.sampled_from([0.0, 0.1, 0.3, 1.0, 1e-30, 2.5]),
}


def saved(tree):
    """Return the model file of a tree."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        tree.save(path)
        return path.read_text()


def in_memory(connection, table="t", target="y", weights=None, order="rowid", **parameters):
    """Fit a tree on the rows of a table, read through Arrow."""
    rows = connection.sql(f"SELECT * FROM {table} ORDER BY {order}").to_arrow_table()
    left = [name for name in rows.column_names if name not in (target, weights)]
    sample_weight = None if weights is None else rows[weights].to_numpy()
    tree = TreeClassifier(**parameters)
    return tree.fit(rows.select(left), rows[target].to_numpy(), sample_weight)


@st.composite
def tables(draw):
    """Return the columns of a table: names with their types and cells."""
    n_rows = draw(st.integers(2, 30))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    columns = {}
    for j, kind in enumerate(kinds):
        cell = CELLS[kind] if draw(st.booleans()) else st.one_of(st.none(), CELLS[kind])
        columns[f"column {j}"] = kind, draw(st.lists(cell, min_size=n_rows, max_size=n_rows))
    target = draw(st.sampled_from(sorted(TARGETS)))
    columns["y"] = target, draw(st.lists(TARGETS[target], min_size=n_rows, max_size=n_rows))
    kind = draw(st.sampled_from([None, *sorted(WEIGHTS)]))
    if kind is not None:
        weights = draw(st.lists(WEIGHTS[kind], min_size=n_rows, max_size=n_rows))
        columns["w"] = kind, [*weights[:-1], weights[-1] or 1]
    return columns


def create(connection, columns, name="t"):
    """Create a table in a database."""
    types = ", ".join(f'"{column}" {kind}' for column, (kind, _) in columns.items())
    connection.execute(f"CREATE TABLE {name} ({types})")
    rows = zip(*(cells for _, cells in columns.values()), strict=True)
    cells = [cell for row in rows for cell in row]
    row = f"({', '.join('?' * len(columns))})"
    every = ", ".join([row] * (len(cells) // len(columns)))
    connection.execute(f"INSERT INTO {name} VALUES {every}", cells)


@settings(max_examples=60)
@given(tables(), st.sampled_from(["auto", 2, 3, 7]), st.booleans(), st.data())
def test_fit_is_the_fit_in_memory(columns, max_bins, temporary, data):
    parameters = {
        "max_leaves": data.draw(st.sampled_from([None, 2, 5, 32])),
        "class_weight": data.draw(st.sampled_from([None, "balanced"])),
        "procedure": data.draw(st.sampled_from(["priced", "per-leaf", "id3", "hatano"])),
        "max_bins": max_bins,
    }
    can_be = [n for n, (kind, _) in columns.items() if kind in MAY_BE_CATEGORICAL and n not in "yw"]
    categorical = data.draw(st.lists(st.sampled_from(can_be), unique=True)) if can_be else []
    weights = "w" if "w" in columns else None
    with duckdb.connect() as connection:
        create(connection, columns)
        found = fit(
            connection,
            "t",
            target="y",
            weights=weights,
            categorical=categorical,
            temporary=temporary,
            **parameters,
        )
        if categorical:
            parameters["categorical_features"] = categorical
        expected = in_memory(connection, weights=weights, **parameters)
        assert saved(found) == saved(expected)
        assert connection.sql("SHOW TABLES").fetchall() == [("t",)]
