"""Honest means and their intervals: definitions, what is learned, and coverage of new rows."""

from math import hypot, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy.honesty import (
    FoldLeaves,
    Honesty,
    honest_means,
    learn_honest_means,
    mean_intervals,
    variances,
)

seeds = st.integers(0, 2**32 - 1)
Z = 1.959963984540054


def random_tree(rng):
    """Return moments, parents and which nodes are leaves, of a random tree of any arity."""
    parent, leaves = [-1], [0]
    for _ in range(int(rng.integers(0, 8))):
        node = leaves.pop(int(rng.integers(len(leaves))))
        arity = int(rng.integers(2, 4))
        leaves += range(len(parent), len(parent) + arity)
        parent += [node] * arity
    moments = np.zeros((len(parent), 3))
    for leaf in leaves:
        y = rng.standard_normal(int(rng.integers(1, 9))) * 3 + rng.standard_normal() * 5
        moments[leaf] = len(y), y.sum(), (y**2).sum()
    for node in range(len(parent) - 1, 0, -1):
        moments[parent[node]] += moments[node]
    return moments, np.array(parent), np.isin(np.arange(len(parent)), leaves)


def naive_means(moments, parent, shrinkage):
    """Return the means by the recursion of the definition."""
    training = [s / n for n, s, _ in moments]
    means = [training[0]]
    for node in range(1, len(training)):
        above = int(parent[node])
        step = (training[node] - training[above]) / (1 + shrinkage / moments[above][0])
        means.append(means[above] + step)
    return means


@given(seeds, st.sampled_from([0.0, 1.0, 16.0, 1e6]))
def test_means_follow_the_recursion(seed, shrinkage):
    moments, parent, _ = random_tree(np.random.default_rng(seed))
    found = honest_means(moments, parent, shrinkage)
    np.testing.assert_allclose(found, naive_means(moments, parent, shrinkage), atol=1e-9)


@given(seeds, st.sampled_from([0.5, 1.0, 4.0]))
def test_intervals_follow_their_definition(seed, dispersion):
    moments, parent, is_leaf = random_tree(np.random.default_rng(seed))
    means = honest_means(moments, parent, 8.0)
    low, high = mean_intervals(moments, is_leaf, means, dispersion)
    within = sum(q - s * s / n for n, s, q in moments[is_leaf]) / moments[0, 0]
    for v, (n, s, q) in enumerate(moments):
        variance = (q - s * s / n + 5 * within) / (n + 4)
        half, gap = Z * sqrt(dispersion * max(variance, 0) / n), s / n - means[v]
        assert low[v] == pytest.approx(means[v] - hypot(half, min(gap, 0)), abs=1e-6)
        assert high[v] == pytest.approx(means[v] + hypot(half, max(gap, 0)), abs=1e-6)
        assert low[v] <= min(means[v], s / n)
        assert high[v] >= max(means[v], s / n)


def simulated_folds(rng, spread, noise, leaves=40, rows=25, held=25):
    """Return folds of a root with leaves whose true means vary by ``spread``."""
    folds = []
    for _ in range(5):
        true = rng.standard_normal(leaves) * spread
        inside = true[:, None] + rng.standard_normal((leaves, rows)) * noise
        outside = true[:, None] + rng.standard_normal((leaves, held)) * noise

        def moments(y):
            n = np.full(len(y), float(y.shape[1]))
            return np.column_stack([n, y.sum(axis=1), (y**2).sum(axis=1)])

        own = moments(inside)
        parent = np.array([-1] + [0] * leaves)
        counts = np.vstack([own.sum(axis=0), own])
        folds.append(FoldLeaves(counts, parent, np.arange(1, leaves + 1), moments(outside)))
    return folds


def test_leaves_that_are_noise_are_shrunk_and_real_ones_are_not():
    rng = np.random.default_rng(0)
    noise = learn_honest_means(simulated_folds(rng, 0.0, 1.0))
    real = learn_honest_means(simulated_folds(rng, 5.0, 1.0))
    assert noise.shrinkage >= 256
    assert real.shrinkage <= 4
    assert real.observed == pytest.approx(real.expected, rel=0.02)
    assert noise.observed < noise.expected


def test_the_unit_does_not_matter():
    folds = simulated_folds(np.random.default_rng(3), 1.0, 1.0)
    scale = np.array([1.0, 1e6, 1e12])
    scaled = [f._replace(counts=f.counts * scale, held_out=f.held_out * scale) for f in folds]
    one, other = learn_honest_means(folds), learn_honest_means(scaled)
    assert (one.shrinkage, one.dispersion) == (other.shrinkage, other.dispersion)
    assert (one.leaves, one.covered) == (other.leaves, other.covered)
    assert other.observed == pytest.approx(one.observed * 1e12)


def test_intervals_hold_for_about_95_percent_of_leaves():
    folds = simulated_folds(np.random.default_rng(1), 1.0, 2.0)
    learned = learn_honest_means(folds)
    assert learned.leaves == 200
    assert 0.9 <= learned.covered / learned.leaves <= 0.99


def test_without_folds_or_held_out_rows_the_prior_is_returned():
    assert learn_honest_means([]) == Honesty()
    fold = simulated_folds(np.random.default_rng(0), 1.0, 1.0, leaves=2)[0]
    empty = fold._replace(held_out=np.zeros_like(fold.held_out))
    learned = learn_honest_means([empty])
    assert (learned.shrinkage, learned.dispersion) == (Honesty().shrinkage, Honesty().dispersion)


def test_leaves_without_variance_are_no_problem():
    moments = np.array([[4.0, 6.0, 10.0], [2.0, 2.0, 2.0], [2.0, 4.0, 8.0]])
    held_out = np.array([[5.0, 5.0, 5.0], [5.0, 10.0, 20.0]])
    fold = FoldLeaves(moments, np.array([-1, 0, 0]), np.array([1, 2]), held_out)
    learned = learn_honest_means([fold] * 5)
    assert np.isfinite([learned.shrinkage, learned.dispersion, learned.observed]).all()
    assert variances(moments, 0.0, 4.0)[1:].tolist() == [0.0, 0.0]
