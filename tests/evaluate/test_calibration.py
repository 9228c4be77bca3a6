"""Calibration, log loss, Brier score and confusion matrices, against scikit-learn."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss
from sklearn.metrics import confusion_matrix as their_matrix
from sklearn.metrics import log_loss as their_log_loss

from polytomy import ParameterError
from polytomy.evaluate import brier_score, calibration, confusion_matrix, log_loss, rate


@pytest.fixture
def rows():
    random = np.random.default_rng(5)
    share = np.round(random.random(500), 2)
    return random.random(500) < share, share, random.integers(0, 3, 500) * 0.7


def test_calibration_of_equal_steps_equals_that_of_scikit_learn(rows):
    truth, share, _ = rows
    found = calibration(truth, share, bins=np.linspace(0, 1, 9))
    observed, predicted = calibration_curve(truth, share, n_bins=8)
    np.testing.assert_allclose(found.observed, observed)
    np.testing.assert_allclose(found.predicted, predicted)


def test_calibration_has_bins_of_equal_weight_and_repeats_rows_by_weight(rows):
    truth, share, weights = rows
    found = calibration(truth, share, bins=5)
    assert len(found.rows) == 5
    assert found.rows.sum() == 500
    assert found.rows.max() - found.rows.min() < 25
    assert (np.diff(found.predicted) > 0).all()
    times = np.round(weights / 0.7).astype(int)
    repeated = calibration(np.repeat(truth, times), np.repeat(share, times), bins=5)
    weighted = calibration(truth, share, weights, bins=5)
    np.testing.assert_allclose(weighted.observed, repeated.observed)
    np.testing.assert_allclose(weighted.weight, 0.7 * repeated.weight)
    assert weighted.error == pytest.approx(repeated.error)
    assert ((weighted.low <= weighted.observed) & (weighted.observed <= weighted.high)).all()
    assert (weighted.high - weighted.low > repeated.high - repeated.low - 1e-12).all()


def test_calibration_keeps_equal_probabilities_together():
    found = calibration([True, False, True, True], [0.5, 0.5, 0.5, 0.5], bins=10)
    assert found.observed.tolist() == [0.75]
    assert len(calibration([], []).rows) == 0
    assert np.isnan(calibration([], []).error)


@pytest.mark.parametrize("bins", [0, [0.5], [0, 0.2, 0.1], [0.0, 0.4]])
def test_calibration_refuses_bad_bins(bins):
    with pytest.raises(ParameterError, match="bins"):
        calibration([True], [0.7], bins=bins)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_losses_and_matrix_equal_those_of_scikit_learn(n_classes, weighted):
    random = np.random.default_rng(n_classes)
    labels = np.append(np.arange(n_classes), random.integers(0, n_classes, 200))
    shares = random.dirichlet(np.ones(n_classes), len(labels))
    shares[0] = np.eye(n_classes)[1]  # certain, and wrong
    weights = random.random(len(labels)) if weighted else None
    theirs = their_log_loss(labels, shares, sample_weight=weights)
    assert log_loss(labels, shares, weights) == pytest.approx(theirs)
    if n_classes == 2:
        theirs = brier_score_loss(labels, shares[:, 1], sample_weight=weights)
    else:
        far = ((shares - np.eye(n_classes)[labels]) ** 2).sum(axis=1)
        theirs = np.average(far, weights=weights)
    assert brier_score(labels, shares, weights) == pytest.approx(theirs)
    said = shares.argmax(axis=1)
    matrix = confusion_matrix(labels, said, n_classes, weights)
    np.testing.assert_allclose(matrix, their_matrix(labels, said, sample_weight=weights))


def test_losses_refuse_bad_probabilities():
    with pytest.raises(ParameterError, match="from 0 to 1"):
        log_loss([0], [[1.5, -0.5]])
    with pytest.raises(ParameterError, match="a row for each"):
        brier_score([0, 1], [[1.0, 0.0]])
    with pytest.raises(ParameterError, match="class numbers from 0 to 1"):
        log_loss([2], [[1.0, 0.0]])
    assert np.isnan(log_loss(np.empty(0, int), np.empty((0, 2))))


def test_rate_of_no_rows_is_unknown():
    found = rate([], [])
    assert np.isnan(found.value)
    assert (found.low, found.high, found.rows) == (0, 1, 0)
