"""The verifier accepts untampered runs, and finds other training data."""

import ast
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from sklearn.exceptions import NotFittedError

import polytomy.certify
from polytomy import TableError, TargetError, TreeClassifier, verify
from polytomy.certify import issue_certificate
from polytomy.certify.verify import verify_run
from polytomy.estimators import run_of
from polytomy.grow import GrowParams, grow
from polytomy.tree import CODES, INTERVALS
from tests.certify.tampering import (
    FITS,
    counted,
    every_fit,
    evidence,
    fitted,
    found,
    mixed_table,
    with_split,
)
from tests.grow.test_own_family import Signs, xor
from tests.strategies import case_of, cases, grow_params, random_cases

# --- untampered runs


@every_fit
def test_verify_accepts_an_untampered_fit(name):
    clf, frame, y, weights = fitted(name)
    report = verify(clf, frame, y, weights)
    assert report, str(report)
    assert report.findings == ()
    assert "Verified: no discrepancies" in str(report)
    compared = {check.name: check.compared for check in report.checks}
    assert compared["tree: rows routed"] == len(y)
    assert compared[f"tree: {counted(name)} and rows of every node"] == 2 * clf._model.grown.n_nodes
    assert compared["certificate: curves"] == 4 * (len(clf._model.run.splits) + 2)
    assert all(check.wrong == 0 for check in report.checks)


def test_fits_include_wide_steps_and_retired_leaves():
    """The fits need multi-way steps, missing cells and retired leaves to be good test cases."""
    arities = {name: {s.arity for s in evidence(name).run.splits} for name in FITS}
    assert all(max(arities[name]) > 2 for name in ("per-leaf", "hatano", "mansour-mcallester"))
    for name in FITS:
        tree = evidence(name).tree
        assert {INTERVALS, CODES} <= set(tree.kind.tolist())
        assert (tree.missing_branch[tree.kind == INTERVALS] >= 0).any()
    assert evidence("kearns-mansour").run.retired
    assert {evidence(name).certificate.covered for name in FITS} == {True, False}


@every_fit
def test_verify_ignores_the_order_of_the_rows(name):
    clf, frame, y, weights = fitted(name)
    order = np.random.default_rng(0).permutation(len(y))
    permuted = None if weights is None else weights[order]
    assert verify(clf, frame.iloc[order], y[order], permuted).ok


def run_and_certificate(case, params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the error index is for teaching only
        growth = grow(case.coded, case.target, params, case.table)
    run = run_of(growth)
    return run, issue_certificate(run, growth.tree, case.coded.schema), growth.tree


@settings(
    max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(cases() | random_cases(), grow_params())
def test_verify_accepts_every_untampered_run(case, params):
    run, certificate, tree = run_and_certificate(case, params)
    weights = np.array(case.units) * case.target.unit
    labels = np.array(case.labels)
    report = verify_run(run, certificate, tree, case.coded.schema, case.table, labels, weights)
    assert report.ok, str(report)


def test_a_full_tree_by_gain_ratio_gives_up_no_leaf():
    """Choosing options again for a smaller budget must not retire leaves when none is left."""
    columns = {"a": [0] * 11 + [1, 0], "b": [0] * 11 + [1, 1], "c": [0] * 9 + [1, 0, 0, 0]}
    case = case_of(columns, [0] * 10 + [1, 0, 1], None, 2)
    params = GrowParams(max_leaves=3, index="sqrt", procedure="gain-ratio")
    run, _, tree = run_and_certificate(case, params)
    assert (tree.n_leaves, run.retired) == (3, ())


def test_verify_treats_zero_weights_and_class_weights_like_fit():
    frame, labels = mixed_table()
    weights = np.random.default_rng(4).integers(0, 3, len(labels)).astype(float)
    clf = TreeClassifier(max_leaves=9, class_weight="balanced").fit(frame, labels, weights)
    assert verify(clf, frame, labels, weights).ok
    found(verify(clf, frame, labels, weights * 1.5 + 0.1), "the class weights")
    arrays = TreeClassifier(max_leaves=9).fit(frame[["x"]].to_numpy(), labels)
    assert verify(arrays, frame[["x"]].to_numpy(), labels).ok


def test_verify_accepts_a_single_leaf():
    clf = TreeClassifier(max_leaves=1).fit([[0.0], [1.0]], [0, 1])
    assert verify(clf, [[0.0], [1.0]], [0, 1]).ok
    forged = replace(clf.certificate_, bound=0.5)
    clf._model.__dict__["certificate"] = forged
    found(verify(clf, [[0.0], [1.0]], [0, 1]), "certificate: bound is stated as 0.5, found 1")


def test_verify_checks_custom_splits_and_adds_a_note():
    x, labels = xor()
    clf = TreeClassifier(max_leaves=6, families=("intervals", Signs())).fit(x, labels)
    assert clf._model.grown.own
    report = verify(clf, x, labels)
    assert report.ok, str(report)
    assert "could only be bounded" in str(report)
    worst = max(s.weight for s in clf._model.run.splits)
    run = with_split(clf._model.run, 0, best_binary_gain=2 * worst)
    clf._model.__dict__["run"] = run
    found(verify(clf, x, labels), "step 1, leaf 0: best_binary_gain")


def test_verify_adds_a_note_about_many_categories():
    rng = np.random.default_rng(0)
    town = rng.integers(0, 12, 500)
    labels = np.where(rng.random(500) < 0.6, town % 3, rng.integers(0, 3, 500))
    frame = pd.DataFrame({"town": [f"t{t}" for t in town]})
    clf = TreeClassifier(max_leaves=5).fit(frame, labels)
    report = verify(clf, frame, labels)
    assert report.ok, str(report)
    assert "more than 8 categories" in " ".join(report.notes)


# --- other data


@every_fit
def test_verify_finds_other_labels(name):
    clf, frame, y, weights = fitted(name)
    changed = y.copy()
    changed[17] = y[y != y[17]][0]
    found(verify(clf, frame, changed, weights), f"tree, node 0: the {counted(name)}")


@every_fit
def test_verify_finds_missing_and_added_rows(name):
    clf, frame, y, weights = fitted(name)
    rows = np.arange(1, len(y))
    fewer = verify(clf, frame.iloc[rows], y[rows], None if weights is None else weights[rows])
    found(fewer, "sample: the number of rows is stated as 400, found 399")
    rows = np.append(np.arange(len(y)), 0)
    more = verify(clf, frame.iloc[rows], y[rows], None if weights is None else weights[rows])
    found(more, "sample: the number of rows is stated as 400, found 401")


@every_fit
def test_verify_finds_other_weights(name):
    clf, frame, y, weights = fitted(name)
    changed = np.ones(len(y)) if weights is None else weights.copy()
    changed[5] *= 1.001
    found(verify(clf, frame, y, changed), f"tree, node 0: the {counted(name)}")


@every_fit
def test_verify_finds_other_cells_in_columns_of_splits(name):
    clf, frame, y, weights = fitted(name)
    asked = set(clf._model.grown.feature.tolist()) - {-1}
    assert len(asked) >= 3
    for column in frame.columns[sorted(asked)]:
        changed = frame.copy()
        changed.loc[:60, column] = frame[column].dropna().iloc[0]
        assert not verify(clf, changed, y, weights), column


def test_verify_finds_values_missing_from_the_training_table():
    clf, frame, y, weights = fitted("hatano")
    changed = frame.copy()
    changed.loc[3, "x"] = 0.13
    changed.loc[4, "town"] = "Bonn"
    changed.loc[5, "day"] = pd.Timestamp("2030-01-01")
    changed["size"] = pd.Categorical(changed["size"], ["XL", "S", "M", "L"], ordered=True)
    changed.loc[6, "size"] = "XL"
    report = verify(clf, changed, y, weights)
    for column in frame.columns:
        found(
            report, f"column {column!r}: 1 cells have values that the training table did not have"
        )


def test_verify_finds_training_values_that_do_not_occur():
    clf, frame, y, weights = fitted("hatano")
    changed = frame.copy()
    changed.loc[changed["town"] == "Ulm", "town"] = "Rom"
    changed.loc[changed["x"] == 0.0, "x"] = 0.25
    changed["day"] = changed["day"].fillna(changed["day"].min())
    report = verify(clf, changed, y, weights)
    found(report, "column 'town': 1 categories of the training table do not occur")
    found(report, "column 'x': 2 bin ends of the training table do not occur")
    found(report, "column 'day': whether cells are missing is stated as True, found False")


def test_verify_finds_unknown_classes():
    clf, frame, y, weights = fitted("per-leaf")
    changed = y.copy()
    changed[[3, 9]] = "so"
    sentence = "sample: 2 rows have a class that the tree does not have; the first is row 3"
    found(verify(clf, frame, changed, weights), sentence)
    found(verify(clf, frame, np.full(len(y), "so"), weights), "400 rows have a class")
    found(verify(clf, frame, np.arange(len(y)), weights), "400 rows have a class")


def test_verify_rejects_invalid_input():
    clf, frame, y, _ = fitted("per-leaf")
    with pytest.raises(NotFittedError):
        verify(TreeClassifier(), frame, y)
    with pytest.raises(TargetError, match="X has 400 rows but y has 399"):
        verify(clf, frame, y[1:])
    with pytest.raises(ValueError, match="feature names"):
        verify(clf, frame.rename(columns={"x": "z"}), y)
    with pytest.raises(TableError, match="column 'x' contained numbers"):
        verify(clf, frame.assign(x="a"), y)
    given = evidence("per-leaf")
    with pytest.raises(TargetError, match="400 rows, but there are 3 labels"):
        given.but(labels=given.labels[:3]).report()


def test_report_text_with_many_findings_is_short():
    clf, frame, y, weights = fitted("hatano")
    report = verify(clf, frame, y[::-1], weights)
    assert len(report.findings) > 100
    lines = str(report).splitlines()
    assert len(lines) < 80
    assert f"{len(report.findings)} findings:" in lines
    assert f"- and {len(report.findings) - 20} more" in lines
    assert all(len(line) <= 100 for line in lines)
    counts = next(line for line in lines if line.startswith("tree: class weights"))
    assert counts.split()[-2:] == [str(2 * clf._model.grown.n_nodes), counts.split()[-1]]
    assert sum(check.wrong for check in report.checks) == len(report.findings)


# --- an invalid index


def test_verify_finds_an_invalid_index():
    given = evidence("hatano")

    def half(counts):
        return given.run.index.value(counts) / 4

    run = replace(given.run, index=replace(given.run.index, function=half, number=None))
    report = given.but(run=run).report()
    found(report, "is not an index function at node")


# --- imports

ISSUING = "polytomy.certify.issue"
GROWING = {"polytomy.grow", "polytomy.kernels", "polytomy.predict", "sklearn"}


def test_verifier_imports_neither_the_grower_nor_the_issuer():
    files = sorted((Path(polytomy.certify.__file__).parent / "verify").glob("*.py"))
    assert len(files) >= 8
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not str(node.module).startswith(ISSUING), file
                assert not any(str(node.module).startswith(name) for name in GROWING), file
            assert not isinstance(node, ast.Import) or node.names[0].name == "numpy", file


def test_groups_of_numbers_with_equal_means_are_ordered_as_in_the_grower():
    for seed in range(40):
        random = np.random.default_rng(seed)
        n = int(random.integers(15, 40))
        table = {"t": random.choice(list("uvwxyz"), n), "s": random.choice(list("abcd"), n)}
        y = random.integers(0, 3, n) * 1.0
        tree = polytomy.TreeRegressor(
            8, procedure="per-leaf", min_samples_leaf=int(random.integers(2, 5)), honest=False
        ).fit(pd.DataFrame(table), y)
        report = polytomy.verify(tree, pd.DataFrame(table), y)
        assert report.ok, report
