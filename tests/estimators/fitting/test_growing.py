"""Growing and choosing the tree to keep: held-out rows, overgrowing and cross-validation."""

from math import ceil

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits

from polytomy import ParameterError, TreeClassifier, verify
from polytomy._threads import ThreadPool
from polytomy.estimators.fitting import cross_fitting, growing
from polytomy.prune import CostComplexity, ErrorBudget, ReducedError

X, y = load_breast_cancer(return_X_y=True)


def errors(clf, X, y):
    return float((clf.predict(X) != y).sum())


def test_held_out_rows_are_stratified_and_depend_on_the_seed():
    a, b, c = (TreeClassifier(None, pruner="reduced-error", random_state=s) for s in (0, 0, 1))
    for clf in (a, b, c):
        clf.fit(X, y)
    assert a.tree_ == b.tree_
    assert not np.array_equal(a.held_out_, c.held_out_)
    assert int(a._model.grown.rows[0]) == len(y) - len(a.held_out_)
    share = np.bincount(y[a.held_out_]) / np.bincount(y)
    np.testing.assert_allclose(share, 0.3, atol=0.01)


def test_class_of_one_row_is_not_held_out():
    labels = np.array([0] * 20 + [1] * 20 + [2])
    clf = TreeClassifier(None, pruner=ReducedError(0.5), random_state=0)
    clf.fit(np.arange(41.0)[:, None], labels)
    assert clf.classes_.tolist() == [0, 1, 2]
    assert 40 not in clf.held_out_


@pytest.mark.parametrize("procedure", ["per-leaf", "kearns-mansour"])
def test_overgrowing_has_fewer_errors_and_keeps_the_error_bound(procedure):
    digits, labels = load_digits(return_X_y=True)
    plain = TreeClassifier(20, procedure=procedure).fit(digits, labels)
    clf = TreeClassifier(20, procedure=procedure, overgrow=4).fit(digits, labels)
    assert clf._model.grown.n_leaves == 80
    assert clf._model.kept.n_leaves <= 20
    assert errors(clf, digits, labels) < errors(plain, digits, labels)
    certificate = clf.certificate_
    assert certificate.leaves == 20
    if procedure == "per-leaf":  # nothing hangs on the budget, so the beginnings are the same
        assert certificate.gamma == pytest.approx(plain.certificate_.gamma)
        assert certificate.training_error == pytest.approx(plain.certificate_.training_error)
    assert certificate.pruned.keeps_error_bound
    assert certificate.pruned.training_error <= certificate.training_error
    assert "pruned back to the best tree of 20 leaves" in str(certificate)
    assert verify(clf, digits, labels).ok


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_covered_overgrown_trees_keep_the_error_bound(seed):
    rng = np.random.default_rng(seed)
    n, classes = int(rng.integers(5, 80)), int(rng.integers(2, 5))
    table = np.column_stack([rng.integers(0, 8, n), rng.standard_normal(n)])
    labels = rng.integers(0, classes, n)
    procedure = str(rng.choice(["per-leaf", "kearns-mansour"]))
    size, index = int(rng.integers(1, 10)), str(rng.choice(["gini", "sqrt", "entropy"]))
    clf = TreeClassifier(size, procedure=procedure, index=index, overgrow=3).fit(table, labels)
    certificate = clf.certificate_
    error = errors(clf, table, labels) / n
    plain = TreeClassifier(size, procedure=procedure, index=index).fit(table, labels)
    assert errors(clf, table, labels) <= errors(plain, table, labels)
    kept = certificate if certificate.pruned is None else certificate.pruned
    assert kept.training_error == pytest.approx(error)
    assert clf._model.kept.n_leaves <= size
    assert error <= certificate.training_error + 1e-12
    if certificate.covered:
        assert error <= certificate.error_bound + 1e-9
    assert verify(clf, table, labels).ok


def test_overgrowing_keeps_the_smaller_run_if_it_has_fewer_errors():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(list("abcdefgh"), 200), "b": rng.choice(list("xy"), 200)})
    noise = rng.random(200) < 0.3
    labels = ((frame.a < "e") ^ noise ^ ((frame.b == "x") & (rng.random(200) < 0.4))).astype(int)
    plain, over = (
        TreeClassifier(6, procedure="per-leaf", families=("values",), overgrow=o).fit(frame, labels)
        for o in (1, 4)
    )
    assert over.tree_ == plain.tree_
    assert over.certificate_.pruned is None
    assert verify(over, frame, labels)


def test_cross_validation_chooses_a_size_and_encodes_once(monkeypatch):
    calls = []
    grow = growing.grow

    def counted(coded, *rest):
        calls.append(coded)
        return grow(coded, *rest)

    monkeypatch.setattr(growing, "grow", counted)
    clf = TreeClassifier("cv", random_state=0).fit(X, y)
    assert len(calls) == 1 + 5
    assert all(coded.schema is calls[0].schema for coded in calls)
    assert sum(coded.n_rows for coded in calls[1:]) == 4 * len(y)
    assert 1 < clf.n_leaves_ < clf._model.grown.n_leaves
    assert "by cross-validation" in " ".join(str(clf.certificate_).split())
    again = TreeClassifier("cv", random_state=0).fit(X, y)
    assert again.tree_ == clf.tree_


def test_cross_validation_by_gain_per_leaf_is_that_of_the_error_budget():
    clf = TreeClassifier("cv", procedure="per-leaf", random_state=0).fit(X, y)
    pruner = ErrorBudget("cv")
    same = TreeClassifier(None, procedure="per-leaf", pruner=pruner, random_state=0).fit(X, y)
    assert same.tree_ == clf.tree_  # this table is pure below 1,024 leaves


def test_cost_complexity_can_be_cross_validated():
    clf = TreeClassifier(None, pruner=CostComplexity(select="cv"), random_state=0).fit(X, y)
    assert 1 < clf.n_leaves_ < clf._model.grown.n_leaves


def test_many_small_classes_are_held_out_by_largest_remainder():
    labels = np.repeat(np.arange(100), 5)
    for fraction in (0.1, 0.3):
        clf = TreeClassifier(None, pruner=ReducedError(fraction), random_state=0)
        clf.fit(np.arange(500.0)[:, None], labels)
        assert len(clf.held_out_) == round(fraction * 500)


BAD = [
    ({"pruner": "best"}, "pruner must be one of reduced-error, conservative"),
    ({"pruner": 3}, "pruner must be one of"),
    ({"overgrow": 0.5}, "overgrow must be a number of at least 1"),
    ({"overgrow": np.nan}, "overgrow must be a number"),
    ({"overgrow": True}, "overgrow must be a number"),
    ({"overgrow": 2, "max_leaves": None}, "overgrow needs a number for max_leaves, got None"),
    ({"overgrow": 2, "pruner": "chi-square"}, "set only one of them"),
    ({"overgrow": 2, "max_leaves": "cv"}, "set only one of them"),
    ({"max_leaves": "cv", "pruner": "chi-square"}, "set only one of them"),
    ({"max_leaves": "many"}, "an integer of at least 1, None or 'cv', got 'many'"),
    ({"overgrow": 2, "procedure": "hatano"}, "overgrow cannot be combined with 'hatano'"),
    (
        {"overgrow": 2, "procedure": "mansour-mcallester", "gamma": 0.1},
        "overgrow cannot be combined with 'mansour-mcallester'",
    ),
    ({"pruner": ReducedError(0.001)}, "leaves no row to hold out"),
]


@pytest.mark.parametrize(("parameters", "message"), BAD)
def test_conflicting_parameters_are_rejected(parameters, message):
    with pytest.raises(ParameterError, match=message):
        TreeClassifier(**parameters).fit(X[:100], y[:100])


def test_overgrown_number_of_leaves_is_rounded_up():
    clf = TreeClassifier(3, procedure="per-leaf", overgrow=1.1).fit(X, y)
    assert clf._model.grown.n_leaves == ceil(3.3)


@pytest.mark.parametrize(("n_rows", "pools"), [(569, 1), (200, 0)])  # of 30 columns
def test_folds_of_large_tables_are_grown_on_threads_and_learn_the_same(monkeypatch, n_rows, pools):
    opened = []

    def pool(threads):
        opened.append(threads)
        return ThreadPool(threads)

    monkeypatch.setattr(cross_fitting, "ThreadPool", pool)
    learned = [
        TreeClassifier(8, n_jobs=jobs).fit(X[:n_rows], y[:n_rows])._model.honesty for jobs in (1, 2)
    ]
    assert learned[0] == learned[1]
    assert len(opened) == pools
