"""TreeRegressor: against scikit-learn, honest means, pruning, certificates, and bad input."""

import pickle
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeRegressor

from polytomy import ParameterError, TargetError, TreeClassifier, TreeRegressor, verify
from polytomy.prune import CostPath, PruningPath
from tests.naive.pruning import all_prunings

BINARY = {"procedure": "per-leaf", "max_arity": 2, "honest": False}


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(5)
    n = 300
    frame = pd.DataFrame(
        {
            "x": rng.standard_normal(n).round(2),
            "town": pd.Categorical(rng.choice(list("abcdef"), n)),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D"),
        }
    )
    y = frame["x"] * 2 + frame["town"].cat.codes + rng.standard_normal(n) * 0.3 + 10
    frame.loc[rng.random(n) < 0.1, "x"] = np.nan
    frame.loc[rng.random(n) < 0.1, "town"] = None
    return frame, y.to_numpy()


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@pytest.mark.parametrize("max_leaves", [2, 7, 16, 40])
def test_binary_trees_equal_those_of_scikit_learn(diabetes, criterion, max_leaves):
    X, y = diabetes
    ours = TreeRegressor(max_leaves, criterion=criterion, **BINARY).fit(X, y)
    theirs = DecisionTreeRegressor(max_leaf_nodes=max_leaves, criterion=criterion, random_state=0)
    theirs.fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.booleans())
def test_training_error_equals_that_of_scikit_learn(seed, max_leaves, weighted):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((60, 3)), rng.gamma(1.0, 50.0, 60)
    w = rng.integers(1, 5, 60).astype(float) if weighted else None
    ours = TreeRegressor(max_leaves, **BINARY).fit(X, y, w)
    theirs = DecisionTreeRegressor(max_leaf_nodes=max_leaves, random_state=0).fit(X, y, w)
    error = mean_squared_error(y, ours.predict(X), sample_weight=w)
    expected = mean_squared_error(y, theirs.predict(X), sample_weight=w)
    assert error == pytest.approx(expected, rel=1e-9)
    assert ours.certificate_.index == pytest.approx(error)


def test_trees_without_a_limit_reproduce_every_number(diabetes):
    X, y = diabetes
    reg = TreeRegressor(None, honest=False).fit(X, y)
    np.testing.assert_allclose(reg.predict(X), y, rtol=1e-12)


def test_weights_count_like_repeated_rows(mixed):
    frame, y = mixed
    counts = np.random.default_rng(0).integers(1, 4, len(y))
    repeated = frame.loc[np.repeat(np.arange(len(y)), counts)].reset_index(drop=True)
    options = {"honest": False, "max_leaves": 10}
    weighted = TreeRegressor(**options).fit(frame, y, counts)
    plain = TreeRegressor(**options).fit(repeated, np.repeat(y, counts))
    np.testing.assert_allclose(weighted.predict(frame), plain.predict(frame), rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_the_unit_of_the_target_does_not_matter(mixed, scale):
    frame, y = mixed
    plain = TreeRegressor(12).fit(frame, y)
    scaled = TreeRegressor(12).fit(frame, y * scale + 3 * scale)
    np.testing.assert_allclose(scaled.predict(frame) / scale - 3, plain.predict(frame), rtol=1e-6)


def test_honest_means_are_closer_to_new_rows():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((400, 8)), rng.standard_normal(400)
    new_X, new_y = rng.standard_normal((4000, 8)), rng.standard_normal(4000)
    honest = TreeRegressor(16, procedure="per-leaf").fit(X, y)
    flattering = TreeRegressor(16, procedure="per-leaf", honest=False).fit(X, y)
    off = mean_squared_error(new_y, honest.predict(new_X))
    assert off < 0.85 * mean_squared_error(new_y, flattering.predict(new_X))
    means = honest._model.node_means
    assert (means.low <= means.expected).all()
    assert (means.expected <= means.high).all()
    assert (means.low <= means.training).all()
    assert (means.training <= means.high).all()
    learned = honest._model.honesty
    assert learned.folds == 5
    assert learned.claimed < learned.observed < learned.expected


def test_intervals_hold_for_the_means_of_new_rows():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((3000, 5))
    true = X[:, 0] + np.where(X[:, 1] > 0, X[:, 2], 0)
    y = true + rng.standard_normal(3000)
    reg = TreeRegressor(16).fit(X[:1500], y[:1500])
    leaf = reg.apply(X[1500:])
    ends = reg.predict_interval(X[1500:])
    held = [
        ends[leaf == v][0, 0] <= true[1500:][leaf == v].mean() <= ends[leaf == v][0, 1]
        for v in np.unique(leaf)
        if (leaf == v).sum() >= 30
    ]
    assert len(held) > 8
    assert np.mean(held) > 0.8


@pytest.mark.parametrize("procedure", ["priced", "per-leaf", "hatano", "kearns-mansour"])
@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_every_run_is_covered_and_verified(mixed, procedure, criterion):
    frame, y = mixed
    w = np.random.default_rng(0).exponential(size=len(y))
    reg = TreeRegressor(20, procedure=procedure, criterion=criterion).fit(frame, y, w)
    certificate = reg.certificate_
    assert certificate.covered
    assert certificate.index <= certificate.bound
    assert certificate.error_bound == certificate.bound
    report = verify(reg, frame, y, w)
    assert report.ok, report
    assert not verify(reg, frame, y + 1e-3, w).ok
    words = " ".join(str(certificate).split())
    assert "of the training rows" in words
    assert "error of the training means at the leaves; honest means" in words
    assert "errors are means over the weight, not over the rows" in words


FULL = {"max_leaves": None, "procedure": "per-leaf", "honest": False}


@pytest.mark.parametrize(
    ("params", "spread"),
    [
        (FULL, 1.0),
        (FULL, 1e-5),
        (FULL | {"criterion": "poisson"}, 1.0),
        ({"max_leaves": 16, "criterion": "poisson"}, 1e-3),
    ],
)
def test_rounding_is_no_discrepancy(params, spread):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 3))
    y = 1 + spread * np.tanh(X[:, 0] + X[:, 1] + 0.3 * rng.standard_normal(1500)) / 2
    reg = TreeRegressor(**params).fit(X, y)
    report = verify(reg, X, y)
    assert report.ok, report
    assert not verify(reg, X, np.append(y[0] + 0.1 * spread, y[1:])).ok


def test_a_priced_tree_keeps_its_bound(mixed):
    frame, y = mixed
    reg = TreeRegressor(8).fit(frame, y)
    kept = reg.certificate_.pruned
    assert kept is not None
    assert kept.training_error <= reg.certificate_.kept_error_bound
    predicted = reg._model.tree.mean[reg.apply(frame)]
    assert kept.training_error == pytest.approx(mean_squared_error(y, predicted))


def test_the_pruning_path_has_the_least_squared_error_of_every_size(mixed):
    frame, y = mixed
    reg = TreeRegressor(9, procedure="per-leaf", honest=False).fit(frame, y)
    tree = reg._model.grown
    errors = [float(((y[rows] - y[rows].mean()) ** 2).sum()) for rows in rows_of_nodes(reg, frame)]
    prunings = all_prunings(tree)
    path = reg.pruning_path(frame, y)
    for size, error in zip(path.sizes.tolist(), path.training_errors.tolist(), strict=True):
        best = min(p.total(errors) for p in prunings if p.size <= size)
        assert error == pytest.approx(best, rel=1e-9)
    np.testing.assert_allclose(path.validation_errors, path.training_errors, rtol=1e-9, atol=1e-9)
    small = path.at(4)
    assert small.n_leaves_ <= 4
    assert mean_squared_error(y, small.predict(frame)) * len(y) == pytest.approx(
        path.training_errors[path.sizes <= 4][-1]
    )


def rows_of_nodes(reg, frame):
    tree = reg._model.grown
    whole = reg._with_model(replace(reg._model, contracted=False))
    leaf = whole.apply(frame)
    return [np.flatnonzero([v in tree.path(u) for u in leaf]) for v in range(tree.n_nodes)]


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_priced_paths_report_costs_errors_and_questions(mixed, criterion):
    frame, y = mixed
    options = {"procedure": "per-leaf", "honest": False, "criterion": criterion}
    reg = TreeRegressor(24, **options).fit(frame, y)
    path = reg.pruning_path(frame, y, merge=True, question_price=0.05)
    index = reg._model.run.index
    for size in path.sizes[:8].tolist():
        tree = path.at(size)._model.tree
        left = float(index.value(tree.counts[tree.leaves()]).sum())
        at = int(np.searchsorted(path.sizes, tree.n_leaves))
        assert path.training_errors[at] == pytest.approx(left)
        assert path.validation_errors[at] == pytest.approx(left)
        assert path.questions[at] == pytest.approx(path.at(size).n_questions_)
    with pytest.raises(ParameterError, match="no pruning"):
        path.for_errors(path.training_errors.min() / 2)


def test_cost_complexity_equals_that_of_scikit_learn(diabetes):
    X, y = diabetes
    reg = TreeRegressor(None, **BINARY).fit(X, y)
    theirs = DecisionTreeRegressor(random_state=0).fit(X, y).cost_complexity_pruning_path(X, y)
    ours = CostPath(reg._model.grown, reg._model.run.index)
    np.testing.assert_allclose(ours.alphas[-20:], theirs.ccp_alphas[-20:], rtol=1e-9)


@pytest.mark.parametrize("pruner", ["reduced-error", "error-budget", "cost-complexity"])
@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_pruners_help_on_noise(pruner, criterion):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4))
    y = np.exp((X[:, 0] > 0) + rng.standard_normal(300) * 0.5)
    options = {"max_leaves": None, "procedure": "per-leaf", "honest": False, "random_state": 0}
    plain = TreeRegressor(criterion=criterion, **options)
    pruned = TreeRegressor(criterion=criterion, pruner=pruner, **options)
    assert cross_val_score(pruned, X, y).mean() > cross_val_score(plain, X, y).mean() + 0.2
    assert pruned.fit(X, y).n_leaves_ < 60


def test_held_out_errors_of_a_path_are_those_of_its_trees(mixed):
    frame, y = mixed
    reg = TreeRegressor(16, procedure="per-leaf", honest=False).fit(frame[:200], y[:200])
    path = reg.pruning_path(frame[200:], y[200:])
    for size, error in zip(path.sizes.tolist(), path.validation_errors.tolist(), strict=True):
        off = mean_squared_error(y[200:], path.at(size).predict(frame[200:])) * 100
        assert error == pytest.approx(off, rel=1e-9)
    assert path.select("holdout").n_leaves_ == path.sizes[np.argmin(path.validation_errors)]


def test_cross_validation_chooses_a_size(diabetes):
    X, y = diabetes
    reg = TreeRegressor("cv", random_state=0).fit(X, y)
    assert 1 <= reg.n_leaves_ < 20
    by_scorer = TreeRegressor("cv", scoring="neg_mean_absolute_error", random_state=0).fit(X, y)
    assert by_scorer.n_leaves_ >= 1
    plain = TreeRegressor("cv", procedure="per-leaf", random_state=0).fit(X, y)
    assert 1 <= plain.n_leaves_ < 40


def test_scores_are_those_of_the_target(diabetes):
    X, y = diabetes
    for scoring in ("error", "log_loss", "roc_auc"):
        with pytest.raises(ParameterError, match="scoring must be 'squared_error', the name of"):
            TreeRegressor("cv", scoring=scoring).fit(X, y)
    with pytest.raises(ParameterError, match="scoring must be 'error', 'log_loss', 'roc_auc', the"):
        TreeClassifier("cv", scoring="squared_error").fit(X, y > 100)


def test_overgrowing_keeps_the_best_pruning(diabetes):
    X, y = diabetes
    plain = TreeRegressor(8, procedure="per-leaf", honest=False).fit(X, y)
    over = TreeRegressor(8, procedure="per-leaf", honest=False, overgrow=4).fit(X, y)
    assert over.n_leaves_ <= 8
    assert mean_squared_error(y, over.predict(X)) <= mean_squared_error(y, plain.predict(X))
    assert verify(over, X, y).ok


@pytest.mark.parametrize("pruner", ["chi-square", "conservative", "pessimistic"])
def test_pruners_that_count_misclassified_rows_are_refused(diabetes, pruner):
    X, y = diabetes
    with pytest.raises(ParameterError, match="not for a numeric target"):
        TreeRegressor(pruner=pruner).fit(X, y)
    with pytest.raises(ParameterError, match="not for a numeric target"):
        TreeRegressor().fit(X, y).prune(pruner)


def test_copies_predict_the_same(mixed):
    frame, y = mixed
    reg = TreeRegressor(8, criterion="poisson").fit(frame, y)
    again = pickle.loads(pickle.dumps(reg))
    np.testing.assert_array_equal(again.predict(frame), reg.predict(frame))
    np.testing.assert_array_equal(clone(reg).fit(frame, y).predict(frame), reg.predict(frame))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b", "c"], "text, not numbers"),
        ([1.0, np.nan, 2.0], "1 of 3 numbers are missing"),
        ([1.0, np.inf, 2.0], "infinity"),
        (np.array(["2020-01-01"] * 3, dtype="datetime64[D]"), "dates or durations"),
        ([date(2020, 1, day) for day in (1, 2, 3)], "dates or durations"),
        ([timedelta(day) for day in (1, 2, 3)], "dates or durations"),
        ([1e200, -1e200, 0.0], "cannot be represented"),
        ([1 + 2j, 0, 1], "[Cc]omplex"),
        ([1.0, 2.0], "3 rows but y has 2"),
        (None, "requires y"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(y, message):
    with pytest.raises((TargetError, ValueError), match=message):
        TreeRegressor().fit([[1], [2], [3]], y)


def test_absolute_errors_are_refused_with_a_reason():
    with pytest.raises(ParameterError, match="medians of groups do not follow from sums"):
        TreeRegressor(criterion="absolute_error").fit([[1], [2]], [1.0, 2.0])
    with pytest.raises(ParameterError, match="criterion must be one of"):
        TreeRegressor(criterion="friedman_mse").fit([[1], [2]], [1.0, 2.0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("y", [[5.0], [5.0, 5.0, 5.0], [0.0, 0.0, 0.0]])
@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_a_constant_target_gives_one_leaf(y, criterion):
    X = np.arange(len(y), dtype=float)[:, None]
    reg = TreeRegressor(criterion=criterion).fit(X, y)
    assert reg.n_leaves_ == 1
    np.testing.assert_array_equal(reg.predict(X), y)
    assert verify(reg, X, y).ok


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [0.1, 1e300, -1.7e308, 5e-324])
def test_a_constant_target_may_be_any_number(number):
    X, y = np.arange(7.0)[:, None], np.full(7, number)
    reg = TreeRegressor().fit(X, y)
    np.testing.assert_array_equal(reg.predict(X), y)
    assert verify(reg, X, y).ok
    path = reg.pruning_path()
    assert np.isfinite(path.srm_scores).all()
    assert path.select("srm").n_leaves_ == 1


@pytest.mark.filterwarnings("error")
def test_an_outlier_gives_no_warnings(diabetes):
    X, y = diabetes
    far = np.append(1e12, y[1:])
    reg = TreeRegressor(8).fit(X, far)
    assert np.isfinite(reg.predict_interval(X)).all()


def test_numbers_of_any_kind_are_accepted():
    X = [[1], [2], [3], [4]]
    expected = TreeRegressor(honest=False).fit(X, [0.0, 0.0, 1.0, 1.0]).predict(X)
    for y in ([0, 0, 1, 1], [False, False, True, True], np.array([0, 0, 1, 1], dtype=object)):
        np.testing.assert_array_equal(TreeRegressor(honest=False).fit(X, y).predict(X), expected)


def test_paths_compare_held_out_moments_of_the_right_shape(diabetes):
    X, y = diabetes
    reg = TreeRegressor(4).fit(X, y)
    with pytest.raises(ParameterError, match="moments must be finite, of shape"):
        PruningPath(reg._model.grown, None, np.ones((2, 3)))


@pytest.mark.parametrize("dtype", [np.int64, object])
def test_large_whole_numbers_that_floats_cannot_tell_apart_are_refused(dtype):
    x = np.arange(40.0)[:, None]
    with pytest.raises(TargetError, match=r"y has whole numbers beyond 2\^53"):
        TreeRegressor(honest=False).fit(x, np.array([2**60, 2**60 + 1] * 20, dtype=dtype))
    TreeRegressor(honest=False).fit(x, np.array([2**60, 2**61] * 20, dtype=dtype))
