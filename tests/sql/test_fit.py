"""Fits in DuckDB: the model files of fits in memory, byte for byte."""

from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import ParameterError, TreeClassifier, TreeRegressor
from polytomy.sql import fit

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
# A random column of texts may happen to be mostly distinct.
pytestmark = pytest.mark.filterwarnings("ignore::polytomy.io.DoubtfulColumnWarning")

BIG = 2**53
WHOLE = st.one_of(st.integers(-4, 4), st.sampled_from([BIG, BIG + 2, BIG + 4, -BIG - 2]))
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
NUMBERS = {
    "INTEGER": st.integers(-3, 9),
    "DOUBLE": st.floats(-1e6, 1e6),
    "FLOAT": st.sampled_from([0.1, 0.2, 0.30000001192092896, -0.0, 7.0]),
    "BOOLEAN": st.booleans(),
}
WEIGHTS = {
    "INTEGER": st.integers(0, 3),
    "DOUBLE": st.sampled_from([0.0, 0.1, 0.3, 1.0, 1e-30, 2.5]),
}


@pytest.fixture(scope="module")
def shared():
    """Return a connection for all examples of a test."""
    with duckdb.connect() as connection:
        yield connection


def saved(tree):
    """Return the model file of a tree."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        tree.save(path)
        return path.read_text()


def in_memory(connection, tree, weights=None, query="FROM t ORDER BY rowid"):
    """Fit a tree on the result of a query, read through Arrow."""
    rows = connection.sql(query).to_arrow_table()
    predictors = [name for name in rows.column_names if name not in ("y", weights)]
    sample_weight = None if weights is None else rows[weights].to_numpy()
    return tree.fit(rows.select(predictors), rows["y"].to_numpy(), sample_weight)


@st.composite
def tables(draw, targets=TARGETS):
    """Return the columns of a table: names with their types and cells."""
    n_rows = draw(st.integers(2, 30))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    columns = {}
    for j, kind in enumerate(kinds):
        cell = CELLS[kind] if draw(st.booleans()) else st.one_of(st.none(), CELLS[kind])
        columns[f"column {j}"] = kind, draw(st.lists(cell, min_size=n_rows, max_size=n_rows))
    target = draw(st.sampled_from(sorted(targets)))
    columns["y"] = target, draw(st.lists(targets[target], min_size=n_rows, max_size=n_rows))
    kind = draw(st.sampled_from([None, *sorted(WEIGHTS)]))
    if kind is not None:
        weights = draw(st.lists(WEIGHTS[kind], min_size=n_rows, max_size=n_rows))
        columns["w"] = kind, [*weights[:-1], weights[-1] or 1]
    return columns


def create(connection, columns, name="t"):
    """Create a table in a database."""
    types = ", ".join(f'"{column}" {kind}' for column, (kind, _) in columns.items())
    connection.execute(f"CREATE OR REPLACE TABLE {name} ({types})")
    rows = zip(*(cells for _, cells in columns.values()), strict=True)
    cells = [cell for row in rows for cell in row]
    row = f"({', '.join('?' * len(columns))})"
    every = ", ".join([row] * (len(cells) // len(columns)))
    connection.execute(f"INSERT INTO {name} VALUES {every}", cells)


@settings(max_examples=30)
@given(tables(), st.sampled_from(["auto", 2, 3, 7]), st.booleans(), st.data())
def test_fit_is_the_fit_in_memory(shared, columns, max_bins, temporary, data):
    parameters = {
        "max_leaves": data.draw(st.sampled_from([None, 2, 5, 32])),
        "class_weight": data.draw(st.sampled_from([None, "balanced"])),
        "procedure": data.draw(st.sampled_from(["priced", "per-leaf", "id3", "hatano"])),
        "max_bins": max_bins,
    }
    can_be = [n for n, (kind, _) in columns.items() if kind in MAY_BE_CATEGORICAL and n not in "yw"]
    categorical = data.draw(st.lists(st.sampled_from(can_be), unique=True)) if can_be else []
    weights = "w" if "w" in columns else None
    create(shared, columns)
    found = fit(
        shared,
        "t",
        target="y",
        weights=weights,
        categorical=categorical,
        temporary=temporary,
        **parameters,
    )
    if categorical:
        parameters["categorical_features"] = categorical
    assert saved(found) == saved(in_memory(shared, TreeClassifier(**parameters), weights))
    assert shared.sql("SHOW TABLES").fetchall() == [("t",)]


@settings(max_examples=20)
@given(tables(NUMBERS), st.data())
def test_fit_of_numbers_is_the_fit_in_memory(shared, columns, data):
    tree = TreeRegressor(
        max_leaves=data.draw(st.sampled_from([None, 2, 5, 32])),
        procedure=data.draw(st.sampled_from(["priced", "per-leaf"])),
        max_bins=data.draw(st.sampled_from(["auto", 2, 5])),
    )
    weights = "w" if "w" in columns else None
    temporary = data.draw(st.booleans())
    create(shared, columns)
    found = fit(shared, "t", target="y", weights=weights, estimator=tree, temporary=temporary)
    assert saved(found) == saved(in_memory(shared, tree, weights))


LARGE = """
CREATE TABLE t AS
SELECT
    x * x AS a,
    (x * 1e7)::BIGINT % 997 AS b,
    ['red', 'green', 'blue', NULL][1 + (x * 1e6)::BIGINT % 4] AS c,
    CASE WHEN (x * 1e5)::BIGINT % 9 > 0 THEN sin(i) END AS d,
    1 + (x * 1e4)::BIGINT % 3 AS w,
    ((x * 1e6)::BIGINT % 4 = 1)::INTEGER + (x * 1e4)::BIGINT % 7 // 6 + (sin(i) > 0.5)::INTEGER
      + ((x * 1e7)::BIGINT % 997 > 300)::INTEGER AS y,
FROM (SELECT i, (i * 0.6180339887498949e0) % 1e0 AS x FROM range({n}) AS r(i))
"""


@pytest.mark.parametrize("n", [3_000, 101_000])
@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
def test_fit_on_many_rows_is_the_fit_in_memory(n, weights, estimator):
    """Samples are drawn for honest leaves and, above 100,000 rows, to choose a run."""
    tree = estimator(max_leaves=12)
    with duckdb.connect() as connection:
        connection.execute(LARGE.format(n=n))
        found = fit(connection, "t", target="y", weights=weights, estimator=tree)
        assert saved(found) == saved(in_memory(connection, tree, weights))
        assert found.n_leaves_ > 5


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_fit_with_costs_that_are_class_weights(n_classes, class_weight, weights):
    costs = np.array([1.3, 7, 0.4, 2])[:n_classes, None] * (1 - np.eye(n_classes))
    tree = TreeClassifier(max_leaves=12, cost_matrix=costs.tolist(), class_weight=class_weight)
    with duckdb.connect() as connection:
        connection.execute(LARGE.format(n=3_000))
        connection.execute(f"UPDATE t SET y = y % {n_classes}")
        found = fit(connection, "t", target="y", weights=weights, estimator=tree)
        assert saved(found) == saved(in_memory(connection, tree, weights))


def test_fit_refuses_other_costs():
    with duckdb.connect() as connection:
        connection.execute(LARGE.format(n=500))
        connection.execute("UPDATE t SET y = y % 3")
        connection.execute("ALTER TABLE t ADD COLUMN d2 DOUBLE DEFAULT 0.5")
        by_prediction = [[0, 1, 9], [1, 0, 1], [1, 1, 0]]
        with pytest.raises(ParameterError, match="predicted class needs all rows"):
            fit(connection, "t", target="y", cost_matrix=by_prediction)
        by_class = [[0, 2, 2], [1, 0, 1], [1, 1, 0]]
        with pytest.raises(ParameterError, match="weights that are not integers"):
            fit(connection, "t", target="y", weights="d2", cost_matrix=by_class)


def test_fit_orders_rows():
    tree = TreeClassifier(max_leaves=4, max_bins=9)
    with duckdb.connect() as connection:
        connection.execute(LARGE.format(n=1_000))
        connection.execute("CREATE VIEW v AS SELECT * EXCLUDE w, -hash(a)::HUGEINT AS k FROM t")
        query = "SELECT * EXCLUDE k FROM v ORDER BY k, b"
        expected = saved(in_memory(connection, tree, query=query))
        order = {"columns": ["a", "b", "c", "d"], "order_by": ["k", "b"]}
        for temporary in (True, False):
            found = fit(connection, "v", target="y", estimator=tree, temporary=temporary, **order)
            assert saved(found) == expected


def test_fit_draws_a_sample_within_a_transaction():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i AS x, i % 300 < 150 AS y FROM range(9000) AS r(i)"
        )
        outside = fit(connection, "t", target="y")
        connection.begin()
        inside = fit(connection, "t", target="y")
        connection.rollback()
    assert saved(inside) == saved(outside)


def test_fit_needs_an_order_if_tables_keep_none():
    tree = TreeClassifier(max_leaves=4, max_bins=9)
    with duckdb.connect(config={"preserve_insertion_order": False}) as connection:
        connection.execute(LARGE.format(n=1_000))
        with pytest.raises(ParameterError, match="pass order_by="):
            fit(connection, "t", target="y", estimator=tree)
        found = fit(connection, "t", target="y", drop=["w"], order_by="a", estimator=tree)
        rows = connection.sql("SELECT b, c, d, y FROM t ORDER BY a").to_arrow_table()
        expected = tree.fit(rows.drop_columns("y"), rows["y"].to_numpy())
        assert saved(found) == saved(expected)


def test_fit_numbers_rows_after_deleted_ones():
    with duckdb.connect() as connection:
        connection.execute(LARGE.format(n=3_000))
        connection.execute("DELETE FROM t WHERE b % 5 = 0")
        found = fit(connection, "t", target="y")
        assert saved(found) == saved(in_memory(connection, TreeClassifier()))


def test_fit_rounds_decimals_to_the_nearest_float():
    """Arrow does not always, so that the oracle is a table of floats."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT (i * 0.01)::DECIMAL(9, 2) AS d, i::HUGEINT * 10 ** 20 AS h, "
            "i % 20 > 8 AS y FROM range(200) AS r(i)"
        )
        query = "SELECT d::DOUBLE AS d, h::DOUBLE AS h, y FROM t ORDER BY rowid"
        expected = in_memory(connection, TreeClassifier(), query=query)
        assert saved(fit(connection, "t", target="y")) == saved(expected)


def test_fit_reads_infinite_times():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT y, d::DATE AS d, d::TIMESTAMP AS t, d::TIMESTAMPTZ AS z FROM "
            "(VALUES (0, 'infinity'), (1, '2025-01-01'), (0, '-infinity'), (1, NULL)) AS v(y, d)"
        )
        assert saved(fit(connection, "t", target="y")) == saved(
            in_memory(connection, TreeClassifier())
        )


def test_queries_are_fewer_for_wider_nodes():
    with duckdb.connect() as connection:
        connection.execute(LARGE.format(n=5_000))
        numbers = [
            fit(
                connection, "t", target="y", procedure="per-leaf", max_arity=arity, honest=False
            ).queries_
            for arity in (2, 8)
        ]
    assert numbers[1] < numbers[0] < 50


def test_fit_prints_the_number_of_queries(capsys):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i, i > 4 AS y FROM range(9) AS r(i)")
        tree = fit(connection, "t", target="y", verbose=1)
    assert capsys.readouterr().out.endswith(f"{tree.queries_} queries\n")
