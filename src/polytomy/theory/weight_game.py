"""Hatano's Weight Distribution Game: how much weight an adversary can keep in a tree of s leaves.

The tree starts as one leaf of weight w. In each turn the player picks a leaf, and the adversary
gives it k children, k = 2 or k <= s/leaves, whose weights sum to (1 - gamma ceil(log2 k)) times the
leaf's. The player wants a small final weight, the adversary a large one. Against a player who
always picks the heaviest leaf, halving is the best strategy (Theorem 3): the tree ends with the
weight w phi(s).

An arity with gamma ceil(log2 k) > 1 would give the children a negative weight. No split has an
advantage above 1, so such a k is not allowed.
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

ROUNDING = 1e-9  # tolerance for the sum of the shares of a distribution
SAME = 1e-12  # relative to w: the search treats such weights as equal

Player: TypeAlias = Callable[["WeightDistributionGame"], int]
Answer: TypeAlias = tuple[int, Sequence[float]]
Adversary: TypeAlias = Callable[["WeightDistributionGame", int], Answer]
Side = TypeVar("Side")
Rng: TypeAlias = np.random.Generator
Seed: TypeAlias = int | Rng | None


@dataclass(frozen=True, slots=True)
class Move:
    """One turn: the leaf the player picked, and the adversary's answer."""

    leaf: int
    k: int
    distribution: tuple[float, ...]  # the children's shares of the remaining weight
    children: tuple[int, ...]
    weight: float  # of the tree after the move


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The largest final weight, and moves of the adversary that reach it."""

    value: float
    moves: tuple[Move, ...]


class WeightDistributionGame:
    """A game in progress; ``step`` makes one turn, ``play`` all remaining ones.

    The root is node 0, and the children of a leaf get the next free numbers.

    Parameters
    ----------
    w : float
        The weight of the first leaf.
    s : int
        The number of leaves at which the game ends.
    gamma : float
        The fraction of a leaf's weight that a binary split removes, from 0 to 1.

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
        self.bound = self.w * phi(self.s, self.gamma)  # raises an error for an invalid s or gamma
        self._weights, self._depths = {0: self.w}, {0: 0}
        self._moves: tuple[Move, ...] = ()
        self._nodes = 1

    @property
    def weights(self) -> Mapping[int, float]:
        """The weight of each leaf."""
        return MappingProxyType(self._weights)

    @property
    def depths(self) -> Mapping[int, int]:
        """The depth of each leaf; 0 for the root."""
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
        """Whether the tree has s leaves."""
        return self.size >= self.s

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves so far."""
        return self._moves

    @property
    def arities(self) -> tuple[int, ...]:
        """The numbers of children that the adversary may choose now; empty if the game is over."""
        widest = 1 if self.finished else max(2, self.s // self.size)
        return tuple(k for k in range(2, widest + 1) if self._left(k) >= 0)

    def copy(self) -> "WeightDistributionGame":
        """Return an independent copy of the game.

        Returns
        -------
        WeightDistributionGame
            A game in the same state. Steps in one do not change the other.
        """
        other = copy(self)
        other._weights, other._depths = dict(self._weights), dict(self._depths)
        return other

    def step(self, leaf: int, k: int, distribution: Sequence[float]) -> Move:
        """Give a leaf k children.

        Parameters
        ----------
        leaf : int
            A leaf of the tree, a key of ``weights``.
        k : int
            The number of children, one of ``arities``.
        distribution : sequence of float
            The children's shares of (1 - gamma ceil(log2 k)) times the leaf's weight; their sum
            is 1.

        Returns
        -------
        Move
            The move.
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
        """Play to the end.

        Parameters
        ----------
        player : str or callable, default="heaviest"
            A name in ``PLAYERS``, or a function of the game that returns a leaf.
        adversary : str or callable, default="binary-equal"
            A name in ``ADVERSARIES``, or a function of the game and the leaf that returns k and the
            children's shares.
        random_state : int, Generator or None, default=None
            The seed of random players and adversaries.

        Returns
        -------
        float
            The weight of the final tree.
        """
        rng = np.random.default_rng(random_state)
        pick = named_or_given(PLAYERS, player, rng)
        answer = named_or_given(ADVERSARIES, adversary, rng)
        while not self.finished:
            leaf = pick(self)
            self._check_leaf(leaf)
            self.step(leaf, *answer(self, leaf))
        return self.weight

    def worst_case(self, player: str | Player = "heaviest", grid: int = 8) -> WorstCase:
        """Return the largest final weight from here, by an exhaustive search of the answers.

        Every legal arity is tried at every turn, with equal shares and with all shares that are
        multiples of 1/``grid``. For the named players, which treat the children of a leaf alike,
        only descending shares are tried (s = 8 takes about a second); for other players, every
        order.

        Parameters
        ----------
        player : str or callable, default="heaviest"
            A player as in ``play``. It may use the leaves and the number of moves, but must not be
            random: it is called only once for each state.
        grid : int, default=8
            The number of steps of the shares.

        Returns
        -------
        WorstCase
            The largest final weight, and moves that reach it.
        """
        if player == "random":
            raise ParameterError("worst_case needs a deterministic player")
        search = _Search(
            named_or_given(PLAYERS, player, np.random.default_rng()), whole("grid", grid)
        )
        return WorstCase(search.value(self), search.line(self))

    def _left(self, k: int) -> float:
        """Return the fraction of a leaf's weight that its k children keep."""
        left = 1.0 - self.gamma * price("hatano", k)
        return 0.0 if abs(left) < SAME else left

    def _expand(self, leaf: int, k: int, shares: Sequence[float]) -> Move:
        """Make a move without checking it."""
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
            raise ParameterError(f"the game is over: the tree has {self.s} leaves")
        if leaf not in self._weights:
            raise ParameterError(f"{leaf!r} is not a leaf; the leaves are {[*self._weights]}")

    def _check_arity(self, k: int) -> None:
        if k < 2 or not acceptable("hatano", k, self.size, self.s):
            raise ParameterError(
                f"{k} children are not acceptable in a tree of {self.size} leaves: "
                f"k must be 2, or at most {self.s}/{self.size}"
            )
        if self._left(k) < 0:
            raise ParameterError(
                f"{k} children would have a negative weight: gamma ceil(log2 {k}) is above 1"
            )


def heaviest(game: WeightDistributionGame) -> int:
    """Pick the heaviest leaf, the oldest on a tie: the player of Hatano's theorem."""
    weights = game._weights
    return max(weights, key=weights.__getitem__)


def breadth_first(game: WeightDistributionGame) -> int:
    """Pick the heaviest of the leaves nearest to the root."""
    return min(game.weights, key=lambda leaf: (game.depths[leaf], -game.weights[leaf]))


@dataclass(frozen=True, slots=True)
class UMax:
    """Picks the heaviest leaf in the first u moves, then plays like another player."""

    u: int
    then: Player

    def __call__(self, game: WeightDistributionGame) -> int:
        """Pick a leaf."""
        return heaviest(game) if len(game.moves) < self.u else self.then(game)


def u_max(u: int, then: str | Player = "breadth-first", random_state: Seed = None) -> UMax:
    """Return Hatano's u-max player, who picks the heaviest leaf in the first u moves only.

    Parameters
    ----------
    u : int
        The number of moves.
    then : str or callable, default="breadth-first"
        The player for the other moves, as in ``WeightDistributionGame.play``.
    random_state : int, Generator or None, default=None
        The seed of a random player.

    Returns
    -------
    UMax
        The player.

    >>> game = WeightDistributionGame(1.0, s=6, gamma=0.2)
    >>> round(game.play(u_max(2, then=lambda game: max(game.weights))), 4)  # ever deeper
    0.6701
    """
    return UMax(whole("u", u), named_or_given(PLAYERS, then, np.random.default_rng(random_state)))


def _random_player(rng: Rng) -> Player:
    return lambda game: list(game.weights)[rng.integers(game.size)]


def _random_adversary(rng: Rng) -> Adversary:
    def answer(game: WeightDistributionGame, _leaf: int) -> Answer:
        k = int(rng.choice(game.arities))
        return k, tuple(rng.dirichlet(np.ones(k)))

    return answer


def _greedy(game: WeightDistributionGame, leaf: int) -> Answer:
    """Return the answer after which halving the heaviest leaf to the end leaves the most weight.

    Equal shares are best for any k, because the final weight is a concave and symmetric function
    of the children's weights. Against the heaviest player this is halving (Lemma 10); if the player
    picks a light leaf, it spends the remaining leaves on it.
    """

    def outlook(k: int) -> float:
        after = game.copy()
        after._expand(leaf, k, [1 / k] * k)
        return _halved(after)

    k = max(game.arities, key=outlook)  # the fewest children on a tie
    return k, [1 / k] * k


def _halved(game: WeightDistributionGame) -> float:
    """Return the final weight if the heaviest leaf is always halved from here on."""
    heap = [-weight for weight in game.weights.values()]
    heapq.heapify(heap)
    for _ in range(game.s - game.size):
        half = heap[0] * (1 - game.gamma) / 2
        heapq.heapreplace(heap, half)
        heapq.heappush(heap, half)
    return -sum(heap)


# Players and adversaries by name, as functions of a random generator.
PLAYERS: Mapping[str, Callable[[Rng], Player]] = {
    "heaviest": lambda _: heaviest,
    "breadth-first": lambda _: breadth_first,
    "u-max": lambda _: UMax(1, breadth_first),  # as in the proof of Proposition 7
    "random": _random_player,
}
ADVERSARIES: Mapping[str, Callable[[Rng], Adversary]] = {
    "binary-equal": lambda _: lambda _game, _leaf: (2, (0.5, 0.5)),
    "random": _random_adversary,
    "greedy": lambda _: _greedy,
}


class _Search:
    """Exhaustive search of the adversary's answers to one player, each state once."""

    def __init__(self, pick: Player, grid: int) -> None:
        if grid < 1:
            raise ParameterError(f"grid must be at least 1, got {grid}")
        self._pick, self._grid, self._alike = pick, grid, _by_weight(pick)
        self._best: dict[object, tuple[float, Answer]] = {}

    def value(self, game: WeightDistributionGame) -> float:
        """Return the largest final weight of the game."""
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
                if (
                    value > best[0] + SAME * game.w
                ):  # on a tie the first: few children, equal shares
                    best = value, (k, shares)
            self._best[state] = best
        return self._best[state]

    def _answers(self, game: WeightDistributionGame) -> Iterator[Answer]:
        for k in game.arities:
            last = game.size + k - 1 >= game.s  # then the shares do not matter
            for shares in _distributions(k, self._grid, self._alike)[: 1 if last else None]:
                yield k, shares

    def _state(self, game: WeightDistributionGame) -> object:
        shares = [round(weight / (game.w or 1.0), 12) for weight in game._weights.values()]
        if self._pick is heaviest:
            return tuple(sorted(shares))
        depths = game._depths.values()
        if self._alike:
            return len(game.moves), tuple(sorted(zip(shares, depths, strict=True)))
        return len(game.moves), *game._weights, *shares, *depths  # the player may use node numbers


def _by_weight(player: Player) -> bool:
    """Return whether a player is known to use only the weights and depths of the leaves."""
    return (player.then if isinstance(player, UMax) else player) in (heaviest, breadth_first)


@cache
def _distributions(k: int, grid: int, alike: bool) -> list[tuple[float, ...]]:
    """Return equal shares, then those on the grid, in descending order only if ``alike``."""
    equal = (1 / k,) * k
    found = [tuple(n / grid for n in parts) for parts in _partitions(grid, k, grid, alike)]
    return [equal, *(shares for shares in found if shares != equal)]


def _partitions(n: int, parts: int, most: int, alike: bool) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write n as a sum of ``parts`` integers from 0 to ``most``."""
    if parts == 0 and n == 0:
        yield ()
    if parts == 0 or n > parts * most:
        return
    for first in range(min(n, most), -1, -1):
        for rest in _partitions(n - first, parts - 1, first if alike else most, alike):
            yield (first, *rest)


def named_or_given(
    registry: Mapping[str, Callable[[Rng], Side]], given: str | Side, rng: Rng
) -> Side:
    """Return a player or an adversary from its name, or the callable that was given."""
    if not isinstance(given, str):
        return given
    if given not in registry:
        raise ParameterError(f"{given!r} is neither a callable nor one of {', '.join(registry)}")
    return registry[given](rng)


def _shares(k: int, distribution: Sequence[float]) -> tuple[float, ...]:
    shares = [float(share) for share in distribution]
    if len(shares) != k:
        raise ParameterError(f"{k} children need {k} shares, got {len(shares)}")
    total = sum(shares)
    if not (all(share >= 0 for share in shares) and abs(total - 1) <= ROUNDING):
        raise ParameterError(f"shares must be at least 0 and sum to 1, got {tuple(shares)}")
    return tuple(share / total for share in shares)
