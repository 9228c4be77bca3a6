"""Hatano's game: his theorem by exhaustive search, his lemmas by random play, the rules by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy._errors import ParameterError
from polytomy.theory import phi
from polytomy.theory.weight_game import ADVERSARIES, PLAYERS, WeightDistributionGame, u_max

ROOM = 1 + 1e-9

sizes = st.integers(2, 24)
gammas = st.floats(0, 1)
seeds = st.integers(0, 2**32 - 1)


def newest(game):
    """A player that uses node numbers only and goes ever deeper."""
    return max(game.weights)


def odd(game):
    """A player that prefers leaves with odd numbers."""
    return max(game.weights, key=lambda leaf: (leaf % 2, game.weights[leaf]))


def oldest(game):
    """A player that prefers leaves with even numbers."""
    return min(game.weights)


def decoy(game, leaf):
    """An adversary that keeps the weight in one leaf and adds leaves of weight 0."""
    k = 2 if game.weights[leaf] > 0 else game.arities[-1]
    return k, [1.0] + [0.0] * (k - 1)


@pytest.mark.parametrize("gamma", [0.05, 0.2, 1 / 3, 0.5, 0.8])
@pytest.mark.parametrize("s", range(2, 8))
def test_worst_case_of_the_heaviest_player_is_halving(s, gamma):
    """Theorem 3, over every arity and every distribution on a grid."""
    game = WeightDistributionGame(0.9, s, gamma)
    worst = game.worst_case("heaviest", grid=6)
    assert worst.value == pytest.approx(0.9 * phi(s, gamma), rel=1e-12)
    assert worst.value == pytest.approx(game.bound)
    assert [(move.k, move.distribution) for move in worst.moves] == [(2, (0.5, 0.5))] * (s - 1)
    assert game.size == 1  # the search did not change the game


@pytest.mark.parametrize("gamma", [0.1, 0.3, 0.45])
def test_worst_case_is_halving_for_eight_leaves_on_a_finer_grid(gamma):
    worst = WeightDistributionGame(1.0, 8, gamma).worst_case()
    assert worst.value == pytest.approx((1 - gamma) ** 3, rel=1e-12)
    assert {(move.k, move.distribution) for move in worst.moves} == {(2, (0.5, 0.5))}


@pytest.mark.parametrize("gamma", [0.1, 0.3])
def test_worst_case_of_breadth_first_exceeds_phi_from_nine_leaves_on(gamma):
    """Leaves of weight 0 near the root are decoys for this player."""
    for s in range(2, 9):
        game = WeightDistributionGame(1.0, s, gamma)
        assert game.worst_case("breadth-first", grid=4).value == pytest.approx(game.bound)
    game = WeightDistributionGame(1.0, 9, gamma)
    worst = game.worst_case("breadth-first", grid=2)
    assert worst.value > game.bound + 0.005
    assert worst.value == pytest.approx(game.copy().play("breadth-first", decoy))
    assert game.play("heaviest", decoy) < game.bound


def naive_worst_case(game, player, grid):
    """Try every adversary, without memoization."""
    if game.finished:
        return game.weight
    values, leaf = [], player(game)
    for k in game.arities:
        on_grid = [d for d in product(range(grid + 1), repeat=k) if sum(d) == grid]
        for shares in [[1 / k] * k, *(np.array(d) / grid for d in on_grid)]:
            after = game.copy()
            after.step(leaf, k, shares)
            values.append(naive_worst_case(after, player, grid))
    return max(values)


BY_NAME = {
    "heaviest": lambda game: max(game.weights, key=lambda leaf: game.weights[leaf]),
    "breadth-first": lambda game: max(
        game.weights, key=lambda leaf: (-game.depths[leaf], game.weights[leaf])
    ),
}


@pytest.mark.parametrize("player", ["heaviest", "breadth-first", newest, odd, u_max(2, oldest)])
@pytest.mark.parametrize(("s", "grid"), [(4, 3), (5, 2), (6, 2)])
def test_worst_case_equals_an_exhaustive_search(player, s, grid):
    game = WeightDistributionGame(1.0, s, 0.3)
    worst = game.worst_case(player, grid)
    assert worst.value == pytest.approx(
        naive_worst_case(game, BY_NAME.get(player, player), grid), rel=1e-12
    )
    for move in worst.moves:
        game.step(move.leaf, move.k, move.distribution)
    assert game.moves == worst.moves
    assert game.weight == pytest.approx(worst.value)


def test_worst_case_starts_from_the_current_state():
    game = WeightDistributionGame(1.0, 5, 0.2)
    game.step(0, 4, [1, 0, 0, 0])
    worst = game.worst_case()
    assert [move.leaf for move in worst.moves] == [1]
    assert worst.value == pytest.approx(0.6 * 0.8)
    game.play()
    assert game.worst_case().moves == ()
    assert game.worst_case().value == game.weight


@given(sizes, gammas, seeds)
def test_random_games_end_at_most_at_phi(s, gamma, seed):
    game = WeightDistributionGame(1.0, s, gamma)
    assert game.play("heaviest", "random", seed) <= game.bound * ROOM + 1e-15
    assert game.finished
    assert game.size == s


@given(st.integers(2, 9), st.integers(1, 40), st.floats(0, 1 / 4), seeds)
def test_wide_root_is_no_better_for_the_adversary_than_halving(k, t, gamma, seed):
    """Lemma 9: any k children of the root, then halves."""
    shares = np.random.default_rng(seed).dirichlet(np.full(k, 0.5))
    game = WeightDistributionGame(0.7, k + t, gamma)
    game.step(0, k, shares)
    assert game.play("heaviest", "binary-equal") <= 0.7 * phi(k + t, gamma) * ROOM


@given(sizes, gammas, st.integers(0, 6), seeds)
def test_players_that_skip_the_heaviest_leaf_end_no_lighter(s, gamma, u, seed):
    """Proposition 6: u moves of any adversary against the heaviest, then halves."""
    game = WeightDistributionGame(1.0, s, gamma)

    def random_then_halves(game, leaf):
        random = ADVERSARIES["random"](np.random.default_rng([seed, len(game.moves)]))
        return random(game, leaf) if len(game.moves) < u else (2, (0.5, 0.5))

    best = game.copy().play("heaviest", random_then_halves)
    for then in ("heaviest", "breadth-first", "random", newest):
        other = game.copy().play(u_max(u, then, random_state=seed), random_then_halves)
        assert best <= other * ROOM + 1e-15


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_games_of_every_player_and_adversary_keep_the_rules(player, adversary):
    game = WeightDistributionGame(1.0, 20, 0.15)
    again = game.copy()
    weight = game.play(player, adversary, random_state=3)
    assert again.size == 1
    assert weight == game.weight == again.play(player, adversary, random_state=3)
    assert game.moves == again.moves
    assert game.size == 20 == 1 + sum(move.k - 1 for move in game.moves)
    assert game.moves[-1].weight == weight
    if player == "heaviest":
        assert weight <= game.bound * ROOM


def test_named_players_and_adversaries_follow_their_strategy():
    game = WeightDistributionGame(1.0, 5, 0.2)
    game.step(0, 2, (0.1, 0.9))
    game.step(2, 2, (0.3, 0.7))
    rng = np.random.default_rng(0)
    assert {name: make(rng)(game) for name, make in PLAYERS.items() if name != "random"} == {
        "heaviest": 4,
        "breadth-first": 1,
        "u-max": 1,
    }
    assert u_max(3)(game) == 4
    assert u_max(2)(game) == 1
    assert {PLAYERS["random"](rng)(game) for _ in range(50)} == {1, 3, 4}
    anything = ADVERSARIES["random"](rng)
    first = WeightDistributionGame(1.0, 5, 0.2)
    assert {anything(first, 0)[0] for _ in range(50)} == {2, 3, 4, 5}


def test_greedy_adversary_halves_against_the_heaviest_player():
    """Halving is Lemma 10; a light leaf gets many children."""
    game = WeightDistributionGame(1.0, 32, 0.2)
    assert game.copy().play("heaviest", "greedy") == pytest.approx(game.bound)
    game.step(0, 2, (1.0, 0.0))
    k, shares = ADVERSARIES["greedy"](np.random.default_rng(0))(game, 2)
    assert k == 16
    assert shares == [1 / 16] * 16
    spread = [
        [WeightDistributionGame(1.0, 32, 0.2).play("random", a, seed) for seed in range(20)]
        for a in ("greedy", "binary-equal")
    ]
    assert np.mean(spread[0]) > np.mean(spread[1])


def test_weights_equal_values_computed_by_hand():
    game = WeightDistributionGame(1.0, 12, 0.1)
    move = game.step(0, 5, (0.5, 0.2, 0.1, 0.1, 0.1))  # ceil(log2 5) = 3
    assert move.children == (1, 2, 3, 4, 5)
    assert game.weight == pytest.approx(0.7)
    assert game.weights[1] == pytest.approx(0.35)
    assert set(game.depths.values()) == {1}
    assert game.arities == (2,)
    game.step(1, 2, (1, 0))
    assert game.weight == pytest.approx(0.7 - 0.035)
    assert game.depths[6] == 2
    with pytest.raises(TypeError):
        game.weights[6] = 1


def test_arities_are_acceptable_and_possible():
    assert WeightDistributionGame(1.0, 9, 0.0).arities == tuple(range(2, 10))
    assert WeightDistributionGame(1.0, 20, 1 / 3).arities == tuple(range(2, 9))  # 3 gamma = 1
    assert WeightDistributionGame(1.0, 20, 0.6).arities == (2,)
    assert WeightDistributionGame(1.0, 1, 0.6).arities == ()
    for third in (1 / 3, 1 / 3 + 2e-16):  # the second is above 1/3 by rounding alone
        game = WeightDistributionGame(1.0, 20, third)
        game.step(0, 8, [1 / 8] * 8)
        assert game.weight == 0


ILLEGAL = {
    "no such leaf": ((3, 2, (0.5, 0.5)), "3 is not a leaf; the leaves are"),
    "an internal node": ((0, 2, (0.5, 0.5)), "0 is not a leaf"),
    "too wide": ((1, 5, [0.2] * 5), "5 children are not acceptable in a tree of 2 leaves"),
    "one child": ((1, 1, [1.0]), "1 children are not acceptable"),
    "half a child": ((1, 2.5, [1.0]), "k must be an integer, got 2.5"),
    "impossible": ((1, 3, [1, 0, 0]), r"a negative weight: gamma ceil\(log2 3\) is above 1"),
    "too few shares": ((1, 2, [1.0]), "2 children need 2 shares, got 1"),
    "shares above 1": ((1, 2, [0.5, 0.6]), "sum to 1"),
    "negative": ((1, 2, [1.5, -0.5]), "at least 0"),
    "nan": ((1, 2, [float("nan"), 1.0]), "at least 0"),
}


@pytest.mark.parametrize("why", ILLEGAL)
def test_illegal_moves_are_rejected_and_change_nothing(why):
    move, sentence = ILLEGAL[why]
    game = WeightDistributionGame(1.0, 8, 0.6)
    game.step(0, 2, (0.5, 0.5))
    before = dict(game.weights)
    with pytest.raises(ParameterError, match=sentence):
        game.step(*move)
    assert game.weights == before
    assert len(game.moves) == 1


def test_finished_game_rejects_moves():
    game = WeightDistributionGame(1.0, 2, 0.3)
    game.play()
    assert game.play() == pytest.approx(0.7)
    with pytest.raises(ParameterError, match="the game is over: the tree has 2 leaves"):
        game.step(1, 2, (0.5, 0.5))


REFUSED = {
    "weight": (lambda: WeightDistributionGame(-1, 3, 0.1), "w must be a finite weight"),
    "size": (lambda: WeightDistributionGame(1, 0, 0.1), "s must be at least 1"),
    "part of a leaf": (lambda: WeightDistributionGame(1, 2.5, 0.1), "s must be an integer"),
    "gamma": (lambda: WeightDistributionGame(1, 3, 1.1), "gamma must be from 0 to 1"),
    "player": (lambda: WeightDistributionGame(1, 3, 0.1).play("lightest"), "'lightest' is neither"),
    "adversary": (lambda: WeightDistributionGame(1, 3, 0.1).play(adversary="x"), "'x' is neither"),
    "chance": (lambda: WeightDistributionGame(1, 3, 0.1).worst_case("random"), "deterministic"),
    "grid": (lambda: WeightDistributionGame(1, 3, 0.1).worst_case(grid=0), "grid must be at least"),
    "leaf": (lambda: WeightDistributionGame(1, 3, 0.1).play(lambda game: 7), "7 is not a leaf"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_weight_game_rejects_invalid_arguments(why):
    call, sentence = REFUSED[why]
    with pytest.raises(ParameterError, match=sentence):
        call()
