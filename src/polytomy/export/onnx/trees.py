"""Trees as binary tests, and the tests as one TreeEnsemble operator.

A split with k branches becomes k - 1 tests that halve the branches, so a row meets about log2(k) of
them. Ranges are separated by ``x <= threshold`` in double precision, as in this library;
categories and ordered labels by ``code in set``. Every child has one parent, because onnxruntime
requires trees, not graphs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from polytomy._errors import FamilyError
from polytomy._types import AnyArray, FloatArray
from polytomy.export.code.conditions import value_branches
from polytomy.tree import CategorySplit, IntervalSplit, Tree

from .graph import Graph
from .inputs import FIRST_CODE, MISSING_CODE, NO_CODE, InputColumn

_LESS_OR_EQUAL, _MEMBER = 0, 6  # BRANCH_LEQ and BRANCH_MEMBER
_SUM, _NO_TRANSFORM = 1, 0


@dataclass(slots=True)
class BinaryTests:
    """Binary tests, one entry each; ``yes`` and ``no`` hold the next test, or ``~node`` for a leaf.

    The first test is the root's. A tree of one leaf has no tests.
    """

    feature: list[int] = field(default_factory=list)  # the column of the matrix
    threshold: list[float] = field(default_factory=list)
    members: list[list[int] | None] = field(default_factory=list)  # None: x <= threshold
    missing_yes: list[int] = field(default_factory=list)
    yes: list[int] = field(default_factory=list)
    no: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Split:
    """A split with its children in an order in which one test can separate two halves.

    ``thresholds[i-1]`` lies between child i-1 and child i; for categories, ``codes[i]`` are those
    of child i. ``missing`` is the position of the child that NaN takes.
    """

    column: int
    children: list[int]
    thresholds: list[float]
    codes: list[list[int]] | None
    missing: int


def binary_tests(tree: Tree, inputs: Mapping[int, tuple[int, InputColumn]]) -> BinaryTests:
    """Return the splits of a tree as binary tests.

    Parameters
    ----------
    tree : Tree
        The tree; it must not have user-defined splits.
    inputs : mapping
        For each column of the schema, the column of the matrix and the input.
    """
    tests = BinaryTests()
    # Still to do: a split, the range of its children, and where to store the number of the test.
    waiting: list[tuple[_Split, int, int, list[int] | None, int]] = []
    start = _split(tree, 0, inputs)
    if start is not None:
        waiting.append((start, 0, len(start.children), None, 0))
    while waiting:
        split, low, high, answers, parent = waiting.pop()
        test, middle = len(tests.yes), (low + high) // 2
        if answers is not None:
            answers[parent] = test
        _append_test(tests, split, low, middle)
        for side, first, last in ((tests.no, middle, high), (tests.yes, low, middle)):
            side.append(~split.children[first])
            if last - first > 1:
                waiting.append((split, first, last, side, test))
            elif (below := _split(tree, split.children[first], inputs)) is not None:
                waiting.append((below, 0, len(below.children), side, test))
    return tests


def _append_test(tests: BinaryTests, split: _Split, low: int, middle: int) -> None:
    """Append the test that the children from ``low`` up to ``middle`` pass."""
    tests.feature.append(split.column)
    if split.codes is None:
        tests.threshold.append(split.thresholds[middle - 1])
        tests.members.append(None)
        tests.missing_yes.append(int(low <= split.missing < middle))
        return
    held = [code for codes in split.codes[low:middle] for code in codes]
    tests.threshold.append(0.0)
    tests.members.append(sorted(held) or [NO_CODE])
    tests.missing_yes.append(0)


def _split(tree: Tree, node: int, inputs: Mapping[int, tuple[int, InputColumn]]) -> _Split | None:
    """Return the split of a node, or None at a leaf."""
    split = tree.split(node)
    if split is None:
        return None
    if not isinstance(split, IntervalSplit | CategorySplit):
        raise FamilyError(
            f"node {node} has the user-defined split {split.branching.kind!r}, which ONNX "
            "cannot represent; fit with the built-in families to export"
        )
    column, source = inputs[split.feature]
    children = tree.children(node).tolist()
    missing, default = split.branch_of_missing, split.default_branch
    if isinstance(split, IntervalSplit) and source.keys is None:
        # A branch after the last range holds only missing cells: NaN is not <= infinity.
        thresholds = [*split.thresholds.tolist(), np.inf]
        return _Split(column, children, thresholds, None, missing)
    assert source.keys is not None
    taken = value_branches(split, len(source.keys)).tolist()
    codes: list[list[int]] = [[] for _ in children]
    for code, branch in enumerate(taken):
        codes[branch].append(FIRST_CODE + code)
    codes[missing].append(MISSING_CODE)
    # The default branch comes last; codes in no set end there.
    order = [b for b in range(len(children)) if b != default] + [default]
    return _Split(column, [children[b] for b in order], [], [codes[b] for b in order], missing)


class TreeEnsemble:
    """The arrays of a TreeEnsemble operator.

    Each tree has a weight at every leaf and a target; the operator sums the weights per target. A
    tree of one leaf must be added to the sum separately, because onnxruntime 1.23 to 1.28 may use
    the weight of another leaf for it.
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

    def add_tree(self, tests: BinaryTests, weights: FloatArray, target: int = 0) -> None:
        """Add a tree of at least one test.

        Parameters
        ----------
        tests : BinaryTests
            The tests.
        weights : array
            The weight of each leaf, by node of the original tree.
        target : int, default=0
            The target to which the weights are added.
        """
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
        self._renumber_leaf_of_root(root)

    def _renumber_leaf_of_root(self, root: int) -> None:
        """Renumber a leaf below the root that has the same number as the test on the other side.

        onnxruntime 1.23 would mistake such a root for a leaf, since it compares only the numbers.
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
        if not self._roots:  # the operator needs a tree with a test
            self.add_tree(BinaryTests([0], [0.0], [None], [0], [~0], [~0]), np.zeros(1))
        sets: list[float] = []
        for members in self._members:
            sets += [] if members is None else [*members, np.nan]
        modes = [_LESS_OR_EQUAL if members is None else _MEMBER for members in self._members]
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
            post_transform=_NO_TRANSFORM,
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
