"""A queue of leaves by score, in which scores within a tolerance count as equal.

Of the leaves within the tolerance of the best score, the one whose key comes first leaves first.
Equal scores are common (symmetric data), so a plain heap by score would let rounding decide.
"""

import heapq
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")


@dataclass
class _Ties(Generic[Item]):
    """Items whose scores equal ``score``, by key."""

    score: float
    heap: list[tuple[Any, int, Item]] = field(default_factory=list)


class Frontier(Generic[Item]):
    """Push items with a score and a key; pop the first key among the best scores.

    Ties wait in groups on a stack, the best score on top: an item that beats the current group by
    more than the tolerance opens a new one, and the old is taken up again when that is used up. A
    push and a pop cost O(log n) however many ties there are.

    >>> frontier = Frontier[str](tolerance=1e-9)
    >>> for score, key in [(0.5, "b"), (0.5 + 1e-12, "c"), (0.1, "a")]:
    ...     frontier.push(score, key, key)
    >>> [frontier.pop() for _ in range(3)]
    ['b', 'c', 'a']
    """

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self._waiting: list[tuple[float, int, Any, Item]] = []  # by score, best first
        self._groups: list[_Ties[Item]] = []
        self._pushed = 0  # breaks ties of ties, so that items are never compared

    def __len__(self) -> int:
        return len(self._waiting) + sum(len(group.heap) for group in self._groups)

    def push(self, score: float, key: Any, item: Item) -> None:
        """Add an item; keys are compared among equal scores only."""
        heapq.heappush(self._waiting, (-score, self._pushed, key, item))
        self._pushed += 1

    def pop(self) -> Item:
        """Remove and return the item whose key is first among the best scores."""
        while self._groups and not self._groups[-1].heap:
            self._groups.pop()
        if self._waiting:
            best = -self._waiting[0][0]
            if not self._groups or best > self._groups[-1].score + self._tolerance:
                self._groups.append(_Ties(best))
        group = self._groups[-1]
        while self._waiting and -self._waiting[0][0] >= group.score - self._tolerance:
            _, number, key, item = heapq.heappop(self._waiting)
            heapq.heappush(group.heap, (key, number, item))
        return heapq.heappop(group.heap)[2]
