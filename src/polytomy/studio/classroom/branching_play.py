"""Mansour and McAllester's branching game, played by a student against the library."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from polytomy._errors import ParameterError
from polytomy.studio import requests
from polytomy.theory import BranchingGame, acceptable, phi, price
from polytomy.theory.branching_game import Option

from .game import Play, Turn, is_heaviest, verdict


class Theorem(NamedTuple):
    """A theorem about the end of a game, with what every move must do for it."""

    name: str
    condition: str
    rate: str


THEOREMS = {
    "hatano": Theorem(
        "Hatano's theorem",
        "split a heaviest leaf into k = 2 or k ≤ s/leaves children and removed at least γ⌈log₂ k⌉ "
        "of its weight",
        "φ(s)",
    ),
    "per-leaf": Theorem(
        "Theorem 2 of polytomy's notes on theory",
        "removed at least γ(k − 1) times the weight of the heaviest leaf",
        "φ(s)",
    ),
    "mansour-mcallester": Theorem(
        "Mansour and McAllester's Theorem 4.1",
        "split a heaviest leaf into k = 2 or few enough children and removed at least γ g(k) of "
        "its weight",
        "e(s)",
    ),
}
"""The theorems by the procedure whose prices they use; the best bound first."""

ADVICE = "hatano"  # what the library plays in the learner's place
_MOST_EXTRA = 4  # options that a student may offer besides the binary one
_TIE = 1e-9


class BranchingMove(NamedTuple):
    """A turn of both sides; ``offers`` are those of a student who is the adversary."""

    leaf: int
    children: tuple[float, ...]
    offers: tuple[tuple[float, ...], ...] | None


class BranchingPlay(Play):
    """A branching game: the adversary offers splits, the learner takes one."""

    _game: BranchingGame
    sides: ClassVar = {
        "learner": {
            "log-price": "offers 4, 8 and 16 equal children slightly above the price ⌈log₂ k⌉",
            "binary": "offers equal halves only: the worst case",
            "linear-price": "offers equal children slightly below the price k − 1",
            "peeling": "like log-price, but one child keeps all the weight",
            "generous": "offers every fourth leaf 8 children that remove 9/10 of its weight",
            "random": "offers random splits, up to twice the price ⌈log₂ k⌉",
        },
        "adversary": {
            "hatano": "takes the heaviest leaf, and the largest gain / ⌈log₂ k⌉",
            "mansour-mcallester": "takes the heaviest leaf, and the largest gain / g(k)",
            "kearns-mansour": "takes the heaviest leaf, and binary splits only",
        },
    }

    @property
    def turns(self) -> list[Turn]:
        """Return the moves so far."""
        return [Turn(m.leaf, m.children, m.option.children, m.weight) for m in self._game.moves]

    def _reset(self) -> None:
        rules = self.settings
        self._pending: tuple[tuple[float, ...], ...] = ()  # offers of a student
        is_learner = rules.role == "learner"
        adversary: Any = rules.opponent if is_learner else lambda _game, _leaf: self._pending
        self._game = BranchingGame(
            1.0, rules.s, rules.gamma, adversary=adversary, random_state=rules.seed
        )
        self._broken: dict[str, str] = {}  # theorems that a move broke, and how

    def _heaviest(self) -> int:
        weights = self._game.weights
        return max(weights, key=weights.__getitem__)

    def _stated(self, given: Mapping[str, Any]) -> BranchingMove:
        self._check_running()
        if self.settings.role == "adversary":
            return self._answered(self._stated_offers(given))
        leaf = requests.member(given, "leaf", self._game.weights)
        options = self._game.offers(leaf)
        at = requests.whole(given, "option", 0, len(options) - 1)
        return BranchingMove(leaf, options[at].children, None)

    def _stated_offers(self, given: Mapping[str, Any]) -> tuple[tuple[float, ...], ...]:
        """Return the options that a student offers for the heaviest leaf, with the binary one."""
        weight, gamma = self._game.weights[self._heaviest()], self.settings.gamma
        offers = [_children(weight, 2, gamma, is_even=True)]
        extra = given.get("offers", [])
        if not isinstance(extra, list) or len(extra) > _MOST_EXTRA:
            raise ParameterError(f"offers must be a list of at most {_MOST_EXTRA} splits")
        for one in extra:
            if not isinstance(one, dict):
                raise ParameterError("an offer must state branches and the share it removes")
            k = requests.whole(one, "branches", 2, self.settings.s)
            removed = requests.number(one, "removed", 0.0, 1.0, gamma)
            is_even = requests.choice(one, "shape", ("even", "one"), "even") == "even"
            offers.append(_children(weight, k, removed, is_even=is_even))
        return tuple(offers)

    def _answered(self, offers: tuple[tuple[float, ...], ...]) -> BranchingMove:
        """Return the move of the library's learner, given the offers for the heaviest leaf."""
        fits = self.settings.s - self._game.size + 1
        self._pending = tuple(o for o in offers if len(o) <= fits)
        leaf, option = self._game.choose(self.settings.opponent, "heaviest")
        return BranchingMove(leaf, option.children, self._pending)

    def _advised(self) -> BranchingMove:
        self._check_running()
        if self.settings.role == "adversary":
            leaf = self._heaviest()
            worst = _children(self._game.weights[leaf], 2, self.settings.gamma, is_even=True)
            return self._answered((worst,))
        leaf, option = self._game.choose(ADVICE)
        return BranchingMove(leaf, option.children, None)

    def _make(self, move: BranchingMove) -> None:
        if move.offers is not None:
            self._pending = move.offers
        option, number = Option(move.children), len(self._moves) + 1
        found = {name: self._breach(name, move.leaf, option) for name in THEOREMS}
        self._game.step(move.leaf, option)
        for name, breach in found.items():
            if breach is not None:
                self._broken.setdefault(name, f"Move {number} {breach}.")
        self._moves.append(move)

    def _breach(self, procedure: str, leaf: int, option: Option) -> str | None:
        """Return how a move breaks the condition of a procedure's theorem, or None."""
        weights, gamma, k = self._game.weights, self.settings.gamma, option.arity
        most, gain = max(weights.values()), weights[leaf] - sum(option.children)
        if procedure != "per-leaf" and not is_heaviest(weights[leaf], most):
            return f"split leaf {leaf}, though another one is heavier"
        if not acceptable(procedure, k, self.size, self.settings.s, gamma):
            return f"has too many children, {k}, for a tree of {self.size} leaves"
        needed = gamma * price(procedure, k, gamma) * most
        if gain < needed * (1 - _TIE):
            return f"removed {gain:.4g}, less than the {needed:.4g} that {k} children must remove"
        return None

    def _turn(self) -> dict[str, Any]:
        if self.settings.role == "adversary":
            return {"leaf": self._heaviest(), "most": self.settings.s - self.size + 1}
        return {
            "leaf": None,
            "offers": {
                str(leaf): [self._offer(leaf, option) for option in self._game.offers(leaf)]
                for leaf in self._game.weights
            },
        }

    def _offer(self, leaf: int, option: Option) -> dict[str, Any]:
        gamma, k = self.settings.gamma, option.arity
        weight = self._game.weights[leaf]
        gain = weight - sum(option.children)
        return {
            "branches": k,
            "children": list(option.children),
            "gain": gain,
            "removed": gain / weight if weight > 0 else 0.0,
            "log_price": gamma * price("hatano", k),
            "linear_price": gamma * price("per-leaf", k),
            "fits": self.size + k - 1 <= self.settings.s,
            "acceptable": acceptable("hatano", k, self.size, self.settings.s),
        }

    def _verdict(self) -> dict[str, Any]:
        s, gamma = self.settings.s, self.settings.gamma
        kept = next((name for name in THEOREMS if name not in self._broken), None)
        if kept is None:
            reason = f"{self._broken['hatano']} So no theorem promises anything."
            return verdict(None, reason, phi(s, gamma), self.weight, finished=self.finished)
        theorem = THEOREMS[kept]
        reason = (
            f"Every move so far {theorem.condition}. Then the tree ends with at most "
            f"{theorem.rate}, whatever the adversary offers."
            if self._moves
            else f"It covers games in which every move {_presently(theorem.condition)}."
        )
        bound = self._game.bound(kept)
        return verdict(theorem.name, reason, bound, self.weight, finished=self.finished)


def _presently(condition: str) -> str:
    """Return a condition in the present tense."""
    return condition.replace("split ", "splits ").replace("removed ", "removes ")


def _children(weight: float, k: int, removed: float, *, is_even: bool) -> tuple[float, ...]:
    """Return the weights of k children that lose a share of the leaf's weight."""
    left = weight * (1 - removed)
    return (left / k,) * k if is_even else (left,) + (0.0,) * (k - 1)
