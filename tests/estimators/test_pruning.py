"""Pruning as people use it: in fit, on a fitted classifier, along the path."""

import pickle
from math import ceil

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.model_selection import GridSearchCV, train_test_split

import polytomy
from polytomy import ParameterError, TreeClassifier, verify
from polytomy.estimators import _pruning
from polytomy.prune import (
    PRUNERS,
    ChiSquare,
    Conservative,
    CostComplexity,
    ErrorBudget,
    Pessimistic,
    ReducedError,
)

X, y = load_breast_cancer(return_X_y=True)
X_grow, X_val, y_grow, y_val = train_test_split(X, y, random_state=0)


def errors(clf, X, y):
    return float((clf.predict(X) != y).sum())


@pytest.fixture(scope="module")
def full():
    return TreeClassifier(max_leaves=None).fit(X_grow, y_grow)


@pytest.mark.parametrize("name", sorted(PRUNERS))
@pytest.mark.parametrize("contracts", [True, False])
def test_every_pruner_works_in_fit_and_what_it_leaves_is_verified(name, contracts):
    clf = TreeClassifier(None, pruner=name, random_state=0, contract=contracts).fit(X, y)
    whole = clf._model.grown.n_leaves
    assert 1 <= clf.n_leaves_ <= whole
    assert clf._model.kept.n_leaves < whole
    report = verify(clf, X, y)
    assert report.ok, str(report)
    assert f"pruned to {clf._model.kept.n_leaves} lea" in str(clf.certificate_)
    assert f"by {name}" in str(clf.certificate_)
    assert clf.certificate_.leaves == whole
    assert clf.certificate_.generalization().leaves == clf._model.kept.n_leaves
    assert clf.feature_importances_.sum() == pytest.approx(1)
    assert pickle.loads(pickle.dumps(clf)).tree_ == clf.tree_


@pytest.mark.parametrize("name", sorted(PRUNERS))
def test_every_pruner_prunes_a_fitted_classifier_and_leaves_it_alone(full, name):
    before = full.tree_
    pruned = full.prune(name, X_val, y_val)
    assert type(pruned) is TreeClassifier
    assert pruned is not full
    assert full.tree_ is before
    assert pruned.n_leaves_ < full.n_leaves_
    assert pruned.prune(name, X_val, y_val).tree_ == pruned.tree_  # from the grown tree again
    assert pruned._model.grown is full._model.grown


def test_rows_kept_back_are_drawn_by_class_with_the_seed():
    a, b, c = (TreeClassifier(None, pruner="reduced-error", random_state=s) for s in (0, 0, 1))
    for clf in (a, b, c):
        clf.fit(X, y)
    assert a.tree_ == b.tree_
    assert not np.array_equal(a.held_out_, c.held_out_)
    assert int(a._model.grown.rows[0]) == len(y) - len(a.held_out_)
    share = np.bincount(y[a.held_out_]) / np.bincount(y)
    np.testing.assert_allclose(share, 0.3, atol=0.01)


def test_a_class_of_one_row_stays_to_grow_on():
    labels = np.array([0] * 20 + [1] * 20 + [2])
    clf = TreeClassifier(None, pruner=ReducedError(0.5), random_state=0)
    clf.fit(np.arange(41.0)[:, None], labels)
    assert clf.classes_.tolist() == [0, 1, 2]
    assert 40 not in clf.held_out_


def test_reduced_error_takes_the_fewestheld_out__errors_of_the_path(full):
    pruned = full.prune(ReducedError(), X_val, y_val)
    path = full.pruning_path(X_val, y_val)
    assert errors(pruned, X_val, y_val) <= path.validation_errors.min()


def test_raising_needs_the_training_rows(full):
    with pytest.raises(ParameterError, match="training rows for raising"):
        full.prune(ReducedError(raising=True), X_val, y_val)
    raised = full.prune(ReducedError(raising=True), X_val, y_val, X=X_grow, y=y_grow)
    plain = full.prune(ReducedError(), X_val, y_val)
    assert errors(raised, X_val, y_val) <= errors(plain, X_val, y_val)
    clf = TreeClassifier(None, pruner=Pessimistic(raising=True)).fit(X, y)
    assert verify(clf, X, y).ok


@pytest.mark.parametrize(
    "pruner",
    [
        ChiSquare(0.01),
        Conservative(scale=0.1),
        ErrorBudget("srm"),
        ErrorBudget(5),
        CostComplexity(0.01),
        Pessimistic(),
    ],
)
def test_weights_are_case_counts(pruner):
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = TreeClassifier(None, pruner=pruner).fit(X, y, weights)
    repeated = TreeClassifier(None, pruner=pruner)
    repeated.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    # bins of repeated rows are those of weighted ones, so the whole runs agree
    np.testing.assert_array_equal(weighted.tree_.counts, repeated.tree_.counts)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_contraction_is_redone_after_pruning(full):
    pruned = full.prune(ErrorBudget(6))
    plain = clone(full).set_params(contract=False).fit(X_grow, y_grow).prune(ErrorBudget(6))
    assert pruned.n_leaves_ <= plain.n_leaves_ == 6
    np.testing.assert_array_equal(pruned.predict(X), plain.predict(X))


def test_the_path_says_what_its_trees_do(full):
    path = full.pruning_path(X_val, y_val)
    assert path.sizes[0] == 1
    assert (np.diff(path.sizes) > 0).all()
    assert (np.diff(path.training_errors) < 0).all()
    for i in range(0, len(path), 3):
        tree = path.at(int(path.sizes[i]))
        assert tree._model.kept.n_leaves == path.sizes[i]
        assert errors(tree, X_grow, y_grow) == path.training_errors[i]
        assert errors(tree, X_val, y_val) == path.validation_errors[i]
    rate = path.training_errors / len(y_grow)
    np.testing.assert_allclose(path.srm_scores, rate + np.sqrt(path.sizes / len(y_grow)))


def test_the_path_selects(full):
    path = full.pruning_path(X_val, y_val)
    best = path.select("holdout")
    assert errors(best, X_val, y_val) == path.validation_errors.min()
    assert path.select("srm")._model.kept.n_leaves == path.sizes[np.argmin(path.srm_scores)]
    few = path.for_errors(12)
    assert errors(few, X_grow, y_grow) <= 12
    at = list(path.sizes).index(few._model.kept.n_leaves)
    assert path.training_errors[at - 1] > 12
    by_cv = path.select("cv", X_grow, y_grow)
    assert by_cv._model.kept.n_leaves in path.sizes
    with pytest.raises(ParameterError, match="needs the training rows: pass X and y"):
        path.select("cv")
    with pytest.raises(ParameterError, match="'holdout', 'srm' or 'cv', got 'aic'"):
        path.select("aic")
    with pytest.raises(ParameterError, match="of at least 0, got -1"):
        path.for_errors(-1)
    with pytest.raises(ParameterError, match="a larger max_size may have fewer"):
        full.pruning_path(max_size=3).for_errors(0)


def test_the_path_prints_and_makes_a_frame(full):
    path = full.pruning_path(X_val, y_val)
    text = str(path)
    assert "<- srm" in text
    assert "holdout" in text
    frame = path.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["leaves"].tolist() == path.sizes.tolist()
    assert frame["validation_errors"].tolist() == path.validation_errors.tolist()
    assert "held-out" not in str(full.pruning_path())
    assert full.pruning_path(max_size=5).sizes[-1] <= 5


def test_one_leaf_has_a_path_too():
    clf = TreeClassifier(1).fit(X, y)
    path = clf.pruning_path()
    assert path.sizes.tolist() == [1]
    assert path.select("srm").n_leaves_ == 1
    assert "1" in str(path)


@pytest.mark.parametrize("procedure", ["per-leaf", "kearns-mansour"])
def test_overgrowing_errs_no_more_and_keeps_the_error_bound(procedure):
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
def test_overgrown_trees_keep_the_error_bound_where_they_are_covered(seed):
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


def test_where_a_wide_question_misleads_the_larger_run_the_smaller_is_kept():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(list("abcdefgh"), 200), "b": rng.choice(list("xy"), 200)})
    noise = rng.random(200) < 0.3
    labels = ((frame.a < "e") ^ noise ^ ((frame.b == "x") & (rng.random(200) < 0.4))).astype(int)
    plain, over = (
        TreeClassifier(6, families=("values",), overgrow=o).fit(frame, labels) for o in (1, 4)
    )
    assert over.tree_ == plain.tree_
    assert over.certificate_.pruned is None
    assert verify(over, frame, labels)


def test_cross_validation_chooses_a_size_and_encodes_once(monkeypatch):
    calls = []
    grow = _pruning.grow

    def counted(coded, *rest):
        calls.append(coded)
        return grow(coded, *rest)

    monkeypatch.setattr(_pruning, "grow", counted)
    clf = TreeClassifier("cv", random_state=0).fit(X, y)
    assert len(calls) == 1 + 5
    assert all(coded.schema is calls[0].schema for coded in calls)
    assert sum(coded.n_rows for coded in calls[1:]) == 4 * len(y)
    assert 1 < clf.n_leaves_ < clf._model.grown.n_leaves
    assert "by cross-validation" in str(clf.certificate_)
    again = TreeClassifier("cv", random_state=0).fit(X, y)
    assert again.tree_ == clf.tree_
    same = TreeClassifier(None, pruner=ErrorBudget("cv"), random_state=0).fit(X, y)
    assert same.tree_ == clf.tree_  # this table is pure below 1,024 leaves


def test_cost_complexity_by_cross_validation():
    clf = TreeClassifier(None, pruner=CostComplexity(select="cv"), random_state=0).fit(X, y)
    assert 1 < clf.n_leaves_ < clf._model.grown.n_leaves


def test_pruners_in_a_search():
    search = GridSearchCV(
        TreeClassifier(None, random_state=0),
        {"pruner": [None, "chi-square", ChiSquare(0.001), Conservative(scale=0.2)]},
        cv=3,
    ).fit(X, y)
    assert search.best_estimator_.n_leaves_ > 1


def test_chance_is_shown_for_every_question():
    clf = TreeClassifier(None, contract=False).fit(*load_iris(return_X_y=True))
    text = clf.to_text(p_chance=True)
    tree = clf.tree_
    assert text.count("p_chance") == tree.n_nodes - tree.n_leaves
    assert "rough" in text
    assert "p_chance" not in clf.to_text()
    node = int(np.flatnonzero((tree.kind > 0) & (tree.depth > 0))[-1])
    table = tree.counts[tree.children(node)]
    expected = chi2_contingency(table[:, table.sum(axis=0) > 0], correction=False).pvalue
    assert f"p_chance {expected:.4f}" in text


def test_held_out_rows_weigh_as_in_fit():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(600, 4))
    labels = ((table[:, 0] > 1) ^ (rng.random(600) < 0.08)).astype(int)
    weight = rng.integers(0, 4, 600)
    for weights in (None, weight):
        clf = TreeClassifier(None, class_weight={0: 1, 1: 20}, random_state=0)
        inside = clf.set_params(pruner="reduced-error").fit(table, labels, weights)
        held = inside.held_out_
        rest = np.setdiff1d(np.arange(600), held)
        on_rest, on_held = (None if weights is None else weights[r] for r in (rest, held))
        grown = clone(clf).set_params(pruner=None).fit(table[rest], labels[rest], on_rest)
        after = grown.prune("reduced-error", table[held], labels[held], sample_weight_val=on_held)
        assert after.tree_ == inside.tree_


def test_training_rows_must_be_those_of_fit(full):
    with pytest.raises(ParameterError, match="X and y must be the rows passed to fit"):
        full.prune(Pessimistic(raising=True), X=X_grow[:50], y=y_grow[:50])
    with pytest.raises(ParameterError, match="X and y must be the rows passed to fit"):
        full.prune(Pessimistic(raising=True), X=X_grow, y=1 - y_grow)
    with pytest.raises(ParameterError, match="need both X and y"):
        full.prune("chi-square", sample_weight=np.ones(len(y_grow)))
    held = TreeClassifier(None, pruner="reduced-error", random_state=0).fit(X, y)
    again = held.prune(Pessimistic(raising=True), X=X, y=y)  # without the rows held out
    assert again.tree_.rows[0] == len(y) - len(held.held_out_)
    assert verify(again, X, y)


def test_a_path_stays_with_what_it_was_made_of():
    clf = TreeClassifier(None).fit(X_grow, y_grow)
    path = clf.pruning_path(X_val, y_val)
    three = path.at(3).tree_
    copied = pickle.loads(pickle.dumps(path))
    clf.fit(X_val, y_val)
    assert path.at(3).tree_ == three == copied.at(3).tree_
    np.testing.assert_array_equal(copied.validation_errors, path.validation_errors)
    assert repr(path).startswith("<pruning path of ")


def test_equal_errors_are_equal_whatever_the_weights():
    tied = TreeClassifier(class_weight="balanced").fit(np.zeros((10, 1)), [0] * 3 + [1] * 7)
    assert tied.predict([[0.0]]).tolist() == [0]
    table, labels = np.arange(11.0)[:, None], [1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1]
    weights = [0.1, 0.1, 0.1, 0.1, 0.3, 0.1, 0.4, 0.3, 0.2, 0.7, 0.5]
    path = TreeClassifier(None).fit(table, labels, weights).pruning_path()
    np.testing.assert_allclose(path.training_errors, [0.6, 0.5, 0.3, 0.1, 0])
    sizes = [
        TreeClassifier(None, pruner="cost-complexity", random_state=0)
        .fit(X, y, None if w is None else np.full(len(y), w))
        .n_leaves_
        for w in (None, 0.1, 0.5)
    ]
    assert len(set(sizes)) == 1


def test_many_small_classes_are_held_out_by_largest_remainder():
    labels = np.repeat(np.arange(100), 5)
    for fraction in (0.1, 0.3):
        clf = TreeClassifier(None, pruner=ReducedError(fraction), random_state=0)
        clf.fit(np.arange(500.0)[:, None], labels)
        assert len(clf.held_out_) == round(fraction * 500)


def test_the_root_stands_for_every_price_above_its_own():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(60, 4))
    labels = ((table[:, 0] > 0) ^ (rng.random(60) < 0.15)).astype(int)
    clf = TreeClassifier(None, random_state=1).fit(table, labels)
    assert clf.prune(CostComplexity(select="cv"), X=table, y=labels).n_leaves_ == 2


BAD = [
    ({"pruner": "best"}, "pruner must be one of reduced-error, conservative"),
    ({"pruner": 3}, "pruner must be one of"),
    ({"overgrow": 0.5}, "overgrow must be a number of at least 1"),
    ({"overgrow": np.nan}, "overgrow must be a number"),
    ({"overgrow": True}, "overgrow must be a number"),
    ({"overgrow": 2, "max_leaves": None}, "overgrow needs a number for max_leaves, got None"),
    ({"overgrow": 2, "pruner": "chi-square"}, "give one of them"),
    ({"overgrow": 2, "max_leaves": "cv"}, "give one of them"),
    ({"max_leaves": "cv", "pruner": "chi-square"}, "give one of them"),
    ({"max_leaves": "many"}, "an integer of at least 1, None or 'cv', got 'many'"),
    ({"overgrow": 2, "procedure": "hatano"}, "overgrow does not go with 'hatano'"),
    (
        {"overgrow": 2, "procedure": "mansour-mcallester", "gamma": 0.1},
        "overgrow does not go with 'mansour-mcallester'",
    ),
    ({"pruner": ReducedError(0.001)}, "holds out none"),
]


@pytest.mark.parametrize(("parameters", "sentence"), BAD)
def test_what_means_nothing_is_refused(parameters, sentence):
    with pytest.raises(ParameterError, match=sentence):
        TreeClassifier(**parameters).fit(X[:100], y[:100])


def test_rows_that_do_not_fit_are_refused(full):
    with pytest.raises(ParameterError, match="pass X_val and y_val, or set"):
        full.prune("reduced-error")
    with pytest.raises(ParameterError, match="both X_val and y_val"):
        full.pruning_path(X_val)
    with pytest.raises(ParameterError, match="classes the tree was not grown on"):
        full.pruning_path(X_val, y_val + 7)
    with pytest.raises(ValueError, match="features"):
        full.pruning_path(X_val[:, :3], y_val)
    with pytest.raises(ParameterError, match="10 rows cannot make 20 folds to choose by"):
        TreeClassifier(None, pruner=ErrorBudget("cv", folds=20)).fit(X[:10], y[:10])


def test_the_budget_of_an_overgrown_run_is_rounded_up():
    clf = TreeClassifier(3, overgrow=1.1).fit(X, y)
    assert clf._model.grown.n_leaves == ceil(3.3)


def test_prune_is_a_public_module():
    assert polytomy.prune.ChiSquare is ChiSquare
