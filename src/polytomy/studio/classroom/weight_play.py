"""Hatano's Weight Distribution Game, played by a student against the library."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from polytomy._errors import ParameterError
from polytomy.studio import requests
from polytomy.theory import WeightDistributionGame, phi, price
from polytomy.theory.weight_game import ADVERSARIES, PLAYERS, heaviest

from .game import Play, Turn, is_heaviest, verdict


class WeightMove(NamedTuple):
    """A turn of both sides."""

    leaf: int
    k: int
    shares: tuple[float, ...]


class WeightPlay(Play):
    """A Weight Distribution Game: the player picks a leaf, the adversary gives it children."""

    _game: WeightDistributionGame
    sides: ClassVar = {
        "player": {
            "binary-equal": "halves every leaf: the worst case of Theorem 3",
            "greedy": "answers with the split that keeps the most weight to the end",
            "random": "splits at random",
        },
        "adversary": {
            "heaviest": "always picks the heaviest leaf",
            "breadth-first": "picks a leaf nearest to the root",
            "u-max": "picks the heaviest leaf once, then one nearest to the root",
            "random": "picks a leaf at random",
        },
    }

    @property
    def turns(self) -> list[Turn]:
        """Return the moves so far."""
        return self._turns

    def _reset(self) -> None:
        self._game = WeightDistributionGame(1.0, self.settings.s, self.settings.gamma)
        self._turns: list[Turn] = []
        self._lighter: list[int] = []  # numbers of moves that did not pick a heaviest leaf

    def _rng(self) -> np.random.Generator:
        """Return the source of randomness of this turn, the same after an undo."""
        return np.random.default_rng([self.settings.seed, len(self._turns)])

    def _picked(self) -> int:
        """Return the leaf that the library's player picks now."""
        return PLAYERS[self.settings.opponent](self._rng())(self._game)

    def _answered(self, leaf: int, adversary: str) -> WeightMove:
        k, shares = ADVERSARIES[adversary](self._rng())(self._game, leaf)
        return WeightMove(leaf, k, tuple(shares))

    def _stated(self, given: Mapping[str, Any]) -> WeightMove:
        self._check_running()
        if self.settings.role == "player":
            leaf = requests.member(given, "leaf", self._game.weights)
            return self._answered(leaf, self.settings.opponent)
        k = requests.whole(given, "branches", 2, self.settings.s)
        shares = requests.numbers(given, "shares") or [1.0] * k
        total = sum(shares)
        if len(shares) != k or min(shares) < 0 or total <= 0:
            raise ParameterError(
                f"shares must be {k} numbers, none below 0 and not all 0, got {shares}"
            )
        return WeightMove(self._picked(), k, tuple(share / total for share in shares))

    def _advised(self) -> WeightMove:
        self._check_running()
        if self.settings.role == "player":
            return self._answered(heaviest(self._game), self.settings.opponent)
        return self._answered(self._picked(), "greedy")

    def _make(self, move: WeightMove) -> None:
        weights = self._game.weights
        is_light = not is_heaviest(weights[move.leaf], max(weights.values()))
        done = self._game.step(move.leaf, move.k, move.shares)
        held = tuple(self._game.weights[child] for child in done.children)
        if is_light:
            self._lighter.append(len(self._turns) + 1)
        self._turns.append(Turn(move.leaf, done.children, held, done.weight))
        self._moves.append(move)

    def _turn(self) -> dict[str, Any]:
        gamma = self.settings.gamma
        arities = [
            {"branches": k, "removed": gamma * price("hatano", k)} for k in self._game.arities
        ]
        is_player = self.settings.role == "player"
        return {"leaf": None if is_player else self._picked(), "arities": arities}

    def _verdict(self) -> dict[str, Any]:
        s, gamma = self.settings.s, self.settings.gamma
        bound = phi(s, gamma)
        if not self._lighter:
            name = "Hatano's Theorem 3"
            always = "always picked" if self._turns else "who always picks"
            reason = (
                f"The player {always} a heaviest leaf"
                + (". Then the tree ends" if self._turns else " ends")
                + " with at most φ(s), which is below s⁻ᵞ, whatever the adversary does."
            )
        else:
            name = None
            reason = (
                f"In move {self._lighter[0]} the player passed over a heavier leaf. The theorem "
                "covers only players who always pick a heaviest leaf, so it promises nothing here."
            )
        return verdict(name, reason, bound, self.weight, finished=self.finished)
