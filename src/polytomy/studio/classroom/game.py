"""What the two games of the theory share: turns, undo, the tree, the curve and its bounds."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from polytomy._errors import ParameterError
from polytomy.studio import requests
from polytomy.theory import BranchingGame, WeightDistributionGame, e, phi

MOST_LEAVES = 128
KEPT = 1e-9  # a bound is kept if the weight exceeds it by at most this fraction


@dataclass(frozen=True, slots=True)
class Settings:
    """The rules of a game.

    Parameters
    ----------
    gamma : float
        The fraction of a leaf's weight that a binary split removes.
    s : int
        The number of leaves at which the game ends.
    role : str
        The side of the student.
    opponent : str
        The strategy of the other side, which the library plays.
    seed : int
        The seed of random strategies.
    """

    gamma: float
    s: int
    role: str
    opponent: str
    seed: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A move: the leaf, its children, and their weights."""

    leaf: int
    children: tuple[int, ...]
    weights: tuple[float, ...]  # of the children
    weight: float  # of the tree after the move


class Play(ABC):
    """A game between a student and the library; subclasses know the rules.

    Parameters
    ----------
    settings : Settings
        The rules.
    """

    sides: ClassVar[Mapping[str, Mapping[str, str]]]
    """The roles of a student, and for each the strategies of the opponent with a description."""
    _game: BranchingGame | WeightDistributionGame

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._moves: list[Any] = []  # what repeats each move
        self._by_library: list[bool] = []
        self._reset()

    @property
    def finished(self) -> bool:
        """Return whether the game is over."""
        return self._game.finished

    @property
    def weight(self) -> float:
        """Return the weight of the tree."""
        return self._game.weight

    @property
    def size(self) -> int:
        """Return the number of leaves."""
        return self._game.size

    @classmethod
    def begin(cls, given: Mapping[str, Any]) -> Self:
        """Return a new game with the rules in a request; those that are absent have defaults."""
        role = requests.choice(given, "role", cls.sides, next(iter(cls.sides)))
        strategies = cls.sides[role]
        return cls(
            Settings(
                gamma=requests.number(given, "gamma", 0.01, 0.5, 0.2),
                s=requests.whole(given, "s", 2, MOST_LEAVES, 8),
                role=role,
                opponent=requests.choice(given, "opponent", strategies, next(iter(strategies))),
                seed=requests.whole(given, "seed", 0, 2**31 - 1, 1),
            )
        )

    def move(self, given: Mapping[str, Any]) -> None:
        """Make a move of the student, and the answer of the library."""
        self._make(self._stated(given))
        self._by_library.append(False)

    def library(self, given: Mapping[str, Any]) -> None:
        """Let the library make one move for the student, or all that are left."""
        to_end = given.get("to_end") is True
        self._make(self._advised())
        self._by_library.append(True)
        while to_end and not self.finished:
            self._make(self._advised())
            self._by_library.append(True)

    def undo(self, _given: Mapping[str, Any]) -> None:
        """Take the last move back."""
        if not self._moves:
            raise ParameterError("there is no move to take back")
        moves, by_library = self._moves[:-1], self._by_library[:-1]
        self._reset()
        self._moves, self._by_library = [], []
        for move in moves:
            self._make(move)
        self._by_library = by_library

    def view(self) -> dict[str, Any]:
        """Return what the page shows."""
        settings, turns = self.settings, self.turns
        added = [len(turn.children) - 1 for turn in turns]
        return {
            "gamma": settings.gamma,
            "s": settings.s,
            "role": settings.role,
            "opponent": settings.opponent,
            "seed": settings.seed,
            "finished": self.finished,
            "size": self.size,
            "weight": self.weight,
            "nodes": self._nodes(),
            "moves": self._listed(),
            "curve": {
                "sizes": np.cumsum([1, *added]).tolist(),
                "weights": [1.0, *(turn.weight for turn in turns)],
            },
            "bounds": bounds_curve(settings.s, settings.gamma),
            "verdict": self._verdict(),
            "library_weight": self._library_weight() if self.finished else None,
            "turn": None if self.finished else self._turn(),
        }

    def _library_weight(self) -> float:
        """Return the weight that the library would have ended with in the student's place."""
        other = type(self)(self.settings)
        other.library({"to_end": True})
        return other.weight

    def _nodes(self) -> list[dict[str, Any]]:
        """Return all nodes of the tree with their weights, in the order of their numbers."""
        nodes: list[dict[str, Any]] = [{"id": 0, "parent": None, "weight": 1.0, "leaf": True}]
        for turn in self.turns:
            nodes[turn.leaf]["leaf"] = False
            for child, weight in zip(turn.children, turn.weights, strict=True):
                nodes.append({"id": child, "parent": turn.leaf, "weight": weight, "leaf": True})
        most = max(node["weight"] for node in nodes if node["leaf"])
        for node in nodes:
            node["heaviest"] = node["leaf"] and is_heaviest(node["weight"], most)
        return nodes

    def _listed(self) -> list[dict[str, Any]]:
        """Return the moves so far."""
        listed, weight = [], 1.0
        for turn, by_library in zip(self.turns, self._by_library, strict=True):
            listed.append(
                {
                    "leaf": turn.leaf,
                    "branches": len(turn.children),
                    "removed": weight - turn.weight,
                    "weight": turn.weight,
                    "by_library": by_library,
                }
            )
            weight = turn.weight
        return listed

    def _check_running(self) -> None:
        if self.finished:
            raise ParameterError("the game is over; begin a new one, or take the last move back")

    # ---- the rules, in subclasses ----------------------------------------------------------------

    @property
    @abstractmethod
    def turns(self) -> list[Turn]:
        """Return the moves so far."""

    @abstractmethod
    def _reset(self) -> None:
        """Go back to one leaf."""

    @abstractmethod
    def _stated(self, given: Mapping[str, Any]) -> Any:
        """Return the move that a request describes."""

    @abstractmethod
    def _advised(self) -> Any:
        """Return the move that the library makes in the student's place."""

    @abstractmethod
    def _make(self, move: Any) -> None:
        """Carry a move out, with the answer of the other side, and remember it."""

    @abstractmethod
    def _turn(self) -> dict[str, Any]:
        """Return what the student can do now."""

    @abstractmethod
    def _verdict(self) -> dict[str, Any]:
        """Return the bound that applies and whether it was kept: see ``verdict``."""


def verdict(
    name: str | None, reason: str, bound: float, weight: float, *, finished: bool
) -> dict[str, Any]:
    """Return a verdict on a game.

    Parameters
    ----------
    name : str or None
        The bound that applies, or None if no theorem covers the moves.
    reason : str
        Why it applies, or why none does.
    bound : float
        Its value, or the value that the weight is compared with if none applies.
    weight : float
        The weight of the tree.
    finished : bool
        Whether the game is over: the theorems are about its end.

    Returns
    -------
    dict
        The arguments, and whether the bound was kept, ``kept``, which is None before the end.
    """
    kept = bool(weight <= bound * (1 + KEPT)) if finished else None
    return {"name": name, "reason": reason, "bound": bound, "weight": weight, "kept": kept}


def is_heaviest(weight: float, most: float) -> bool:
    """Return whether a weight is the largest, up to rounding."""
    return weight >= most * (1 - 1e-12)


def bounds_curve(s: int, gamma: float) -> dict[str, list[float]]:
    """Return the sizes from 1 to s, and phi, e and size^-gamma at each.

    >>> bounds_curve(2, 0.5)["phi"]
    [1.0, 0.5]
    """
    sizes = list(range(1, s + 1))
    return {
        "sizes": [float(n) for n in sizes],
        "phi": [phi(n, gamma) for n in sizes],
        "e": [e(n, gamma) for n in sizes],
        "power": [n**-gamma for n in sizes],
    }
