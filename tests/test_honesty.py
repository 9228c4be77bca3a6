"""Honest shares and intervals: definitions, limits, what is learned, and coverage of new rows."""

import json
from dataclasses import asdict
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy._errors import ParameterError, TreeError
from polytomy.honesty import FoldLeaves, Honesty, honest_intervals, honest_shares, learn_honesty
from tests.naive.honesty import naive_interval, naive_log_loss, naive_misfit, naive_shares

seeds = st.integers(0, 2**32 - 1)
STUMP = np.array([-1, 0, 0])


def random_tree(rng, whole=False):
    """Return the counts, parents and leaves of a random tree with nodes of any arity."""
    n_classes = int(rng.integers(1, 5))
    parent = [-1]
    leaves = [0]
    for _ in range(int(rng.integers(0, 12))):
        node = leaves.pop(int(rng.integers(len(leaves))))
        arity = int(rng.integers(2, 5))
        leaves += range(len(parent), len(parent) + arity)
        parent += [node] * arity
    counts = np.zeros((len(parent), n_classes))
    for leaf in leaves:
        row = rng.gamma(0.4, 8, n_classes)
        counts[leaf] = np.floor(row) if whole else row * (rng.random(n_classes) < 0.7)
        counts[leaf, rng.integers(n_classes)] += 1.0
    for node in range(len(parent) - 1, 0, -1):
        counts[parent[node]] += counts[node]
    return counts, np.array(parent), np.sort(leaves)


def random_fold(rng, n_classes=None):
    """Return a random tree with held-out rows that partly agree with it."""
    counts, parent, leaves = random_tree(rng)
    while n_classes is not None and counts.shape[1] != n_classes:
        counts, parent, leaves = random_tree(rng)
    held_out = rng.poisson(counts[leaves] * rng.random() + rng.gamma(0.5, 1, (len(leaves), 1)))
    return FoldLeaves(counts, parent, leaves, held_out.astype(float))


def simulated_fold(rng, true_shares, weights, held):
    """Return a fold whose tree is a root with one leaf for each of the true shares."""
    weights = np.broadcast_to(weights, len(true_shares))
    hits = rng.binomial(weights, true_shares)
    leaf_counts = np.stack([hits, weights - hits], axis=1).astype(float)
    new = rng.binomial(held, true_shares)
    parent = np.array([-1] + [0] * len(true_shares))
    held_out = np.stack([new, held - new], axis=1).astype(float)
    counts = np.vstack([leaf_counts.sum(axis=0), leaf_counts])
    return FoldLeaves(counts, parent, np.arange(1, len(parent)), held_out)


# Shares


@given(seeds, st.sampled_from([0.0, 0.3, 5.0, 1000.0]))
def test_honest_shares_follow_the_definition(seed, shrinkage):
    counts, parent, _ = random_tree(np.random.default_rng(seed))
    shares = honest_shares(counts, parent, shrinkage)
    np.testing.assert_allclose(shares, naive_shares(counts, parent, shrinkage), atol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares > 0).all()


def test_honest_shares_of_a_long_chain_follow_the_definition():
    rng = np.random.default_rng(3)
    parent = np.array([-1] + [v // 2 * 2 for v in range(400)])  # each second node is a leaf
    counts = rng.integers(1, 9, (401, 3)).astype(float)
    for node in range(400, 0, -1):
        counts[parent[node]] += counts[node]
    expected = naive_shares(counts, parent, 30.0)
    np.testing.assert_allclose(honest_shares(counts, parent, 30.0), expected, atol=1e-12)


def test_honest_shares_without_shrinkage_are_the_training_shares_with_one_row_more_at_the_root():
    counts = np.array([[6.0, 3.0], [6.0, 0.0], [0.0, 3.0]])
    shares = honest_shares(counts, STUMP, 0.0)
    np.testing.assert_allclose(shares[0], [6.5 / 10, 3.5 / 10])
    np.testing.assert_allclose(shares[1], [0.95, 0.05])


def test_honest_shares_with_great_shrinkage_are_those_of_the_root():
    counts, parent, _ = random_tree(np.random.default_rng(5))
    shares = honest_shares(counts, parent, 1e12)
    np.testing.assert_allclose(shares, np.tile(shares[0], (len(shares), 1)), atol=1e-9)


@pytest.mark.parametrize("scale", [1e-9, 1e20, 1e100])
def test_honest_shares_are_positive_with_weights_of_any_size(scale):
    rng = np.random.default_rng(2)
    for _ in range(20):
        counts, parent, _ = random_tree(rng)
        shares = honest_shares(counts * scale, parent, 0.0)
        assert (shares > 0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_honest_shares_are_at_most_1_despite_rounding():
    for weight in range(1, 200):
        assert honest_shares(np.array([[weight + 0.1]]), np.array([-1]), 1.0) <= 1


def test_a_node_without_training_rows_is_refused():
    counts = np.array([[6.0, 3.0], [6.0, 3.0], [0.0, 0.0]])
    with pytest.raises(TreeError, match="node 2 has no training rows"):
        honest_shares(counts, STUMP, 1.0)
    with pytest.raises(TreeError, match="node 2 has no training rows"):
        honest_intervals(counts, np.full((3, 2), 0.5), Honesty())


# Intervals


@given(seeds, st.sampled_from([0.3, 1.0, 8.0]), st.sampled_from([0.0, 5.0, 300.0]))
def test_honest_intervals_follow_the_definition(seed, dispersion, shrinkage):
    counts, parent, _ = random_tree(np.random.default_rng(seed))
    shares = honest_shares(counts, parent, shrinkage)
    low, high = honest_intervals(counts, shares, Honesty(dispersion=dispersion))
    training = counts / counts.sum(axis=1, keepdims=True)
    for node, row in enumerate(counts):
        for c in range(len(row)):
            expected = naive_interval(shares[node, c], training[node, c], row.sum(), dispersion)
            np.testing.assert_allclose((low[node, c], high[node, c]), expected, atol=1e-7)
    for inside in (shares, training):
        assert ((low <= inside) & (inside <= high)).all()
    assert low.min() >= 0
    assert high.max() <= 1


def test_honest_intervals_narrow_with_rows_and_widen_with_dispersion():
    shares = np.full((1, 2), 0.5)

    def width(rows, dispersion):
        low, high = honest_intervals(shares * rows, shares, Honesty(dispersion=dispersion))
        return high[0, 0] - low[0, 0]

    assert width(400, 1.0) < width(100, 1.0) < width(100, 2.0)
    assert width(400, 4.0) == pytest.approx(width(100, 1.0))


# Learning


@given(seeds)
def test_learned_numbers_minimise_loss_and_misfit_with_the_prior(seed):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(1, 5))
    folds = [random_fold(rng, n_classes) for _ in range(int(rng.integers(1, 4)))]
    learned = learn_honesty(folds)
    prior = Honesty()

    def loss(shrinkage):
        return naive_log_loss(folds, shrinkage) + log(shrinkage / prior.shrinkage) ** 2 / 2

    def misfit(dispersion):
        fit = naive_misfit(folds, learned.shrinkage, dispersion)[0]
        return fit + log(dispersion / prior.dispersion) ** 2 / 2

    least = min(loss(prior.shrinkage * 2.0**k) for k in range(-5, 6))
    assert loss(learned.shrinkage) == pytest.approx(least, abs=1e-9)
    least = min(misfit(prior.dispersion * 2.0 ** (k / 2)) for k in range(-3, 9))
    assert misfit(learned.dispersion) == pytest.approx(least, abs=1e-6)
    _, judged, covered = naive_misfit(folds, learned.shrinkage, learned.dispersion)
    assert (learned.leaves, learned.covered) == (judged, covered)


def test_learned_figures_are_means_over_the_held_out_rows():
    counts = np.array([[50.0, 50.0], [40.0, 10.0], [10.0, 40.0]])
    fold = FoldLeaves(counts, STUMP, np.array([1, 2]), np.array([[14.0, 6.0], [10.0, 30.0]]))
    learned = learn_honesty([fold, fold])
    shares = honest_shares(counts, STUMP, learned.shrinkage)
    assert (learned.folds, learned.rows, learned.leaves) == (2, 120.0, 4)
    assert learned.claimed == pytest.approx(0.8)
    assert learned.observed == pytest.approx(44 / 60)
    assert learned.expected == pytest.approx((20 * shares[1, 0] + 40 * shares[2, 1]) / 60)
    loss = naive_log_loss([fold], learned.shrinkage) / 60
    assert learned.log_loss == pytest.approx(loss)


@pytest.mark.parametrize("held_out", [[[0.0, 0.0]] * 2, [[1.0, 0.0], [0.0, 0.0]]])
def test_learning_from_hardly_any_held_out_rows_keeps_the_prior(held_out):
    counts = np.array([[50.0, 50.0], [30.0, 20.0], [20.0, 30.0]])
    learned = learn_honesty([FoldLeaves(counts, STUMP, np.array([1, 2]), np.array(held_out))])
    assert (learned.shrinkage, learned.dispersion) == (Honesty().shrinkage, Honesty().dispersion)
    assert (learned.folds, learned.rows, learned.leaves) == (1, np.sum(held_out), 0)


def test_learning_without_folds_gives_the_prior():
    assert learn_honesty([]) == Honesty()


def test_learning_from_one_class_and_from_a_root_alone_works():
    root = FoldLeaves(np.array([[8.0]]), np.array([-1]), np.array([0]), np.array([[2.0]]))
    learned = learn_honesty([root] * 5)
    assert learned.shrinkage == Honesty().shrinkage
    assert (learned.claimed, learned.observed) == (1.0, 1.0)
    assert learned.expected == pytest.approx(1.0)
    fold = root._replace(counts=np.array([[30.0, 10.0]]), held_out=np.array([[8.0, 2.0]]))
    assert learn_honesty([fold] * 5).shrinkage == Honesty().shrinkage


def test_shares_that_regress_fully_are_shrunk_more_than_shares_that_hold():
    counts = np.array([[50.0, 50.0], [40.0, 10.0], [10.0, 40.0]])
    leaves = np.array([1, 2])
    held = learn_honesty([FoldLeaves(counts, STUMP, leaves, counts[1:] / 4)] * 5)
    regressed = learn_honesty([FoldLeaves(counts, STUMP, leaves, np.full((2, 2), 60.0))] * 5)
    assert held.shrinkage <= Honesty().shrinkage < 100 <= regressed.shrinkage
    assert regressed.expected == pytest.approx(0.5, abs=0.05)


def test_shares_that_vary_more_than_samples_give_a_greater_dispersion():
    rng = np.random.default_rng(1)
    counts = np.vstack([[2400.0, 1600.0], np.tile([60.0, 40.0], (40, 1))])
    parent = np.array([-1] + [0] * 40)

    def dispersion(true_shares):
        hits = rng.binomial(200, true_shares)
        held_out = np.stack([hits, 200 - hits], axis=1).astype(float)
        return learn_honesty([FoldLeaves(counts, parent, np.arange(1, 41), held_out)]).dispersion

    assert dispersion(np.full(40, 0.6)) < 1
    assert dispersion(rng.beta(60, 40, 40)) == pytest.approx(1, rel=0.5)
    assert dispersion(rng.beta(6, 4, 40)) > 5


@pytest.mark.parametrize("weight", [10, 40, 200])
def test_intervals_cover_the_true_shares_of_new_leaves(weight):
    rng = np.random.default_rng(weight)
    covered = []
    for _ in range(20):
        shares = rng.beta(4, 2, 160)
        folds = [
            simulated_fold(rng, shares[k::5], weight, np.full(32, weight // 4)) for k in range(5)
        ]
        honesty = learn_honesty(folds)
        true = rng.beta(4, 2, 32)
        counts, parent, leaves, _ = simulated_fold(rng, true, weight, np.ones(32, dtype=int))
        forecast = honest_shares(counts, parent, honesty.shrinkage)
        low, high = (ends[leaves, 0] for ends in honest_intervals(counts, forecast, honesty))
        covered.append((low <= true) & (true <= high))
    assert 0.93 <= np.mean(covered) <= 0.99


# The data class


def test_honesty_is_plain_data():
    rng = np.random.default_rng(0)
    learned = learn_honesty([random_fold(rng, 2) for _ in range(3)])
    assert Honesty(**json.loads(json.dumps(asdict(learned)))) == learned


@pytest.mark.parametrize(
    ("name", "value"),
    [("shrinkage", -1.0), ("shrinkage", float("nan")), ("dispersion", 0.0), ("dispersion", np.inf)],
)
def test_honesty_refuses_impossible_numbers(name, value):
    with pytest.raises(ParameterError, match=f"{name} must be a number"):
        Honesty(**{name: value})
