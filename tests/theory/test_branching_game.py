"""Mansour and McAllester's game: choices by hand, and bounds with random offers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy._errors import ParameterError
from polytomy.theory import BY_GAIN, LEAF_ORDERS, acceptable, e, phi, price
from polytomy.theory.branching_game import ADVERSARIES, BranchingGame, Option

PROCEDURES = tuple(name for name in LEAF_ORDERS if name not in BY_GAIN)
LEARNERS = [(name, "auto") for name in PROCEDURES] + [("kearns-mansour", "steepest")]
ROOM = 1 + 1e-9


def scaled(*options):
    """Return an adversary that offers every leaf the same shares of its weight."""
    return lambda game, leaf: [[share * game.weights[leaf] for share in o] for o in options]


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("learner", LEARNERS, ids="-".join)
@pytest.mark.parametrize(("s", "gamma"), [(1, 0.2), (2, 0.3), (40, 0.1), (150, 0.45)])
def test_procedures_keep_their_bounds_against_every_adversary(adversary, learner, s, gamma):
    game = BranchingGame(0.8, s, gamma, adversary=adversary, random_state=5)
    outcome = game.play(*learner)
    assert outcome.weight <= game.bound(*learner) * ROOM
    assert outcome.weight == game.weight
    assert game.size <= s
    assert outcome.sizes[-1] == game.size
    assert outcome.curve[[0, -1]].tolist() == [0.8, outcome.weight]
    assert (np.diff(outcome.curve) <= 0).all()
    assert len(outcome.curve) == len(outcome.sizes) == len(outcome.moves) + 1
    again = BranchingGame(0.8, s, gamma, adversary=adversary, random_state=5)
    assert again.play(*learner).moves == outcome.moves


@settings(max_examples=60)
@given(st.sampled_from(LEARNERS), st.integers(2, 60), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_procedures_keep_their_bounds_against_random_offers(learner, s, gamma, seed):
    """Theorems 3.2 and 4.1, Hatano's, and ours for per-leaf, also with changing offers."""
    rng = np.random.default_rng(seed)

    def fickle(game, leaf):
        advantage = [gamma, *rng.uniform(0, 1, 3)]
        return [
            rng.dirichlet(np.full(k, rng.choice([0.2, 5]))) * game.weights[leaf] * (1 - a)
            for k, a in zip([2, *rng.integers(2, 12, 3)], advantage, strict=True)
        ]

    for adversary in ("random", fickle):
        game = BranchingGame(1.0, s, gamma, adversary=adversary, random_state=seed)
        outcome = game.play(*learner)
        assert outcome.weight <= game.bound(*learner) * ROOM + 1e-12
        for move, leaves in zip(outcome.moves, outcome.sizes, strict=False):
            assert acceptable(learner[0], move.arity, leaves, s, gamma)
            if learner[0] != "per-leaf" and learner[1] != "steepest":
                assert move.advantage >= gamma * price(learner[0], move.arity, gamma) - 1e-9


def test_bound_equals_that_of_the_theorem():
    game = BranchingGame(0.5, 24, 0.2)
    for learner in LEARNERS:
        rate = e if learner[0] == "mansour-mcallester" else phi
        assert game.bound(*learner) == 0.5 * rate(24, 0.2)


def test_halves_are_the_worst_case_for_every_procedure():
    for learner in LEARNERS:
        outcome = BranchingGame(1.0, 37, 0.15, adversary="binary").play(*learner)
        assert outcome.weight == pytest.approx(phi(37, 0.15))
        assert {move.arity for move in outcome.moves} == {2}


def final(adversary, procedure, s=32, gamma=0.1):
    return BranchingGame(1.0, s, gamma, adversary=adversary).play(procedure).weight


def test_log_price_wins_against_the_log_price_adversary():
    for adversary in ("log-price", "linear-price"):
        assert final(adversary, "hatano") < final(adversary, "per-leaf") - 0.04
        assert final(adversary, "per-leaf") == pytest.approx(phi(32, 0.1))  # it takes no wide split


def test_linear_price_wins_if_wide_splits_waste_leaves():
    assert final("peeling", "per-leaf") == pytest.approx(0.9**31)
    assert final("peeling", "hatano") > 2 * final("peeling", "per-leaf")


def test_linear_price_misses_generous_offers_at_a_large_gamma():
    assert final("generous", "hatano") < 0.1
    assert final("generous", "per-leaf") < 0.1
    assert final("generous", "kearns-mansour") == pytest.approx(phi(32, 0.1))
    assert final("generous", "hatano", gamma=0.15) < 0.1
    assert final("generous", "per-leaf", gamma=0.15) == pytest.approx(phi(32, 0.15))  # 0.9/7 < 0.15


def test_mansour_mcallester_takes_wide_splits_for_large_budgets_only():
    for s, widest in ((64, 2), (400, 8)):
        outcome = BranchingGame(1.0, s, 0.1, adversary="linear-price").play("mansour-mcallester")
        assert max(move.arity for move in outcome.moves) == widest


def test_choose_equals_choices_made_by_hand():
    """Gains 0.4, 0.66 and 0.75 at 2, 3 and 4 children."""
    offers = scaled([0.3, 0.3], [0.17, 0.17, 0], [0.1, 0.1, 0.05, 0])
    game = BranchingGame(1.0, 400, 0.4, adversary=offers)
    chosen = {name: game.choose(name)[1].arity for name in PROCEDURES}
    scores = {"per-leaf": [0.4, 0.33, 0.25], "hatano": [0.4, 0.33, 0.375]}
    scores["mansour-mcallester"] = [0.4, 0.66 / 1.3, 0.75 / 1.46]  # g(4, 0.4) = 1.7 - 0.24
    assert price("mansour-mcallester", 4, 0.4) == pytest.approx(1.46)
    for name, found in scores.items():
        assert chosen[name] == 2 + int(np.argmax(found))
    assert chosen["kearns-mansour"] == 2


def test_choose_breaks_ties_by_fewer_children_then_the_older_leaf():
    offers = scaled([0.2, 0.2, 0.2, 0.2 * (1 - 1e-14)], [0.4, 0.5], [0.45, 0.45])
    game = BranchingGame(1.0, 8, 0.1, adversary=offers)
    leaf, option = game.choose("hatano")
    assert option.children == (0.4, 0.5)
    game.step(leaf, game.offers(0)[2])
    assert game.choose("hatano")[0] == game.choose("kearns-mansour", "steepest")[0] == 1


def test_leaf_orders_differ_if_a_light_leaf_has_a_large_gain():
    def offers(game, leaf):
        left = 0.2 if leaf == 2 else 0.9
        return [[game.weights[leaf] * left * 0.6, game.weights[leaf] * left * 0.4]]

    game = BranchingGame(1.0, 4, 0.1, adversary=offers)
    game.step(*game.choose())
    assert game.weights == pytest.approx({1: 0.54, 2: 0.36})
    assert game.choose("kearns-mansour")[0] == game.choose("hatano")[0] == 1
    assert game.choose("kearns-mansour", "steepest")[0] == game.choose("per-leaf")[0] == 2


def test_branching_game_can_be_stepped():
    game = BranchingGame(1.0, 5, 0.2, adversary=scaled([0.4, 0.4], [0.1, 0.1, 0.1, 0]))
    wide = game.offers(0)[1]
    assert wide == Option((0.1, 0.1, 0.1, 0.0))
    move = game.step(0, wide)
    assert (move.arity, move.children, move.advantage) == (4, (1, 2, 3, 4), pytest.approx(0.7))
    with pytest.raises(
        ParameterError, match="4 children exceed the budget: the tree has 4 of 5 leaves"
    ):
        game.step(1, game.offers(1)[1])
    with pytest.raises(ParameterError, match="is not an option of leaf 1"):
        game.step(1, Option((0.0, 0.0)))
    with pytest.raises(ParameterError, match=r"0 is not a leaf; the leaves are \[1, 2, 3, 4\]"):
        game.offers(0)
    game.play()
    for call in (game.choose, lambda: game.step(1, wide)):
        with pytest.raises(ParameterError, match="the game is over"):
            call()


def test_branching_game_ends_if_all_weights_are_zero():
    game = BranchingGame(1.0, 50, 0.5, adversary=scaled([0.0, 0.0]))
    assert game.play("hatano").sizes.tolist() == [1, 2]
    assert game.finished


def test_branching_game_handles_the_smallest_floats():
    assert BranchingGame(1.0, 900, 0.7, adversary="peeling").play("hatano").weight == 0


def test_adversary_is_called_only_for_leaves_the_learner_considers():
    asked = []

    def offers(game, leaf):
        asked.append(leaf)
        return [[game.weights[leaf] * 0.5, game.weights[leaf] * 0.1]]

    BranchingGame(1.0, 4, 0.3, adversary=offers).play("hatano")
    assert asked == [0, 1, 3]
    asked.clear()
    BranchingGame(1.0, 4, 0.3, adversary=offers).play("per-leaf")
    assert asked == [0, 1, 2, 2, 3, 4]

    def peeled(game, leaf):
        asked.append(leaf)
        return [[game.weights[leaf] * 0.5, 0.0]]

    asked.clear()
    BranchingGame(1.0, 4, 0.3, adversary=peeled).play("per-leaf")
    assert asked == [0, 1, 3]  # a leaf of weight 0 is finished


def test_random_adversary_is_seeded_and_keeps_its_offers():
    games = [
        BranchingGame(1.0, 9, 0.2, adversary="random", random_state=seed) for seed in (1, 1, 2)
    ]
    first, same, other = (game.offers(0) for game in games)
    assert first == same != other
    games[0].step(0, first[0])
    later = games[0].offers(2)
    games[0].step(1, games[0].offers(1)[0])
    assert games[0].offers(2) == later
    games[1].step(0, same[0])
    games[1].offers(1)
    assert games[1].offers(2) == later  # independent of the order of the calls


OFFERS = {
    "nothing": ([], "leaf 0 needs a binary option that removes gamma = 0.3 of its weight 1"),
    "only wide": ([[0.1, 0.1, 0.1]], "weak tree-growth hypothesis"),
    "too little": ([[0.4, 0.31]], "weak tree-growth hypothesis"),
    "one child": ([[0.7], [0.1, 0.1]], "at least 2 children; leaf 0"),
    "negative": ([[0.7, -0.1]], "finite and at least 0; leaf 0"),
    "nan": ([[0.1, 0.1], [float("nan"), 0.1]], "finite and at least 0"),
    "heavier": ([[0.1, 0.1], [0.5, 0.6]], "the children exceed the weight 1.0 of leaf 0"),
}


@pytest.mark.parametrize("why", OFFERS)
def test_offers_that_break_the_rules_are_rejected(why):
    options, sentence = OFFERS[why]
    with pytest.raises(ParameterError, match=sentence):
        BranchingGame(1.0, 4, 0.3, adversary=lambda game, leaf: options).play()


def test_offer_of_exactly_gamma_is_accepted():
    for gamma in (0.1, 0.3, 0.7):
        assert BranchingGame(0.3, 9, gamma, adversary="binary").play().sizes[-1] == 9


REFUSED = {
    "weight": (lambda: BranchingGame(0, 3, 0.1), "w must be a finite weight above 0"),
    "size": (lambda: BranchingGame(1, 0, 0.1), "s must be at least 1"),
    "part of a leaf": (lambda: BranchingGame(1, 2.5, 0.1), "s must be an integer"),
    "gamma": (lambda: BranchingGame(1, 3, -0.1), "gamma must be from 0 to 1"),
    "adversary": (
        lambda: BranchingGame(1, 3, 0.1, adversary="kind"),
        "'kind' is neither a callable nor one of binary",
    ),
    "procedure": (lambda: BranchingGame(1, 3, 0.1).play("cart"), "no procedure is called 'cart'"),
    "order": (lambda: BranchingGame(1, 3, 0.1).play("hatano", "widest"), "leaf_order must be one"),
    "steepest": (
        lambda: BranchingGame(1, 3, 0.1).play("hatano", "steepest"),
        "no theorem covers hatano with leaf_order='steepest'",
    ),
    "heaviest": (lambda: BranchingGame(1, 3, 0.1).bound("per-leaf", "heaviest"), "no theorem"),
    "id3": (lambda: BranchingGame(1, 3, 0.1).bound("id3"), "no theorem covers id3 before a run"),
    "ratio": (lambda: BranchingGame(1, 3, 0.1).play("gain-ratio"), "no theorem covers gain-ratio"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_branching_game_rejects_invalid_arguments(why):
    call, sentence = REFUSED[why]
    with pytest.raises(ParameterError, match=sentence):
        call()
