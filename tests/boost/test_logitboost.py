"""LogitBoost: least squares, the log loss and calibrated probabilities."""

import numpy as np
import pytest

from polytomy.boost import certify, probabilities
from polytomy.boost.logitboost import MAX_RESPONSE
from polytomy.ensemble import votes
from polytomy.index import LAYERED
from polytomy.predict import apply
from polytomy.table import Table
from tests.boost.small_runs import booster_on, mixed


def naive_least_squares(x, z, w):
    """The threshold whose sides have the least weighted sum of squares, and its gain."""

    def squares(rows):
        mean = np.average(z[rows], weights=w[rows])
        return (w[rows] * (z[rows] - mean) ** 2).sum()

    cuts = np.unique(x)[:-1]
    parts = [squares(x <= c) + squares(x > c) for c in cuts]
    return cuts[np.argmin(parts)], squares(np.full(len(x), True)) - min(parts)


@pytest.mark.parametrize("seed", range(5))
def test_squares_index_gives_the_least_squares_split(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 30, 200).astype(float)
    labels = (x + rng.normal(0, 12, 200) > 15).astype(int)
    params = {"algorithm": "logitboost", "learning_rate": 1.0, "smoothing": 0.0}
    run = booster_on({"x": x}, labels, rng.uniform(0.5, 2, 200), **params).run(3)
    f = votes(run.ensemble(np.arange(2)), Table.of({"x": x}))[:, 0]
    p = 1 / (1 + np.exp(-2 * f))
    w = np.maximum(p * (1 - p), np.abs(labels - p) / MAX_RESPONSE)
    z = (labels - p) / w
    w *= run.sample.shares
    cut, gain = naive_least_squares(x, z, w)
    run.step()
    tree = run.members[-1].tree
    assert cut <= tree.threshold[0] < cut + 1.5
    value = LAYERED["squares"].value(tree.counts)
    assert MAX_RESPONSE**2 * (value[0] - value[1:].sum()) == pytest.approx(gain, rel=1e-9)
    mean = [np.average(z[side], weights=w[side]) for side in (x <= cut, x > cut)]
    np.testing.assert_allclose(2 * run.members[-1].scores[1:, 0], mean, atol=1e-9)


def test_logitboost_converges_to_the_class_shares_of_a_leaf():
    x = np.repeat([0.0, 1.0], 10)
    labels = np.array([1] * 9 + [0] + [0] * 9 + [1])
    run = booster_on({"x": x}, labels, algorithm="logitboost", learning_rate=1.0).run(60)
    f = votes(run.ensemble(np.arange(2)), Table.of({"x": x}))
    np.testing.assert_allclose(probabilities(f, "logitboost")[[0, -1], 1], [0.9, 0.1], atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_default_votes_are_newton_steps_with_a_ridge_penalty_of_one(n_classes, weighted):
    columns, labels, weights = mixed(4, n=120, n_classes=n_classes)
    times = np.rint(2 * weights).clip(1) if weighted else np.ones(len(labels))
    run = booster_on(columns, labels, times, {"max_leaves": 5}, algorithm="logitboost").run(4)
    before = votes(run.ensemble(np.arange(n_classes)), Table.of(columns))
    p = probabilities(before, "logitboost")
    run.step()
    for which, member in enumerate(run.members[-run.algorithm.n_trees :]):
        label = 1 if n_classes == 2 else which
        leaf = apply(member.tree, run.sample.coded.schema, Table.of(columns), 1)
        for node in np.unique(leaf):
            rows = leaf == node
            lack = (labels == label)[rows] - p[rows, label]
            variance = p[rows, label] * (1 - p[rows, label])
            variance = np.maximum(variance, np.abs(lack) / MAX_RESPONSE)
            step = 0.1 * (times[rows] * lack).sum() / ((times[rows] * variance).sum() + 1.0)
            if n_classes == 2:
                expected = [step / 2]
            else:
                share = (np.arange(n_classes) == which) - 1 / n_classes
                expected = (n_classes - 1) / n_classes * share * step
            np.testing.assert_allclose(member.scores[node], expected, atol=1e-10)


def test_smoothing_keeps_the_votes_of_pure_leaves_from_growing_without_limit():
    x = np.arange(20.0)
    params = {"algorithm": "logitboost", "learning_rate": 1.0}
    most = {}
    for smoothing in (0.0, "auto"):
        run = booster_on({"x": x}, (x > 9).astype(int), **params, smoothing=smoothing).run(40)
        most[smoothing] = np.abs(votes(run.ensemble(np.arange(2)), Table.of({"x": x}))).max()
    assert most[0.0] > 18  # half the log odds
    assert most["auto"] < 4


@pytest.mark.parametrize("n_classes", [2, 4])
def test_logitboost_decreases_the_log_loss_which_bounds_the_error(n_classes):
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


def test_logitboost_probabilities_are_calibrated_on_a_logistic_problem():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40_000, 4))
    chance = 1 / (1 + np.exp(-(x @ [1.0, -0.7, 0.4, 0.0])))
    y = (rng.random(40_000) < chance).astype(int)
    fit, test = slice(0, 20_000), slice(20_000, None)
    columns = {f"x{j}": c[fit] for j, c in enumerate(x.T)}
    run = booster_on(columns, y[fit], algorithm="logitboost", learning_rate=1.0)
    ensemble = run.run(60).ensemble(np.arange(2))
    held = Table.of({f"x{j}": c[test] for j, c in enumerate(x.T)})
    p = probabilities(votes(ensemble, held), "logitboost")[:, 1]
    bins = np.minimum((p * 15).astype(int), 14)
    gap = [abs((p - y[test])[bins == b].sum()) for b in range(15)]
    assert sum(gap) / 20_000 < 0.03
