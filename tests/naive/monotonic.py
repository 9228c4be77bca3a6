"""The best binary gain under directions of columns, by comparing boxes for every cut."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np


@dataclass(frozen=True)
class Side:
    """What a node admits of a column: codes between two cuts, and perhaps missing cells.

    A cut lies somewhere between two codes that the split node holds; no row says where.
    """

    low: tuple[int, int]
    high: tuple[int, int]
    missing: bool = True

    def meets(self, other, *, equal_cuts_part=True):
        """Return whether a cell may belong to both."""
        if self.missing and other.missing:
            return True
        sides = ((self.high, other.low), (other.high, self.low))
        if equal_cuts_part and any(high == low for high, low in sides):
            return False
        return all(high[1] > low[0] + 1 for high, low in sides)


@dataclass(frozen=True)
class Node:
    """A node: its rows, its value, its box, and its path of (node, column, branch)."""

    rows: np.ndarray
    value: float
    box: tuple[Side, ...]
    path: tuple[tuple[int, int, int], ...] = ()


class MonotonicReplay:
    """Replays the expansions of a run on two or more classes without missing cells."""

    def __init__(self, columns, labels, n_codes, directions, index, n_classes):
        self.columns, self.labels, self.directions = columns, labels, directions
        self.index, self.n_classes = index, n_classes
        rows = np.arange(len(labels))
        box = tuple(Side((-1, 0), (n - 1, n)) for n in n_codes)
        self.nodes = [Node(rows, labels.mean(), box)]

    def impurity(self, rows):
        """Return F of some rows."""
        return self.index.value(np.bincount(self.labels[rows], minlength=self.n_classes))

    def children(self, number, column, cut):
        """Return the two children of a split."""
        node = self.nodes[number]
        left = self.columns[column][node.rows] <= cut[0]
        rows = node.rows[left], node.rows[~left]
        heavier = 0 if len(rows[0]) >= len(rows[1]) else 1  # takes missing cells
        side = node.box[column]
        sides = replace(side, high=cut), replace(side, low=cut)
        made = []
        for branch in (0, 1):
            own = replace(sides[branch], missing=side.missing and branch == heavier)
            box = (*node.box[:column], own, *node.box[column + 1 :])
            path = (*node.path, (number, column, branch))
            made.append(Node(rows[branch], self.labels[rows[branch]].mean(), box, path))
        return made

    def order(self, one, two, *, equal_cuts_part=True):
        """Return -1 if the first must not exceed the second, 1 if the reverse, else 0."""
        for (number, column, branch), (other_number, _, other) in zip(
            one.path, two.path, strict=False
        ):
            if number != other_number:
                return 0
            if branch != other:
                meet = all(
                    a.meets(b, equal_cuts_part=equal_cuts_part)
                    for j, (a, b) in enumerate(zip(one.box, two.box, strict=True))
                    if j != column
                )
                rises = self.directions[column] if meet else 0
                return -rises if branch < other else rises
        return 0

    def is_allowed(self, number, column, children):
        """Return whether two children are in order, with each other and with all other nodes.

        Sums are compared instead of means, which may be equal but for rounding.
        """
        (first, weight), (last, other_weight) = (
            (self.labels[child.rows].sum(), len(child.rows)) for child in children
        )
        if (last * weight - first * other_weight) * self.directions[column] < 0:
            return False
        node = self.nodes[number]
        for other in self.nodes:
            if self.order(node, other) == 0:
                continue
            for child in children:
                order = self.order(child, other, equal_cuts_part=False)
                excess = self.labels[child.rows].sum() - other.value * len(child.rows)
                if excess * order < 0:
                    return False
        return True

    def best_gain(self, number):
        """Return the largest gain of an allowed binary split of a node; -1 if there is none."""
        node, best = self.nodes[number], -1.0
        whole = self.impurity(node.rows)
        for column, codes in enumerate(self.columns):
            present = np.unique(codes[node.rows]).tolist()
            for cut in pairwise(present):
                children = self.children(number, column, cut)
                if self.is_allowed(number, column, children):
                    best = max(best, whole - sum(self.impurity(c.rows) for c in children))
        return best

    def expand(self, number, column, cut):
        """Split a node, as the run did."""
        self.nodes += self.children(number, column, cut)
