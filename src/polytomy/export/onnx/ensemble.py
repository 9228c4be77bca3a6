"""Tests to one TreeEnsemble operator, version 5: trees end to end, with a number at each leaf."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from polytomy._types import AnyArray, FloatArray

from .graph import Graph
from .lower import Tests

_AT_MOST, _MEMBER = 0, 6  # BRANCH_LEQ and BRANCH_MEMBER
_SUM, _AS_IT_IS = 1, 0  # how trees are added up, and what is done to the sum


class Trees:
    """Trees in the operator's arrays.

    Each has a weight at every leaf, by node of the tree it comes from, and a target, for which the
    trees' weights are added up. A tree of one leaf is none of them: onnxruntime 1.23 to 1.28 may
    take another leaf's weight for its own, so that must be added afterwards.
    """

    def __init__(self) -> None:
        self._roots: list[int] = []
        self._yes: list[int] = []  # a test, or ~leaf
        self._no: list[int] = []
        self._feature: list[int] = []
        self._threshold: list[float] = []
        self._members: list[list[int] | None] = []
        self._missing_yes: list[int] = []
        self._weight: list[float] = []
        self._target: list[int] = []

    def plant(self, tests: Tests, weights: FloatArray, target: int = 0) -> None:
        """Add a tree; it must have a test."""
        root = len(self._yes)
        self._roots.append(root)
        number: dict[int, int] = {}
        for sides, own in ((tests.yes, self._yes), (tests.no, self._no)):
            for side in sides:
                if side >= 0:
                    own.append(root + side)
                    continue
                if ~side not in number:
                    number[~side] = len(self._weight)
                    self._weight.append(float(weights[~side]))
                    self._target.append(target)
                own.append(~number[~side])
        self._feature += tests.feature
        self._threshold += tests.threshold
        self._members += tests.members
        self._missing_yes += tests.missing_yes
        self._tell_root_from_leaf(root)

    def _tell_root_from_leaf(self, root: int) -> None:
        """Give the root's leaf another number where its other answer is a test of that number.

        onnxruntime 1.23 takes such a root for a leaf: it compares the numbers alone.
        """
        yes, no = self._yes[root], self._no[root]
        if (yes < 0) == (no < 0) or max(yes, no) != ~min(yes, no):
            return
        leaf = ~min(yes, no)
        other = next(
            ~side
            for sides in (self._yes[root + 1 :], self._no[root + 1 :])
            for side in sides
            if side < 0
        )
        swap = {~leaf: ~other, ~other: ~leaf}
        for sides in (self._yes, self._no):
            sides[root:] = [swap.get(side, side) for side in sides[root:]]
        self._weight[leaf], self._weight[other] = self._weight[other], self._weight[leaf]

    def add_to(self, graph: Graph, matrix: str, targets: int) -> str:
        """Add the operator and return the name of its output, of shape (rows, targets)."""
        if not self._roots:  # it wants a tree, and that a test: one whose answers are the same leaf
            self.plant(Tests([0], [0.0], [None], [0], [~0], [~0]), np.zeros(1))
        sets: list[float] = []
        for members in self._members:
            sets += [] if members is None else [*members, np.nan]
        modes = [_AT_MOST if members is None else _MEMBER for members in self._members]
        attributes: dict[str, Any] = {
            "nodes_modes": graph.tensor(np.array(modes, dtype=np.uint8)),
            "nodes_splits": graph.tensor(np.array(self._threshold)),
            "leaf_weights": graph.tensor(np.array(self._weight)),
        }
        if sets:
            attributes["membership_values"] = graph.tensor(np.array(sets))
        return graph.add_ml(
            "TreeEnsemble",
            [matrix],
            tree_roots=self._roots,
            n_targets=targets,
            aggregate_function=_SUM,
            post_transform=_AS_IT_IS,
            nodes_featureids=self._feature,
            nodes_missing_value_tracks_true=self._missing_yes,
            nodes_truenodeids=_numbers(self._yes),
            nodes_trueleafs=_are_leaves(self._yes),
            nodes_falsenodeids=_numbers(self._no),
            nodes_falseleafs=_are_leaves(self._no),
            leaf_targetids=self._target,
            **attributes,
        )


def _numbers(sides: Iterable[int]) -> list[int]:
    given: AnyArray = np.array(list(sides))
    return list(np.where(given < 0, ~given, given).tolist())


def _are_leaves(sides: Iterable[int]) -> list[int]:
    return [int(side < 0) for side in sides]
