"""What fits in a database refuse, and names that need quotes."""

import sys

import pytest

from polytomy import (
    MissingPackageError,
    ParameterError,
    PolytomyError,
    TableError,
    TargetError,
    TreeClassifier,
)
from polytomy.sql import fit

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        opened.execute(
            "CREATE TABLE cars AS SELECT i AS id, i % 7 AS doors, i / 3 AS price, "
            "CASE WHEN i % 5 > 0 THEN i % 2 = 0 END AS known, i % 7 > 2 AS sold, "
            "[i] AS list, i::VARCHAR AS name, NULL::INTEGER AS empty, i::DECIMAL(9, 1) AS amount, "
            "DATE '2025-01-01' + i::INTEGER AS day FROM range(40) AS r(i)"
        )
        yield opened


@pytest.mark.parametrize(
    ("table", "arguments", "error", "message"),
    [
        ("kars", {}, TableError, "no table 'kars'; did you mean 'cars'?"),
        ("none such", {}, TableError, "its tables are cars"),
        (3, {}, TableError, "must be the name"),
        ("cars", {"target": "sole"}, PolytomyError, "no column 'sole'; did you mean 'sold'?"),
        ("cars", {"weights": "w"}, PolytomyError, "table 'cars' has no column 'w'"),
        ("cars", {"drop": ["x"]}, PolytomyError, "has no column 'x'"),
        ("cars", {"drop": "list"}, ParameterError, r"drop must be a list, such as \['list'\]"),
        ("cars", {"drop": []}, TableError, r"'list' is of type BIGINT\[\].*drop=\['list'\]"),
        ("cars", {"columns": ["doors", "sold"]}, TableError, "'sold' has another role"),
        ("cars", {"columns": ["doors", "doors"]}, TableError, "more than once"),
        ("cars", {"categorical": ["sold"]}, PolytomyError, "predictors has no column 'sold'"),
        ("cars", {"categorical": "doors"}, ParameterError, "categorical must be a list"),
        ("cars", {"columns": []}, TableError, "no columns left"),
        ("cars", {"target": "known"}, TargetError, "8 of 40 cells of the target 'known' are miss"),
        ("cars", {"target": "empty"}, TargetError, "all 40 cells of the target 'empty' are miss"),
        ("cars", {"target": "amount"}, TableError, "'amount' is of type decimal"),
        (
            "cars",
            {"weights": "name"},
            TableError,
            "weights 'name' is of type varchar, not a number",
        ),
        ("cars", {"weights": "empty"}, TargetError, "40 of 40 weights 'empty' are missing"),
        ("cars", {"categorical": ["day"]}, TableError, "'day' is of type date"),
        ("cars", {"max_leafs": 3}, ParameterError, "no parameter 'max_leafs'"),
        ("cars", {"estimator": TreeClassifier(), "max_leaves": 3}, ParameterError, "not both"),
        ("cars", {"estimator": 3}, ParameterError, r"only a TreeClassifier or .* not a int"),
        ("cars", {"effort": "balanced"}, ParameterError, "need all rows"),
        ("cars", {"max_leaves": "cv"}, ParameterError, "cross-validation needs all rows"),
    ],
)
def test_fit_refuses(connection, table, arguments, error, message):
    arguments = {"target": "sold", "drop": ["list"]} | arguments
    with pytest.raises(error, match=message):
        fit(connection, table, **arguments)


def test_fit_refuses_an_empty_table_and_bad_weights(connection):
    connection.execute("CREATE VIEW gone AS SELECT doors, sold FROM cars WHERE id < 0")
    with pytest.raises(TargetError, match="no rows"):
        fit(connection, "gone", target="sold")
    for weight, message in (("-1", "negative"), ("0", "all weights"), ("'inf'::DOUBLE", "finite")):
        connection.execute(
            f"CREATE OR REPLACE VIEW v AS SELECT doors, sold, {weight} AS w FROM cars"
        )
        with pytest.raises(TargetError, match=message):
            fit(connection, "v", target="sold", weights="w")


def test_fit_refuses_what_is_no_open_connection(connection, tmp_path):
    connection.close()
    with pytest.raises(ParameterError, match=r"cannot be used: .*closed"):
        fit(connection, "cars", target="sold")
    with pytest.raises(ParameterError, match="got 7"):
        fit(7, "cars", target="sold")
    with pytest.raises(ParameterError, match="no database file"):
        fit(tmp_path / "none.duckdb", "cars", target="sold")
    (tmp_path / "text.duckdb").write_text("a,b\n" * 99)
    with pytest.raises(ParameterError, match="cannot be opened"):
        fit(tmp_path / "text.duckdb", "cars", target="sold")


def test_fit_names_the_package_that_is_missing(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingPackageError, match="pip install duckdb"):
        fit(tmp_path / "warehouse.duckdb", "t", target="y")


def test_failed_fit_leaves_no_table(connection):
    def stop(*_):
        raise KeyboardInterrupt

    class Own:
        name = "own"
        propose = stop

    with pytest.raises(PolytomyError):
        fit(connection, "cars", target="sold", drop=["list"], families=(Own(),))
    assert connection.sql("SHOW TABLES").fetchall() == [("cars",)]


def test_fit_reads_a_file_and_a_read_only_connection(tmp_path):
    path = tmp_path / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE SCHEMA s; CREATE TABLE s.t AS SELECT i, i > 4 AS y FROM range(9) r(i)"
        )
    tree = fit(path, "s.t", target="y")
    assert tree.tree_.threshold.tolist() == [4.5]
    with duckdb.connect(str(path), read_only=True) as connection:
        assert fit(connection, "S.T", target="y").tree_ == tree.tree_


def test_fit_quotes_names():
    with duckdb.connect() as connection:
        connection.execute(
            'CREATE TABLE "my ""odd"" table.x" AS SELECT i AS "select", i % 3 AS "a ""b"".c", '
            "i > 4 AS \"group\", 'it''s' || (i % 2) AS \"'\" FROM range(9) AS r(i)"
        )
        tree = fit(connection, 'my "odd" table.x', target="group", categorical=['a "b".c'])
    assert list(tree.feature_names_in_) == ["select", 'a "b".c', "'"]
    assert tree.tree_.threshold.tolist() == [4.5]


def test_fit_takes_the_temporary_table_of_two_of_one_name():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i, i > 4 AS y FROM range(9) AS r(i)")
        connection.execute("CREATE TEMP TABLE t AS SELECT i, i > 2 AS y FROM range(9) AS r(i)")
        assert fit(connection, "t", target="y").tree_.threshold.tolist() == [2.5]
