"""More than two classes, and least squares."""

import numpy as np
import pytest

from polytomy.boost import certify, probabilities
from polytomy.boost.logit import MOST
from polytomy.ensemble import votes
from polytomy.index import LAYERED
from polytomy.predict import apply
from polytomy.table import Table
from tests.boost.samples import booster_on, mixed

SMALL = {"max_leaves": 4}


def test_mh_z_is_the_pairs_index_and_bounds_the_error():
    columns, labels, weights = mixed(1, n_classes=3)
    run = booster_on(columns, labels, weights, SMALL, algorithm="adaboost-mh", smoothing=0.0)
    run.run(25)
    for member, record in zip(run.members, run.rounds, strict=True):
        counts = member.tree.counts[member.tree.leaves()]
        assert record.z == pytest.approx(LAYERED["pairs"].value(counts).sum(), abs=1e-9)
    np.testing.assert_allclose(run.rounds.bound, 1.5 * np.cumprod(run.rounds.z), rtol=1e-9)
    assert (run.rounds.training_error <= run.rounds.bound).all()
    assert certify("adaboost-mh", run.rounds, 1.0).holds


def test_mh_of_two_classes_is_the_real_adaboost():
    columns, labels, weights = mixed(3)
    mh = booster_on(columns, labels, weights, SMALL, algorithm="adaboost-mh").run(15)
    real = booster_on(columns, labels, weights, SMALL, algorithm="adaboost-real").run(15)
    np.testing.assert_allclose(mh.rounds.z, real.rounds.z, rtol=1e-9)
    for one, other in zip(mh.members, real.members, strict=True):
        np.testing.assert_array_equal(one.tree.threshold, other.tree.threshold)
        np.testing.assert_allclose(one.scores[:, 1:], other.scores, atol=1e-9)


def test_mh_weighs_each_pair_of_a_row_and_a_class():
    columns, labels, weights = mixed(5, n_classes=4)
    run = booster_on(columns, labels, weights, algorithm="adaboost-mh").run(6)
    shares = weights / weights.sum()
    table = Table.of(columns)
    f = votes(run.ensemble(np.arange(4)), table)
    sign = np.where(labels[:, np.newaxis] == np.arange(4), 1.0, -1.0)
    d = shares[:, np.newaxis] * np.exp(-sign * f)
    target = run.algorithm.target(0)
    got = np.stack([units * target.unit for _, units in target.layers], axis=1)
    np.testing.assert_allclose(got, d / d.sum(), atol=1e-12)
    assert run.rounds[-1].bound == pytest.approx(2 * d.sum() / 4)


def test_samme_of_two_classes_is_adaboost_with_twice_the_alpha():
    columns, labels, weights = mixed(2)
    samme = booster_on(columns, labels, weights, algorithm="samme").run(20)
    ada = booster_on(columns, labels, weights, algorithm="adaboost").run(20)
    np.testing.assert_allclose(samme.rounds.epsilon, ada.rounds.epsilon, rtol=1e-8)
    np.testing.assert_allclose(samme.rounds.alpha, 2 * ada.rounds.alpha, rtol=1e-8)
    table = Table.of(columns)
    both, one = (votes(run.ensemble(np.arange(2)), table) for run in (samme, ada))
    np.testing.assert_allclose(
        probabilities(both, "samme"), probabilities(one, "adaboost"), atol=1e-9
    )


def test_samme_follows_its_authors():
    columns, labels, weights = mixed(2, n_classes=3)
    run = booster_on(columns, labels, weights, SMALL, algorithm="samme")
    table = Table.of(columns)
    d = weights / weights.sum()
    for _ in range(10):
        np.testing.assert_allclose(run.algorithm.distribution(), d, atol=1e-9)
        record = run.step()
        last = run.members[-1]
        leaf = apply(last.tree, run.sample.coded.schema, table)
        wrong = last.scores[leaf].argmax(axis=1) != labels
        eps = d[wrong].sum()
        assert record.epsilon == pytest.approx(eps, abs=1e-9)
        assert record.alpha == pytest.approx(np.log((1 - eps) / eps) + np.log(2), abs=1e-9)
        d = d * np.exp(record.alpha * wrong)
        d /= d.sum()
        assert record.bound is None


def naive_least_squares(x, z, w):
    """The threshold whose sides have the least weighted sum of squares, and its gain."""

    def squares(rows):
        mean = np.average(z[rows], weights=w[rows])
        return (w[rows] * (z[rows] - mean) ** 2).sum()

    cuts = np.unique(x)[:-1]
    parts = [squares(x <= c) + squares(x > c) for c in cuts]
    return cuts[np.argmin(parts)], squares(np.full(len(x), True)) - min(parts)


@pytest.mark.parametrize("seed", range(5))
def test_the_squares_index_is_least_squares(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 30, 200).astype(float)
    labels = (x + rng.normal(0, 12, 200) > 15).astype(int)
    run = booster_on({"x": x}, labels, rng.uniform(0.5, 2, 200), algorithm="logitboost").run(3)
    f = votes(run.ensemble(np.arange(2)), Table.of({"x": x}))[:, 0]
    p = 1 / (1 + np.exp(-2 * f))
    w = np.maximum(p * (1 - p), np.abs(labels - p) / MOST)
    z = (labels - p) / w
    w *= run.sample.shares
    cut, gain = naive_least_squares(x, z, w)
    run.step()
    tree = run.members[-1].tree
    assert cut <= tree.threshold[0] < cut + 1.5
    value = LAYERED["squares"].value(tree.counts)
    assert MOST**2 * (value[0] - value[1:].sum()) == pytest.approx(gain, rel=1e-9)
    mean = [np.average(z[side], weights=w[side]) for side in (x <= cut, x > cut)]
    np.testing.assert_allclose(2 * run.members[-1].scores[1:, 0], mean, atol=1e-9)


def test_a_leaf_that_is_right_does_not_move():
    x = np.repeat([0.0, 1.0], 10)
    labels = np.array([1] * 9 + [0] + [0] * 9 + [1])
    run = booster_on({"x": x}, labels, algorithm="logitboost").run(60)
    f = votes(run.ensemble(np.arange(2)), Table.of({"x": x}))
    np.testing.assert_allclose(probabilities(f, "logitboost")[[0, -1], 1], [0.9, 0.1], atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_logitboost_lowers_the_log_loss_which_bounds_the_error(n_classes):
    columns, labels, weights = mixed(8, n=300, n_classes=n_classes)
    run = booster_on(columns, labels, weights, algorithm="logitboost", learning_rate=0.5).run(30)
    assert (np.diff(run.rounds.bound) < 0).all()
    assert (run.rounds.training_error <= run.rounds.bound).all()
    assert len(run.members) == 30 * (1 if n_classes == 2 else n_classes)
    assert certify("logitboost", run.rounds, 0.5).holds
    f = votes(run.ensemble(np.arange(n_classes)), Table.of(columns))
    own = probabilities(f, "logitboost")[np.arange(300), labels]
    loss = -(np.log2(own) * weights).sum() / weights.sum()
    assert run.rounds[-1].bound == pytest.approx(loss)


def test_probabilities_are_calibrated_on_a_logistic_problem():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40_000, 4))
    chance = 1 / (1 + np.exp(-(x @ [1.0, -0.7, 0.4, 0.0])))
    y = (rng.random(40_000) < chance).astype(int)
    fit, test = slice(0, 20_000), slice(20_000, None)
    run = booster_on({f"x{j}": c[fit] for j, c in enumerate(x.T)}, y[fit], algorithm="logitboost")
    ensemble = run.run(60).ensemble(np.arange(2))
    held = Table.of({f"x{j}": c[test] for j, c in enumerate(x.T)})
    p = probabilities(votes(ensemble, held), "logitboost")[:, 1]
    bins = np.minimum((p * 15).astype(int), 14)
    gap = [abs((p - y[test])[bins == b].sum()) for b in range(15)]
    assert sum(gap) / 20_000 < 0.03


def test_probabilities_never_overflow():
    huge = np.array([[-4000.0, 4000.0, 0.0], [-4000.0, -4000.0, -3000.0]])
    for algorithm in ("adaboost-mh", "samme", "logitboost"):
        shares = probabilities(huge, algorithm)
        assert np.isfinite(shares).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert shares.argmax(axis=1).tolist() == [1, 2]
