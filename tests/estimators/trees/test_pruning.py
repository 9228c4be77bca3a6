"""Pruning in ``fit``, of a fitted classifier, and along the pruning path."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, train_test_split

import polytomy
from polytomy import ParameterError, TargetError, TreeClassifier, verify
from polytomy.prune import (
    PRUNERS,
    ChiSquare,
    Conservative,
    CostComplexity,
    ErrorBudget,
    Pessimistic,
    ReducedError,
    adjusted_p_chance,
    p_chance,
)

X, y = load_breast_cancer(return_X_y=True)
X_grow, X_val, y_grow, y_val = train_test_split(X, y, random_state=0)


def errors(clf, X, y):
    return float((clf.predict(X) != y).sum())


@pytest.fixture(scope="module")
def full():
    return TreeClassifier(max_leaves=None, max_bins=255).fit(X_grow, y_grow)


@pytest.mark.parametrize("name", sorted(PRUNERS))
@pytest.mark.parametrize("contracts", [True, False])
def test_every_pruner_in_fit_gives_a_verified_tree(name, contracts):
    params = {"pruner": name, "random_state": 0, "contract": contracts, "max_bins": 255}
    clf = TreeClassifier(None, **params).fit(X, y)
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
def test_every_pruner_returns_a_new_classifier(full, name):
    before = full.tree_
    pruned = full.prune(name, X_val, y_val)
    assert type(pruned) is TreeClassifier
    assert pruned is not full
    assert full.tree_ is before
    assert pruned.n_leaves_ < full.n_leaves_
    assert pruned.prune(name, X_val, y_val).tree_ == pruned.tree_  # from the grown tree again
    assert pruned._model.grown is full._model.grown


def test_reduced_error_has_at_most_the_held_out_errors_of_the_path(full):
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
def test_pruners_read_weights_as_case_counts(pruner):
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = TreeClassifier(None, pruner=pruner).fit(X, y, weights)
    repeated = TreeClassifier(None, pruner=pruner)
    repeated.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    # bins of repeated rows are those of weighted ones, so the whole runs agree
    np.testing.assert_array_equal(weighted.tree_.counts, repeated.tree_.counts)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_pruned_trees_are_contracted_again(full):
    pruned = full.prune(ErrorBudget(6))
    plain = clone(full).set_params(contract=False).fit(X_grow, y_grow).prune(ErrorBudget(6))
    assert pruned.n_leaves_ <= plain.n_leaves_ == 6
    np.testing.assert_array_equal(pruned.predict(X), plain.predict(X))


def test_path_by_nodes_limits_the_nodes_of_its_trees(full):
    full = clone(full).set_params(contract=False, random_state=0).fit(X_grow, y_grow)
    path = full.pruning_path(X_val, y_val, size="nodes")
    assert (path.size, repr(path)[-6:]) == ("nodes", "nodes>")
    assert str(path).split()[0] == "nodes"
    assert "nodes" in path.to_frame()
    for k in (1, 2, 9, 20):
        assert path.at(k)._model.kept.n_nodes <= k
    by_srm = full.prune(ErrorBudget("srm", size="nodes"))
    assert path.select("srm")._model.kept == by_srm._model.kept
    chosen = path.select("cv", X_grow, y_grow)._model.kept
    assert path.facts(X_grow, y_grow)["choices"]["cv"] == chosen.n_nodes
    with pytest.raises(ParameterError, match="prices are those of leaves"):
        full.pruning_path(size="nodes", merge=True)
    fitted = TreeClassifier(None, pruner=ErrorBudget("cv", size="nodes"), random_state=0).fit(X, y)
    assert verify(fitted, X, y).ok


def test_path_states_the_errors_of_its_trees(full):
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


def test_path_selects_by_every_criterion(full):
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


def test_path_can_be_printed_and_converted_to_a_frame(full):
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


def test_path_of_one_leaf_has_one_size():
    clf = TreeClassifier(1, procedure="per-leaf").fit(X, y)
    path = clf.pruning_path()
    assert path.sizes.tolist() == [1]
    assert path.select("srm").n_leaves_ == 1
    assert "1" in str(path)


def test_pruners_work_in_a_grid_search():
    search = GridSearchCV(
        TreeClassifier(None, random_state=0),
        {"pruner": [None, "chi-square", ChiSquare(0.001), Conservative(scale=0.2)]},
        cv=3,
    ).fit(X, y)
    assert search.best_estimator_.n_leaves_ > 1


def test_to_text_shows_the_p_value_of_every_split():
    clf = TreeClassifier(None, contract=False).fit(*load_iris(return_X_y=True))
    text = clf.to_text(p_chance=True)
    tree = clf.tree_
    assert text.count("p_chance") == tree.n_nodes - tree.n_leaves
    assert "rough" in text
    assert "p_chance" not in clf.to_text()
    node = int(np.flatnonzero((tree.kind > 0) & (tree.depth > 0))[-1])
    table = tree.counts[tree.children(node)]
    expected = chi2_contingency(table[:, table.sum(axis=0) > 0], correction=False).pvalue
    adjusted = adjusted_p_chance(tree, clf._model.schema).p[node]
    assert 0.0001 < expected < adjusted
    assert f"(p_chance {adjusted:.4f}, alone {expected:.4f}, rough)" in text


def test_to_text_shows_one_p_value_where_there_was_no_choice():
    table, labels = [[0], [1]] * 20, [0] * 15 + [1, 0] * 3 + [1] * 19
    clf = TreeClassifier(2, procedure="per-leaf").fit(table, labels)
    p = p_chance(clf.tree_).p[0]
    assert f"(p_chance {p:.4f})" in clf.to_text(p_chance=True)


def test_adjusted_p_values_prune_more():
    plain = TreeClassifier(None, pruner=ChiSquare()).fit(X, y)
    adjusted = TreeClassifier(None, pruner=ChiSquare(adjusted=True)).fit(X, y)
    assert 1 < adjusted.n_leaves_ < plain.n_leaves_
    assert TreeClassifier(None).fit(X, y).prune(ChiSquare(adjusted=True)).n_leaves_ == (
        adjusted.n_leaves_
    )


def test_held_out_rows_are_weighted_as_in_fit():
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


def test_prune_rejects_other_training_rows_than_those_of_fit(full):
    with pytest.raises(ParameterError, match="X and y must be the rows passed to fit"):
        full.prune(Pessimistic(raising=True), X=X_grow[:50], y=y_grow[:50])
    with pytest.raises(ParameterError, match="X and y must be the rows passed to fit"):
        full.prune(Pessimistic(raising=True), X=X_grow, y=1 - y_grow)
    with pytest.raises(ParameterError, match="pass X and y together"):
        full.prune("chi-square", sample_weight=np.ones(len(y_grow)))
    held = TreeClassifier(None, pruner="reduced-error", random_state=0).fit(X, y)
    again = held.prune(Pessimistic(raising=True), X=X, y=y)  # without the rows held out
    assert again.tree_.rows[0] == len(y) - len(held.held_out_)
    assert verify(again, X, y)


def test_path_does_not_change_if_the_classifier_is_fitted_again():
    clf = TreeClassifier(None).fit(X_grow, y_grow)
    path = clf.pruning_path(X_val, y_val)
    three = path.at(3).tree_
    copied = pickle.loads(pickle.dumps(path))
    clf.fit(X_val, y_val)
    assert path.at(3).tree_ == three == copied.at(3).tree_
    np.testing.assert_array_equal(copied.validation_errors, path.validation_errors)
    assert repr(path).startswith("<pruning path of ")


def test_ties_of_errors_do_not_depend_on_the_weights():
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


def test_cross_validated_cost_complexity_considers_the_root():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(60, 4))
    labels = ((table[:, 0] > 0) ^ (rng.random(60) < 0.15)).astype(int)
    clf = TreeClassifier(None, random_state=1).fit(table, labels)
    assert clf.prune(CostComplexity(select="cv"), X=table, y=labels).n_leaves_ == 2


def test_bad_held_out_rows_are_rejected(full):
    with pytest.raises(ParameterError, match="pass X_val and y_val, or set"):
        full.prune("reduced-error")
    with pytest.raises(ParameterError, match="pass X_val and y_val together"):
        full.pruning_path(X_val)
    with pytest.raises(TargetError, match="classes that the model was not fitted on"):
        full.pruning_path(X_val, y_val + 7)
    with pytest.raises(ValueError, match="features"):
        full.pruning_path(X_val[:, :3], y_val)
    with pytest.raises(ParameterError, match="20 folds need at least 20 rows, got 10"):
        TreeClassifier(None, pruner=ErrorBudget("cv", folds=20)).fit(X[:10], y[:10])


def test_prune_is_a_public_module():
    assert polytomy.prune.ChiSquare is ChiSquare


@pytest.mark.parametrize(("merge", "question_price"), [(True, 0.1), (True, 1.0), (False, 0.1)])
def test_certificates_of_priced_prunings_state_only_what_holds(merge, question_price):
    # The run's own tree of a size may be cheaper than a pruning of exactly that size, or than one
    # without merged branches.
    clf = TreeClassifier(max_leaves=None, honest=False).fit(X_grow, y_grow)
    path = clf.pruning_path(merge=merge, question_price=question_price)
    prunings = [path.at(k) for k in range(1, 25)]
    prunings += [path.for_errors(most) for most in path.training_errors]
    claims = [pruning.certificate_.kept_error_bound for pruning in prunings]
    for pruning, claim in zip(prunings, claims, strict=True):
        assert claim is None or 1 - pruning.score(X_grow, y_grow) <= claim + 1e-9
        assert verify(pruning, X_grow, y_grow).ok
    assert any(claim is None for claim in claims)
    assert any(claim is not None for claim in claims)


def test_certificate_says_which_tree_each_error_is_of():
    X, y = load_breast_cancer(return_X_y=True)
    clf = TreeClassifier(5, procedure="per-leaf", overgrow=4.0, honest=False).fit(X[:, :3], y)
    certificate = clf.certificate_
    text = str(certificate)
    grown, kept = certificate.training_error, certificate.pruned.training_error
    assert kept == pytest.approx(np.mean(clf.predict(X[:, :3]) != y))
    assert grown > kept
    assert f"training error, 5 leaves as grown    {grown:.4f}" in text
    assert f"training error, 5 leaves kept        {kept:.4f}" in text
    names = [name for name, *_ in clf.report_facts(X[:, :3], y)["certificate"]["figures"]]
    assert names[-2:] == ["training error, 5 leaves as grown", "training error, 5 leaves kept"]
    plain = str(TreeClassifier(5, procedure="per-leaf").fit(X[:, :3], y).certificate_)
    assert "  training error    " in plain
