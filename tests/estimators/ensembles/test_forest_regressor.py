"""ForestRegressor: predictions, out-of-bag figures, weights, exports, files and reports."""

import json
import pickle
from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import mean_squared_error, r2_score

import polytomy
from polytomy import ForestRegressor, ParameterError, TargetError, TreeRegressor
from tests.report.boosted_cases import cars_of_every_kind

X, y = load_diabetes(return_X_y=True, as_frame=True)
FOREST = ForestRegressor(20, max_leaves=12, n_jobs=2).fit(X, y)
COUNTS = np.rint(y / 20)
POISSON = ForestRegressor(8, criterion="poisson", max_leaves=10).fit(X, COUNTS)


def test_errors_are_near_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 8))
    numbers = x[:, 0] + x[:, 1] * x[:, 2] + rng.standard_normal(3000) / 2 + 1000
    ours = ForestRegressor(40, max_features=1.0).fit(x[:1500], numbers[:1500])
    theirs = RandomForestRegressor(40, random_state=0, oob_score=True)
    theirs.fit(x[:1500], numbers[:1500])
    assert ours.oob_score_ == pytest.approx(theirs.oob_score_, abs=0.03)
    score = theirs.score(x[1500:], numbers[1500:])
    assert ours.score(x[1500:], numbers[1500:]) == pytest.approx(score, abs=0.03)


def test_prediction_is_the_mean_of_the_trees():
    for forest in (FOREST, POISSON):
        means = np.mean([tree.predict(X) for tree in forest], axis=0)
        np.testing.assert_allclose(forest.predict(X), means, rtol=1e-11)
        leaves = np.stack([tree.apply(X) for tree in forest], axis=1)
        assert np.array_equal(forest.apply(X), leaves)


def test_out_of_bag_figures_are_those_of_the_out_of_bag_predictions():
    found = FOREST.oob_prediction_
    known = np.isfinite(found)
    assert known.mean() > 0.99
    assert FOREST.oob_error_ == pytest.approx(mean_squared_error(y[known], found[known]))
    assert FOREST.oob_score_ == pytest.approx(r2_score(y[known], found[known]))
    assert list(FOREST.oob_errors_) == [1, 2, 5, 10, 20]
    assert FOREST.oob_errors_[20] == FOREST.oob_error_
    weights = np.random.default_rng(0).uniform(0.5, 3, len(X))
    weighted = clone(FOREST).fit(X, y, weights)
    found = weighted.oob_prediction_
    known = np.isfinite(found)
    error = mean_squared_error(y[known], found[known], sample_weight=weights[known])
    assert weighted.oob_error_ == pytest.approx(error)


def test_predictions_of_pure_leaves_are_exact():
    whole = ForestRegressor(3, bootstrap=False, max_bins=1000).fit(X, y)
    assert np.array_equal(whole.predict(X), y)
    assert np.isnan(whole.oob_error_)
    assert np.isnan(whole.oob_score_)
    assert np.isnan(whole.oob_prediction_).all()


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_forest_depends_neither_on_threads_nor_order_nor_repeated_rows(criterion):
    forest = ForestRegressor(6, criterion=criterion, n_jobs=2)
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    weighted = forest.fit(X, COUNTS, weights)
    order = np.random.default_rng(2).permutation(np.repeat(np.arange(len(X)), weights))
    several = clone(forest).set_params(n_jobs=1).fit(X.iloc[order], COUNTS.iloc[order])
    np.testing.assert_allclose(several.predict(X), weighted.predict(X), rtol=1e-9)
    for one, other in zip(weighted, several, strict=True):
        assert np.array_equal(one.tree_.threshold, other.tree_.threshold)
    assert np.isnan(weighted.oob_prediction_[weights == 0]).all()
    again = clone(forest).set_params(n_jobs=1).fit(X, COUNTS, weights)
    assert again.ensemble_ == weighted.ensemble_


def test_warm_start_adds_trees_to_those_that_exist():
    warm = clone(FOREST).set_params(n_estimators=5, warm_start=True).fit(X, y)
    warm.set_params(n_estimators=20).fit(X, y)
    assert warm.ensemble_ == FOREST.ensemble_
    assert (warm.oob_error_, warm.oob_score_) == (FOREST.oob_error_, FOREST.oob_score_)
    with pytest.raises(ParameterError, match="the same rows and parameters"):
        warm.fit(X, y + 1)


@pytest.mark.parametrize("value", [0.1, 0.0, -1e300, 3])
def test_a_constant_target_is_predicted_exactly(value):
    forest = ForestRegressor(3).fit(X, np.full(len(X), value))
    assert (forest.predict(X) == value).all()
    assert (forest.oob_error_, forest.oob_score_) == (0.0, 1.0)
    assert not forest.feature_importances_.any()
    row = ForestRegressor(3).fit([[1.0]], [value])
    assert row.predict([[5.0]]).tolist() == [value]
    assert np.isnan(row.oob_error_)


@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_numbers_of_any_size_are_predicted(scale):
    forest = ForestRegressor(4, max_leaves=6).fit(X, y * scale)
    expected = ForestRegressor(4, max_leaves=6).fit(X, y).predict(X)
    np.testing.assert_allclose(forest.predict(X) / scale, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("numbers", "parameters", "message"),
    [
        (np.where(y > 300, np.inf, y), {}, "infinity"),
        (np.where(y > 300, np.nan, y), {}, "NaN"),
        (y.astype(str) + "x", {}, "text, not numbers"),
        (y - 100, {"criterion": "poisson"}, "at least 0"),
        (y * 1e200, {}, "rescale"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(numbers, parameters, message):
    with pytest.raises(TargetError, match=message):
        ForestRegressor(2, **parameters).fit(X, numbers)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "gini"}, "criterion"),
        ({"n_estimators": 0}, "n_estimators must be an integer of at least 1"),
        ({"max_features": "all"}, "max_features must be"),
        ({"max_samples": 10_000}, "is more than the 442 rows"),
        ({"procedure": "priced"}, "for single trees"),
    ],
)
def test_invalid_parameters_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ForestRegressor(**parameters).fit(X, y)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_every_kind_of_column_can_be_fitted_saved_and_verified(tmp_path, criterion):
    frame, _ = cars_of_every_kind()
    numbers = np.arange(len(frame)) % 17 + frame.iloc[:, 0].isna().to_numpy() * 5.5
    forest = ForestRegressor(5, criterion=criterion, procedure="hatano", max_leaves=20)
    forest.fit(frame, numbers)
    forest.save(tmp_path / "forest.json")
    again = polytomy.load(tmp_path / "forest.json")
    assert type(again) is ForestRegressor
    assert again.ensemble_ == forest.ensemble_
    assert again.get_params() == forest.get_params()
    np.testing.assert_array_equal(again.predict(frame), forest.predict(frame))
    assert (again.oob_error_, again.oob_errors_) == (forest.oob_error_, forest.oob_errors_)
    assert again.oob_score_ == forest.oob_score_
    np.testing.assert_array_equal(again.feature_importances_, forest.feature_importances_)
    assert not hasattr(again, "oob_prediction_")
    assert polytomy.verify(again, frame, numbers).ok
    again.set_params(n_estimators=7, warm_start=True).fit(frame, numbers)
    more = clone(forest).set_params(n_estimators=7).fit(frame, numbers)
    assert again.ensemble_ == more.ensemble_


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("unit", 3.0, "power of two"),
        ("unit", 0.0, "power of two"),
        ("unit", 1e-300, "power of two"),
        ("centre", "far", "number"),
        ("members", [], "at least one tree"),
    ],
)
def test_damaged_files_are_refused(tmp_path, member, value, message):
    path = tmp_path / "forest.json"
    POISSON.save(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    document[member] = value
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(polytomy.ModelFormatError, match=message):
        polytomy.load(path)


def test_verify_finds_other_rows_and_changed_numbers():
    assert polytomy.verify(FOREST, X, y).ok
    assert polytomy.verify(POISSON, X, COUNTS).ok
    assert not polytomy.verify(FOREST, X[1:], y[1:]).ok
    assert not polytomy.verify(FOREST, X, y + np.eye(1, len(y), 5)[0]).ok
    weights = np.random.default_rng(0).uniform(0, 2, len(X))
    for bags in ({}, {"bootstrap": False, "max_samples": 0.5}, {"bootstrap": False}):
        weighted = clone(FOREST).set_params(**bags).fit(X, y, weights)
        assert polytomy.verify(weighted, X, y, weights).ok
        assert not polytomy.verify(weighted, X, y).ok


def test_pickles_and_copies_predict_the_same():
    for other in (pickle.loads(pickle.dumps(FOREST)), deepcopy(FOREST)):
        assert other.ensemble_ == FOREST.ensemble_
        np.testing.assert_array_equal(other.predict(X), FOREST.predict(X))


def test_single_trees_can_be_read():
    tree = POISSON[3]
    assert isinstance(tree, TreeRegressor)
    assert tree.criterion == "poisson"
    assert tree.tree_ == POISSON.ensemble_.members[3].tree
    assert "mean" in tree.to_text()
    assert tree.certificate_.training_error >= 0
    assert [t.criterion for t in FOREST.estimators_] == ["squared_error"] * 20
    assert "The prediction is the mean over the trees" in FOREST.to_text()


def test_importances_are_shares_of_the_gain():
    found = FOREST.feature_importances_
    assert found.sum() == pytest.approx(1)
    assert X.columns[found.argmax()] in ("bmi", "s5")


def test_shapley_values_add_up_to_the_predictions():
    found = FOREST.shap_values(X[:20])
    assert found.shape == (20, 10, 1)
    total = found[:, :, 0].sum(axis=1) + FOREST.expected_value()
    np.testing.assert_allclose(total, FOREST.predict(X[:20]), rtol=1e-9)


@pytest.mark.parametrize("numbers", [y, y * 0 + 7.5, COUNTS])
def test_onnx_graph_predicts_the_same(numbers):
    pytest.importorskip("onnx")
    ort = pytest.importorskip("onnxruntime")
    forest = ForestRegressor(5, max_leaves=6).fit(X, numbers)
    session = ort.InferenceSession(forest.to_onnx().SerializeToString())
    (found,) = session.run(["variable"], forest.onnx_inputs(X))
    assert found.shape == (len(X), 1)
    np.testing.assert_allclose(found[:, 0], forest.predict(X), rtol=1e-13)


def test_report_shows_predicted_and_actual_numbers(tmp_path):
    facts = FOREST.report_facts(X, y, X[:50], y[:50])
    assert facts["title"] == "Regression forest for target"
    assert facts["summary"]["oob_error"] == pytest.approx(FOREST.oob_error_)
    assert facts["summary"]["oob_r2"] == pytest.approx(FOREST.oob_score_)
    rows = facts["predicted"]["out-of-bag"]
    assert rows["error"] == pytest.approx(FOREST.oob_error_)
    assert rows["r2"] == pytest.approx(FOREST.oob_score_)
    assert sum(group["weight"] for group in rows["groups"]) == rows["rows"]
    mean = sum(group["weight"] * group["actual"] for group in rows["groups"]) / rows["rows"]
    assert mean == pytest.approx(y[np.isfinite(FOREST.oob_prediction_)].mean())
    predicted = [group["predicted"] for group in rows["groups"]]
    assert predicted == sorted(predicted)
    assert facts["predicted"]["test"]["rows"] == 50
    assert "cannot be repeated" in FOREST.report_facts(X[1:], y[1:])["rows_note"]
    POISSON.report(tmp_path / "page.html", X, COUNTS)
    assert "Predicted and actual" in (tmp_path / "page.html").read_text(encoding="utf-8")
    constant = ForestRegressor(2).fit(X, y * 0 + 1)
    assert "r2" not in constant.report_facts(X, y * 0 + 1)["predicted"]["out-of-bag"]


def test_progress_is_printed(capsys):
    forest = ForestRegressor(2, verbose=2, max_leaves=4).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    error = forest.oob_errors_[1]
    assert lines[0].startswith(f"tree 1 of 2: 4 leaves, out-of-bag error {error:.4g}")
