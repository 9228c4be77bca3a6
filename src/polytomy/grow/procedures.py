"""Procedures: at what price an option is compared, and when its arity is acceptable.

``per-leaf`` asks for gain per leaf spent, price k - 1: the "naive linear return" on which
Mansour and McAllester improve with the price g(k), about ln k, and Hatano with ceil(log2 k).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from polytomy import theory
from polytomy._types import TIE, FloatArray
from polytomy.theory.rates import accepts

from .menu import Menu, Option
from .params import GrowParams


@dataclass(frozen=True, slots=True)
class Choice:
    """The option a procedure picks from a menu, and its score: gain over price."""

    option: Option
    score: float


@dataclass(frozen=True, slots=True)
class Procedure:
    """Prices and acceptability of one procedure with its budget s and, if any, its gamma.

    ``free`` lets every arity cost the same: for a tree of one question, which has nothing else to
    spend its leaves on.
    """

    name: str
    max_leaves: int | None
    gamma: float | None
    free: bool = False

    @classmethod
    def of(cls, params: GrowParams) -> "Procedure":
        """Return the procedure the parameters name."""
        return cls(params.procedure, params.max_leaves, params.gamma)

    def price(self, k: int) -> float:
        """Return the price of a k-way option; a binary one costs 1 everywhere."""
        return 1.0 if self.free else theory.price(self.name, k, self.gamma)

    def prices(self, widest: int) -> FloatArray:
        """Return the prices of 2, 3, ..., widest branches, in an array nobody writes to."""
        return _prices(self, widest)

    def acceptable(self, k: int, leaves: int) -> bool:
        """Say whether a tree of so many leaves may take a k-way option."""
        return accepts(self.name, k, leaves, self.max_leaves, self.gamma)

    def largest(self, leaves: int, cap: int) -> int:
        """Return the largest acceptable arity, at most ``cap``; what is acceptable has no gaps."""
        low, high = 2, cap if self.max_leaves is None else min(cap, self.max_leaves)
        while low < high:
            middle = (low + high + 1) // 2
            if self.acceptable(middle, leaves):
                low = middle
            else:
                high = middle - 1
        return low

    def choose(self, menu: Menu, leaves: int, node_value: float) -> Choice | None:
        """Return the acceptable option of the best score, the smaller arity on a tie."""
        choices = [
            Choice(option, option.gain / self.price(option.arity))
            for option in menu
            if self.acceptable(option.arity, leaves)
        ]
        if not choices:
            return None
        most = max(choice.score for choice in choices)
        return next(c for c in choices if c.score >= most - TIE * node_value)


@lru_cache(maxsize=16)
def _prices(procedure: Procedure, widest: int) -> FloatArray:
    """Work them out once: a run of boosting asks for the same ones every round."""
    prices = np.array([procedure.price(k) for k in range(2, widest + 1)], dtype=np.float64)
    prices.setflags(write=False)
    return prices
