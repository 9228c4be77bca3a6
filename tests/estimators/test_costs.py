"""Trees of a cost matrix: growing, labels, pruning, files, reports and edits."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import polytomy
from polytomy import ParameterError, TreeClassifier
from polytomy.estimators.trees.remote import remote_costs
from polytomy.prune import ChiSquare
from tests.naive.costs import cheapest, mean_cost
from tests.report.tree_facts_schema import check_facts

CLASSES_ALIKE = [[0, 3, 3], [1, 0, 1], [7, 7, 0]]  # costs depend on the true class alone
GENERAL = [[0, 1, 10], [2, 0, 1], [30, 3, 0]]
WAYS = (
    {},
    {"max_leaves": 5},
    {"procedure": "per-leaf", "max_leaves": 9},
    {"procedure": "hatano", "max_leaves": 6},
    {"procedure": "per-leaf", "max_leaves": 5, "overgrow": 3},
    {"procedure": "per-leaf", "pruner": "reduced-error", "random_state": 0},
    {"max_leaves": "cv", "random_state": 0, "honest": False},
)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.array(["sick", "well"])[y]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_costs_of_true_classes_grow_the_tree_of_class_weights(wine, way):
    X, y = wine
    matrix = np.array(CLASSES_ALIKE, dtype=float)
    rows = np.bincount(y)
    weights = matrix.max(axis=1)
    weights = weights * rows.sum() / (weights @ rows)
    with_costs = TreeClassifier(cost_matrix=matrix, **way).fit(X, y)
    with_weights = TreeClassifier(class_weight=dict(enumerate(weights)), **way).fit(X, y)
    assert with_costs.tree_ == with_weights.tree_
    assert np.array_equal(with_costs.predict_proba(X), with_weights.predict_proba(X))


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_sizes_of_costs_do_not_matter(wine, way):
    X, y = wine
    one = TreeClassifier(cost_matrix=np.array(GENERAL), **way).fit(X, y)
    other = TreeClassifier(cost_matrix=np.array(GENERAL) * 1000.0, **way).fit(X, y)
    assert np.array_equal(one.predict(X), other.predict(X))
    assert other.cost(X, y) == pytest.approx(1000 * one.cost(X, y))


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("matrix", [CLASSES_ALIKE, GENERAL, [[1, 2, 3], [0, 0, 5], [4, 4, 2]]])
def test_leaves_predict_the_cheapest_class_of_their_rows(wine, way, matrix):
    X, y = wine
    clf = TreeClassifier(cost_matrix=matrix, **way).fit(X, y)
    leaf, said = clf.apply(X), clf.predict(X)
    grown_on = np.setdiff1d(np.arange(len(y)), [] if clf.held_out_ is None else clf.held_out_)
    for node in np.unique(leaf):
        here = y[grown_on][leaf[grown_on] == node]
        assert (said[leaf == node] == cheapest(np.bincount(here, minlength=3), matrix)).all()
    assert clf.cost(X, y) == pytest.approx(mean_cost(y, said, matrix))
    cost = mean_cost(y[grown_on], said[grown_on], matrix)
    assert clf._model.training_cost == pytest.approx(cost)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("matrix", [GENERAL, [[0, 0, 5], [1, 0, 1], [0, 9, 0]]])
def test_certificate_bounds_the_cost_and_is_verified(wine, way, matrix):
    X, y = wine
    clf = TreeClassifier(cost_matrix=matrix, **way).fit(X, y)
    report = polytomy.verify(clf, X, y)
    assert report.ok, str(report)
    costs, tree = clf._model.costs, clf.tree_
    index = clf._model.run.index.value(tree.counts[tree.leaves()]).sum()
    assert clf._model.training_cost <= index / 2 / costs.scale / tree.weight[0] + 1e-9
    assert "errors are fractions of the largest possible cost" in str(clf.certificate_)


def test_verify_finds_labels_that_cost_more(wine):
    X, y = wine
    clf = TreeClassifier(max_leaves=4, cost_matrix=GENERAL).fit(X, y)
    clf._model.tree.label[clf.tree_.leaves()[0]] = 1  # it predicts 0
    findings = [str(finding) for finding in polytomy.verify(clf, X, y).findings]
    assert any("class 1 costs" in finding for finding in findings)


def test_without_costs_the_cost_is_the_error(wine):
    X, y = wine
    clf = TreeClassifier(max_leaves=3).fit(X, y)
    assert clf.cost(X, y) == pytest.approx(1 - clf.score(X, y))


def test_equal_costs_grow_the_tree_without_costs(wine):
    X, y = wine
    plain = TreeClassifier().fit(X, y)
    same = TreeClassifier(cost_matrix={}).fit(X, y)
    assert np.array_equal(plain.tree_.threshold, same.tree_.threshold)
    assert np.array_equal(plain.predict(X), same.predict(X))
    assert np.allclose(plain.predict_proba(X), same.predict_proba(X))


def test_probabilities_are_shares_of_rows(tumours):
    X, y = tumours
    clf = TreeClassifier(6, cost_matrix={("sick", "well"): 20}, honest=False).fit(X, y)
    leaf = clf.apply(X)
    for node in np.unique(leaf):
        share = np.mean(y[leaf == node] == "sick")
        np.testing.assert_allclose(clf.predict_proba(X)[leaf == node, 0], share)


def test_class_weights_multiply_costs(wine):
    X, y = wine
    both = TreeClassifier(
        4, procedure="per-leaf", cost_matrix=GENERAL, class_weight={0: 5, 1: 1, 2: 2}
    ).fit(X, y)
    weights = np.array([5, 1, 2])[y]
    rows = TreeClassifier(4, procedure="per-leaf", cost_matrix=GENERAL).fit(X, y, weights)
    assert np.array_equal(both.predict(X), rows.predict(X))
    assert polytomy.verify(both, X, y).ok


def test_cost_of_weighted_rows_counts_them(tumours):
    X, y = tumours
    clf = TreeClassifier(3, cost_matrix={("sick", "well"): 20}).fit(X, y)
    twice = np.repeat(np.arange(len(y)), 1 + (y == "sick"))
    weights = 1.0 + (y == "sick")
    assert clf.cost(X, y, weights) == pytest.approx(clf.cost(X[twice], y[twice]))


@pytest.mark.parametrize("effort", ["balanced", "thorough"])
def test_effort_finds_trees_by_costs(wine, effort):
    X, y = wine
    clf = TreeClassifier(6, cost_matrix=GENERAL, effort=effort).fit(X, y)
    assert clf.tree_.costs is not None
    assert clf.cost(X, y) == pytest.approx(mean_cost(y, clf.predict(X), GENERAL))


def test_chi_square_tests_cases(tumours):
    X, y = tumours
    plain = TreeClassifier(20, procedure="per-leaf").fit(X, y)
    # Costs of 1 and 1 + 1e-9 grow the same tree, but its counts are not whole numbers.
    clf = TreeClassifier(20, procedure="per-leaf", cost_matrix={("sick", "well"): 1 + 1e-9})
    clf.fit(X, y)
    pruner = ChiSquare(1e-4)
    assert clf.prune(pruner).n_leaves_ == plain.prune(pruner).n_leaves_ < 20
    dear = TreeClassifier(20, procedure="per-leaf", cost_matrix={("sick", "well"): 1e6}).fit(X, y)
    cases = dear._model.case_counts
    assert np.allclose(cases, np.rint(cases))


@pytest.mark.parametrize("pruner", ["pessimistic", "conservative"])
def test_pruners_of_error_rates_are_refused(tumours, pruner):
    X, y = tumours
    clf = TreeClassifier(pruner=pruner, procedure="per-leaf", cost_matrix={("sick", "well"): 2})
    with pytest.raises(ParameterError, match="with cost_matrix, use 'reduced-error'"):
        clf.fit(X, y)


def test_path_states_mean_costs(wine):
    X, y = wine
    clf = TreeClassifier(max_leaves=9, procedure="per-leaf", cost_matrix=GENERAL).fit(
        X[::2], y[::2]
    )
    for merge in (False, True):
        path = clf.pruning_path(X[1::2], y[1::2], merge=merge)
        frame = path.to_frame()
        for i, size in enumerate(path.sizes.tolist()):
            kept = path._exactly(i) if merge else path.at(size)
            assert path.training_costs[i] == pytest.approx(kept.cost(X[::2], y[::2]))
            assert path.validation_costs[i] == pytest.approx(kept.cost(X[1::2], y[1::2]))
        assert list(frame["training_cost"]) == path.training_costs.tolist()
        assert "fractions of the largest possible cost" in str(path)


def test_files_keep_costs(wine, tmp_path):
    X, y = wine
    frame = pd.DataFrame(GENERAL).iloc[[2, 0, 1], [1, 2, 0]]
    for matrix in (GENERAL, np.array(GENERAL), {(2, 0): 30}, frame):
        clf = TreeClassifier(5, cost_matrix=matrix).fit(X, y)
        clf.save(tmp_path / "model.json")
        loaded = polytomy.load(tmp_path / "model.json")
        assert loaded.tree_ == clf.tree_
        assert np.array_equal(loaded.predict(X), clf.predict(X))
        assert loaded.cost(X, y) == clf.cost(X, y)
        assert polytomy.verify(loaded, X, y).ok
        again = clone(loaded).fit(X, y)
        assert again.tree_ == clf.tree_


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"matrix": [[0, 1], [1, 0]]}, "costs.matrix"),
        ({"matrix": [[0, 1, 10], [2, 0, -1], [30, 3, 0]]}, "at least 0"),
        ({"scale": 0.0}, "costs.scale: must be positive"),
        ({"scale": -1.0}, "costs.scale: must be positive"),
    ],
)
def test_files_with_bad_costs_are_refused(wine, tmp_path, change, message):
    X, y = wine
    path = tmp_path / "model.json"
    TreeClassifier(5, cost_matrix=GENERAL).fit(X, y).save(path)
    document = json.loads(path.read_text())
    document["costs"] |= change
    path.write_text(json.dumps(document))
    with pytest.raises(polytomy.ModelFormatError, match=message):
        polytomy.load(path)


def test_files_without_their_costs_are_refused(wine, tmp_path):
    X, y = wine
    path = tmp_path / "model.json"
    TreeClassifier(5, cost_matrix=GENERAL).fit(X, y).save(path)
    document = json.loads(path.read_text())
    del document["costs"]
    path.write_text(json.dumps(document))
    with pytest.raises(polytomy.ModelFormatError):
        polytomy.load(path)


def test_exports_predict_the_cheapest_class(tumours):
    X, y = tumours
    clf = TreeClassifier(6, cost_matrix={("sick", "well"): 20}).fit(X, y)
    scope = {}
    exec(clf.to_python(), scope)
    names = [f"x{j}" for j in range(X.shape[1])]
    said = [scope["predict"](dict(zip(names, row.tolist(), strict=True))) for row in X]
    assert said == clf.predict(X).tolist()
    assert "sick predicted as well costs 20" in clf.to_text()
    assert json.loads(clf.to_json())["costs"]["matrix"] == [[0.0, 20.0], [1.0, 0.0]]


def test_many_costs_are_listed_by_their_size(wine):
    X, y = wine
    text = TreeClassifier(4, cost_matrix=GENERAL).fit(X, y).to_text()
    words = " ".join(text.split())
    assert "class 2 predicted as class 0 costs 30, class 0 predicted as class 2 costs 10" in words
    assert "the 3 other mistakes 1 to 2" in words


def test_edits_keep_costs(wine, tmp_path):
    X, y = wine
    clf = TreeClassifier(6, cost_matrix=GENERAL, question_price=0).fit(X, y)
    session = polytomy.edit(clf, X, y)
    inner = next(v for v in range(1, clf.tree_.n_nodes) if not clf.tree_.is_leaf(v))
    session.collapse(inner)
    edited = session.estimator()
    leaf, said = edited.apply(X), edited.predict(X)
    for node in np.unique(leaf):
        cases = np.bincount(y[leaf == node], minlength=3)
        assert (said[leaf == node] == cheapest(cases, GENERAL)).all()
    assert polytomy.verify(edited, X, y).ok
    edited.save(tmp_path / "edited.json")
    assert np.array_equal(polytomy.load(tmp_path / "edited.json").predict(X), said)
    replayed = session.replay(X[::2], y[::2]).estimator()
    assert polytomy.verify(replayed, X[::2], y[::2]).ok


def test_optimality_is_for_costs_of_true_classes(wine):
    X, y = wine
    clf = TreeClassifier(3, cost_matrix=CLASSES_ALIKE).fit(X, y)
    found = clf.optimality(X, y, time_limit=0.5)
    worst = np.array(CLASSES_ALIKE).max(axis=1)[y]
    assert found.error == pytest.approx(clf.cost(X, y) / worst.mean())
    with pytest.raises(ParameterError, match="depend on the predicted class"):
        TreeClassifier(3, cost_matrix=GENERAL).fit(X, y).optimality(X, y)


def test_costs_are_a_scorer(tumours):
    X, y = tumours
    clf = TreeClassifier(4, cost_matrix={("sick", "well"): 20})
    scores = cross_val_score(clf, X, y, scoring=lambda fitted, X, y: -fitted.cost(X, y), cv=3)
    assert (scores <= 0).all()


def test_one_class_has_no_mistakes():
    clf = TreeClassifier(cost_matrix=[[0]]).fit([[1.0], [2.0]], ["a", "a"])
    assert clf.predict([[3.0]]).tolist() == ["a"]
    assert clf.cost([[3.0]], ["a"]) == 0


def test_costs_of_rows_elsewhere_are_weights_of_classes():
    classes, held = np.array(["a", "b", "c"]), np.array([3, 4, 5])
    by_class = {("a", "b"): 2, ("a", "c"): 2}
    costs = remote_costs(by_class, classes, None, lambda: (held, True))
    assert costs.factors @ held == pytest.approx(held.sum())
    with pytest.raises(ParameterError, match="depend on the predicted class needs all rows"):
        remote_costs({("a", "b"): 2}, classes, None, lambda: (held, True))
    with pytest.raises(ParameterError, match="not integers needs all rows"):
        remote_costs(by_class, classes, None, lambda: (held, False))


@pytest.mark.parametrize("bad", [[[0, 1]], {("sick", "ill"): 2}, "balanced", [[0, -1], [1, 0]]])
def test_bad_costs_leave_the_estimator_as_it_was(tumours, bad):
    X, y = tumours
    clf = TreeClassifier(3).fit(X, y)
    before = clf.tree_
    with pytest.raises(ParameterError, match="cost"):
        clf.set_params(cost_matrix=bad).fit(X, y)
    assert clf.tree_ is before


def test_reports_state_costs(tumours):
    X, y = tumours
    clf = TreeClassifier(5, cost_matrix={("sick", "well"): 20}).fit(X[::2], y[::2])
    facts = clf.report_facts(X_test=X[1::2], y_test=y[1::2])
    check_facts(facts)
    assert facts["summary"]["train_cost"] == pytest.approx(clf.cost(X[::2], y[::2]), abs=1e-5)
    assert facts["summary"]["test_cost"] == pytest.approx(clf.cost(X[1::2], y[1::2]), abs=1e-5)
    assert "sick predicted as well costs 20" in facts["costs"][0]


@pytest.mark.parametrize(
    "model",
    [
        TreeClassifier(4),
        polytomy.ForestClassifier(10, random_state=0),
        polytomy.BoostedTreeClassifier(10),
    ],
    ids=lambda model: type(model).__name__,
)
def test_labels_by_cost_are_the_cheapest_of_each_row(wine, model):
    X, y = wine
    model = clone(model).fit(X, y)
    expected = [cheapest(shares, GENERAL) for shares in model.predict_proba(X).tolist()]
    assert model.predict_by_cost(X, GENERAL).tolist() == expected
    pairs = {(i, j): GENERAL[i][j] for i in range(3) for j in range(3)}
    assert model.predict_by_cost(X, pairs).tolist() == expected
    with pytest.raises(ParameterError, match="cost_matrix"):
        model.predict_by_cost(X, [[0, 1], [1, 0]])
    with pytest.raises(NotFittedError):
        clone(model).predict_by_cost(X, GENERAL)


def test_labels_by_cost_of_one_class_and_of_equal_costs_are_the_first():
    one = polytomy.ForestClassifier(3).fit([[0.0], [1.0]], ["a", "a"])
    assert one.predict_by_cost([[0.0]], {("a", "b"): 3}).tolist() == ["a"]
    two = TreeClassifier(2, honest=False).fit([[0.0], [0.0]], ["a", "b"])
    assert two.predict_by_cost([[0.0]], {}).tolist() == ["a"]
