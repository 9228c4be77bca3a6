"""Curves over thresholds, against scikit-learn and by enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from polytomy import ParameterError
from polytomy.evaluate import threshold_curve
from tests.naive import evaluation as naive

rows = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=25
)


def random_rows(seed, n=400, levels=40):
    random = np.random.default_rng(seed)
    score = np.round(random.random(n) * levels) / levels
    return random.random(n) < score, score, random.integers(0, 4, n) / 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
def test_curve_equals_that_of_scikit_learn(seed, weighted):
    truth, score, weights = random_rows(seed)
    weights = weights if weighted else None
    curve = threshold_curve(truth, score, weights)
    fpr, tpr, cut = roc_curve(truth, score, sample_weight=weights, drop_intermediate=False)
    kept = np.isin(cut, curve.threshold)  # it keeps thresholds that only rows of weight 0 have
    np.testing.assert_allclose(curve.false_positive_rate, fpr[kept], atol=1e-12)
    np.testing.assert_allclose(curve.true_positive_rate, tpr[kept], atol=1e-12)
    precision, recall, cut = precision_recall_curve(truth, score, sample_weight=weights)
    kept = np.append(np.isin(cut, curve.threshold), True)
    np.testing.assert_allclose(curve.precision, precision[kept][::-1], atol=1e-12)
    np.testing.assert_allclose(curve.true_positive_rate, recall[kept][::-1], atol=1e-12)
    assert curve.roc_auc == pytest.approx(roc_auc_score(truth, score, sample_weight=weights))
    average = average_precision_score(truth, score, sample_weight=weights)
    assert curve.average_precision == pytest.approx(average)


@settings(max_examples=80, deadline=None)
@given(rows)
def test_curve_has_the_counts_of_every_threshold(given):
    truth, score, weights = map(list, zip(*given, strict=True))
    curve = threshold_curve(np.array(truth), score, weights)
    held = sorted({s for s, w in zip(score, weights, strict=True) if w > 0}, reverse=True)
    assert curve.threshold.tolist() == [np.inf, *held]
    counts = [naive.counts_at(truth, score, weights, t) for t in curve.threshold]
    points = np.column_stack([curve.true_positives, curve.false_positives])
    assert points.tolist() == [list(map(float, c)) for c in counts]
    for threshold in [-1, *held, 99]:
        tp, fp = naive.counts_at(truth, score, weights, threshold)
        assert curve.at(threshold)[:, 1].tolist() == [fp, tp]
    if curve.positives > 0 and curve.negatives > 0:
        assert curve.roc_auc == pytest.approx(naive.area(truth, score, weights))
        low, high = curve.roc_auc_interval
        assert 0 <= low <= curve.roc_auc <= high <= 1


@settings(max_examples=80, deadline=None)
@given(rows, st.integers(0, 9), st.integers(0, 9), st.integers(2, 30))
def test_corners_have_the_least_cost(given, false_positive, false_negative, most):
    truth, score, weights = map(list, zip(*given, strict=True))
    curve = threshold_curve(np.array(truth), score, weights)
    points = list(zip(curve.true_positives, curve.false_positives, strict=True))
    corners = curve.corners().tolist()
    expected = [naive.is_corner([p[::-1] for p in points], i) for i in range(len(points))]
    assert corners == np.flatnonzero(expected).tolist()
    costs = false_positive, false_negative
    best = naive.least_cost(points, *costs)
    assert naive.least_cost([points[i] for i in corners], *costs) == pytest.approx(best)
    thin = curve.thinned(most)
    assert len(thin.threshold) <= most
    kept = list(zip(thin.true_positives, thin.false_positives, strict=True))
    assert set(kept) <= set(points)
    assert kept[0] == points[0]
    assert kept[-1] == points[-1]
    if len(corners) <= most:
        assert naive.least_cost(kept, *costs) == pytest.approx(best)


def test_thinned_curve_keeps_corners_and_the_thresholds_asked_for():
    random = np.random.default_rng(3)
    score = random.random(20_000)
    curve = threshold_curve(random.random(20_000) < score, score)
    thin = curve.thinned(300, np.array([17, 1234]))
    assert 200 < len(thin.threshold) <= 300
    for i in [17, 1234, *curve.corners()]:
        assert curve.threshold[i] in thin.threshold
    assert thin.roc_auc == pytest.approx(curve.roc_auc, abs=1e-3)
    assert np.diff(thin.selected).max() < 0.02


def test_area_interval_covers_the_true_area():
    """95 % intervals of normal scores cover Phi(1 / sqrt 2) in about 95 % of the samples."""
    random, true, covered = np.random.default_rng(0), 0.7602499, 0
    for _ in range(400):
        truth = np.arange(80) < 30
        low, high = threshold_curve(truth, random.normal(size=80) + truth).roc_auc_interval
        covered += low <= true <= high
    assert 0.92 <= covered / 400 <= 0.98


@pytest.mark.parametrize("turned", [False, True])
def test_area_interval_does_not_overflow_if_weights_are_very_unequal(turned):
    truth, weights = np.array([0, 1, 1, 1, 1, 0], bool), np.array([1e9, 1, 1e9, 1e9, 1e9, 1.0])
    score = np.array([0.2, 0.2, 0.9, 0.9, 0.9, 0.9])
    curve = threshold_curve(truth, -score if turned else score, weights)
    low, high = curve.roc_auc_interval
    assert 0 <= low <= curve.roc_auc <= high <= 1


def test_one_kind_of_row_has_no_area():
    curve = threshold_curve([True, True], [0.2, 0.4])
    assert np.isnan(curve.roc_auc)
    assert curve.average_precision == 1
    assert np.isnan(threshold_curve([False], [0.2]).average_precision)
    assert len(threshold_curve([], []).threshold) == 1


@pytest.mark.parametrize(
    ("truth", "score", "weights", "message"),
    [
        ([True], [0.1, 0.2], None, "1 rows but"),
        ([1], [0.1], None, "True and False"),
        ([True], [np.nan], None, "finite"),
        ([True], [np.inf], None, "finite"),
        ([True], [0.1], [-1.0], "negative"),
        ([True], [0.1], [1.0, 2.0], "2 weights"),
    ],
)
def test_curve_refuses_bad_rows(truth, score, weights, message):
    with pytest.raises(ParameterError, match=message):
        threshold_curve(truth, score, weights)
