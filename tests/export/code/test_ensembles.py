"""Exported code of boosted models and forests predicts like the model."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from polytomy import BoostedTreeClassifier, ForestClassifier
from polytomy._errors import ParameterError, TreeError
from polytomy.ensemble import votes
from polytomy.export import to_c, to_javascript, to_python, to_sql
from polytomy.export.code.conditions import split_columns
from polytomy.export.code.vote_sum import vote_sum
from polytomy.table import Table
from tests.ensemble.random_ensembles import probe_table, random_ensemble
from tests.export.awkward_tables import plain_rows
from tests.export.code.test_c import filled_columns, needs_cc, run_c
from tests.export.code.test_sql import TYPES, in_duckdb, in_sqlite, without_zone
from tests.export.ensembles import KINDS, fitted_ensemble, with_new_cells

CLASSIFIERS = [kind for kind in KINDS if kind != "numbers"]


def functions_of(model, **options):
    space = {}
    exec(compile(to_python(model, **options), "exported", "exec"), space)
    return space


@pytest.mark.parametrize("kind", KINDS)
def test_python_predicts_like_the_ensemble(kind):
    clf, frame = fitted_ensemble(kind)
    predict = functions_of(clf._model)["predict"]
    for rows in (frame, with_new_cells(frame, clf)):
        assert [predict(row) for row in plain_rows(rows)] == clf.predict(rows).tolist()


def test_code_of_a_forest_of_one_class_returns_it():
    model = ForestClassifier(2, random_state=0).fit([[1.0], [2.0]], ["a", "a"])._model
    space = functions_of(model, proba=True)
    assert space["predict"]({"x0": 1.0}) == "a"
    assert space["predict_proba"]({"x0": 1.0}) == {"a": 1.0}
    assert to_sql(model) == "'a'"
    assert "votes[0] > 0.0" not in to_c(model)
    assert "[2.0]" in to_javascript(model)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_python_gives_the_probabilities_of_the_ensemble(kind):
    clf, frame = fitted_ensemble(kind)
    space = functions_of(clf._model, proba=True)
    found = [space["predict_proba"](row) for row in plain_rows(frame)]
    assert all(list(p) == clf.classes_.tolist() for p in found)
    shares = [list(p.values()) for p in found]
    np.testing.assert_allclose(shares, clf.predict_proba(frame), rtol=1e-12)


def test_python_of_stumps_has_one_function_for_each_column():
    clf, _ = fitted_ensemble("stumps")
    columns = np.count_nonzero(clf.ensemble_.splits_per_column)
    assert to_python(clf._model).count("def _tree_") == columns < len(clf.ensemble_)


@needs_cc
@pytest.mark.parametrize("kind", KINDS)
def test_c_predicts_like_the_ensemble(kind, tmp_path):
    clf, frame = fitted_ensemble(kind)
    rows = with_new_cells(frame, clf).head(120)
    header = to_c(clf._model)
    filled = filled_columns(clf._model.schema, _columns(clf), Table.of(rows))
    assert run_c(header, filled, tmp_path) == clf.predict(rows).tolist()


@needs_cc
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_c_gives_the_probabilities_of_the_ensemble(kind, tmp_path):
    clf, frame = fitted_ensemble(kind)
    rows = frame.head(60)
    header = to_c(clf._model, proba=True)
    filled = filled_columns(clf._model.schema, _columns(clf), Table.of(rows))
    found = run_c(header, filled, tmp_path, proba=len(clf.classes_))
    np.testing.assert_allclose(found, clf.predict_proba(rows), rtol=1e-12)


def _columns(clf):
    """Return the columns that the votes depend on, which may be fewer than are split on."""
    return split_columns(*vote_sum(clf._model, "C").trees)


def test_code_of_an_ensemble_refuses_leaves_and_probabilities_of_numbers():
    clf, _ = fitted_ensemble("forest")
    reg, _ = fitted_ensemble("numbers")
    for write in (to_python, to_c):
        with pytest.raises(ParameterError, match="leaf is for single trees"):
            write(clf._model, leaf=True)
        with pytest.raises(ParameterError, match="rule is for single trees"):
            write(clf._model, rule=True)
        with pytest.raises(ParameterError, match="proba is for classifiers"):
            write(reg._model, proba=True)


def test_code_of_an_ensemble_refuses_own_splits():
    X, y = np.arange(20.0)[:, None], np.arange(20) // 10
    clf = BoostedTreeClassifier(2, estimator=DecisionTreeClassifier(max_depth=1)).fit(X, y)
    for write in (to_python, to_c):
        with pytest.raises(TreeError, match="user-defined split"):
            write(clf._model)


@pytest.mark.parametrize("kind", KINDS)
def test_duckdb_predicts_like_the_ensemble(kind):
    clf, frame = fitted_ensemble(kind)
    rows = with_new_cells(frame, clf).head(60)
    found = in_duckdb(to_sql(clf._model, "duckdb"), plain_rows(rows), TYPES)
    assert found == clf.predict(rows).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_sqlite_predicts_like_the_ensemble(kind):
    clf, frame = fitted_ensemble(kind, zoned=False)
    rows = with_new_cells(frame, clf)
    found = in_sqlite(to_sql(clf._model, "sqlite"), plain_rows(rows), without_zone(TYPES))
    assert found == clf.predict(rows).tolist()


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_sql_gives_the_probabilities_of_the_ensemble(kind):
    clf, frame = fitted_ensemble(kind)
    rows = frame.head(30)
    for k, wanted in enumerate(clf.classes_.tolist()):
        expression = to_sql(clf._model, "duckdb", probability_of=wanted)
        found = in_duckdb(expression, plain_rows(rows), TYPES)
        np.testing.assert_allclose(found, clf.predict_proba(rows)[:, k], rtol=1e-12)


def test_sql_sums_many_trees():
    X = np.random.default_rng(0).normal(size=(200, 4))
    y = (X.sum(axis=1) > 0).astype(int)
    clf = BoostedTreeClassifier(1200, algorithm="adaboost-real", max_leaves=3).fit(X, y)
    assert clf.ensemble_.additive is None
    rows = [{f"x{j}": x for j, x in enumerate(row)} for row in X[:20].tolist()]
    types = {f"x{j}": "DOUBLE" for j in range(4)}
    for run, dialect in ((in_duckdb, "duckdb"), (in_sqlite, "sqlite")):
        assert run(to_sql(clf._model, dialect), rows, types) == clf.predict(X[:20]).tolist()


def test_sql_names_votes_unlike_columns():
    X = pd.DataFrame({"v_0": np.arange(30.0), "vv_1": np.arange(30.0) % 7})
    clf = BoostedTreeClassifier(8).fit(X, np.arange(30) // 4 % 3)
    rows = X.to_dict("records")
    expression = to_sql(clf._model, "duckdb")
    assert "vvv_0" in expression
    assert in_duckdb(expression, rows, dict.fromkeys(X, "DOUBLE")) == clf.predict(X).tolist()


def probe_rows(table):
    """Return the rows of a probe table as dicts."""
    number, whole, day, size, colour = table.columns
    days = day.values.view("datetime64[D]").tolist()
    columns = {
        "number": [None if np.isnan(x) else float(x) for x in number.values],
        "whole": whole.values.tolist(),
        "day": days,
        "size": [None if c < 0 else size.scale.labels[c] for c in size.values],
        "colour": list(colour.values),
    }
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3]), st.sampled_from([1, 1, 3]))
def test_python_adds_up_random_trees(seed, n_outputs, splits):
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, n_outputs=n_outputs, splits=splits)
    table = probe_table(rng)
    found = functions_of(ensemble)["predict_votes"]
    expected = votes(ensemble, table).tolist()
    summed = [found(row) for row in probe_rows(table)]
    assert [x if n_outputs > 1 else [x] for x in summed] == expected


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3]))
def test_sqlite_adds_up_random_trees(seed, splits):
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, splits=splits)
    table = probe_table(rng)
    rows = [{**r, "day": r["day"] and r["day"].isoformat()} for r in probe_rows(table)]
    types = {"number": "DOUBLE", "whole": "DOUBLE", "day": "VARCHAR", "size": "VARCHAR"}
    sql = to_sql(ensemble, "sqlite", outputs=["votes"])
    found = in_sqlite(sql, rows, {**types, "colour": "VARCHAR"})
    assert found == votes(ensemble, table)[:, 0].tolist()
