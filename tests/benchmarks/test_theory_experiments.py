"""The experiments on the theorems: planted tables, the exact game, and true errors of prunings."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from polytomy.theory import WeightDistributionGame, e, g, phi
from tests.naive.pruning import all_prunings

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FIFTH = Fraction(1, 5)


@pytest.fixture(scope="module", autouse=True)
def _path():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield


@pytest.fixture(scope="module")
def rates(_path):
    import rates  # noqa: PLC0415

    return rates


@pytest.fixture(scope="module")
def safe_prices(_path):
    import safe_prices  # noqa: PLC0415

    return safe_prices


@pytest.fixture(scope="module")
def srm(_path):
    import srm_simulation  # noqa: PLC0415

    return srm_simulation


@pytest.mark.parametrize("name", ["rates", "safe_prices", "srm"])
def test_experiment_runs_quickly_to_its_end(name, request, capsys):
    assert request.getfixturevalue(name).main(["--quick"]) == 0
    assert "|---|" in capsys.readouterr().out


# ---- planted tables


@pytest.mark.parametrize("share", [0.5, 0.8, 1.0])
def test_binary_column_has_the_advantage_and_the_share(rates, share):
    column = rates.binary(0.3, share)
    weights = np.sqrt(np.multiply(column.p, column.q))
    assert column.advantage == pytest.approx(0.3)
    assert weights[0] / weights.sum() == pytest.approx(share)
    assert sum(column.p) == pytest.approx(1) == sum(column.q)


def test_wide_column_has_the_advantage_and_equal_children(rates):
    column = rates.wide(8, 0.45)
    assert len(column.p) == 8
    assert column.advantage == pytest.approx(0.45)
    assert np.ptp(np.multiply(column.p, column.q)) == pytest.approx(0)


def test_planted_advantage_is_the_same_at_every_node(rates):
    planted = rates.Planted((rates.binary(0.2, 0.7),) * 5)
    made = rates.run(planted, "kearns-mansour", 12)
    assert made.gamma == pytest.approx(0.2, rel=1e-9)
    assert made.at(12) < phi(12, 0.2)


def test_curve_ends_with_the_columns_of_the_heaviest_leaf(rates):
    made = rates.run(rates.Planted((rates.binary(0.2, 1.0),) * 4), "per-leaf", 16)
    assert made.size == 5
    assert made.at(5) == pytest.approx(0.8**4)


def test_largest_gain_alone_breaks_the_bound(rates):
    """A 4-way column that is hardly better than a binary one costs three leaves, not one."""
    columns = (rates.wide(4, 0.21),) * 3 + (rates.binary(0.2),) * 6
    runs = {p: rates.run(rates.Planted(columns), p, 64) for p in ("id3", "hatano")}
    assert runs["id3"].at(64) > 64**-0.2
    assert runs["hatano"].at(64) == pytest.approx(phi(64, 0.2))


# ---- the exact game


@pytest.mark.parametrize("s", [3, 5, 6])
def test_game_agrees_with_the_search_in_floats(safe_prices, s):
    rule = safe_prices.RULES["ceil(log2 k), k <= s/T, phi (Hatano)"]
    worst = safe_prices.Game(rule, s, FIFTH, grid=4).worst()
    assert float(worst) == pytest.approx(
        WeightDistributionGame(1.0, s, 0.2).worst_case(grid=4).value
    )


@pytest.mark.parametrize("n", [1, 2, 3, 6, 11])
def test_exact_rates_agree_with_the_library(safe_prices, n):
    assert float(safe_prices.phi(n, FIFTH)) == pytest.approx(phi(n, 0.2))
    assert float(safe_prices.e(n, FIFTH)) == pytest.approx(e(n, 0.2))
    assert float(safe_prices.least_for_e(n + 1, FIFTH)) == pytest.approx(g(n + 1, 0.2))


def test_line_of_a_counterexample_ends_with_its_weight(safe_prices):
    game = safe_prices.Game(safe_prices.RULES["ceil(log2 k), any k, phi"], 5, FIFTH, grid=2)
    assert not game.safe
    leaves = [Fraction(1)]
    for move in game.line():
        assert move.leaf == max(leaves)
        assert sum(move.children) == move.leaf * (1 - FIFTH * (len(move.children) - 1).bit_length())
        leaves.remove(move.leaf)
        leaves.extend(move.children)
    assert len(leaves) == 5
    assert sum(leaves) == game.worst() > safe_prices.phi(5, FIFTH)


def test_mean_depth_is_that_of_a_balanced_tree(safe_prices):
    def depths(k):
        return [0] if k == 1 else [d + 1 for part in (k // 2, k - k // 2) for d in depths(part)]

    for k in range(2, 40):
        assert safe_prices.mean_depth(k, FIFTH) == Fraction(sum(depths(k)), k)
        assert safe_prices.height(k, FIFTH) == max(depths(k))
        assert safe_prices.least_for_phi(k, FIFTH) <= safe_prices.mean_depth(k, FIFTH)


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_cheapest_price_is_needed_at_a_power_of_two(safe_prices, k):
    s = 1 << (k - 1).bit_length()
    least = safe_prices.Rule(safe_prices.least_for_phi, safe_prices.within_share, safe_prices.phi)
    below = safe_prices.RULES[f"1 % below the least for phi at k = {k}, k <= s/T, phi"]
    assert safe_prices.Game(least, s, FIFTH, 0).worst() == safe_prices.phi(s, FIFTH)
    assert not safe_prices.Game(below, s, FIFTH, 0).safe


def test_criterion_for_wide_splits_includes_hatanos(safe_prices):
    for s in range(2, 20):
        for leaves in range(1, s):
            for k in range(2, s // leaves + 1):
                assert safe_prices.wide_is_safe(k, leaves, s, FIFTH)
    assert safe_prices.wide_is_safe(3, 2, 4, FIFTH)
    assert not safe_prices.wide_is_safe(4, 2, 5, FIFTH)


@pytest.mark.parametrize("k", [3, 5, 8])
def test_price_of_shares_is_that_of_k_branches_for_equal_ones(safe_prices, k):
    shares = np.full(k, 1 / k)
    price = safe_prices.price_of_shares(shares, 0.2)
    assert price == pytest.approx(float(safe_prices.least_for_power(k, FIFTH)), abs=2e-6)
    assert safe_prices.price_of_shares(np.array([1.0, 0.0, 0.0]), 0.2) == 0
    assert safe_prices.price_of_shares(shares, 1e-9) == pytest.approx(np.log(k), rel=1e-5)
    assert safe_prices.accepts_shares(shares, 0.2, k + 1e-9)
    assert not safe_prices.accepts_shares(shares, 0.2, k - 1e-9)


def test_least_power_is_the_least_of_all_divisions_of_the_leaves(safe_prices):
    grid = np.linspace(1, 4, 301)
    for weights in ([0.7, 0.2, 0.1], [0.4, 0.4, 0.2], [0.98, 0.01, 0.01]):
        totals = [
            weights[0] * a**-0.3 + weights[1] * b**-0.3 + weights[2] * (6 - a - b) ** -0.3
            for a in grid
            for b in grid
            if 6 - a - b >= 1 - 1e-9
        ]
        found = safe_prices.least_power(np.array(weights), 6, 0.3)
        assert found <= min(totals) + 1e-12
        assert found == pytest.approx(min(totals), abs=1e-4)


# ---- pruning


def test_best_pruning_is_the_best_of_all(srm):
    rng = np.random.default_rng(0)
    for _ in range(20):
        trial = srm.Trial.of(rng, srm.random_truth(rng), m=12)
        errors = {
            pruning.leaves: trial.error(set(pruning.leaves)) for pruning in all_prunings(trial.tree)
        }
        least = min(errors.values())
        ties = [leaves for leaves, error in errors.items() if error < least + srm.SAME]
        assert trial.best(largest=True) == set(max(ties, key=len))
        assert trial.best(largest=False) == set(min(ties, key=len))


def test_true_errors_are_those_of_an_endless_sample(srm):
    rng = np.random.default_rng(1)
    trial = srm.Trial.of(rng, srm.margin_truth(srm.SIGNALS["one column"], 0.2), m=10**6)
    assert trial.error({0}) == pytest.approx(0.5)
    assert trial.error(trial.best(largest=False)) == pytest.approx(0.3)
    assert len(trial.best(largest=False)) == 2


def test_proven_bound_holds_in_simulation(srm):
    rng = np.random.default_rng(2)
    for m in (10**4, 10**7):
        found = [srm.Outcome.of(srm.Trial.of(rng, srm.random_truth(rng), m)) for _ in range(5)]
        assert all(outcome.part and 0 <= outcome.gap <= outcome.bound for outcome in found)
        assert all(outcome.smaller_bound <= outcome.bound for outcome in found)
