"""Mansour and McAllester's game: an adversary offers splits, and a procedure takes one of them.

At every turn the adversary offers each leaf a set of options, each with the weights of k children.
At least one of them is binary and removes gamma of the leaf's weight or more: the weak tree-growth
hypothesis. The learner takes a leaf and an option, until the tree has s leaves. In the worst case
there is only that binary option; the game shows what a price makes of the other options.
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

from .rates import BY_GAIN, LEAF_ORDERS, acceptable, e, phi, price, whole
from .weight_game import Seed, named_or_given

ROUNDING = 1e-9  # tolerance for the weights of an offer, relative to the leaf's weight
SMALLEST = 1e-300  # floats this small have too few digits to compare
ORDERS = ("auto", "heaviest", "steepest")

Offers: TypeAlias = Iterable[Sequence[float]]
Adversary: TypeAlias = Callable[["BranchingGame", int], Offers]


@dataclass(frozen=True, slots=True)
class Option:
    """An option for a leaf: the weights of its children."""

    children: tuple[float, ...]

    @property
    def arity(self) -> int:
        """The number of children."""
        return len(self.children)


@dataclass(frozen=True, slots=True)
class Move:
    """One turn: the leaf, the option that was taken, and the result."""

    leaf: int
    option: Option
    children: tuple[int, ...]
    advantage: float  # fraction of the leaf's weight that was removed
    weight: float  # of the tree after the move

    @property
    def arity(self) -> int:
        """The number of children."""
        return self.option.arity


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a game: the final weight, and the weight after each move."""

    weight: float
    sizes: IntArray  # leaves before the first move and after each
    curve: FloatArray  # the tree's weight at those sizes
    moves: tuple[Move, ...]


class BranchingGame:
    """A game in progress: see the ``offers``, make a ``step``, or ``play`` to the end.

    The root is node 0, and the children of a leaf get the next free numbers.

    Parameters
    ----------
    w : float
        The weight of the first leaf, above 0.
    s : int
        The budget: the largest number of leaves.
    gamma : float
        The fraction of its weight, from 0 to 1, that the best binary option of a leaf removes at
        least.
    adversary : str or callable, default="binary"
        A name in ``ADVERSARIES``, or a function of the game and a leaf that returns the options of
        the leaf: for each, the weights of its children. It is called at every turn, but only for
        the leaves that the learner considers: in heaviest order, a single one.
    random_state : int, Generator or None, default=None
        The seed of the "random" adversary.

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
        phi(self.s, self.gamma)  # raises an error for an invalid s or gamma
        rng = np.random.default_rng(random_state)
        self._adversary = named_or_given(ADVERSARIES, adversary, rng)
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
        """Whether the budget is used up, or all weights are 0."""
        return self.size >= self.s or not any(self._weights.values())

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves so far."""
        return tuple(self._moves)

    @property
    def outcome(self) -> Outcome:
        """The result of the game so far."""
        sizes = np.cumsum([1] + [move.arity - 1 for move in self._moves])
        curve = np.array([self.w] + [move.weight for move in self._moves])
        return Outcome(self.weight, sizes, curve, self.moves)

    def offers(self, leaf: int) -> tuple[Option, ...]:
        """Return the options of a leaf at this turn.

        Parameters
        ----------
        leaf : int
            A leaf of the tree, a key of ``weights``.

        Returns
        -------
        tuple of Option
            The options; they are checked against the rules.
        """
        if leaf not in self._weights:
            raise ParameterError(f"{leaf!r} is not a leaf; the leaves are {[*self._weights]}")
        if leaf not in self._offered:
            options = [Option(tuple(map(float, o))) for o in self._adversary(self, leaf)]
            self._check_offers(leaf, options)
            self._offered[leaf] = tuple(options)
        return self._offered[leaf]

    def choose(self, procedure: str = "hatano", leaf_order: str = "auto") -> tuple[int, Option]:
        """Return the leaf and the option that a procedure would take now.

        The option has the largest gain / price among the acceptable ones; a tie goes to fewer
        children, then to the older leaf.

        Parameters
        ----------
        procedure : str, default="hatano"
            A name in ``polytomy.theory.PROCEDURES`` that is not in ``BY_GAIN``.
        leaf_order : {"auto", "heaviest", "steepest"}, default="auto"
            As in ``TreeClassifier``: "heaviest" for the published procedures, "steepest" for
            ``per-leaf``, either for ``kearns-mansour``.

        Returns
        -------
        int
            The leaf.
        Option
            The option.
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
        """Take an option of a leaf, which need not be acceptable to any procedure.

        Parameters
        ----------
        leaf : int
            A leaf of the tree.
        option : Option
            One of its ``offers``.

        Returns
        -------
        Move
            The move.
        """
        self._check_running()
        if option not in self.offers(leaf):
            raise ParameterError(f"{option!r} is not an option of leaf {leaf}")
        if self.size + option.arity - 1 > self.s:
            raise ParameterError(
                f"{option.arity} children exceed the budget: "
                f"the tree has {self.size} of {self.s} leaves"
            )
        advantage = self._gain(leaf, option) / (self._weights.pop(leaf) or 1.0)
        children = tuple(range(self._nodes, self._nodes + option.arity))
        self._nodes += option.arity
        self._weights.update(zip(children, option.children, strict=True))
        self._offered.clear()
        self._moves.append(Move(leaf, option, children, advantage, self.weight))
        return self._moves[-1]

    def play(self, procedure: str = "hatano", leaf_order: str = "auto") -> Outcome:
        """Let a procedure play to the end.

        Parameters
        ----------
        procedure : str, default="hatano"
            A name in ``polytomy.theory.PROCEDURES`` that is not in ``BY_GAIN``.
        leaf_order : {"auto", "heaviest", "steepest"}, default="auto"
            As in ``choose``.

        Returns
        -------
        Outcome
            The result of the whole game.
        """
        _order(procedure, leaf_order)
        while not self.finished:
            self.step(*self.choose(procedure, leaf_order))
        return self.outcome

    def bound(self, procedure: str = "hatano", leaf_order: str = "auto") -> float:
        """Return the bound on the final weight for a procedure, against any adversary.

        It is w e(s) for ``mansour-mcallester`` and w phi(s) for the others. Those in steepest order
        keep phi, too, because each step removes at least gamma (k - 1) times the largest weight
        (docs/evidence/theorems.md, Theorem 2).

        Parameters
        ----------
        procedure : str, default="hatano"
            A name in ``polytomy.theory.PROCEDURES`` that is not in ``BY_GAIN``.
        leaf_order : {"auto", "heaviest", "steepest"}, default="auto"
            As in ``choose``.

        Returns
        -------
        float
            The bound.
        """
        _order(procedure, leaf_order)  # raises an error if no theorem covers it
        rate = e if procedure == "mansour-mcallester" else phi
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
        room = max(ROUNDING * weight, SMALLEST)
        for option in options:
            if option.arity < 2:
                raise ParameterError(
                    f"an option needs at least 2 children; leaf {leaf}: {option!r}"
                )
            if not all(isfinite(child) and child >= 0 for child in option.children):
                raise ParameterError(
                    f"weights must be finite and at least 0; leaf {leaf}: {option!r}"
                )
            if sum(option.children) > weight + room:
                raise ParameterError(
                    f"the children exceed the weight {weight} of leaf {leaf}: {option!r}"
                )
        binary = [sum(option.children) for option in options if option.arity == 2]
        if min(binary, default=np.inf) > (1 - self.gamma) * weight + room:
            raise ParameterError(
                f"leaf {leaf} needs a binary option that removes gamma = {self.gamma:g} of its "
                f"weight {weight:g} (the weak tree-growth hypothesis)"
            )


def _order(procedure: str, leaf_order: str) -> str:
    """Return the leaf order of a procedure; raise ``ParameterError`` if no theorem covers it."""
    price(procedure, 2, gamma=0.5)  # raises an error for an unknown procedure
    if leaf_order not in ORDERS:
        raise ParameterError(f"leaf_order must be one of {', '.join(ORDERS)}; got {leaf_order!r}")
    if procedure in BY_GAIN:
        raise ParameterError(
            f"no theorem covers {procedure} before a run: it has no price for wide splits"
        )
    covered = LEAF_ORDERS[procedure]
    if leaf_order == "auto":
        return covered[0]
    if leaf_order not in covered:
        raise ParameterError(
            f"no theorem covers {procedure} with leaf_order={leaf_order!r}; use {covered[0]!r}"
        )
    return leaf_order


# The adversaries. MARGIN breaks ties between prices.
MARGIN = 1e-6
WIDE = (4, 8, 16)


def _even(weight: float, k: int, advantage: float) -> list[float]:
    """Return k equal children with a total of 1 - advantage of the leaf's weight."""
    return [weight * (1 - advantage) / k] * k


def _binary(game: BranchingGame, leaf: int) -> Offers:
    """Offer equal halves with the smallest possible advantage: the worst case."""
    return [_even(game.weights[leaf], 2, game.gamma)]


def _log_price(game: BranchingGame, leaf: int) -> Iterator[Sequence[float]]:
    """Also offer 4, 8 and 16 equal children, slightly above the price of ``hatano``."""
    yield from _binary(game, leaf)
    for k in WIDE:
        steps = price("hatano", k)
        advantage = game.gamma * steps * (1 + MARGIN * steps)  # wider is better
        if advantage <= 1:
            yield _even(game.weights[leaf], k, advantage)


def _linear_price(game: BranchingGame, leaf: int) -> Iterator[Sequence[float]]:
    """Also offer equal children slightly below the price of ``per-leaf``."""
    yield from _binary(game, leaf)
    for k in WIDE:
        advantage = game.gamma * (k - 1) * (1 - MARGIN)
        if advantage <= 1:
            yield _even(game.weights[leaf], k, advantage)


def _peeling(game: BranchingGame, leaf: int) -> Iterator[Sequence[float]]:
    """Offer the options of ``log-price``, but with all the weight in one child."""
    for children in _log_price(game, leaf):
        yield [sum(children)] + [0.0] * (len(children) - 1)


def _generous(game: BranchingGame, leaf: int) -> Iterator[Sequence[float]]:
    """Offer every fourth leaf, including the root, 8 children that remove 9/10 of its weight."""
    yield from _binary(game, leaf)
    if leaf % 4 == 0:
        yield _even(game.weights[leaf], 8, 0.9)


def _random(rng: np.random.Generator) -> Adversary:
    """Offer between nothing and twice the log price; the options of a leaf do not change."""
    seed = int(rng.integers(2**63))

    @cache
    def offer(game: BranchingGame, leaf: int) -> Offers:
        rng = np.random.default_rng([seed, leaf])  # independent of the order of the calls
        offers = []
        for k in (2, *rng.integers(2, 17, size=rng.integers(1, 4)).tolist()):
            least = game.gamma if k == 2 else 0.0
            most = min(1.0, 2 * game.gamma * price("hatano", k))
            left = game.weights[leaf] * (1 - rng.uniform(least, most))
            offers.append((rng.dirichlet(np.ones(k)) * left).tolist())
        return offers

    return offer


# Adversaries by name, as functions of a random generator.
ADVERSARIES: Mapping[str, Callable[[np.random.Generator], Adversary]] = {
    "binary": lambda _: _binary,
    "log-price": lambda _: _log_price,
    "linear-price": lambda _: _linear_price,
    "peeling": lambda _: _peeling,
    "generous": lambda _: _generous,
    "random": _random,
}
