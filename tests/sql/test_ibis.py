"""Fits through Ibis: SQLite, which has no grouping sets, and DuckDB."""

import random

import pytest

from polytomy import ParameterError, TableError, TreeClassifier, TreeRegressor
from polytomy.sql import fit
from tests.sql.test_fit import saved

ibis = pytest.importorskip("ibis")
# Ibis reads an option of pandas that is going to be removed.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")


def cells(n_rows):
    """Return rows with missing cells, infinite numbers and odd texts."""
    draw = random.Random(1)
    for i in range(n_rows):
        a = draw.choice([None, *range(20)])
        b = draw.choice([None, float("-inf"), 0.1, draw.gauss(0, 1), draw.gauss(0, 1)])
        c = draw.choice(["a", "B", "it's", "é", None])
        y = "yes" if ((a or 3) > 5 and (b or 0) > 0) or c == "B" else "no"
        yield i, a, b, c, draw.random() < 0.5, draw.randint(0, 3), draw.random(), y


@pytest.fixture
def backend():
    opened = ibis.sqlite.connect()
    native = opened.con
    native.execute(
        "CREATE TABLE t (id INTEGER, a INTEGER, b REAL, c TEXT, d BOOLEAN, w INTEGER, v REAL, "
        "y TEXT)"
    )
    native.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?)", cells(600))
    native.commit()
    yield opened
    opened.disconnect()


@pytest.mark.parametrize("temporary", [True, False])
@pytest.mark.parametrize("weights", [None, "w"])
def test_fit_is_the_fit_in_memory(backend, weights, temporary):
    predictors = ["a", "b", "c", "d"]
    found = fit(
        backend,
        "t",
        target="y",
        weights=weights,
        columns=predictors,
        categorical=["d"],
        order_by="id",
        temporary=temporary,
        max_leaves=9,
        max_bins=8,
    )
    rows = backend.table("t").order_by("id").to_pyarrow()
    tree = TreeClassifier(max_leaves=9, max_bins=8, categorical_features=["d"])
    sample_weight = None if weights is None else rows["w"].to_numpy()
    tree.fit(rows.select(predictors), rows["y"].to_numpy(), sample_weight)
    assert saved(found) == saved(tree)
    assert backend.list_tables() == ["t"]


def test_fit_without_an_order_draws_no_sample(backend):
    columns = ["a", "b"]
    with pytest.raises(ParameterError, match="pass order_by="):
        fit(backend, "t", target="y", columns=columns)
    tree = fit(backend, "t", target="y", columns=columns, honest=False, max_bins=9)
    assert tree.n_leaves_ > 2


def test_fit_refuses_what_other_databases_round(backend):
    with pytest.raises(ParameterError, match="not integers, need DuckDB"):
        fit(backend, "t", target="y", weights="v", columns=["a"], honest=False)
    with pytest.raises(ParameterError, match=r"numeric targets, .* need DuckDB"):
        fit(backend, "t", target="v", columns=["a"], estimator=TreeRegressor())
    with pytest.raises(TableError, match="no table 'T2'"):
        fit(backend, "T2", target="y")


def test_fit_takes_the_connection_of_duckdb():
    backend = ibis.duckdb.connect()
    backend.con.execute("CREATE TABLE t AS SELECT i, i > 4 AS y FROM range(9) AS r(i)")
    assert fit(backend, "t", target="y").tree_.threshold.tolist() == [4.5]
