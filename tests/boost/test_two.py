"""AdaBoost for two classes: against the oracle, a peer, and its theorem."""

from itertools import islice

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from polytomy.boost import CHANCE, PERFECT, certify
from polytomy.boost.algorithm import CAP
from polytomy.index import INDICES
from polytomy.reference import adaboost
from tests.boost.samples import booster_on, mixed


@pytest.mark.parametrize("seed", range(3))
def test_fifty_rounds_equal_the_oracles(seed):
    columns, labels, weights = mixed(seed)
    booster = booster_on(columns, labels, weights, algorithm="adaboost")
    for expected in islice(adaboost(columns, 2 * labels - 1, weights), 50):
        d = booster.algorithm.distribution()
        record = booster.step()
        figures = (expected.epsilon, expected.alpha, expected.z)
        assert (record.epsilon, record.alpha, record.z) == pytest.approx(figures, abs=1e-9)
        np.testing.assert_allclose(d, expected.distribution, atol=1e-9)


def test_the_peer_asks_the_same_until_a_tie():
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
def test_the_theorem_holds_after_every_round(algorithm, leaves, seed):
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
def test_z_is_the_sqrt_index_of_the_tree(leaves):
    columns, labels, weights = mixed(4)
    run = booster_on(
        columns, labels, weights, {"max_leaves": leaves}, algorithm="adaboost-real", smoothing=0.0
    ).run(25)
    for member, record in zip(run.members, run.rounds, strict=True):
        counts = member.tree.counts[member.tree.leaves()]
        assert record.z == pytest.approx(INDICES["sqrt"].value(counts).sum(), abs=1e-9)


def test_a_pure_leaf_votes_a_finite_number():
    run = booster_on({"x": np.arange(4.0)}, [0, 0, 1, 1], algorithm="adaboost-real", smoothing=0.0)
    record = run.step()
    assert np.abs(run.members[0].scores).max() == pytest.approx(CAP)
    assert record.z == pytest.approx(0, abs=1e-9)
    assert (run.ended, run.step()) == (PERFECT, None)


def test_smoothing_makes_z_larger_and_votes_smaller():
    columns, labels, weights = mixed(2)
    records, most = [], []
    for smoothing in (0.0, 0.01, 0.1):
        run = booster_on(columns, labels, weights, smoothing=smoothing)
        records.append(run.step())
        most.append(np.abs(run.members[0].scores).max())
    assert records[0].z < records[1].z < records[2].z < 1
    assert most[0] > most[1] > most[2] > 0


class TestPerfect:
    """eps = 0: the alpha of half the lightest row being wrong, and the end."""

    def test_alone(self):
        run = booster_on({"x": np.arange(8.0)}, [0] * 4 + [1] * 4, algorithm="adaboost").run(9)
        assert (len(run.rounds), run.ended) == (1, PERFECT)
        assert run.rounds[0].epsilon == 0
        assert run.rounds[0].alpha == pytest.approx(0.5 * np.log(15))
        assert run.rounds[0].training_error == 0
        assert certify("adaboost", run.rounds, 1.0).holds

    @pytest.mark.parametrize("algorithm", ["adaboost", "samme"])
    @pytest.mark.parametrize("rate", [1.0, 0.3])
    def test_after_votes_that_it_must_overrule(self, algorithm, rate):
        labels = [0, 1, 1, 0, 1, 1, 0, 0]
        x = np.arange(8.0)
        run = booster_on({"x": x}, labels, algorithm=algorithm, learning_rate=rate).run(3)
        assert run.rounds[-1].training_error > 0
        perfect = booster_on(
            {"x": x}, labels, None, {"max_leaves": 8}, algorithm=algorithm, learning_rate=rate
        )
        perfect.__dict__ |= {"_votes": run._votes, "_rounds": list(run.rounds)}
        perfect.algorithm.weigh(run._votes)
        assert perfect.step().training_error == 0
        assert perfect.ended == PERFECT


class TestChance:
    """eps >= 1/2: the round is dropped, and the run ends."""

    @pytest.mark.parametrize("algorithm", ["adaboost", "adaboost-real", "samme", "adaboost-mh"])
    def test_in_the_first_round(self, algorithm):
        columns = {"x": np.tile([0.0, 1.0], 4)}
        run = booster_on(columns, [0, 0, 1, 1] * 2, algorithm=algorithm)
        with pytest.warns(UserWarning, match="no better than chance"):
            assert run.step() is None
        assert (len(run.rounds), run.ended) == (0, CHANCE)
        assert run.step() is None
        assert len(run.ensemble(np.array([0, 1]))) == 0

    def test_the_majority_is_predicted_then(self):
        columns = {"x": np.zeros(4), "y": np.zeros(4)}
        run = booster_on(columns, [1, 1, 1, 0], [0.5, 0.3, 0.3, 1.1000000000000001])
        with pytest.warns(UserWarning, match="nothing to boost"):
            run.run(5)
        assert run.start.tolist() == [0.0]  # a tie, so the lower class

    def test_later(self):
        columns, labels = {"x": np.zeros(5)}, [0, 0, 0, 1, 1]
        run = booster_on(columns, labels, algorithm="adaboost").run(9)
        assert (len(run.rounds), run.ended) == (1, CHANCE)
        assert run.rounds[0].epsilon == pytest.approx(0.4)
        assert run.rounds[0].leaves == 1


def test_a_smaller_learning_rate_is_a_smaller_vote():
    columns, labels, weights = mixed(6)
    full, half = (
        booster_on(columns, labels, weights, algorithm="adaboost", learning_rate=rate).step()
        for rate in (1.0, 0.5)
    )
    assert half.alpha == full.alpha / 2
    assert full.z < half.z < 1
    assert half.exponential_bound is None


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(threads):
    columns, labels, weights = mixed(7, n=400)
    one, other = (booster_on(columns, labels, weights) for _ in range(2))
    other._threads = threads
    assert one.run(10).members == other.run(10).members
