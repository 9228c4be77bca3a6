"""The queue of leaves: the first key among the best scores, however many ties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polytomy.grow.frontier import Frontier


class NaiveFrontier:
    def __init__(self, tolerance):
        self.tolerance = tolerance
        self.items = []

    def push(self, score, key, item):
        self.items.append((score, key, item))

    def pop(self):
        best = max(score for score, _, _ in self.items)
        tied = [entry for entry in self.items if entry[0] >= best - self.tolerance]
        picked = min(tied, key=lambda entry: entry[1])
        self.items.remove(picked)
        return picked[2]


# Scores that are equal up to rounding, or clearly different.
scores = st.integers(0, 6).map(float) | st.integers(0, 6).map(lambda s: s + 1e-15)


@given(st.lists(st.none() | scores, max_size=80), st.randoms(use_true_random=False))
def test_pops_what_looking_at_everything_would(moves, random):
    fast, slow = Frontier(1e-12), NaiveFrontier(1e-12)
    keys = list(range(len(moves)))
    random.shuffle(keys)
    for key, move in zip(keys, moves, strict=True):
        if move is not None:
            fast.push(move, key, key)
            slow.push(move, key, key)
        elif slow.items:
            assert fast.pop() == slow.pop()
        assert len(fast) == len(slow.items)
    while slow.items:
        assert fast.pop() == slow.pop()
    assert len(fast) == 0


def test_ties_by_the_thousand_stay_cheap():
    frontier = Frontier(1e-12)
    for i in range(20_000):
        frontier.push(1.0, i, i)
    for i in range(20_000):  # each pop is followed by a better one: the group of ties must not move
        assert frontier.pop() == i
        frontier.push(2.0, -1, "better")
        assert frontier.pop() == "better"


def test_an_empty_queue_has_nothing():
    with pytest.raises(IndexError):
        Frontier(0.0).pop()


def test_items_are_never_compared():
    frontier = Frontier(0.0)
    for _ in range(3):
        frontier.push(1.0, "same key", np.zeros(2))
    assert frontier.pop() is not None
