"""A tree of any arity as a frozen struct of flat arrays and offsets.

Node 0 is the root and a child's number is larger than its parent's. A tree knows neither names nor
raw values: a schema joins it with those. ``TreeBuilder`` makes them, and the native grower.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polytomy._types import BranchArray, FloatArray, IntArray

from .kinds import Branching
from .labels import majority
from .question import CodeQuestion, IntervalQuestion, OwnQuestion, Question

LEAF, INTERVALS, CODES, OWN = range(4)


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes and edges; ragged data is a flat array with offsets, one more than there are nodes."""

    kind: NDArray[np.int8]  # LEAF, INTERVALS, CODES or OWN
    feature: BranchArray  # column asked about; -1 at leaves and at a user's own questions
    parent: BranchArray  # -1 at the root
    child_start: IntArray
    child: BranchArray
    threshold_start: IntArray
    threshold: FloatArray
    code_to_branch_start: IntArray
    code_to_branch: BranchArray
    missing_branch: BranchArray
    default_branch: BranchArray
    counts: FloatArray  # weight of each class among the node's training rows
    rows: IntArray  # number of training rows
    own: Mapping[int, Branching] = field(default_factory=dict)  # by node

    def __post_init__(self) -> None:
        self._freeze()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickle or a copy, frozen again."""
        self.__dict__.update(state)
        self._freeze()

    def _freeze(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        """Equal in every array, bit for bit, and in the users' questions."""
        if not isinstance(other, Tree):
            return NotImplemented
        mine, theirs = self._parts(), other._parts()
        return self.own == other.own and all(
            np.array_equal(mine[name], theirs[name]) for name in mine
        )

    __hash__ = None  # type: ignore[assignment]  # arrays are compared by value

    def _parts(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "own"}

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        """The number of leaves, the tree's size."""
        return int((self.kind == LEAF).sum())

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.counts.shape[1])

    @cached_property
    def label(self) -> IntArray:
        """The class each node says: the heaviest, the lower one on a tie."""
        return majority(self.counts)

    @cached_property
    def depth(self) -> IntArray:
        """The number of questions above each node."""
        depth = np.zeros(self.n_nodes, dtype=np.int64)
        for node in range(1, self.n_nodes):  # parents come first
            depth[node] = depth[self.parent[node]] + 1
        return depth

    def is_leaf(self, node: int) -> bool:
        """Say whether a node is a leaf."""
        return bool(self.kind[node] == LEAF)

    def arity(self, node: int) -> int:
        """Return the number of a node's children."""
        return int(self.child_start[node + 1] - self.child_start[node])

    def children(self, node: int) -> BranchArray:
        """Return a node's children, in the order of its branches."""
        return self.child[self.child_start[node] : self.child_start[node + 1]]

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node, both included."""
        nodes = [node]
        while (parent := int(self.parent[nodes[-1]])) >= 0:
            nodes.append(parent)
        return nodes[::-1]

    def leaves(self) -> IntArray:
        """Return the leaves' node numbers."""
        return np.flatnonzero(self.kind == LEAF)

    def question(self, node: int) -> Question | None:
        """Return what a node asks; None at a leaf."""
        kind = self.kind[node]
        if kind == LEAF:
            return None
        if kind == OWN:
            return OwnQuestion(self.own[node])
        missing, default = int(self.missing_branch[node]), int(self.default_branch[node])
        feature = int(self.feature[node])
        if kind == INTERVALS:
            cuts = self.threshold[self.threshold_start[node] : self.threshold_start[node + 1]]
            return IntervalQuestion(feature, cuts, missing, default)
        start, stop = self.code_to_branch_start[node : node + 2]
        return CodeQuestion(feature, self.code_to_branch[start:stop], missing, default)
