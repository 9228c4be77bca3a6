"""The games of the classroom: moves as in the theory, and bounds that hold whenever they apply."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy._errors import ParameterError
from polytomy.studio.classroom.branching_play import BranchingPlay
from polytomy.studio.classroom.game import bounds_curve
from polytomy.studio.classroom.weight_play import WeightPlay
from polytomy.theory import BranchingGame, WeightDistributionGame, e, phi
from polytomy.theory.branching_game import ADVERSARIES as OFFERING
from polytomy.theory.weight_game import ADVERSARIES, PLAYERS

GAMES = {"weight": WeightPlay, "branching": BranchingPlay}


def leaves_of(play):
    return [node for node in play.view()["nodes"] if node["leaf"]]


def move_at_random(play, rng):
    """Make some legal move of a student."""
    turn = play.view()["turn"]
    if play.settings.role == "adversary" and isinstance(play, WeightPlay):
        k = int(rng.choice([a["branches"] for a in turn["arities"]]))
        play.move({"branches": k, "shares": rng.dirichlet(np.ones(k)).tolist()})
    elif play.settings.role == "adversary":
        k, removed = int(rng.integers(2, turn["most"] + 1)), float(rng.uniform())
        shape = str(rng.choice(["even", "one"]))
        play.move({"offers": [{"branches": k, "removed": removed, "shape": shape}]})
    else:
        leaf = int(rng.choice([node["id"] for node in leaves_of(play)]))
        fits = [i for i, o in enumerate(turn.get("offers", {}).get(str(leaf), [])) if o["fits"]]
        play.move({"leaf": leaf, "option": int(rng.choice(fits)) if fits else 0})


def test_the_bounds_are_those_of_the_theory():
    curve = bounds_curve(9, 0.3)
    assert curve["sizes"] == list(range(1, 10))
    assert curve["phi"] == [phi(n, 0.3) for n in range(1, 10)]
    assert curve["e"] == [e(n, 0.3) for n in range(1, 10)]
    assert curve["power"][8] == pytest.approx(9**-0.3)


def test_strategies_are_those_of_the_theory():
    assert set(WeightPlay.sides["player"]) == set(ADVERSARIES)
    assert set(WeightPlay.sides["adversary"]) == set(PLAYERS)
    assert set(BranchingPlay.sides["learner"]) == set(OFFERING)


def test_the_heaviest_leaf_against_halves_ends_with_phi():
    play = WeightPlay.begin({"s": 6, "gamma": 0.2})
    while not play.finished:
        heaviest = max(leaves_of(play), key=lambda node: node["weight"])
        play.move({"leaf": heaviest["id"]})
    view = play.view()
    assert view["weight"] == pytest.approx(0.576)
    assert view["curve"]["weights"] == pytest.approx([1, 0.8, 0.72, 0.64, 0.608, 0.576])
    assert view["verdict"]["name"] == "Hatano's Theorem 3"
    assert view["verdict"]["kept"]
    assert view["verdict"]["bound"] == pytest.approx(0.576) == view["library_weight"]


def test_a_player_who_passes_a_heavier_leaf_has_no_theorem():
    play = WeightPlay.begin({"s": 8, "gamma": 0.2})
    play.move({"leaf": 0})
    assert play.view()["verdict"]["name"] is not None
    play.move({"leaf": 1})
    play.move({"leaf": 3})
    verdict = play.view()["verdict"]
    assert verdict["name"] is None
    assert "In move 3" in verdict["reason"]
    while not play.finished:  # ever deeper
        play.move({"leaf": leaves_of(play)[-1]["id"]})
    assert play.view()["verdict"]["kept"] is False
    assert play.weight > phi(8, 0.2)


@pytest.mark.parametrize("adversary", ["binary-equal", "greedy"])
def test_the_library_plays_the_weight_game_as_the_theory_does(adversary):
    play = WeightPlay.begin({"s": 13, "gamma": 0.15, "opponent": adversary})
    play.library({"to_end": True})
    assert play.weight == WeightDistributionGame(1.0, 13, 0.15).play("heaviest", adversary)


@pytest.mark.parametrize("adversary", OFFERING)
def test_the_library_plays_the_branching_game_as_the_theory_does(adversary):
    play = BranchingPlay.begin({"s": 24, "gamma": 0.1, "opponent": adversary, "seed": 5})
    play.library({"to_end": True})
    game = BranchingGame(1.0, 24, 0.1, adversary=adversary, random_state=5)
    assert play.weight == game.play("hatano").weight
    verdict = play.view()["verdict"]
    assert verdict["name"] == "Hatano's theorem"
    assert verdict["kept"]


@pytest.mark.parametrize("procedure", ["hatano", "per-leaf", "mansour-mcallester"])
@pytest.mark.parametrize("adversary", OFFERING)
def test_a_learner_who_plays_like_a_procedure_has_its_theorem(adversary, procedure):
    rules = {"s": 40, "gamma": 0.3, "opponent": adversary, "seed": 2}
    play = BranchingPlay.begin(rules)
    game = BranchingGame(1.0, 40, 0.3, adversary=adversary, random_state=2)
    while not game.finished:
        leaf, option = game.choose(procedure)
        play.move({"leaf": leaf, "option": game.offers(leaf).index(option)})
        game.step(leaf, option)
    assert procedure not in play._broken
    verdict = play.view()["verdict"]
    assert verdict["kept"]
    assert verdict["bound"] <= game.bound(procedure)


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(GAMES)),
    st.data(),
    st.integers(2, 14),
    st.sampled_from([0.05, 0.2, 0.4]),
    st.integers(0, 10**6),
)
def test_a_bound_that_applies_is_kept(name, data, s, gamma, seed):
    kind = GAMES[name]
    role = data.draw(st.sampled_from(sorted(kind.sides)))
    opponent = data.draw(st.sampled_from(sorted(kind.sides[role])))
    play = kind.begin({"s": s, "gamma": gamma, "role": role, "opponent": opponent, "seed": seed})
    rng = np.random.default_rng(seed)
    while not play.finished:
        if rng.uniform() < 0.5:
            play.library({})
        else:
            move_at_random(play, rng)
    view = play.view()
    json.dumps(view, allow_nan=False)
    assert view["weight"] == pytest.approx(sum(node["weight"] for node in leaves_of(play)))
    assert view["verdict"]["name"] is None or view["verdict"]["kept"]
    assert view["turn"] is None
    assert len(view["curve"]["sizes"]) == len(view["moves"]) + 1


@pytest.mark.parametrize("name", GAMES)
def test_undo_repeats_the_game_without_its_last_move(name):
    rng = np.random.default_rng(3)
    for role, opponents in GAMES[name].sides.items():
        for opponent in opponents:
            play = GAMES[name].begin({"s": 12, "role": role, "opponent": opponent, "seed": 4})
            views = []
            while not play.finished:
                views.append(play.view())
                move_at_random(play, rng)
            for view in views[::-1]:
                play.undo({})
                assert play.view() == view
            with pytest.raises(ParameterError, match="no move to take back"):
                play.undo({})


def test_a_student_can_be_the_adversary_of_the_weight_game():
    play = WeightPlay.begin({"s": 9, "gamma": 0.2, "role": "adversary", "opponent": "heaviest"})
    turn = play.view()["turn"]
    assert turn["leaf"] == 0
    assert [a["branches"] for a in turn["arities"]] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert turn["arities"][1]["removed"] == pytest.approx(0.4)
    play.move({"branches": 3, "shares": [2, 1, 1]})
    assert [leaf["weight"] for leaf in leaves_of(play)] == pytest.approx([0.3, 0.15, 0.15])
    assert play.view()["turn"]["leaf"] == 1


def test_a_student_can_be_the_adversary_of_the_branching_game():
    rules = {"s": 8, "gamma": 0.1, "role": "adversary"}
    offer = {"offers": [{"branches": 4, "removed": 0.25}]}
    took = {}
    for procedure in BranchingPlay.sides["adversary"]:
        play = BranchingPlay.begin({**rules, "opponent": procedure})
        play.move(offer)
        took[procedure] = play.view()["moves"][0]["branches"]
    assert took == {"hatano": 4, "mansour-mcallester": 2, "kearns-mansour": 2}


def test_offers_show_what_the_prices_ask_for():
    play = BranchingPlay.begin({"s": 16, "gamma": 0.2, "opponent": "log-price"})
    offers = play.view()["turn"]["offers"]["0"]
    assert [o["branches"] for o in offers] == [2, 4, 8, 16]
    assert [o["log_price"] for o in offers] == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert [o["linear_price"] for o in offers] == pytest.approx([0.2, 0.6, 1.4, 3.0])
    assert all(o["removed"] >= o["log_price"] - 1e-12 for o in offers)
    play.move({"leaf": 0, "option": 1})
    offers = play.view()["turn"]["offers"]["1"]
    assert [o["fits"] for o in offers] == [True, True, True, False]
    assert [o["acceptable"] for o in offers] == [True, True, False, False]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gamma": 0}, "gamma must be a number from 0.01 to 0.5"),
        ({"gamma": float("nan")}, "gamma must be"),
        ({"gamma": "x"}, "gamma must be"),
        ({"s": 1}, "s must be a whole number from 2 to 128"),
        ({"s": True}, "s must be"),
        ({"s": 1e9}, "s must be"),
        ({"role": "king"}, "role must be one of"),
        ({"opponent": ["binary"]}, "opponent must be one of"),
        ({"seed": -1}, "seed must be"),
    ],
)
@pytest.mark.parametrize("name", GAMES)
def test_wrong_rules_are_refused(name, given, message):
    with pytest.raises(ParameterError, match=message):
        GAMES[name].begin(given)


@pytest.mark.parametrize(
    ("name", "rules", "move", "message"),
    [
        ("weight", {}, {"leaf": 7}, "choose a leaf"),
        ("weight", {}, {"leaf": [0]}, "choose a leaf"),
        ("weight", {}, {"leaf": True}, "choose a leaf"),
        ("weight", {"role": "adversary"}, {"branches": 1}, "branches must be"),
        ("weight", {"role": "adversary"}, {"branches": 2, "shares": [1]}, "shares must be 2"),
        ("weight", {"role": "adversary"}, {"branches": 2, "shares": [2, -1]}, "none below 0"),
        ("weight", {"role": "adversary"}, {"branches": 2, "shares": [0, 0]}, "not all 0"),
        ("weight", {"role": "adversary", "gamma": 0.4}, {"branches": 8}, "negative weight"),
        ("branching", {}, {"leaf": 0, "option": 9}, "option must be"),
        ("branching", {"s": 3}, {"leaf": 0, "option": 1}, "exceed the budget"),
        ("branching", {"role": "adversary"}, {"offers": 3}, "offers must be a list"),
        ("branching", {"role": "adversary"}, {"offers": [3]}, "must state branches"),
        (
            "branching",
            {"role": "adversary"},
            {"offers": [{"branches": 2, "removed": 2}]},
            "removed",
        ),
    ],
)
def test_wrong_moves_are_refused_and_change_nothing(name, rules, move, message):
    play = GAMES[name].begin(rules)
    before = play.view()
    with pytest.raises(ParameterError, match=message):
        play.move(move)
    assert play.view() == before


@pytest.mark.parametrize("name", GAMES)
def test_no_move_follows_the_end(name):
    play = GAMES[name].begin({"s": 2})
    play.library({})
    for again in (lambda: play.move({"leaf": 1, "option": 0}), lambda: play.library({})):
        with pytest.raises(ParameterError, match="the game is over"):
            again()
