"""Exported SQL predicts like the tree, in SQLite and DuckDB."""

import datetime as dt
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import expressions as exp

from polytomy import TreeClassifier, TreeRegressor
from polytomy._errors import ParameterError, TreeError
from polytomy.export import to_sql
from polytomy.export.code.sql.dialects import sqlite_number
from polytomy.table import Table
from tests.export.awkward_tables import (
    TARGETS,
    asks_about,
    bushy,
    chain,
    fitted,
    fitted_to,
    nasty_frame,
    plain_rows,
    random_labels,
    with_new_values,
)
from tests.export.own_split import own_model
from tests.export.random_models import predictions, random_models

TYPES = {
    "float64": "DOUBLE",
    "float32": "FLOAT",
    "near 2^53": "BIGINT",
    "huge": "BIGINT",
    "bool": "BOOLEAN",
    'te"xt': "VARCHAR",
    "or`dered": "VARCHAR",
    "day": "TIMESTAMP",
    "zoned": "TIMESTAMPTZ",
}
RANDOM = {"x": "DOUBLE", "r": "VARCHAR", "b": "BOOLEAN", "c": "VARCHAR"}
DIALECTS = ("ansi", "duckdb", "postgres", "sqlite")


def in_sqlite(expression, rows, types):
    """Evaluate an expression on rows in SQLite, which stores times as text."""
    quoted = ["`" + name.replace("`", "``") + "`" for name in types]
    kinds = {"DOUBLE": "REAL", "FLOAT": "REAL", "BIGINT": "INTEGER", "BOOLEAN": "INTEGER"}
    columns = ", ".join(
        f"{q} {kinds.get(t, 'TEXT')}" for q, t in zip(quoted, types.values(), strict=True)
    )
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE t ({columns})")
        cells = [[_as_text(row.get(name)) for name in types] for row in rows]
        base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(types))})", cells)
        found = base.execute(f"SELECT {expression} FROM t ORDER BY rowid").fetchall()
    base.close()
    return [cell for (cell,) in found]


def _as_text(cell):
    return cell.isoformat(" ") if isinstance(cell, dt.datetime) else cell


def in_duckdb(expression, rows, types):
    """Evaluate an expression on rows in DuckDB."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in types]
    columns = ", ".join(f"{q} {t}" for q, t in zip(quoted, types.values(), strict=True))
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE t (i INTEGER, {columns})")
        cells = [[i, *(row.get(name) for name in types)] for i, row in enumerate(rows)]
        base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * (len(types) + 1))})", cells)
        return [c for (c,) in base.execute(f"SELECT {expression} FROM t ORDER BY i").fetchall()]


def without_zone(types):
    return {name: t for name, t in types.items() if name != "zoned"}


@pytest.mark.parametrize("target", TARGETS)
def test_duckdb_predicts_from_every_kind_of_column(target):
    frame = nasty_frame(400)
    clf = fitted_to(target, frame, max_leaves=150)
    assert asks_about(clf._model) == set(frame.columns)
    expression = to_sql(clf._model, "duckdb")
    for rows in (frame, with_new_values(frame, clf)):
        assert in_duckdb(expression, plain_rows(rows), TYPES) == clf.predict(rows).tolist()


@pytest.mark.parametrize("target", TARGETS)
def test_sqlite_predicts_from_every_kind_of_column(target):
    frame = nasty_frame(600).drop(columns="zoned")
    clf = fitted_to(target, frame, max_leaves=200)
    assert asks_about(clf._model) == set(frame.columns)
    expression = to_sql(clf._model, "sqlite")
    for rows in (frame, with_new_values(frame, clf)):
        predicted = in_sqlite(expression, plain_rows(rows), without_zone(TYPES))
        assert predicted == clf.predict(rows).tolist()


def test_duckdb_treats_nan_as_missing():
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan, 3.0, np.nan, 4.0] * 4})
    for labels in ([0, 1, 0, 1, 0, 1] * 4, [0, 1, 1, 1, 1, 1] * 4, [0, 0, 2, 1, 2, 1] * 4):
        clf = TreeClassifier(procedure="per-leaf").fit(frame, labels)
        rows = [{"x": x} for x in frame["x"].tolist()]  # nan, not NULL
        predicted = in_duckdb(to_sql(clf._model, "duckdb"), rows, {"x": "DOUBLE"})
        assert predicted == clf.predict(frame).tolist()


@settings(max_examples=30)
@given(random_models(or_numbers=True))
def test_sql_predicts_like_random_trees(drawn):
    model, table, rows = drawn
    expected = predictions(model, table)
    assert in_sqlite(to_sql(model, "sqlite"), rows, RANDOM) == expected
    # Inserting rows into DuckDB one by one is slow, so only some are used.
    for dialect in ("duckdb", "ansi"):
        assert in_duckdb(to_sql(model, dialect), rows[:12], RANDOM) == expected[:12]


@settings(max_examples=60)
@given(random_models(), st.sampled_from(DIALECTS))
def test_sql_is_one_expression_with_a_result_for_each_leaf(drawn, dialect):
    model, _, _ = drawn
    parsed = sqlglot.parse_one(to_sql(model, dialect), read=None if dialect == "ansi" else dialect)
    cases = list(parsed.find_all(exp.Case))
    assert isinstance(parsed, exp.Case if model.tree.n_leaves > 1 else exp.Literal)
    tests = sum(len(case.args["ifs"]) for case in cases)
    assert tests + len(cases) - (len(cases) - 1) == model.tree.n_leaves or not cases
    asked = {model.schema[int(j)].name for j in model.tree.feature if j >= 0}
    assert {column.name for column in parsed.find_all(exp.Column)} <= asked


@pytest.mark.parametrize(
    "labels",
    [np.array([0, 1, -7]), np.array([0.0, 2.0]), np.array([True, False]), np.array(["", "NULL"])],
)
def test_sql_classes_keep_their_type(labels):
    frame = nasty_frame(80).drop(columns="zoned")
    clf = fitted(frame, random_labels(80, labels))
    rows = plain_rows(frame)
    types = without_zone(TYPES)
    expected = clf.predict(frame).tolist()
    assert in_duckdb(to_sql(clf._model, "duckdb"), rows, types) == expected
    assert in_sqlite(to_sql(clf._model, "sqlite"), rows, types) == expected


@pytest.mark.parametrize("params", [{"honest": False}, {"class_weight": "balanced"}])
def test_sql_probabilities_equal_predict_proba(params):
    frame = nasty_frame(200).drop(columns="zoned")
    clf = fitted(frame, random_labels(200), max_leaves=12, smoothing=0.1, **params)
    rows, types = plain_rows(frame), without_zone(TYPES)
    for k, label in enumerate(clf.classes_.tolist()):
        expected = clf.predict_proba(frame)[:, k].tolist()
        for dialect, run in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
            expression = to_sql(clf._model, dialect, probability_of=label, smoothing=0.1)
            assert run(expression, rows, types) == expected
    with pytest.raises(ParameterError, match="probability_of"):
        to_sql(clf._model, probability_of="zebra")


@pytest.mark.parametrize("cells", [[1, 2, 3, 2**60], [0.1, 0.5, 1 / 3, 2.0], [True, False]])
def test_sql_compares_categories_that_are_not_text(cells):
    rng = np.random.default_rng(0)
    values = np.array(cells)[rng.integers(0, len(cells), 60)]
    clf = TreeClassifier(procedure="per-leaf", categorical_features=[0], max_arity=3).fit(
        pd.DataFrame({"c": values}), rng.integers(0, 2, 60)
    )
    rows = [{"c": v} for v in [*values.tolist(), None]]
    new = 9 if cells[0] is not True else None
    rows.append({"c": new})
    frame = pd.DataFrame({"c": pd.Series([r["c"] for r in rows], dtype=object)})
    kind = {int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}[type(cells[0])]
    expected = clf.predict(frame).tolist()
    assert in_duckdb(to_sql(clf._model, "duckdb"), rows, {"c": kind}) == expected
    assert in_sqlite(to_sql(clf._model, "sqlite"), rows, {"c": kind}) == expected


def test_duckdb_does_not_take_nan_for_a_new_category():
    values = [0.5, 1.5, 2.5, np.nan] * 6
    frame = pd.DataFrame({"c": values})
    for labels in ([0, 1, 1, 0] * 6, [0, 1, 1, 2] * 6):
        clf = TreeClassifier(procedure="per-leaf", categorical_features=[0]).fit(frame, labels)
        rows = [{"c": v} for v in values]
        predicted = in_duckdb(to_sql(clf._model, "duckdb"), rows, {"c": "DOUBLE"})
        assert predicted == clf.predict(frame).tolist()


def test_sql_compares_nanoseconds_and_durations():
    rng = np.random.default_rng(0)
    n = 200
    ticks = rng.integers(-(10**6), 10**6, n)
    frame = pd.DataFrame(
        {
            "ns": pd.to_datetime(1_700_000_000_000_000_000 + ticks),
            "span": rng.permutation(ticks).astype("m8[us]"),
        }
    )
    clf = fitted(frame, random_labels(n), max_leaves=80)
    assert asks_about(clf._model) == {"ns", "span"}
    with duckdb.connect() as base:
        base.execute("CREATE TABLE t AS SELECT * FROM frame")
        found = base.execute(f"SELECT {to_sql(clf._model, 'duckdb')} FROM t").fetchall()
    assert [cell for (cell,) in found] == clf.predict(frame).tolist()
    with pytest.raises(TreeError, match="durations"):
        to_sql(clf._model, "sqlite")


@pytest.mark.parametrize(
    "write", [str, lambda t: t.isoformat(), lambda t: t.isoformat(" ", "microseconds")]
)
def test_sqlite_accepts_every_format_of_times(write):
    start = pd.Timestamp("2024-02-28")
    times = start + pd.to_timedelta(np.arange(0, 96, 6), unit="h")
    clf = TreeClassifier(procedure="per-leaf", max_leaves=9).fit(
        pd.DataFrame({"t": times}), np.arange(16) // 2 % 3
    )
    fine = start + pd.to_timedelta(np.arange(0, 96 * 60, 45), unit="m")
    rows = [{"t": write(t.to_pydatetime())} for t in fine]
    predicted = in_sqlite(to_sql(clf._model, "sqlite"), rows, {"t": "TEXT"})
    assert predicted == clf.predict(pd.DataFrame({"t": fine})).tolist()
    days = pd.DataFrame({"t": fine.normalize()})
    rows = [{"t": t.date().isoformat()} for t in fine]
    predicted = in_sqlite(to_sql(clf._model, "sqlite"), rows, {"t": "TEXT"})
    assert predicted == clf.predict(days).tolist()


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_sqlite_reads_every_number_exactly(seed):
    """SQLite misreads about one in two hundred decimals of random doubles."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 2**64, 300, dtype=np.uint64).view(np.float64)
    numbers = np.concatenate((numbers[np.isfinite(numbers)], rng.normal(size=300).round(4)))
    with sqlite3.connect(":memory:") as base:
        read = base.execute(f"SELECT {', '.join(map(sqlite_number, numbers.tolist()))}").fetchone()
    base.close()
    assert list(read) == numbers.tolist()


@pytest.mark.parametrize("x", [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, -0.0])
def test_sqlite_reads_extreme_numbers_exactly(x):
    with sqlite3.connect(":memory:") as base:
        assert base.execute(f"SELECT {sqlite_number(x)}").fetchone() == (x,)
    base.close()


@pytest.mark.parametrize("whole", ["2024-03-01", "2024-03-01 12:00", "2024-03-01 12:30"])
def test_sqlite_compares_with_whole_days_hours_and_minutes(whole):
    at = pd.Timestamp(whole)
    near = pd.DataFrame({"t": [at - pd.Timedelta("1us"), at, at - pd.Timedelta("1D"), at]})
    clf = TreeClassifier(procedure="per-leaf").fit(near.astype("M8[us]"), [0, 1, 0, 1])
    expression = to_sql(clf._model, "sqlite")
    assert f"'{whole.removesuffix(':00')}'" in expression
    ways = [whole, str(at), at.isoformat(), f"{at}.000000"]
    assert in_sqlite(expression, [{"t": way} for way in ways], {"t": "TEXT"}) == [1] * 4
    before = [f"{at - pd.Timedelta('1us')}", "2024-02-29", "2024-02-29T23:59:59.9"]
    assert in_sqlite(expression, [{"t": way} for way in before], {"t": "TEXT"}) == [0] * 3


def test_sqlite_reports_unknown_columns():
    clf = TreeClassifier(procedure="per-leaf").fit(pd.DataFrame({"x": [1.0, 2.0]}), [0, 1])
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        in_sqlite(to_sql(clf._model, "sqlite"), [{"y": 1.0}], {"y": "REAL"})


def test_sql_predicts_from_deep_and_large_trees():
    _, model = chain(5000)
    table_rows = [{"a": a, "b": b} for a in (-1.0, 10.5, 2999.0, 1e9) for b in (11.0, 4000.0, 1e9)]
    table = Table.of({name: np.array([r[name] for r in table_rows]) for name in "ab"})
    expected = predictions(model, table)
    types = {"a": "DOUBLE", "b": "DOUBLE"}
    assert in_sqlite(to_sql(model, "sqlite"), table_rows, types) == expected
    clf, frame = bushy(1500)
    some = frame.head(60)
    types = dict.fromkeys(frame.columns, "DOUBLE")
    rows = some.to_dict("records")
    assert in_sqlite(to_sql(clf._model, "sqlite"), rows, types) == clf.predict(some).tolist()


def test_sql_of_a_single_leaf_is_a_literal():
    clf = TreeClassifier(procedure="per-leaf").fit([[1.0], [2.0]], ["it's", "it's"])
    assert to_sql(clf._model, "duckdb") == "'it''s'"


def test_sql_of_a_regression_tree_is_a_number():
    reg = TreeRegressor().fit([[1.0], [2.0]], [2.5, 2.5])
    assert to_sql(reg._model, "ansi") == "2.5E0"
    assert to_sql(reg._model, "postgres") == "FLOAT8 '2.5'"
    with pytest.raises(ParameterError, match="probability_of is for classifiers"):
        reg.to_sql(probability_of=2.5)


def test_sql_refuses_own_splits_dialects_and_time_zones():
    with pytest.raises(TreeError, match="user-defined split"):
        to_sql(own_model())
    clf = TreeClassifier(procedure="per-leaf").fit(pd.DataFrame({"x": [1.0, 2.0]}), [0, 1])
    with pytest.raises(ParameterError, match="dialect must be one of ansi"):
        to_sql(clf._model, "oracle")
    frame = nasty_frame(100)[["zoned"]]
    with pytest.raises(TreeError, match="time zone, which SQLite does not support"):
        to_sql(fitted(frame, random_labels(100))._model, "sqlite")


@pytest.mark.parametrize(
    ("column", "dialect", "message"),
    [
        ({"": [1.0, 2.0]}, "ansi", "no column named"),
        ({"n" * 64: [1.0, 2.0]}, "postgres", "at most 63 bytes"),
        ({"c": ["a", "b\0"]}, "duckdb", "cannot represent the text"),
        ({"c": [b"a", b"b"]}, "ansi", "bytes values"),
        ({"c": ["a", 1]}, "ansi", "mixes int and str"),
        ({"c": [2**70, 1]}, "sqlite", "does not fit in an SQLite integer"),
    ],
)
def test_sql_refuses_names_and_values_it_cannot_represent(column, dialect, message):
    frame = pd.DataFrame({n: pd.Series(v * 3, dtype=object) for n, v in column.items()})
    nominal = isinstance(frame.iloc[0, 0], float)
    chosen = "from_dtype" if nominal else [0]
    clf = TreeClassifier(procedure="per-leaf", categorical_features=chosen).fit(frame, [0, 1] * 3)
    with pytest.raises(TreeError, match=message):
        to_sql(clf._model, dialect)


def test_sql_refuses_names_that_differ_only_in_case():
    frame = pd.DataFrame({"a": [0, 0, 1, 1] * 2, "A": [0, 1, 0, 1] * 2})
    clf = TreeClassifier(procedure="per-leaf").fit(frame, [0, 1, 2, 3] * 2)
    assert '"A"' in to_sql(clf._model, "postgres")
    for dialect in ("duckdb", "sqlite"):
        with pytest.raises(TreeError, match="differ only in case"):
            to_sql(clf._model, dialect)
