"""adaboost, adaboost-real, adaboost-mh and samme against oracles, a peer and their theorems."""

from itertools import islice

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from polytomy.boost import PERFECT, certify, probabilities
from polytomy.boost.algorithm import MAX_VOTE
from polytomy.ensemble import votes
from polytomy.index import INDICES, LAYERED
from polytomy.predict import apply
from polytomy.reference import adaboost
from polytomy.table import Table
from tests.boost.small_runs import booster_on, mixed

SMALL = {"max_leaves": 4}


@pytest.mark.parametrize("seed", range(3))
def test_adaboost_matches_the_oracle_for_fifty_rounds(seed):
    columns, labels, weights = mixed(seed)
    booster = booster_on(columns, labels, weights, algorithm="adaboost")
    for expected in islice(adaboost(columns, 2 * labels - 1, weights), 50):
        d = booster.algorithm.distribution()
        record = booster.step()
        assert record.epsilon == pytest.approx(expected.epsilon, abs=1e-9)
        assert record.alpha == pytest.approx(expected.alpha, abs=1e-9)
        assert record.z == pytest.approx(expected.z, abs=1e-9)
        np.testing.assert_allclose(d, expected.distribution, atol=1e-9)


def test_adaboost_splits_like_scikit_learn_until_a_tie():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 6, (300, 4)).astype(float)
    y = (x[:, 0] + x[:, 1] * (x[:, 2] > 2) + rng.normal(0, 2, 300) > 4).astype(int)
    peer = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=30).fit(x, y)
    ours = booster_on({f"x{j}": c for j, c in enumerate(x.T)}, y, algorithm="adaboost").run(30)
    same = 0
    for member, record, tree, error in zip(
        ours.members, ours.rounds, peer.estimators_, peer.estimator_errors_, strict=True
    ):
        mine = (member.tree.feature[0], member.tree.threshold[0])
        theirs = (tree.tree_.feature[0], tree.tree_.threshold[0])
        if mine != theirs:  # a tie: both are as good
            assert record.epsilon == pytest.approx(error, abs=1e-2)
            break
        assert record.epsilon == pytest.approx(error, abs=1e-9)
        same += 1
    assert same >= 10


@pytest.mark.parametrize("algorithm", ["adaboost", "adaboost-real"])
@pytest.mark.parametrize("leaves", [2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_adaboost_bounds_hold_after_every_round(algorithm, leaves, seed):
    columns, labels, weights = mixed(seed)
    grow = {"max_leaves": leaves}
    run = booster_on(columns, labels, weights, grow, algorithm=algorithm).run(40)
    product = np.cumprod(run.rounds.z)
    np.testing.assert_allclose(run.rounds.bound, product, rtol=1e-9)
    assert (run.rounds.training_error <= product + 1e-12).all()
    if algorithm == "adaboost":
        squares = np.cumsum((0.5 - run.rounds.epsilon) ** 2)
        np.testing.assert_allclose(run.rounds.exponential_bound, np.exp(-2 * squares), rtol=1e-12)
        assert (product <= run.rounds.exponential_bound * (1 + 1e-12)).all()
    certificate = certify(algorithm, run.rounds, 1.0)
    assert certificate.holds
    assert "holds after every round" in str(certificate)


@pytest.mark.parametrize("leaves", [2, 6])
def test_real_adaboost_z_is_the_sqrt_index_of_the_tree(leaves):
    columns, labels, weights = mixed(4)
    run = booster_on(
        columns, labels, weights, {"max_leaves": leaves}, algorithm="adaboost-real", smoothing=0.0
    ).run(25)
    for member, record in zip(run.members, run.rounds, strict=True):
        counts = member.tree.counts[member.tree.leaves()]
        assert record.z == pytest.approx(INDICES["sqrt"].value(counts).sum(), abs=1e-9)


def test_pure_leaf_has_a_finite_vote():
    run = booster_on({"x": np.arange(4.0)}, [0, 0, 1, 1], algorithm="adaboost-real", smoothing=0.0)
    record = run.step()
    assert np.abs(run.members[0].scores).max() == pytest.approx(MAX_VOTE)
    assert record.z == pytest.approx(0, abs=1e-9)
    assert (run.ended, run.step()) == (PERFECT, None)


def test_smoothing_increases_z_and_shrinks_votes():
    columns, labels, weights = mixed(2)
    records, most = [], []
    for smoothing in (0.0, 0.01, 0.1):
        run = booster_on(columns, labels, weights, smoothing=smoothing)
        records.append(run.step())
        most.append(np.abs(run.members[0].scores).max())
    assert records[0].z < records[1].z < records[2].z < 1
    assert most[0] > most[1] > most[2] > 0


def test_adaboost_matches_three_rounds_computed_by_hand():
    run = booster_on({"x": np.arange(1.0, 7)}, [1, 1, 0, 0, 1, 0], algorithm="adaboost")
    # x <= 2.5 votes +: only x = 5 is wrong. eps = 1/6, alpha = ln(5)/2, Z = 2 sqrt(5/36)
    first = run.step()
    assert first.epsilon == pytest.approx(1 / 6)
    assert first.alpha == pytest.approx(np.log(5) / 2)
    assert first.z == pytest.approx(np.sqrt(5) / 3)
    np.testing.assert_allclose(run.algorithm.distribution(), np.array([1, 1, 1, 1, 5, 1]) / 10)
    # x <= 5.5 votes +: x = 3 and x = 4 are wrong. eps = 1/5, alpha = ln(4)/2, Z = 4/5
    second = run.step()
    assert second.epsilon == pytest.approx(1 / 5)
    assert second.alpha == pytest.approx(np.log(2))
    assert second.z == pytest.approx(4 / 5)
    np.testing.assert_allclose(run.algorithm.distribution(), np.array([1, 1, 4, 4, 5, 1]) / 16)
    # x > 4.5 votes +: x = 1, 2 and 6 are wrong. eps = 3/16, and the vote has no error left
    third = run.step()
    assert third.epsilon == pytest.approx(3 / 16)
    assert third.alpha == pytest.approx(np.log(13 / 3) / 2)
    assert third.bound == pytest.approx(np.sqrt(5) / 3 * 4 / 5 * np.sqrt(39) / 8)
    assert [first.training_error, second.training_error] == pytest.approx([1 / 6, 1 / 6])
    assert third.training_error == 0


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


def test_mh_with_two_classes_equals_real_adaboost():
    columns, labels, weights = mixed(3)
    mh = booster_on(columns, labels, weights, SMALL, algorithm="adaboost-mh").run(15)
    real = booster_on(columns, labels, weights, SMALL, algorithm="adaboost-real").run(15)
    np.testing.assert_allclose(mh.rounds.z, real.rounds.z, rtol=1e-9)
    for one, other in zip(mh.members, real.members, strict=True):
        np.testing.assert_array_equal(one.tree.threshold, other.tree.threshold)
        np.testing.assert_allclose(one.scores[:, 1:], other.scores, atol=1e-9)


def test_mh_weights_pairs_of_a_row_and_a_class():
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


def test_samme_with_two_classes_equals_adaboost_with_twice_the_alpha():
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


def test_samme_matches_the_published_algorithm():
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
