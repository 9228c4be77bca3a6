"""A forest as a teacher: its forecasts do not know the labels of their rows."""

import numpy as np
import pytest

from polytomy.encode import NumericTarget, Target, encode
from polytomy.ensemble import FOREST, Ensemble, mean_shares, votes
from polytomy.forest import ForestSample
from polytomy.table import Table
from polytomy.teach import forest, forest_forecasts, mix_rows, quick_forecasts
from tests.naive.forest import naive_quick_forecasts


def sample_of(labels, n_classes=None, seed=0):
    """Return random rows with labels."""
    rng = np.random.default_rng(seed)
    table = Table.of({"x": rng.standard_normal(len(labels)), "y": rng.random(len(labels))})
    numeric = labels.dtype.kind == "f"
    target = NumericTarget.of_numbers(labels) if numeric else Target.of(labels, n_classes)
    return ForestSample(encode(table), target, table)


def test_forest_cannot_forecast_labels_of_noise():
    labels = np.random.default_rng(1).integers(0, 2, 400)
    found = forest_forecasts(sample_of(labels), None, 40, "gini")
    assert found.n_trees == 40
    assert found.forecasts.synthetic is None
    wrong = (found.forecasts.real.argmax(axis=1) != labels).mean()
    assert found.error == pytest.approx(wrong, abs=0.01)  # ties may be settled differently
    assert 0.4 < found.error < 0.6


@pytest.mark.parametrize("threads", [1, 2])
def test_forecasts_are_shares_for_real_and_synthetic_rows(threads):
    sample = sample_of(np.arange(90) % 3)
    mixture = mix_rows(sample.coded, 50, seed=0)
    calls = []
    found = forest_forecasts(
        sample, mixture, 12, "entropy", seed=4, threads=threads, on_tree=calls.append
    )
    assert calls == list(range(1, 13))
    first = forest_forecasts(sample, mixture, 12, "entropy", seed=4)
    for shares, n_rows, same in (
        (found.forecasts.real, 90, first.forecasts.real),
        (found.forecasts.synthetic, 50, first.forecasts.synthetic),
    ):
        assert shares.shape == (n_rows, 3)
        np.testing.assert_allclose(shares[~np.isnan(shares).any(axis=1)].sum(axis=1), 1.0)
        np.testing.assert_array_equal(shares, same)


def test_rows_in_every_bag_have_no_forecast():
    found = forest_forecasts(sample_of(np.array([0, 1, 0, 1, 1, 0])), None, 1, "gini")
    is_known = ~np.isnan(found.forecasts.real).any(axis=1)
    assert 0 < is_known.sum() < 6


def test_forecasts_of_numbers_are_means():
    y = np.random.default_rng(2).uniform(5, 9, 120)
    sample = sample_of(y)
    found = forest_forecasts(sample, mix_rows(sample.coded, 30, seed=1), 10, "squared_error")
    for numbers, n_rows in ((found.forecasts.real, 120), (found.forecasts.synthetic, 30)):
        assert numbers.shape == (n_rows,)
        known = numbers[np.isfinite(numbers)]
        assert 5 <= known.min() < known.max() <= 9
    known = np.isfinite(found.forecasts.real)
    squares = (found.forecasts.real[known] - y[known]) ** 2
    assert found.error == pytest.approx(squares.mean())


def test_synthetic_rows_get_the_votes_of_all_trees(monkeypatch):
    sample = sample_of(np.arange(90) % 3)
    mixture = mix_rows(sample.coded, 50, seed=0)
    members, grow_forest = [], forest.grow_forest

    def recorded(*args, **more):
        for grown in grow_forest(*args, **more):
            members.append(grown.member)
            yield grown

    monkeypatch.setattr(forest, "grow_forest", recorded)
    found = forest_forecasts(sample, mixture, 12, "gini", seed=4)
    whole = Ensemble(sample.coded.schema, np.arange(3), tuple(members), np.zeros(3), FOREST)
    expected = mean_shares(votes(whole, mixture.of_table(sample.table)))
    np.testing.assert_array_equal(found.forecasts.synthetic, expected)


# ---- quick forests


def random_sample(seed, weights=None):
    """Return rows with many ties, whose class is noisy; ``weights`` are integers or fractions."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(8, 60))
    X = rng.integers(0, 6, (n_rows, 4)).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    labels = (np.nan_to_num(X[:, :3]).sum(axis=1) + rng.normal(0, 2, n_rows) > 7).astype(int)
    given = None
    if weights is not None:
        given = rng.integers(1, 4, n_rows) if weights == "integers" else rng.uniform(0.5, 3, n_rows)
    table = Table.of(X)
    return ForestSample(encode(table), Target.of(labels, 2, given), table), given


@pytest.mark.parametrize("weights", [None, "integers", "fractions"])
def test_quick_forecasts_are_those_of_trees_that_did_not_see_the_cases(weights):
    n_found = 0
    for seed in range(25):
        sample, given = random_sample(seed, weights)
        found = quick_forecasts(sample, "gini", 4)
        expected, errors = naive_quick_forecasts(sample, given, "gini", 4)
        assert (found is not None) == (errors[0] < errors[1])
        if found is not None:
            n_found += 1
            np.testing.assert_allclose(found, expected, atol=1e-12)
    assert 0 < n_found < 25


@pytest.mark.parametrize("weights", ["integers", "fractions"])
def test_quick_forecasts_do_not_depend_on_the_order_of_rows_or_on_repeating_them(weights):
    for seed in range(25):
        sample, given = random_sample(seed, weights)
        found = quick_forecasts(sample, "gini", 4)
        rows = np.random.default_rng(seed).permutation(len(given))
        target = sample.target.take(rows)
        if weights == "integers":
            rows = np.repeat(rows, given[rows])
            target = Target.of(sample.target.labels[rows], 2)
        table = sample.table.take(rows)
        other = quick_forecasts(ForestSample(sample.coded.take(rows), target, table), "gini", 4)
        assert (found is None) == (other is None)
        if found is not None:
            np.testing.assert_array_equal(found[rows], other)


def test_quick_forecasts_of_tiny_samples():
    for labels in ([0], [0, 1], [0, 0, 0], [0, 1, 0]):
        found = quick_forecasts(sample_of(np.array(labels), 2), "gini", 4)
        assert found is None or found.shape == (len(labels), 2)
