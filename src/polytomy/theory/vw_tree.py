"""Mansour and McAllester's visited weighted tree, with the two conditions of Theorem 4.1.

Each node has a weight w, its part p*I of the tree's index, and a visitation count v. If every
internal node is well formed and safe, then I(T) <= w(root) e(|T|) (Lemma 5.2). The paper's safety
condition prints w_l and v_l for w_m and v_m, those of the internal node.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polytomy._errors import ParameterError
from polytomy._types import BranchArray, FloatArray, IntArray
from polytomy.index import INDICES, Index, resolve
from polytomy.tree import Tree

TOLERANCE = 1e-9  # relative: gamma was computed from rounded weights
ROUNDING = 1e-12  # relative to the node's weight: the rounding error of a weight that should be 0
SHOWN = 8  # most node numbers in the text


@dataclass(frozen=True, eq=False)
class VWTree:
    """A visited weighted tree; ``from_tree`` makes one from a decision tree.

    Parameters
    ----------
    w : array of shape (nodes,)
        The weight of each node. Node 0 is the root; with more than two classes it may exceed 1.
    v : array of shape (nodes,)
        Visitation counts, at least 1. For a decision tree: the number of children, 1 at leaves.
    parent : array of shape (nodes,)
        The parent of each node; -1 at the root. Parents come before their children.
    gamma : float
        From 0 to 1; nan means 0 for a single leaf.

    Examples
    --------
    >>> halved = VWTree(w=[1.0, 0.4, 0.4], v=[2, 1, 1], parent=[-1, 0, 0], gamma=0.2)
    >>> print(halved)
    VW-tree of 2 leaves for gamma = 0.2: I(T) = 0.8 <= 0.8 = w(root) e(2)
    locally well formed: yes
    globally safe: yes
    """

    w: FloatArray
    v: IntArray
    parent: BranchArray
    gamma: float

    def __post_init__(self) -> None:
        for name, dtype in (("w", np.float64), ("v", np.int64), ("parent", np.int32)):
            values = np.array(getattr(self, name), dtype=dtype)  # a copy, because it will be frozen
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        _check_arrays(self.w, self.v, self.parent)
        if np.isnan(self.gamma) and len(self.w) == 1:
            object.__setattr__(self, "gamma", 0.0)
        if not 0 <= self.gamma <= 1:
            raise ParameterError(
                f"gamma must be from 0 to 1 in a tree of more than one node, got {self.gamma!r}"
            )

    @classmethod
    def from_tree(
        cls, tree: Tree, index: Index | str | Callable[[FloatArray], Any], gamma: float
    ) -> "VWTree":
        """Return VW(T): w = F(node) / weight of the sample, v = number of children, 1 at leaves.

        Parameters
        ----------
        tree : Tree
            A tree with the counts of its nodes.
        index : Index, str or callable
            The index function F.
        gamma : float
            The gamma of the conditions; nan is allowed for a single leaf.

        Returns
        -------
        VWTree
            The visited weighted tree.
        """
        if isinstance(index, str) and index in INDICES:
            index = INDICES[index]  # resolve would warn about "error", but nothing is grown here
        found = index if isinstance(index, Index) else resolve(index, tree.n_classes)
        w = np.maximum(found.value(tree.counts), 0.0) / tree.weight[0]
        return cls(w, np.maximum(np.diff(tree.child_start), 1), tree.parent, gamma)

    @cached_property
    def arity(self) -> IntArray:
        """The number of children of each node; 0 at leaves."""
        return np.bincount(self.parent[1:], minlength=len(self.w))

    @cached_property
    def child_start(self) -> IntArray:
        """Where the children of each node start in ``child``, with n_nodes + 1 entries."""
        return np.concatenate([[0], np.cumsum(self.arity)])

    @cached_property
    def child(self) -> IntArray:
        """The children of all nodes, concatenated."""
        return np.argsort(self.parent[1:], kind="stable") + 1

    @cached_property
    def leaves(self) -> IntArray:
        """The node numbers of the leaves."""
        return np.flatnonzero(self.arity == 0)

    @cached_property
    def internal(self) -> IntArray:
        """The node numbers of the internal nodes."""
        return np.flatnonzero(self.arity > 0)

    @property
    def size(self) -> int:
        """``|T|``, the sum of v over the leaves; for a decision tree, the number of leaves."""
        return int(self.v[self.leaves].sum())

    @cached_property
    def index(self) -> float:
        """I(T), the sum over the leaves of e(v) w."""
        return float((self._e[self.v[self.leaves]] * self.w[self.leaves]).sum())

    @cached_property
    def bound(self) -> float:
        """The bound of the invariant on I(T): ``w(root) e(|T|)``."""
        return float(self.w[0] * self._e[self.size])

    @cached_property
    def unformed(self) -> IntArray:
        """The internal nodes whose children have a weight above e(k) w, or whose v is not k."""
        children = np.bincount(self.parent[1:], weights=self.w[1:], minlength=len(self.w))
        m = self.internal
        k, w = self.arity[m], self.w[m]
        bad: NDArray[np.bool_] = (children[m] > loose(self._e[k] * w, w)) | (self.v[m] != k)
        return m[bad]

    @cached_property
    def unsafe(self) -> IntArray:
        """The internal nodes m for which some leaf is heavier than e(v-1) w / (v-1) of m."""
        leaf, m = self.leaves, self.internal
        heaviest = (self._e[self.v[leaf]] * self.w[leaf] / self.v[leaf]).max()
        before = np.maximum(self.v[m] - 1, 1)  # v = 1 at an internal node is ill formed anyway
        bad: NDArray[np.bool_] = heaviest > loose(self._e[before] * self.w[m] / before, self.w[m])
        return m[bad]

    @property
    def locally_well_formed(self) -> bool:
        """Whether the children of every node have at most e(k) times its weight."""
        return len(self.unformed) == 0

    @property
    def globally_safe(self) -> bool:
        """Whether no leaf should have been visited before an internal node was finished."""
        return len(self.unsafe) == 0

    @property
    def invariant_holds(self) -> bool:
        """Whether ``I(T) <= w(root) e(|T|)``, which the two conditions together imply."""
        return bool(self.index <= loose(self.bound, float(self.w[0])))

    def __str__(self) -> str:
        sign = "<=" if self.invariant_holds else ">"
        leaves = "1 leaf" if len(self.leaves) == 1 else f"{len(self.leaves)} leaves"
        return (
            f"VW-tree of {leaves} for gamma = {self.gamma:.4g}: "
            f"I(T) = {self.index:.4g} {sign} {self.bound:.4g} = w(root) e({self.size})\n"
            f"locally well formed: {self._verdict(self.unformed, 'lose less than 1 - e(k) of w')}\n"
            f"globally safe: {self._verdict(self.unsafe, 'are too light for the heaviest leaf')}"
        )

    def _verdict(self, nodes: IntArray, what: str) -> str:
        if len(nodes) == 0:
            return "yes"
        named = ", ".join(map(str, nodes[:SHOWN])) + (", ..." if len(nodes) > SHOWN else "")
        return f"no, {len(nodes)} of {len(self.internal)} internal nodes {what}: {named}"

    @cached_property
    def _e(self) -> FloatArray:
        """e(n) for every n that is needed; e(0) is not."""
        steps = np.arange(1, max(self.size, int(self.v.max()), int(self.arity.max())))
        return np.concatenate([[np.nan, 1.0], np.cumprod(1.0 - self.gamma / steps)])


def loose(limit: FloatArray | float, weight: FloatArray | float) -> FloatArray:
    """Return a limit with a tolerance for rounding."""
    return np.asarray(limit * (1 + TOLERANCE) + ROUNDING * weight)


def _check_arrays(w: FloatArray, v: IntArray, parent: BranchArray) -> None:
    if not (w.ndim == 1 and len(w) > 0 and w.shape == v.shape == parent.shape):
        raise ParameterError(
            f"w, v and parent must have one entry for each node, "
            f"got {w.shape}, {v.shape}, {parent.shape}"
        )
    if not (np.isfinite(w).all() and (w >= 0).all()):
        raise ParameterError("weights w must be finite and at least 0")
    if not (v >= 1).all():
        raise ParameterError("visitation counts v must be at least 1")
    below = parent[1:]
    if parent[0] != -1 or not ((below >= 0) & (below < np.arange(1, len(w)))).all():
        raise ParameterError("parent must be -1 at node 0 and an earlier node everywhere else")
