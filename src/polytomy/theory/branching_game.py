"""Mansour and McAllester's game: an adversary offers branches, a procedure takes one of them.

At every turn the adversary offers each leaf a set of options, each the weights of k children. One
of them at least is binary and takes gamma of the leaf's weight or more: the weak tree-growth
hypothesis. The learner takes a leaf and an option, until the tree has s leaves. At worst there is
nothing but that binary option; the game shows how much a price makes of what else is on offer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import TIE, FloatArray, IntArray

from .rates import acceptable, e, phi, price, whole
from .weight_game import Seed

ROUNDING = 1e-9  # what the weights of an offer may be off by, as a share of the leaf's
SPECK = 1e-300  # of weights this small, floats keep too few digits to compare
ORDERS = ("auto", "heaviest", "steepest")

Offers: TypeAlias = Iterable[Sequence[float]]
Adversary: TypeAlias = Callable[["BranchingGame", int], Offers]


@dataclass(frozen=True, slots=True)
class Option:
    """What a leaf would become: the weights of its children."""

    children: tuple[float, ...]

    @property
    def arity(self) -> int:
        """The number of children."""
        return len(self.children)


@dataclass(frozen=True, slots=True)
class Move:
    """One turn: the leaf, the option it took, and what that came to."""

    leaf: int
    option: Option
    children: tuple[int, ...]
    advantage: float  # the share of the leaf's weight that went
    weight: float  # of the tree, afterwards

    @property
    def arity(self) -> int:
        """The number of children."""
        return self.option.arity


@dataclass(frozen=True, eq=False)
class Outcome:
    """A game that was played: the final weight, and the weight at each size on the way."""

    weight: float
    sizes: IntArray  # leaves before the first move and after each
    curve: FloatArray  # the tree's weight at those sizes
    moves: tuple[Move, ...]


class BranchingGame:
    """A game in progress: look at the ``offers``, make a ``step``, or ``play`` to the end.

    Nodes are numbered as they appear: the root is 0, and a leaf's children take the next numbers.

    Parameters
    ----------
    w : float
        The weight of the first leaf, above 0.
    s : int
        The budget: the number of leaves the tree may have.
    gamma : float
        What the best binary option of every leaf takes at least of its weight, from 0 to 1.
    adversary : str or callable
        A name in ``ADVERSARIES``, or a function of the game and a leaf that returns the options of
        that leaf: for each, the weights of its children. It is asked anew at every turn, but only
        about the leaves the learner looks at: in the heaviest order that is one.
    random_state : int, Generator or None
        What the "random" adversary draws from.

    Examples
    --------
    >>> game = BranchingGame(1.0, s=8, gamma=0.1, adversary=lambda game, leaf: [
    ...     [game.weights[leaf] * 0.45] * 2, [game.weights[leaf] * 0.195] * 4])
    >>> [option.arity for option in game.offers(0)]
    [2, 4]
    >>> [game.choose(procedure)[1].arity for procedure in ("hatano", "per-leaf")]
    [4, 2]
    >>> round(game.play("hatano").weight, 4)
    0.702
    """

    def __init__(
        self,
        w: float,
        s: int,
        gamma: float,
        *,
        adversary: str | Adversary = "binary",
        random_state: Seed = None,
    ) -> None:
        if not (isfinite(w) and w > 0):
            raise ParameterError(f"w must be a finite weight above 0, got {w!r}")
        self.w, self.s, self.gamma = float(w), whole("s", s), float(gamma)
        phi(self.s, self.gamma)  # refuses an s or a gamma that means nothing
        self._adversary = _adversary(adversary, random_state)
        self._weights = {0: self.w}
        self._moves: list[Move] = []
        self._nodes = 1
        self._offered: dict[int, tuple[Option, ...]] = {}  # at this turn

    @property
    def weights(self) -> Mapping[int, float]:
        """The weight of each leaf."""
        return MappingProxyType(self._weights)

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self._weights)

    @property
    def weight(self) -> float:
        """The weight of the tree: the sum over its leaves."""
        return sum(self._weights.values())

    @property
    def finished(self) -> bool:
        """Whether the budget is spent, or no leaf has any weight to lose."""
        return self.size >= self.s or not any(self._weights.values())

    @property
    def moves(self) -> tuple[Move, ...]:
        """What has been played."""
        return tuple(self._moves)

    @property
    def outcome(self) -> Outcome:
        """What has come of the game so far."""
        sizes = np.cumsum([1] + [move.arity - 1 for move in self._moves])
        curve = np.array([self.w] + [move.weight for move in self._moves])
        return Outcome(self.weight, sizes, curve, self.moves)

    def offers(self, leaf: int) -> tuple[Option, ...]:
        """Return what the adversary offers a leaf at this turn, checked."""
        if leaf not in self._weights:
            raise ParameterError(f"there is no leaf {leaf!r}; the leaves are {[*self._weights]}")
        if leaf not in self._offered:
            options = [Option(tuple(map(float, o))) for o in self._adversary(self, leaf)]
            self._check_offers(leaf, options)
            self._offered[leaf] = tuple(options)
        return self._offered[leaf]

    def choose(self, procedure: str = "hatano", leaf_order: str = "auto") -> tuple[int, Option]:
        """Return the leaf and the option a procedure would take now.

        The option has the largest gain over price among the acceptable; a tie goes to fewer
        children, then to the older leaf. The orders are those of ``TreeClassifier``: "heaviest"
        for the published procedures, "steepest" for ``per-leaf``, either for ``kearns-mansour``.
        """
        self._check_running()
        if _order(procedure, leaf_order) == "heaviest":
            leaves: Iterable[int] = (max(self._weights, key=self._weights.__getitem__),)
        else:
            leaves = (leaf for leaf, weight in self._weights.items() if weight > 0)
        scored = [
            (self._gain(leaf, option) / price(procedure, option.arity, self.gamma), leaf, option)
            for leaf in leaves
            for option in self.offers(leaf)
            if acceptable(procedure, option.arity, self.size, self.s, self.gamma)
        ]
        enough = max(score for score, _, _ in scored) * (1 - TIE)
        equals = [(leaf, option) for score, leaf, option in scored if score >= enough]
        return min(equals, key=lambda found: (found[1].arity, found[0]))

    def step(self, leaf: int, option: Option) -> Move:
        """Take an option that is on offer for a leaf, whatever a procedure would say of it."""
        self._check_running()
        if option not in self.offers(leaf):
            raise ParameterError(f"leaf {leaf} was not offered {option!r}")
        if self.size + option.arity - 1 > self.s:
            raise ParameterError(
                f"{option.arity} children do not fit: the tree has {self.size} of {self.s} leaves"
            )
        advantage = self._gain(leaf, option) / (self._weights.pop(leaf) or 1.0)
        children = tuple(range(self._nodes, self._nodes + option.arity))
        self._nodes += option.arity
        self._weights.update(zip(children, option.children, strict=True))
        self._offered.clear()
        self._moves.append(Move(leaf, option, children, advantage, self.weight))
        return self._moves[-1]

    def play(self, procedure: str = "hatano", leaf_order: str = "auto") -> Outcome:
        """Let a procedure play from here to the end, and return what came of the whole game."""
        _order(procedure, leaf_order)
        while not self.finished:
            self.step(*self.choose(procedure, leaf_order))
        return self.outcome

    def bound(self, procedure: str = "hatano", leaf_order: str = "auto") -> float:
        """Return what a procedure leaves at most at the full size, whatever is offered to it.

        w phi(s) for ``hatano`` and for ``kearns-mansour`` in the heaviest order; else w e(s).
        """
        heaviest = _order(procedure, leaf_order) == "heaviest"
        rate = phi if heaviest and procedure != "mansour-mcallester" else e
        return self.w * rate(self.s, self.gamma)

    def _gain(self, leaf: int, option: Option) -> float:
        return max(0.0, self._weights[leaf] - sum(option.children))

    def _check_running(self) -> None:
        if self.finished:
            raise ParameterError(
                f"the game is over: {self.size} of {self.s} leaves, weight {self.weight:g}"
            )

    def _check_offers(self, leaf: int, options: Sequence[Option]) -> None:
        weight = self._weights[leaf]
        room = max(ROUNDING * weight, SPECK)
        for option in options:
            if option.arity < 2:
                raise ParameterError(f"an option has at least 2 children; leaf {leaf}: {option!r}")
            if not all(isfinite(child) and child >= 0 for child in option.children):
                raise ParameterError(f"weights are finite and at least 0; leaf {leaf}: {option!r}")
            if sum(option.children) > weight + room:
                raise ParameterError(
                    f"children weigh no more than their leaf; leaf {leaf} of {weight}: {option!r}"
                )
        binary = [sum(option.children) for option in options if option.arity == 2]
        if min(binary, default=np.inf) > (1 - self.gamma) * weight + room:
            raise ParameterError(
                f"leaf {leaf} needs a binary option that takes gamma = {self.gamma:g} of its "
                f"weight {weight:g}: that is the weak tree-growth hypothesis"
            )


def _order(procedure: str, leaf_order: str) -> str:
    """Return the order of the leaves, where a theorem covers it."""
    price(procedure, 2, gamma=0.5)  # refuses a procedure that does not exist
    if leaf_order not in ORDERS:
        raise ParameterError(f"leaf_order must be one of {', '.join(ORDERS)}; got {leaf_order!r}")
    own = "steepest" if procedure == "per-leaf" else "heaviest"
    if leaf_order not in {"auto", own} and procedure != "kearns-mansour":
        raise ParameterError(f"{procedure} goes by the {own} leaf: no theorem covers {leaf_order}")
    return own if leaf_order == "auto" else leaf_order


# What the adversaries offer. HAIR decides what would be a tie between prices.
HAIR = 1e-6
WIDE = (4, 8, 16)


def _even(weight: float, k: int, advantage: float) -> list[float]:
    """Return k equal children of a leaf that loses so much of its weight."""
    return [weight * (1 - advantage) / k] * k


def _binary(game: BranchingGame, leaf: int) -> Offers:
    """Offer halves, and no more advantage than there must be: the worst case."""
    return [_even(game.weights[leaf], 2, game.gamma)]


def _log_price(game: BranchingGame, leaf: int) -> Iterator[Sequence[float]]:
    """Offer also 4, 8 and 16 equal children, a hair above what ``hatano`` asks for them."""
    yield from _binary(game, leaf)
    for k in WIDE:
        steps = price("hatano", k)
        advantage = game.gamma * steps * (1 + HAIR * steps)  # the wider, the better
        if advantage <= 1:
            yield _even(game.weights[leaf], k, advantage)


def _linear_price(game: BranchingGame, leaf: int) -> Iterator[Sequence[float]]:
    """Offer also equal children a hair below what ``per-leaf`` asks for them."""
    yield from _binary(game, leaf)
    for k in WIDE:
        advantage = game.gamma * (k - 1) * (1 - HAIR)
        if advantage <= 1:
            yield _even(game.weights[leaf], k, advantage)


def _peeling(game: BranchingGame, leaf: int) -> Iterator[Sequence[float]]:
    """Offer the log price's arities, but let one child keep all the weight: the rest are spent."""
    for children in _log_price(game, leaf):
        yield [sum(children)] + [0.0] * (len(children) - 1)


def _generous(game: BranchingGame, leaf: int) -> Iterator[Sequence[float]]:
    """Offer every fourth leaf, the root among them, 8 children that take 9/10 of its weight."""
    yield from _binary(game, leaf)
    if leaf % 4 == 0:
        yield _even(game.weights[leaf], 8, 0.9)


def _random(rng: np.random.Generator) -> Adversary:
    """Offer something between nothing and twice the log price; a leaf keeps its offers."""
    seed = int(rng.integers(2**63))

    @cache
    def offer(game: BranchingGame, leaf: int) -> Offers:
        rng = np.random.default_rng([seed, leaf])  # in whatever order the leaves are asked about
        offers = []
        for k in (2, *rng.integers(2, 17, size=rng.integers(1, 4)).tolist()):
            least = game.gamma if k == 2 else 0.0
            most = min(1.0, 2 * game.gamma * price("hatano", k))
            left = game.weights[leaf] * (1 - rng.uniform(least, most))
            offers.append((rng.dirichlet(np.ones(k)) * left).tolist())
        return offers

    return offer


# By name: what makes the adversary out of a source of chance.
ADVERSARIES: Mapping[str, Callable[[np.random.Generator], Adversary]] = {
    "binary": lambda _: _binary,
    "log-price": lambda _: _log_price,
    "linear-price": lambda _: _linear_price,
    "peeling": lambda _: _peeling,
    "generous": lambda _: _generous,
    "random": _random,
}


def _adversary(adversary: str | Adversary, random_state: Seed) -> Adversary:
    if not isinstance(adversary, str):
        return adversary
    if adversary not in ADVERSARIES:
        known = ", ".join(ADVERSARIES)
        raise ParameterError(f"{adversary!r} is none of {known}, nor is it a callable")
    return ADVERSARIES[adversary](np.random.default_rng(random_state))
