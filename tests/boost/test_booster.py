"""The boosting loop: how it ends, and what does not change its result."""

import numpy as np
import pytest

from polytomy.boost import CHANCE, PERFECT, certify
from tests.boost.small_runs import booster_on, mixed


class TestPerfect:
    """A tree without errors: its alpha is finite and the run ends."""

    def test_perfect_first_tree_ends_the_run(self):
        run = booster_on({"x": np.arange(8.0)}, [0] * 4 + [1] * 4, algorithm="adaboost").run(9)
        assert (len(run.rounds), run.ended) == (1, PERFECT)
        assert run.rounds[0].epsilon == 0
        assert run.rounds[0].alpha == pytest.approx(0.5 * np.log(15))
        assert run.rounds[0].training_error == 0
        assert certify("adaboost", run.rounds, 1.0).holds

    @pytest.mark.parametrize("algorithm", ["adaboost", "samme"])
    @pytest.mark.parametrize("rate", [1.0, 0.3])
    def test_perfect_tree_outvotes_earlier_rounds(self, algorithm, rate):
        labels = [0, 1, 1, 0, 1, 1, 0, 0]
        x = np.arange(8.0)
        run = booster_on({"x": x}, labels, algorithm=algorithm, learning_rate=rate).run(3)
        assert run.rounds[-1].training_error > 0
        perfect = booster_on(
            {"x": x}, labels, None, {"max_leaves": 8}, algorithm=algorithm, learning_rate=rate
        )
        votes = perfect._training.votes = run._training.votes
        perfect._rounds = list(run.rounds)
        perfect.algorithm.weigh(votes)
        assert perfect.step().training_error == 0
        assert perfect.ended == PERFECT


class TestChance:
    """A tree no better than chance: the round is dropped and the run ends."""

    @pytest.mark.parametrize("algorithm", ["adaboost", "adaboost-real", "samme", "adaboost-mh"])
    def test_useless_first_tree_ends_the_run_with_a_warning(self, algorithm):
        columns = {"x": np.tile([0.0, 1.0], 4)}
        run = booster_on(columns, [0, 0, 1, 1] * 2, algorithm=algorithm)
        with pytest.warns(UserWarning, match="no better than chance"):
            assert run.step() is None
        assert (len(run.rounds), run.ended) == (0, CHANCE)
        assert run.step() is None
        assert len(run.ensemble(np.array([0, 1]))) == 0

    def test_useless_first_tree_leaves_the_class_shares(self):
        columns = {"x": np.zeros(4), "y": np.zeros(4)}
        run = booster_on(columns, [1, 1, 1, 0], [0.5, 0.3, 0.3, 1.1000000000000001])
        with pytest.warns(UserWarning, match="nothing to boost"):
            run.run(5)
        assert run.start.tolist() == [0.0]  # a tie, so the lower class

    def test_useless_later_tree_is_dropped(self):
        columns, labels = {"x": np.zeros(5)}, [0, 0, 0, 1, 1]
        run = booster_on(columns, labels, algorithm="adaboost").run(9)
        assert (len(run.rounds), run.ended) == (1, CHANCE)
        assert run.rounds[0].epsilon == pytest.approx(0.4)
        assert run.rounds[0].leaves == 1


def test_learning_rate_scales_the_vote():
    columns, labels, weights = mixed(6)
    full, half = (
        booster_on(columns, labels, weights, algorithm="adaboost", learning_rate=rate).step()
        for rate in (1.0, 0.5)
    )
    assert half.alpha == full.alpha / 2
    assert full.z < half.z < 1
    assert half.exponential_bound is None


@pytest.mark.parametrize("threads", [1, 3])
def test_ensemble_does_not_depend_on_the_number_of_threads(threads):
    columns, labels, weights = mixed(7, n=400)
    one, other = (booster_on(columns, labels, weights) for _ in range(2))
    other._threads = threads
    assert one.run(10).members == other.run(10).members
