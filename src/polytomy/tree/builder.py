"""Build a tree split by split; ``finish`` freezes the arrays."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import UNSEEN, AnyArray, FloatArray, IntArray

from .splits import CategorySplit, CustomSplit, IntervalSplit, NodeSplit
from .tree import CODES, INTERVALS, LEAF, OWN, Tree


class TreeBuilder:
    """Builds a tree from one leaf by splitting leaves.

    Parameters
    ----------
    counts : ndarray of shape (classes,)
        The weight of each class at the root.
    rows : int
        The number of training rows.
    centre : float or None, default=None
        For a numeric target, whose counts are moments: the number they are about.
    costs : ndarray of shape (classes, classes) or None, default=None
        The costs of labels, as in ``Tree``.

    Examples
    --------
    >>> builder = TreeBuilder(np.array([2.0, 2.0]), 4)
    >>> split = IntervalSplit(0, np.array([0.5]), UNSEEN, 0)
    >>> builder.split(0, split, np.array([[2.0, 0.0], [0.0, 2.0]]), [2, 2])
    [1, 2]
    >>> builder.finish().n_leaves
    2
    """

    def __init__(
        self,
        counts: FloatArray,
        rows: int,
        centre: float | None = None,
        costs: FloatArray | None = None,
    ) -> None:
        self._centre, self._costs = centre, costs
        self._counts: list[FloatArray] = [np.asarray(counts, dtype=np.float64)]
        self._rows: list[int] = [int(rows)]
        self._parent: list[int] = [-1]
        self._split: list[NodeSplit | None] = [None]
        self._children: list[list[int]] = [[]]
        self.n_leaves = 1

    @classmethod
    def from_nodes(
        cls,
        splits: Sequence[NodeSplit | None],
        children: Sequence[Sequence[int]],
        counts: FloatArray,
        rows: IntArray,
        centre: float | None = None,
        costs: FloatArray | None = None,
    ) -> "TreeBuilder":
        """Return a builder of nodes that are numbered already, parents before their children.

        Parameters
        ----------
        splits : sequence of NodeSplit or None
            The split of each node; None for leaves.
        children : sequence of sequences of int
            The children of each node, in the order of the branches.
        counts : ndarray of shape (nodes, classes)
            The weight of each class at each node.
        rows : ndarray of shape (nodes,)
            The number of training rows of each node.
        centre : float or None, default=None
            The number that the moments of a numeric target are about.
        costs : ndarray of shape (classes, classes) or None, default=None
            The costs of labels.

        Returns
        -------
        TreeBuilder
            The builder.
        """
        builder = cls(counts[0], int(rows[0]), centre, costs)
        builder._counts, builder._rows = list(counts), [int(n) for n in rows]
        builder._split, builder._children = list(splits), [list(c) for c in children]
        builder._parent = [-1] * len(splits)
        for node, own in enumerate(builder._children):
            for child in own:
                builder._parent[child] = node
        builder.n_leaves = sum(split is None for split in splits)
        return builder

    @property
    def n_nodes(self) -> int:
        """The number of nodes so far; the next split numbers its children from here on."""
        return len(self._split)

    def split(
        self, leaf: int, split: NodeSplit, counts: FloatArray, rows: Sequence[int] | IntArray
    ) -> list[int]:
        """Split a leaf.

        Parameters
        ----------
        leaf : int
            The node number of the leaf.
        split : NodeSplit
            The split.
        counts : ndarray of shape (branches, classes)
            The weight of each class at each child.
        rows : sequence of int
            The number of training rows of each child.

        Returns
        -------
        list of int
            The numbers of the new children, in the order of the branches.
        """
        if not 0 <= leaf < len(self._split):
            raise TreeError(f"node {leaf} does not exist")
        if self._split[leaf] is not None:
            raise TreeError(f"node {leaf} is already split")
        if split.arity != len(counts) or len(rows) != len(counts):
            raise TreeError(
                f"a {split.arity}-way split needs {split.arity} children, got {len(counts)}"
            )
        first = len(self._split)
        children = list(range(first, first + len(counts)))
        self._counts.extend(np.asarray(counts, dtype=np.float64))
        self._rows.extend(map(int, rows))
        self._parent.extend([leaf] * len(counts))
        self._split.extend([None] * len(counts))
        self._children.extend([] for _ in children)
        self._split[leaf] = split
        self._children[leaf] = children
        self.n_leaves += len(counts) - 1
        return list(children)

    def finish(self) -> Tree:
        """Return the tree built so far; the builder may be used further."""
        splits = self._split
        thresholds = [s.thresholds if isinstance(s, IntervalSplit) else () for s in splits]
        code_maps = [s.code_to_branch if isinstance(s, CategorySplit) else () for s in splits]
        return Tree(
            kind=np.array([_kind(s) for s in splits], dtype=np.int8),
            feature=_int32([getattr(s, "feature", -1) for s in splits]),
            parent=_int32(self._parent),
            child_start=_offsets(self._children),
            child=_int32([c for children in self._children for c in children]),
            threshold_start=_offsets(thresholds),
            threshold=_joined(thresholds, np.float64),
            code_to_branch_start=_offsets(code_maps),
            code_to_branch=_joined(code_maps, np.int32),
            missing_branch=_int32([getattr(s, "missing_branch", UNSEEN) for s in splits]),
            default_branch=_int32([getattr(s, "default_branch", UNSEEN) for s in splits]),
            counts=np.array(self._counts, dtype=np.float64),
            rows=np.array(self._rows, dtype=np.int64),
            own={v: s.branching for v, s in enumerate(splits) if isinstance(s, CustomSplit)},
            centre=self._centre,
            costs=self._costs,
        )


def _kind(split: NodeSplit | None) -> int:
    match split:
        case IntervalSplit():
            return INTERVALS
        case CategorySplit():
            return CODES
        case CustomSplit():
            return OWN
    return LEAF


def _int32(values: list[int]) -> AnyArray:
    return np.array(values, dtype=np.int32)


def _joined(parts: Sequence[Sequence[Any] | AnyArray], dtype: type) -> AnyArray:
    """Concatenate all parts; most are empty."""
    held = [p for p in parts if len(p)]
    return np.concatenate(held).astype(dtype) if held else np.empty(0, dtype=dtype)


def _offsets(parts: Sequence[Sequence[Any] | AnyArray]) -> IntArray:
    return np.array(list(accumulate(map(len, parts), initial=0)), dtype=np.int64)
