"""SQL for databases that are not at hand: translated to DuckDB by sqlglot, it predicts the same."""

import numpy as np
import pandas as pd
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import TreeClassifier
from polytomy._errors import ParameterError, TreeError
from polytomy.export import to_sql
from tests.export.awkward_tables import (
    asks_about,
    chain,
    fitted,
    nasty_frame,
    plain_rows,
    random_labels,
)
from tests.export.code.test_sql import RANDOM, TYPES, in_duckdb, in_sqlite
from tests.export.ensembles import fitted_ensemble
from tests.export.random_models import predictions, random_models

ELSEWHERE = ("postgres", "bigquery", "snowflake", "spark", "tsql")


def translated(sql, dialect):
    """Return SQL of a dialect as DuckDB reads it."""
    (text,) = sqlglot.transpile(f"SELECT {sql}", read=dialect, write="duckdb")
    return text.removeprefix("SELECT ").replace(" COLLATE Latin1_General_100_BIN2", "")


def as_bits(rows):
    """Return rows with booleans as numbers, which SQL Server stores instead."""
    numbers = {True: 1, False: 0}
    return [{k: numbers[v] if isinstance(v, bool) else v for k, v in r.items()} for r in rows]


@pytest.mark.parametrize("dialect", ELSEWHERE)
def test_dialect_predicts_from_every_kind_of_column(dialect):
    frame = nasty_frame(300).drop(columns="zoned")
    clf = fitted(frame, random_labels(300), max_leaves=60)
    rows = plain_rows(frame)[:60]
    types = {**TYPES, "bool": "TINYINT"} if dialect == "tsql" else TYPES
    found = in_duckdb(
        translated(to_sql(clf._model, dialect), dialect),
        as_bits(rows) if dialect == "tsql" else rows,
        {name: types[name] for name in frame.columns},
    )
    assert found == clf.predict(frame.head(60)).tolist()


@settings(max_examples=15)
@given(random_models(), st.sampled_from(ELSEWHERE))
def test_dialect_predicts_like_random_trees(drawn, dialect):
    model, table, rows = drawn
    kept = [i for i, row in enumerate(rows[:12]) if dialect != "tsql" or _finite(row["x"])]
    given_rows = [rows[i] for i in kept]  # SQL Server has no infinities
    types = {**RANDOM, "b": "TINYINT"} if dialect == "tsql" else RANDOM
    found = in_duckdb(
        translated(to_sql(model, dialect), dialect),
        as_bits(given_rows) if dialect == "tsql" else given_rows,
        types,
    )
    expected = predictions(model, table)
    assert found == [expected[i] for i in kept]


def _finite(x):
    return x is None or np.isfinite(x)


@pytest.mark.parametrize("dialect", ELSEWHERE)
@pytest.mark.parametrize("kind", ["stumps", "mh", "forest", "numbers"])
def test_dialect_predicts_like_the_ensemble(kind, dialect):
    clf, frame = fitted_ensemble(kind, zoned=False)
    rows = plain_rows(frame)[:20]
    types = {**TYPES, "bool": "TINYINT"} if dialect == "tsql" else TYPES
    infinite = {float("inf"): 1e308, float("-inf"): -1e308}
    if dialect == "tsql":
        rows = [{**r, "float64": infinite.get(r["float64"], r["float64"])} for r in rows]
    found = in_duckdb(
        translated(to_sql(clf._model, dialect), dialect),
        as_bits(rows) if dialect == "tsql" else rows,
        {name: types[name] for name in frame.columns},
    )
    given_frame = frame.head(20).copy()
    if dialect == "tsql":
        given_frame["float64"] = given_frame["float64"].replace(infinite)
    assert found == clf.predict(given_frame).tolist()


@pytest.mark.parametrize("dialect", ELSEWHERE)
def test_dialect_compares_times_with_a_zone(dialect):
    frame = nasty_frame(100)[["zoned"]]
    sql = to_sql(fitted(frame, random_labels(100))._model, dialect)
    assert "+00:00'" in sql
    sqlglot.parse_one(sql, read=dialect)


@pytest.mark.parametrize("dialect", [*ELSEWHERE, "duckdb", "sqlite"])
def test_dialect_reads_every_output_as_a_column(dialect):
    frame = nasty_frame(200).drop(columns="zoned")
    clf = fitted(frame, random_labels(200), max_leaves=9)
    sql = to_sql(clf._model, dialect, outputs=["prediction", "proba", "leaf", "rule"])
    parsed = sqlglot.parse_one(f"SELECT {sql}", read=dialect)
    names = ["prediction", *(f"p_{c}" for c in clf.classes_), "leaf", "rule"]
    assert parsed.named_selects == names


def test_duckdb_gives_the_leaf_and_the_rule():
    frame = nasty_frame(200)
    clf = fitted(frame, random_labels(200), max_leaves=9)
    rows = plain_rows(frame)[:40]
    leaf, rule = (to_sql(clf._model, "duckdb", outputs=[o]) for o in ("leaf", "rule"))
    leaves = clf.apply(frame.head(40)).tolist()
    assert in_duckdb(leaf, rows, TYPES) == leaves
    rules = {r.leaf: r.condition for r in clf.to_rules()}
    assert in_duckdb(rule, rows, TYPES) == [rules[v] for v in leaves]


def test_sql_refuses_unknown_and_unfit_outputs():
    frame = nasty_frame(50)
    clf = fitted(frame, random_labels(50))
    with pytest.raises(ParameterError, match="outputs must be some of prediction"):
        to_sql(clf._model, outputs=["colour"])
    with pytest.raises(ParameterError, match="outputs must be some of"):
        to_sql(clf._model, outputs=[])
    with pytest.raises(ParameterError, match="this is a single tree"):
        to_sql(clf._model, outputs=["votes"])
    with pytest.raises(ParameterError, match="not both"):
        to_sql(clf._model, probability_of="a", outputs=["leaf"])
    with pytest.raises(ParameterError, match="leaf is for single trees"):
        to_sql(fitted_ensemble("stumps")[0]._model, outputs=["leaf"])


def test_tsql_refuses_values_that_differ_in_blanks():
    frame = pd.DataFrame({"c": ["a", "a ", "b"] * 4})
    clf = TreeClassifier(procedure="per-leaf").fit(frame, [0, 1, 2] * 4)
    with pytest.raises(TreeError, match="blanks at the end"):
        to_sql(clf._model, "tsql")


def test_tsql_nests_deep_trees_within_its_limit():
    _, model = chain(500)
    sql = to_sql(model, "tsql")
    depth = max(line.index(line.strip()) for line in sql.splitlines()) // 2
    assert depth <= 10


HOSTILE = ["select", "a.b", "x]y[", "`tick`", "it's", 'say "hi"', "back\\slash", "two\nlines"]
HOSTILE += ["é日🌳", "$1 ?", "-- no", "n" * 60, "{{ x }}"]


@pytest.mark.parametrize("dialect", ["ansi", "duckdb", "sqlite", *ELSEWHERE])
def test_dialect_quotes_hostile_names(dialect):
    rng = np.random.default_rng(2)
    names = [name for name in HOSTILE if dialect != "bigquery" or "." not in name]
    frame = pd.DataFrame(rng.integers(0, 2, (200, len(names))).astype(float), columns=names)
    clf = fitted(frame, random_labels(200), max_leaves=120)
    assert asks_about(clf._model) == set(names)
    sql = to_sql(clf._model, dialect)
    rows, types = frame.head(40).to_dict("records"), dict.fromkeys(names, "DOUBLE")
    if dialect == "sqlite":
        found = in_sqlite(sql, rows, types)
    else:
        found = in_duckdb(translated(sql, dialect) if dialect in ELSEWHERE else sql, rows, types)
    assert found == clf.predict(frame.head(40)).tolist()


def test_bigquery_refuses_names_that_it_reads_as_paths():
    clf = TreeClassifier(procedure="per-leaf").fit(pd.DataFrame({"a.b": [1.0, 2.0]}), [0, 1])
    with pytest.raises(TreeError, match="as a path"):
        to_sql(clf._model, "bigquery")
