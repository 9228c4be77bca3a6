"""Exported JavaScript predicts like the model, in Node."""

import datetime as dt
import json
import math
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from polytomy import TreeClassifier
from polytomy._errors import ParameterError, TreeError
from polytomy.export import to_javascript
from tests.export.awkward_tables import (
    TARGETS,
    bushy,
    fitted,
    fitted_to,
    nasty_frame,
    plain_rows,
    random_labels,
    with_new_values,
)
from tests.export.ensembles import KINDS, fitted_ensemble, with_new_cells
from tests.export.own_split import own_model
from tests.export.random_models import predictions, random_models

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")

_RUN = """
const m = require(process.argv[2]);
const revive = (key, v) => v !== null && typeof v === "object" && "$" in v
    ? (v.$ === "ns" ? BigInt(v.at) : v.$ === "inf" ? v.at * Infinity : Number(v.at)) : v;
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"), revive);
const f = m[process.argv[3]];
console.log(JSON.stringify(rows.map((row) => f(row))));
"""


def encoded(cell):
    """Return a cell as JSON holds it: times as nanoseconds, whole numbers as text."""
    if isinstance(cell, dt.datetime):
        zoned = cell if cell.tzinfo else cell.replace(tzinfo=dt.UTC)
        since = zoned - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
        return {"$": "ns", "at": str((since // dt.timedelta(microseconds=1)) * 1000)}
    if isinstance(cell, float) and math.isinf(cell):
        return {"$": "inf", "at": 1 if cell > 0 else -1}
    if isinstance(cell, int) and not isinstance(cell, bool):
        return {"$": "int", "at": str(cell)}
    return cell


def in_node(source, rows, folder, function="predict"):
    """Run a function of a module on rows."""
    (folder / "model.js").write_text(source, encoding="utf-8")
    (folder / "run.js").write_text(_RUN)
    given_rows = [{k: encoded(v) for k, v in row.items()} for row in rows]
    done = subprocess.run(
        [NODE, str(folder / "run.js"), str(folder / "model.js"), function],
        input=json.dumps(given_rows),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]
    return json.loads(done.stdout, parse_int=float)


@needs_node
@pytest.mark.parametrize("target", TARGETS)
def test_javascript_predicts_from_every_kind_of_column(target, tmp_path):
    frame = nasty_frame()
    clf = fitted_to(target, frame, max_leaves=200)
    source = to_javascript(clf._model)
    every = pd.concat([frame, with_new_values(frame, clf)])
    assert in_node(source, plain_rows(every), tmp_path) == clf.predict(every).tolist()


@needs_node
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(random_models(max_inner=30, or_numbers=True))
def test_javascript_predicts_like_random_trees(tmp_path, drawn):
    model, table, rows = drawn
    assert in_node(to_javascript(model), rows, tmp_path) == predictions(model, table)


@needs_node
@pytest.mark.parametrize("kind", KINDS)
def test_javascript_predicts_like_the_ensemble(kind, tmp_path):
    clf, frame = fitted_ensemble(kind)
    rows = with_new_cells(frame, clf)
    source = to_javascript(clf._model, proba=kind != "numbers")
    assert in_node(source, plain_rows(rows), tmp_path) == clf.predict(rows).tolist()
    if kind != "numbers":
        found = in_node(source, plain_rows(rows), tmp_path, "predictProba")
        np.testing.assert_allclose(found, clf.predict_proba(rows), rtol=1e-12)


@needs_node
def test_javascript_gives_probabilities_leaves_and_rules(tmp_path):
    frame = nasty_frame(200)
    clf = fitted(frame, random_labels(200), max_leaves=12)
    source = clf.to_javascript(proba=True, leaf=True, rule=True)
    rows = plain_rows(frame)
    assert in_node(source, rows, tmp_path, "predictProba") == clf.predict_proba(frame).tolist()
    leaves = clf.apply(frame).tolist()
    assert in_node(source, rows, tmp_path, "predictLeaf") == leaves
    rules = {r.leaf: r.condition for r in clf.to_rules()}
    assert in_node(source, rows, tmp_path, "predictRule") == [rules[v] for v in leaves]


@needs_node
def test_javascript_names_are_valid_and_absent_columns_missing(tmp_path):
    names = [
        "class",
        "a b",
        "a-b",
        "1",
        "",
        "é",
        "row",
        "NaN",
        "constructor",
        "\n'\"`${x}",
        "tree1",
    ]
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, (500, len(names))).astype(float), columns=names)
    frame[rng.random(frame.shape) < 0.1] = np.nan
    clf = fitted(frame, random_labels(500), max_leaves=400)
    rows = [{k: v for k, v in r.items() if v is not None} for r in plain_rows(frame)]
    assert in_node(to_javascript(clf._model), rows, tmp_path) == clf.predict(frame).tolist()


@needs_node
def test_javascript_predicts_from_a_large_tree(tmp_path):
    clf, frame = bushy(1500)
    some = frame.head(100)
    found = in_node(to_javascript(clf._model), some.to_dict("records"), tmp_path)
    assert found == clf.predict(some).tolist()


@needs_node
@pytest.mark.parametrize("cells", [[1, 2, -3], [0.1, 0.5, 1 / 3], [True, False]])
def test_javascript_compares_categories_that_are_not_text(cells, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": np.array(cells)[rng.integers(0, len(cells), 60)]})
    clf = TreeClassifier(procedure="per-leaf", categorical_features=[0]).fit(
        frame, rng.integers(0, 2, 60)
    )
    found = in_node(to_javascript(clf._model), plain_rows(frame), tmp_path)
    assert found == clf.predict(frame).tolist()


def test_javascript_refuses_what_it_cannot_express():
    with pytest.raises(TreeError, match="user-defined split"):
        to_javascript(own_model())
    clf = TreeClassifier(procedure="per-leaf").fit([[1.0], [2.0]], [0, 1])
    for name in ("a b", "class", "é", "1a"):
        with pytest.raises(ParameterError, match="valid JavaScript identifier"):
            to_javascript(clf._model, name)
    frame = pd.DataFrame({"c": pd.Series([2**70, 1] * 3, dtype=object)})
    clf = TreeClassifier(procedure="per-leaf", categorical_features=[0]).fit(frame, [0, 1] * 3)
    with pytest.raises(TreeError, match="no literal in JavaScript"):
        to_javascript(clf._model)
    reg, _ = fitted_ensemble("numbers")
    with pytest.raises(ParameterError, match="proba is for classifiers"):
        to_javascript(reg._model, proba=True)
