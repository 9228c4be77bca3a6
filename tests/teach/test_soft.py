"""Soft targets: shares as counts, and the sample that a teacher leaves to a tree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TargetError
from polytomy.encode import NumericTarget, Target, encode
from polytomy.table import Table
from polytomy.teach import Blend, Forecasts, mix_rows, soft_sample


def row_counts(target):
    """Return the weight of each class in each row."""
    counts = np.zeros((target.n_rows, target.n_classes))
    for labels, units in target.layers:
        np.add.at(counts, (np.arange(target.n_rows), labels), units * target.unit)
    return counts


def random_shares(rng, n_rows, n_classes):
    shares = rng.random((n_rows, n_classes)) ** 3
    return shares / shares.sum(axis=1, keepdims=True)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.booleans())
def test_soft_target_has_the_shares_of_its_rows(seed, n_classes, weighted):
    rng = np.random.default_rng(seed)
    shares = random_shares(rng, 12, n_classes)
    weights = rng.exponential(size=12) + 0.01 if weighted else None
    target = Target.soft(shares, weights)
    expected = shares if weights is None else shares * weights[:, None]
    np.testing.assert_allclose(row_counts(target), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(target.total() * target.unit, expected.sum(axis=0), rtol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(5, 30))
def test_soft_target_of_many_classes_keeps_the_four_largest_shares(seed, n_classes):
    shares = random_shares(np.random.default_rng(seed), 8, n_classes)
    target = Target.soft(shares)
    assert len(target.layers) == 4
    counts = row_counts(target)
    np.testing.assert_allclose(counts.sum(axis=1), 1.0)
    for row, own in zip(counts, shares, strict=True):
        largest = np.sort(np.argsort(-own)[:4])
        assert np.flatnonzero(row).tolist() == [c for c in largest if own[c] > 0]
        np.testing.assert_allclose(row[largest], own[largest] / own[largest].sum())


def test_soft_target_with_a_class_of_share_one_is_pure():
    counts = row_counts(Target.soft(np.eye(3)[[2, 0, 2]]))
    assert counts.tolist() == np.eye(3)[[2, 0, 2]].tolist()


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ([0.5, 0.5], "2-D"),
        (np.empty((0, 2)), "non-empty"),
        ([[1.5, -0.5]], "at least 0"),
        ([[0.5, 0.2]], "add up to 1"),
        ([[np.nan, 1.0]], "at least 0"),
    ],
)
def test_wrong_shares_are_refused(shares, sentence):
    with pytest.raises(TargetError, match=sentence):
        Target.soft(shares)


def test_wrong_weights_of_shares_are_refused():
    with pytest.raises(TargetError, match="row 1 has -1"):
        Target.soft([[0.5, 0.5]] * 2, [1, -1])


def test_taken_rows_keep_their_shares_and_the_number_of_real_rows():
    shares = random_shares(np.random.default_rng(0), 6, 3)
    target = Target.soft(shares, n_real=4)
    assert (target.n_rows, target.n_cases) == (6, 4)
    part = target.take(np.array([3, 1, 5]))
    assert (part.n_rows, part.n_cases) == (3, 2)
    np.testing.assert_allclose(row_counts(part), shares[[3, 1, 5]], atol=1e-12)
    assert target.take(np.array([4, 5])).n_cases == 0
    with pytest.raises(TargetError, match="real rows must come before"):
        target.take(np.array([5, 1]))
    assert Target.soft(shares).take(np.array([5, 1])).n_cases == 2


# ---- the sample of a teacher


@pytest.fixture
def coded():
    rng = np.random.default_rng(0)
    return encode(Table.of({"x": rng.standard_normal(10), "t": rng.choice(["a", "b"], 10)}))


def test_soft_sample_mixes_labels_and_forecasts(coded):
    labels = np.array([0, 1] * 5)
    forecasts = random_shares(np.random.default_rng(1), 10, 2)
    forecasts[3] = np.nan
    same, target = soft_sample(coded, Target.of(labels), Forecasts(forecasts), Blend(0.25, 1.5))
    assert same is coded
    assert target.n_real is None
    expected = 0.25 * np.eye(2)[labels] + 0.75 * forecasts
    expected[3] = [0, 1]  # nothing was forecast for this row
    np.testing.assert_allclose(row_counts(target), expected, atol=1e-12)


def test_synthetic_rows_have_forecasts_alone_and_share_their_weight(coded):
    labels, weights = np.array([0, 1] * 5), np.arange(1.0, 11.0)
    mixture = mix_rows(coded, 7, seed=0)
    real, made = (random_shares(np.random.default_rng(s), n, 2) for s, n in ((1, 10), (2, 7)))
    both, target = soft_sample(
        coded, Target.of(labels, 2, weights), Forecasts(real, mixture, made), Blend(1.0, 0.5)
    )
    assert both.n_rows == target.n_rows == 17
    assert target.n_cases == 10
    counts = row_counts(target)
    np.testing.assert_allclose(counts[:10], np.eye(2)[labels] * weights[:, None], atol=1e-12)
    np.testing.assert_allclose(counts[10:], made * 0.5 * weights.sum() / 7, atol=1e-12)
    for column, own, extra in zip(
        both.columns, coded.columns, mixture.of_codes(coded).columns, strict=True
    ):
        assert column.tolist() == [*own.tolist(), *extra.tolist()]


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_soft_numbers_are_means_of_labels_and_forecasts(coded, criterion):
    y, forecast = np.arange(10.0), np.arange(10.0)[::-1].copy()
    forecast[0] = np.nan
    mixture = mix_rows(coded, 5, seed=0)
    target = NumericTarget.of_numbers(y, None, criterion)
    _, soft = soft_sample(
        coded, target, Forecasts(forecast, mixture, np.full(5, 3.0)), Blend(0.5, 2.0)
    )
    assert soft.criterion == criterion
    assert soft.n_cases == 10
    np.testing.assert_allclose(soft.values, [0.0, *[4.5] * 9, *[3.0] * 5])
    np.testing.assert_allclose(soft.weights, [1.0] * 10 + [4.0] * 5)
