"""Hatano's Weight Distribution Game: how much weight an adversary can keep in a tree of s leaves.

The tree starts as one leaf of weight w. In turn the player names a leaf, and the adversary gives it
k children, k = 2 or k <= s/leaves, whose weights sum to (1 - gamma ceil(log2 k)) times the leaf's.
The player wants little weight in the end, the adversary much. Against the player who always names
the heaviest leaf nothing beats halving (Theorem 3): the tree ends with w phi(s).

An arity with gamma ceil(log2 k) > 1 would leave its children less than nothing. No branching
function has an advantage above 1, so such a k is no move.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from math import isfinite
from types import MappingProxyType
from typing import TypeAlias, TypeVar

import numpy as np

from polytomy._errors import ParameterError

from .rates import acceptable, phi, price, whole

ROUNDING = 1e-9  # how far from 1 the shares of a distribution may sum
SAME = 1e-12  # of w: weights as close as this are the same to the search

Player: TypeAlias = Callable[["WeightDistributionGame"], int]
Answer: TypeAlias = tuple[int, Sequence[float]]
Adversary: TypeAlias = Callable[["WeightDistributionGame", int], Answer]
Side = TypeVar("Side", Player, Adversary)
Rng: TypeAlias = np.random.Generator
Seed: TypeAlias = int | Rng | None


@dataclass(frozen=True, slots=True)
class Move:
    """One turn: the leaf the player named, and what the adversary made of it."""

    leaf: int
    k: int
    distribution: tuple[float, ...]  # the children's shares of what is left of the leaf
    children: tuple[int, ...]
    weight: float  # of the tree, afterwards


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The most weight an adversary can keep, and the moves that keep it."""

    value: float
    moves: tuple[Move, ...]


class WeightDistributionGame:
    """A game in progress; ``step`` makes one turn, ``play`` all that are left.

    Nodes are numbered as they appear: the root is 0, and a leaf's children take the next numbers.

    Parameters
    ----------
    w : float
        The weight of the first leaf.
    s : int
        The number of leaves at which the game ends.
    gamma : float
        What a binary branch takes off its leaf's weight, from 0 to 1.

    Examples
    --------
    >>> game = WeightDistributionGame(1.0, s=6, gamma=0.2)
    >>> game.arities
    (2, 3, 4, 5, 6)
    >>> move = game.step(0, k=2, distribution=(0.5, 0.5))
    >>> game.weights, game.arities
    (mappingproxy({1: 0.4, 2: 0.4}), (2, 3))
    >>> round(game.play("heaviest", "binary-equal"), 6) == round(game.bound, 6) == 0.576
    True
    """

    def __init__(self, w: float, s: int, gamma: float) -> None:
        if not (isfinite(w) and w >= 0):
            raise ParameterError(f"w must be a finite weight of at least 0, got {w!r}")
        self.w, self.s, self.gamma = float(w), whole("s", s), float(gamma)
        self.bound = self.w * phi(self.s, self.gamma)  # refuses an s or a gamma that means nothing
        self._weights, self._depths = {0: self.w}, {0: 0}
        self._moves: tuple[Move, ...] = ()
        self._nodes = 1

    @property
    def weights(self) -> Mapping[int, float]:
        """The weight of each leaf."""
        return MappingProxyType(self._weights)

    @property
    def depths(self) -> Mapping[int, int]:
        """The depth of each leaf; the root's is 0."""
        return MappingProxyType(self._depths)

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
        """Whether the tree has its s leaves."""
        return self.size >= self.s

    @property
    def moves(self) -> tuple[Move, ...]:
        """What has been played."""
        return self._moves

    @property
    def arities(self) -> tuple[int, ...]:
        """Every k the adversary may choose now; none when the game is over."""
        widest = 1 if self.finished else max(2, self.s // self.size)
        return tuple(k for k in range(2, widest + 1) if self._left(k) >= 0)

    def copy(self) -> "WeightDistributionGame":
        """Return a game in the same state that goes its own way."""
        other = copy(self)
        other._weights, other._depths = dict(self._weights), dict(self._depths)
        return other

    def step(self, leaf: int, k: int, distribution: Sequence[float]) -> Move:
        """Give a leaf (a key of ``weights``) k children (one of ``arities``); return the move.

        ``distribution`` holds the children's shares of (1 - gamma ceil(log2 k)) times the leaf's
        weight. They sum to 1.
        """
        self._check_leaf(leaf)
        self._check_arity(whole("k", k))
        return self._expand(leaf, k, _shares(k, distribution))

    def play(
        self,
        player: str | Player = "heaviest",
        adversary: str | Adversary = "binary-equal",
        random_state: Seed = None,
    ) -> float:
        """Play from here to the end; return the weight of the final tree.

        A player is a name in ``PLAYERS`` or a function of the game that returns a leaf; an
        adversary is a name in ``ADVERSARIES`` or a function of the game and the leaf that returns
        k and the children's shares. What is random draws from ``random_state``.
        """
        rng = np.random.default_rng(random_state)
        pick = _named(PLAYERS, player, rng)
        answer = _named(ADVERSARIES, adversary, rng)
        while not self.finished:
            leaf = pick(self)
            self._check_leaf(leaf)
            self.step(leaf, *answer(self, leaf))
        return self.weight

    def worst_case(self, player: str | Player = "heaviest", grid: int = 8) -> WorstCase:
        """Return the most weight a tree can end with from here, by trying every adversary.

        Every legal arity is tried at every turn, with equal shares and with all shares that are
        multiples of 1/``grid``, the largest first: the children are alike to the players by name
        (s = 8 takes a second or so). To a player of the user's they are not, and every order is
        tried. It may look at the leaves and at the number of moves, but it must not be random,
        since it is asked about a state only once, however the game got there.
        """
        if player == "random":
            raise ParameterError("worst_case needs a player who does the same thing every time")
        search = _Search(_named(PLAYERS, player, np.random.default_rng()), whole("grid", grid))
        return WorstCase(search.value(self), search.line(self))

    def _left(self, k: int) -> float:
        """Return the share of its weight that a leaf's k children keep."""
        left = 1.0 - self.gamma * price("hatano", k)
        return 0.0 if abs(left) < SAME else left

    def _expand(self, leaf: int, k: int, shares: Sequence[float]) -> Move:
        """Make a move that is known to be legal."""
        left, depth = self._left(k) * self._weights.pop(leaf), self._depths.pop(leaf) + 1
        children = tuple(range(self._nodes, self._nodes + k))
        self._nodes += k
        for child, share in zip(children, shares, strict=True):
            self._weights[child], self._depths[child] = left * share, depth
        move = Move(leaf, k, tuple(shares), children, self.weight)
        self._moves += (move,)
        return move

    def _check_leaf(self, leaf: int) -> None:
        if self.finished:
            raise ParameterError(f"the game is over: the tree has its {self.s} leaves")
        if leaf not in self._weights:
            raise ParameterError(f"there is no leaf {leaf!r}; the leaves are {[*self._weights]}")

    def _check_arity(self, k: int) -> None:
        if k < 2 or not acceptable("hatano", k, self.size, self.s):
            raise ParameterError(
                f"{k} children are not acceptable in a tree of {self.size} leaves that shall have "
                f"{self.s}: k must be 2, or at most {self.s}/{self.size}"
            )
        if self._left(k) < 0:
            raise ParameterError(
                f"{k} children would weigh less than nothing: gamma ceil(log2 {k}) is above 1"
            )


def heaviest(game: WeightDistributionGame) -> int:
    """Name the heaviest leaf, the oldest of several: the player of Hatano's theorem."""
    weights = game._weights
    return max(weights, key=weights.__getitem__)


def breadth_first(game: WeightDistributionGame) -> int:
    """Name the heaviest of the leaves nearest to the root."""
    return min(game.weights, key=lambda leaf: (game.depths[leaf], -game.weights[leaf]))


@dataclass(frozen=True, slots=True)
class UMax:
    """Names the heaviest leaf for the first u moves of the game, then as another player does."""

    u: int
    then: Player

    def __call__(self, game: WeightDistributionGame) -> int:
        """Name a leaf."""
        return heaviest(game) if len(game.moves) < self.u else self.then(game)


def u_max(u: int, then: str | Player = "breadth-first", random_state: Seed = None) -> UMax:
    """Return Hatano's u-max player, who need not name the heaviest leaf after the u-th expansion.

    >>> game = WeightDistributionGame(1.0, s=6, gamma=0.2)
    >>> round(game.play(u_max(2, then=lambda game: max(game.weights))), 4)  # ever deeper
    0.6701
    """
    return UMax(whole("u", u), _named(PLAYERS, then, np.random.default_rng(random_state)))


def _random_player(rng: Rng) -> Player:
    return lambda game: list(game.weights)[rng.integers(game.size)]


def _random_adversary(rng: Rng) -> Adversary:
    def answer(game: WeightDistributionGame, _leaf: int) -> Answer:
        k = int(rng.choice(game.arities))
        return k, tuple(rng.dirichlet(np.ones(k)))

    return answer


def _greedy(game: WeightDistributionGame, leaf: int) -> Answer:
    """Return the move after which halving the heaviest leaf to the end would leave the most.

    Equal shares are the best for that at any k: what is left is a concave and symmetric function
    of the children's weights. Against the heaviest player it comes down to halving (Lemma 10);
    where a light leaf is named, it spends the leaves of the tree on that one.
    """

    def outlook(k: int) -> float:
        after = game.copy()
        after._expand(leaf, k, [1 / k] * k)
        return _halved(after)

    k = max(game.arities, key=outlook)  # the fewest children of several
    return k, [1 / k] * k


def _halved(game: WeightDistributionGame) -> float:
    """Return the weight at the end if the heaviest leaf is halved from here on."""
    heap = [-weight for weight in game.weights.values()]
    heapq.heapify(heap)
    for _ in range(game.s - game.size):
        half = heap[0] * (1 - game.gamma) / 2
        heapq.heapreplace(heap, half)
        heapq.heappush(heap, half)
    return -sum(heap)


# By name: what makes the player, or the adversary, out of a source of chance.
PLAYERS: Mapping[str, Callable[[Rng], Player]] = {
    "heaviest": lambda _: heaviest,
    "breadth-first": lambda _: breadth_first,
    "u-max": lambda _: UMax(1, breadth_first),  # the one in the proof of Proposition 7
    "random": _random_player,
}
ADVERSARIES: Mapping[str, Callable[[Rng], Adversary]] = {
    "binary-equal": lambda _: lambda _game, _leaf: (2, (0.5, 0.5)),
    "random": _random_adversary,
    "greedy": lambda _: _greedy,
}


class _Search:
    """Every adversary against one player, each state once."""

    def __init__(self, pick: Player, grid: int) -> None:
        if grid < 1:
            raise ParameterError(f"grid must be at least 1, got {grid}")
        self._pick, self._grid, self._alike = pick, grid, _by_weight(pick)
        self._best: dict[object, tuple[float, Answer]] = {}

    def value(self, game: WeightDistributionGame) -> float:
        """Return the most weight the game can end with."""
        return game.weight if game.finished else self._look(game)[0]

    def line(self, game: WeightDistributionGame) -> tuple[Move, ...]:
        """Return the moves that reach ``value``."""
        end = game.copy()
        while not end.finished:
            _, (k, shares) = self._look(end)
            end._expand(self._pick(end), k, shares)
        return end.moves[len(game.moves) :]

    def _look(self, game: WeightDistributionGame) -> tuple[float, Answer]:
        state = self._state(game)
        if state not in self._best:
            leaf = self._pick(game)
            game._check_leaf(leaf)
            best: tuple[float, Answer] = (-1.0, (2, (0.5, 0.5)))
            for k, shares in self._answers(game):
                after = game.copy()
                after._expand(leaf, k, shares)
                value = self.value(after)
                if value > best[0] + SAME * game.w:  # of equals the first: few and even
                    best = value, (k, shares)
            self._best[state] = best
        return self._best[state]

    def _answers(self, game: WeightDistributionGame) -> Iterator[Answer]:
        for k in game.arities:
            last = game.size + k - 1 >= game.s  # then how the weight is shared is no matter
            for shares in _distributions(k, self._grid, self._alike)[: 1 if last else None]:
                yield k, shares

    def _state(self, game: WeightDistributionGame) -> object:
        shares = [round(weight / (game.w or 1.0), 12) for weight in game._weights.values()]
        if self._pick is heaviest:
            return tuple(sorted(shares))
        depths = game._depths.values()
        if self._alike:
            return len(game.moves), tuple(sorted(zip(shares, depths, strict=True)))
        return len(game.moves), *game._weights, *shares, *depths  # it may go by their numbers


def _by_weight(player: Player) -> bool:
    """Say whether a player is known to go by the leaves' weights and depths alone."""
    return (player.then if isinstance(player, UMax) else player) in (heaviest, breadth_first)


@cache
def _distributions(k: int, grid: int, alike: bool) -> list[tuple[float, ...]]:
    """Return equal shares, then those on the grid; of children that are alike, in one order."""
    equal = (1 / k,) * k
    found = [tuple(n / grid for n in parts) for parts in _partitions(grid, k, grid, alike)]
    return [equal, *(shares for shares in found if shares != equal)]


def _partitions(n: int, parts: int, most: int, alike: bool) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write n as a sum of so many parts, zeros allowed."""
    if parts == 0 and n == 0:
        yield ()
    if parts == 0 or n > parts * most:
        return
    for first in range(min(n, most), -1, -1):
        for rest in _partitions(n - first, parts - 1, first if alike else most, alike):
            yield (first, *rest)


def _named(registry: Mapping[str, Callable[[Rng], Side]], given: str | Side, rng: Rng) -> Side:
    if not isinstance(given, str):
        return given
    if given not in registry:
        raise ParameterError(f"{given!r} is none of {', '.join(registry)}, nor is it a callable")
    return registry[given](rng)


def _shares(k: int, distribution: Sequence[float]) -> tuple[float, ...]:
    shares = [float(share) for share in distribution]
    if len(shares) != k:
        raise ParameterError(f"{k} children need {k} shares, got {len(shares)}")
    total = sum(shares)
    if not (all(share >= 0 for share in shares) and abs(total - 1) <= ROUNDING):
        raise ParameterError(f"shares must be at least 0 and sum to 1, got {tuple(shares)}")
    return tuple(share / total for share in shares)
