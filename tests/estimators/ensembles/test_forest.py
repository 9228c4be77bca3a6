"""ForestClassifier: out-of-bag figures, warm starts, single trees, exports, files and reports."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import polytomy
from polytomy import ForestClassifier, ParameterError, TreeClassifier
from polytomy.tree import OWN
from tests.grow.test_oracle import sum_of_roots_of_pairs
from tests.grow.test_own_family import Signs, xor
from tests.report.boosted_cases import cars_of_every_kind

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
FOREST = ForestClassifier(25, max_leaves=12, n_jobs=2).fit(X, y)


def test_errors_are_near_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4000, 8))
    labels = (x[:, 0] + x[:, 1] * x[:, 2] + rng.standard_normal(4000) / 2 > 0).astype(int)
    ours = ForestClassifier(60, n_jobs=2).fit(x[:2000], labels[:2000])
    error = 1 - ours.score(x[2000:], labels[2000:])
    assert ours.oob_score_ == 1 - ours.oob_error_
    theirs = RandomForestClassifier(60, random_state=0, oob_score=True)
    theirs.fit(x[:2000], labels[:2000])
    assert ours.oob_error_ == pytest.approx(1 - theirs.oob_score_, abs=0.02)
    assert error == pytest.approx(1 - theirs.score(x[2000:], labels[2000:]), abs=0.02)
    shares = ours.oob_decision_function_
    assert shares.shape == (2000, 2)
    wrong = shares.argmax(axis=1) != labels[:2000]
    assert wrong.mean() == pytest.approx(ours.oob_error_)
    assert list(ours.oob_errors_) == [1, 2, 5, 10, 20, 50]


def test_probabilities_are_the_mean_of_the_trees_and_predict_their_largest():
    shares = np.mean([tree.predict_proba(X) for tree in FOREST], axis=0)
    np.testing.assert_allclose(FOREST.predict_proba(X), shares, atol=1e-10)
    assert np.array_equal(FOREST.predict(X), FOREST.classes_[shares.argmax(axis=1)])
    np.testing.assert_allclose(FOREST.predict_proba(X).sum(axis=1), 1, atol=1e-14)
    leaves = np.stack([tree.apply(X) for tree in FOREST], axis=1)
    assert np.array_equal(FOREST.apply(X), leaves)


def test_forest_depends_neither_on_threads_nor_on_the_order_of_rows():
    order = np.random.default_rng(0).permutation(len(X))
    other = clone(FOREST).set_params(n_jobs=1).fit(X.iloc[order], y.iloc[order])
    assert other.ensemble_ == FOREST.ensemble_
    assert other.oob_error_ == pytest.approx(FOREST.oob_error_)
    np.testing.assert_array_equal(
        other.oob_decision_function_, FOREST.oob_decision_function_[order]
    )


def test_random_state_changes_the_forest():
    assert clone(FOREST).set_params(random_state=1).fit(X, y).ensemble_ != FOREST.ensemble_
    zero = clone(FOREST).set_params(random_state=0).fit(X, y)
    assert zero.ensemble_ == FOREST.ensemble_
    drawn = [
        clone(FOREST).set_params(random_state=np.random.RandomState(5)).fit(X, y).ensemble_
        for _ in range(2)
    ]
    assert drawn[0] == drawn[1]


def test_warm_start_adds_trees_to_those_that_exist():
    warm = clone(FOREST).set_params(n_estimators=10, warm_start=True).fit(X, y)
    first = warm.ensemble_.members
    warm.set_params(n_estimators=25).fit(X, y)
    assert warm.ensemble_ == FOREST.ensemble_
    assert all(a is b for a, b in zip(warm.ensemble_.members, first, strict=False))
    assert warm.oob_error_ == FOREST.oob_error_
    assert warm.oob_errors_ == FOREST.oob_errors_
    with pytest.raises(ParameterError, match="must be at least the 25 trees"):
        warm.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(ParameterError, match="the same rows and parameters"):
        warm.set_params(n_estimators=30, max_leaves=5).fit(X, y)
    with pytest.raises(ParameterError, match="the same rows and parameters"):
        warm.set_params(max_leaves=12).fit(X[1:], y[1:])
    assert warm.ensemble_ == FOREST.ensemble_  # a failed fit changes nothing


def test_rows_of_weight_0_are_as_if_they_were_absent():
    weights = np.ones(len(X))
    weights[::3] = 0
    weighted = clone(FOREST).fit(X, y, weights)
    assert weighted.ensemble_ == clone(FOREST).fit(X[weights > 0], y[weights > 0]).ensemble_
    assert np.isnan(weighted.oob_decision_function_[::3]).all()


def test_without_rows_out_of_bag_there_is_no_error():
    whole = ForestClassifier(3, bootstrap=False).fit(X, y)
    assert np.isnan(whole.oob_error_)
    assert np.isnan(whole.oob_decision_function_).all()
    part = ForestClassifier(8, bootstrap=False, max_samples=0.5).fit(X, y)
    assert 0 < part.oob_error_ < 0.2
    without = ForestClassifier(3, oob_score=False).fit(X, y)
    with pytest.raises(AttributeError, match="oob_score=False"):
        _ = without.oob_error_
    assert not hasattr(without, "oob_decision_function_")


def test_class_weights_favour_a_class():
    rng = np.random.default_rng(1)
    x = rng.standard_normal((600, 3))
    labels = (x[:, 0] + rng.standard_normal(600) * 2 > 2.5).astype(int)
    plain, heavy = (
        ForestClassifier(20, max_leaves=8, class_weight=w).fit(x, labels).predict_proba(x)[:, 1]
        for w in (None, "balanced")
    )
    assert heavy.mean() > plain.mean() + 0.15


def test_importances_are_shares_of_the_gain():
    rng = np.random.default_rng(2)
    x = rng.standard_normal((500, 6))
    found = ForestClassifier(20).fit(x, (x[:, 4] > 0).astype(int)).feature_importances_
    assert found.sum() == pytest.approx(1)
    assert found.argmax() == 4
    single = ForestClassifier(2).fit(x, np.zeros(500))
    assert not single.feature_importances_.any()


def test_one_class_and_one_row_are_predicted():
    single = ForestClassifier(3).fit(X, np.full(len(X), "a"))
    assert set(single.predict(X)) == {"a"}
    assert single.oob_error_ == 0
    row = ForestClassifier(3).fit([[1.0]], ["b"])
    assert row.predict([[5.0]]).tolist() == ["b"]
    assert np.isnan(row.oob_error_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators must be an integer of at least 1"),
        ({"n_estimators": 2.5}, "n_estimators must be an integer of at least 1"),
        ({"max_features": "all"}, "max_features must be"),
        ({"oob_score": 2}, "oob_score must be True or False"),
        ({"warm_start": None}, "warm_start must be True or False"),
        ({"max_samples": 10_000}, "is more than the 569 rows"),
        ({"procedure": "priced"}, "for single trees"),
    ],
)
def test_invalid_parameters_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ForestClassifier(**parameters).fit(X, y)


def test_every_kind_of_column_can_be_fitted_saved_and_verified(tmp_path):
    frame, origin = cars_of_every_kind()
    forest = ForestClassifier(6, max_features=3, procedure="hatano", max_leaves=20)
    forest.fit(frame, origin)
    forest.save(tmp_path / "forest.json")
    again = polytomy.load(tmp_path / "forest.json")
    assert type(again) is ForestClassifier
    assert again.ensemble_ == forest.ensemble_
    assert again.get_params() == forest.get_params()
    np.testing.assert_array_equal(again.predict_proba(frame), forest.predict_proba(frame))
    assert (again.oob_error_, again.oob_errors_) == (forest.oob_error_, forest.oob_errors_)
    np.testing.assert_array_equal(again.feature_importances_, forest.feature_importances_)
    assert not hasattr(again, "oob_decision_function_")
    assert polytomy.verify(again, frame, origin).ok
    again.set_params(n_estimators=8, warm_start=True).fit(frame, origin)
    assert again.ensemble_ == clone(forest).set_params(n_estimators=8).fit(frame, origin).ensemble_


def test_verify_finds_other_rows_and_changed_trees():
    assert polytomy.verify(FOREST, X, y).ok
    assert not polytomy.verify(FOREST, X[1:], y[1:]).ok
    assert not polytomy.verify(FOREST, X, 1 - y).ok
    weights = np.random.default_rng(0).uniform(0.5, 2, len(X))
    weighted = clone(FOREST).fit(X, y, weights)
    assert polytomy.verify(weighted, X, y, weights).ok
    assert not polytomy.verify(weighted, X, y).ok
    unknown = y.astype(str).replace("1", "new")
    assert "classes" in str(polytomy.verify(FOREST, X, unknown).findings[0])


def test_pickles_and_copies_predict_the_same():
    for other in (pickle.loads(pickle.dumps(FOREST)), deepcopy(FOREST)):
        assert other.ensemble_ == FOREST.ensemble_
        assert other.oob_error_ == FOREST.oob_error_


def test_single_trees_can_be_read():
    tree = FOREST[3]
    assert isinstance(tree, TreeClassifier)
    assert tree.tree_ == FOREST.ensemble_.members[3].tree
    assert FOREST[-1].tree_ == FOREST.estimators_[24].tree_
    assert "worst" in tree.to_text()
    assert tree.certificate_.training_error <= tree.certificate_.error_bound
    with pytest.raises(IndexError):
        FOREST[25]
    with pytest.raises(TypeError, match="are numbered"):
        FOREST["first"]
    assert len(FOREST) == 25
    assert FOREST.to_text().startswith("forest: 25 trees of ")


def test_shapley_values_add_up_to_the_probabilities():
    found = FOREST.shap_values(X[:20])
    total = found.sum(axis=1) + FOREST.expected_value()
    np.testing.assert_allclose(total, FOREST.predict_proba(X[:20]), atol=1e-9)


@pytest.mark.parametrize("labels", [y, y * 0, y + (X.iloc[:, 0] > 15)])
def test_onnx_graph_predicts_the_same(labels):
    pytest.importorskip("onnx")
    ort = pytest.importorskip("onnxruntime")
    forest = ForestClassifier(5, max_leaves=6).fit(X, labels)
    session = ort.InferenceSession(forest.to_onnx().SerializeToString())
    label, shares = session.run(None, forest.onnx_inputs(X))
    assert np.array_equal(label, forest.predict(X))
    np.testing.assert_allclose(shares, forest.predict_proba(X), atol=1e-12)


def test_report_shows_the_out_of_bag_error(tmp_path):
    facts = FOREST.report_facts(X, y, X[:50], y[:50])
    assert facts["title"] == "Forest for target"
    assert facts["summary"]["oob_error"] == pytest.approx(FOREST.oob_error_)
    matrix = np.array(facts["confusion"]["out-of-bag"])
    known = np.isfinite(FOREST.oob_decision_function_[:, 0]).sum()
    assert matrix.sum() == known
    assert 1 - np.trace(matrix) / known == pytest.approx(FOREST.oob_error_)
    assert facts["out_of_bag"]["trees"] == [1, 2, 5, 10, 20]
    assert "cannot be repeated" in FOREST.report_facts(X[1:], y[1:])["rows_note"]
    FOREST.report(tmp_path / "page.html", X, y)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Out-of-bag error" in page
    empty = ForestClassifier(2, oob_score=False).fit(X, y).report_facts()
    assert "oob_error" not in empty["summary"]


def test_progress_is_printed(capsys):
    ForestClassifier(3, verbose=2, max_leaves=4).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("tree 1 of 3: 4 leaves, out-of-bag error 0.")


def test_an_index_function_of_the_user_gives_the_same_forest():
    own = ForestClassifier(3, index=sum_of_roots_of_pairs, n_jobs=2, max_leaves=5).fit(X, y)
    plain = ForestClassifier(3, index="sqrt", max_leaves=5).fit(X, y)
    assert own.ensemble_ == plain.ensemble_
    with pytest.raises(polytomy.ModelFormatError, match="a model file holds no code"):
        own.save("never-written.json")


def test_a_family_of_the_user_is_asked_at_every_node():
    x, labels = xor()
    forest = ForestClassifier(3, max_leaves=4, max_features=1, families=("intervals", Signs()))
    forest.fit(x, labels)
    assert [member.tree.kind[0] for member in forest.ensemble_.members] == [OWN] * 3
    assert forest.score(x, labels) > 0.85
    assert forest.oob_error_ < 0.2


def test_decision_path_joins_those_of_the_trees():
    forest = ForestClassifier(3, max_leaves=5, random_state=0).fit(X, y)
    indicator, starts = forest.decision_path(X[:20])
    assert starts.tolist() == [0, *np.cumsum([tree.tree_.n_nodes for tree in forest]).tolist()]
    assert indicator.shape == (20, starts[-1])
    for i, tree in enumerate(forest.estimators_):
        own = indicator[:, starts[i] : starts[i + 1]]
        assert (own != tree.decision_path(X[:20])).nnz == 0
        assert own[np.arange(20), forest.apply(X[:20])[:, i]].all()
