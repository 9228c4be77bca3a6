"""A tree of any arity as a frozen struct of flat arrays and offsets.

Node 0 is the root, and a child has a larger number than its parent. A tree holds neither column
names nor raw values; those are in the schema. Trees are made by ``TreeBuilder`` and by the grower.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polytomy._types import TIE, AnyArray, BranchArray, FloatArray, IntArray
from polytomy.index import index_of_moments, squared_error

from .splits import Branching, CategorySplit, CustomSplit, IntervalSplit, NodeSplit

LEAF, INTERVALS, CODES, OWN = range(4)
_PLAIN = ("own", "centre", "relabelled")
_NOT_ARRAYS = (*_PLAIN, "costs")


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes and edges; ragged data is a flat array with n_nodes + 1 offsets."""

    kind: NDArray[np.int8]  # LEAF, INTERVALS, CODES or OWN
    feature: BranchArray  # column of the split; -1 at leaves and user-defined splits
    parent: BranchArray  # -1 at the root
    child_start: IntArray
    child: BranchArray
    threshold_start: IntArray
    threshold: FloatArray
    code_to_branch_start: IntArray
    code_to_branch: BranchArray
    missing_branch: BranchArray
    default_branch: BranchArray
    counts: FloatArray  # weight of each class among the node's training rows; or moments, see below
    rows: IntArray  # number of training rows
    own: Mapping[int, Branching] = field(default_factory=dict)  # user-defined splits, by node
    # For a numeric target: the counts of a node are then the weight w of its rows, and the sums of
    # w (y - centre) and w (y - centre)^2; with the Poisson index also that of w y ln y.
    centre: float | None = None
    # The classes that somebody gave to leaves by hand, by node, instead of their majority classes.
    relabelled: Mapping[int, int] = field(default_factory=dict)
    # The cost of a unit of weight of each class (rows) for each label (columns), from 0 to 1; None
    # if every mistake costs 1.
    costs: FloatArray | None = None

    def __post_init__(self) -> None:
        self._freeze()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickle or a copy and freeze its arrays."""
        self.__dict__.update(state)
        self._freeze()

    def _freeze(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        """Compare every array, bit for bit, and the user-defined splits."""
        if not isinstance(other, Tree):
            return NotImplemented
        mine, theirs = self._parts(), other._parts()
        return (
            all(getattr(self, name) == getattr(other, name) for name in _PLAIN)
            and _same_array(self.costs, other.costs)
            and all(np.array_equal(mine[name], theirs[name]) for name in mine)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays are compared by value

    def _parts(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _NOT_ARRAYS}

    @property
    def n_nodes(self) -> int:
        """The number of nodes, including leaves."""
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        """The number of leaves, which is the size of the tree."""
        return int((self.kind == LEAF).sum())

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.counts.shape[1])

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number, not a class."""
        return self.centre is not None

    @cached_property
    def weight(self) -> FloatArray:
        """The weight of the training rows of each node."""
        return self.counts[:, 0] if self.is_numeric else np.asarray(self.counts.sum(axis=1))

    @cached_property
    def label(self) -> IntArray:
        """The class that each node predicts: its majority class, the lower one on a tie.

        Or the class of least cost, if mistakes differ, or the class that it was given by hand.
        """
        label = majority(self.counts, self.costs)
        label[list(self.relabelled)] = list(self.relabelled.values())
        return label

    @cached_property
    def mean(self) -> FloatArray:
        """The mean of a numeric target at each node."""
        assert self.centre is not None
        return np.asarray(self.centre + self.counts[:, 1] / self.counts[:, 0])

    @cached_property
    def errors(self) -> FloatArray:
        """What each node gets wrong as a leaf.

        The weight outside its class, or its cost; for a numeric target, the impurity: the weighted
        sum of squared deviations from the mean, or half the Poisson deviance.
        """
        if not self.is_numeric:
            wrong = least_errors(self.counts, self.costs)
            for node, given in self.relabelled.items():
                wrong[node] = errors_of_labels(self.counts[node], self.costs)[given]
            return wrong
        return index_of_moments(self.counts).value(self.counts)

    @cached_property
    def deviation(self) -> FloatArray:
        """The standard deviation of a numeric target at each node."""
        return np.asarray(np.sqrt(squared_error(self.counts) / self.counts[:, 0]))

    @cached_property
    def depth(self) -> IntArray:
        """The number of splits above each node."""
        # `above` is an ancestor of each node, `depth` steps above it; a pass doubles the steps.
        above = np.maximum(self.parent, 0)
        depth = (self.parent >= 0).astype(np.int64)
        while above.any():
            depth += depth[above]
            above = above[above]
        return depth

    def is_leaf(self, node: int) -> bool:
        """Return whether a node is a leaf."""
        return bool(self.kind[node] == LEAF)

    def arity(self, node: int) -> int:
        """Return the number of children of a node."""
        return int(self.child_start[node + 1] - self.child_start[node])

    def children(self, node: int) -> BranchArray:
        """Return the children of a node, in the order of its branches."""
        return self.child[self.child_start[node] : self.child_start[node + 1]]

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node, including both."""
        nodes = [node]
        while (parent := int(self.parent[nodes[-1]])) >= 0:
            nodes.append(parent)
        return nodes[::-1]

    def leaves(self) -> IntArray:
        """Return the node numbers of the leaves."""
        return np.flatnonzero(self.kind == LEAF)

    def split(self, node: int) -> NodeSplit | None:
        """Return the split of a node, or None for a leaf."""
        kind = self.kind[node]
        if kind == LEAF:
            return None
        if kind == OWN:
            return CustomSplit(self.own[node])
        missing, default = int(self.missing_branch[node]), int(self.default_branch[node])
        feature = int(self.feature[node])
        if kind == INTERVALS:
            cuts = self.threshold[self.threshold_start[node] : self.threshold_start[node + 1]]
            return IntervalSplit(feature, cuts, missing, default)
        start, stop = self.code_to_branch_start[node : node + 2]
        return CategorySplit(feature, self.code_to_branch[start:stop], missing, default)


def _same_array(one: AnyArray | None, other: AnyArray | None) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(one, other))


class TreeShape(NamedTuple):
    """The arrays of a tree that determine its prunings; counts are integer units.

    Parameters
    ----------
    kind : int8 array
        The kind of each node's split; 0 for leaves.
    feature : int32 array
        The column of each split; -1 for leaves.
    child_start, child : arrays
        The children of node v are ``child[child_start[v] : child_start[v + 1]]``.
    threshold_start : int64 array
        The offsets of the nodes' thresholds.
    counts : int64 array of shape (nodes, classes)
        The units of each class at each node.
    costs : float64 array or None, default=None
        The cost of a unit of each class (rows) for each label (columns), as in ``Tree``.
    """

    kind: AnyArray
    feature: BranchArray
    child_start: IntArray
    child: BranchArray
    threshold_start: IntArray
    counts: IntArray
    costs: FloatArray | None = None


def majority(counts: AnyArray, costs: FloatArray | None = None) -> IntArray:
    """Return the class of largest weight over the last axis of counts, the lower one on a tie.

    Fractional weights were rounded to fixed point, so equal sums may differ in their last bits:
    weights within 1e-12 of the total are a tie.

    Parameters
    ----------
    counts : array of shape (..., classes)
        The weight of each class.
    costs : array of shape (classes, classes) or None, default=None
        The cost of a unit of weight of each class (rows) for each label (columns), from 0 to 1.
        With costs, the class of least cost is returned.

    Examples
    --------
    >>> majority(np.array([[2.0, 1.0], [5.0, 5.000000000000004]])).tolist()
    [0, 0]
    """
    if costs is not None:
        wrong = counts @ costs
        least = wrong.min(axis=-1, keepdims=True)
        tied = wrong <= least + TIE * counts.sum(axis=-1, keepdims=True)
        return np.asarray(tied.argmax(axis=-1), dtype=np.int64)
    most = counts.max(axis=-1, keepdims=True)
    tied = counts >= most - TIE * counts.sum(axis=-1, keepdims=True)
    return np.asarray(tied.argmax(axis=-1), dtype=np.int64)


def errors_of_labels(counts: AnyArray, costs: FloatArray | None = None) -> FloatArray:
    """Return the errors, or the cost, of each class as a label over the last axis of counts.

    Parameters
    ----------
    counts : array of shape (..., classes)
        The weight of each class.
    costs : array of shape (classes, classes) or None, default=None
        The cost of a unit of weight of each class for each label; None if every mistake costs 1.

    Examples
    --------
    >>> errors_of_labels(np.array([2.0, 1.0])).tolist()
    [1.0, 2.0]
    """
    return np.asarray(
        counts.sum(axis=-1, keepdims=True) - counts if costs is None else counts @ costs
    )


def least_errors(counts: AnyArray, costs: FloatArray | None = None) -> FloatArray:
    """Return the errors, or the cost, of the best label over the last axis of counts.

    Parameters
    ----------
    counts : array of shape (..., classes)
        The weight of each class.
    costs : array of shape (classes, classes) or None, default=None
        The cost of a unit of weight of each class for each label; None if every mistake costs 1.

    Examples
    --------
    >>> least_errors(np.array([[2.0, 1.0], [5.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    if costs is None:
        return np.asarray(counts.sum(axis=-1) - counts.max(axis=-1))
    return np.asarray((counts @ costs).min(axis=-1))
