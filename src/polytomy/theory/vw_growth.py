"""Mansour and McAllester's growth of visited weighted trees (section 5), one visit at a time.

    visit a leaf with the largest e(v) w / v, which increases its v by 1;
    then, if wanted, give it v children with a total weight of at most e(v) w.

However this is done, I(T) <= w(root) e(|T|) (Lemma 5.1). A wide split waits: a leaf that is to have
k children must have been visited k - 1 times first. A tree that is well formed and safe can be
grown in this way (Lemma 5.2), which is what makes the theorem about wide splits true.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from types import MappingProxyType

import numpy as np

from polytomy._errors import ParameterError

from .rates import checked_gamma
from .vw_tree import VWTree, loose


class VWGrowth:
    """A visited weighted tree in growth: look at the ``leaf`` that is due, and ``visit`` it.

    The root is node 0, and the children of a leaf get the next free numbers.

    Parameters
    ----------
    w : float
        The weight of the root, above 0.
    gamma : float
        From 0 to 1.

    Examples
    --------
    >>> growth = VWGrowth(1.0, gamma=0.2)
    >>> growth.visit()  # of the root: it may have two children now
    0
    >>> growth.visit(children=[0.3, 0.2, 0.1])  # a second visit: it has three
    0
    >>> print(growth.tree)
    VW-tree of 3 leaves for gamma = 0.2: I(T) = 0.6 <= 0.72 = w(root) e(3)
    locally well formed: yes
    globally safe: yes
    """

    def __init__(self, w: float, gamma: float) -> None:
        if not (isfinite(w) and w > 0):
            raise ParameterError(f"w must be a finite weight above 0, got {w!r}")
        self.gamma = checked_gamma(gamma)
        self._w, self._v, self._parent = [float(w)], [1], [-1]
        self._e = [1.0, 1.0]  # e(0) is not used
        self._keys = {0: float(w)}  # e(v) w / v of every leaf

    @classmethod
    def like(cls, tree: VWTree) -> "VWGrowth":
        """Grow a given tree, visiting its unfinished nodes in order (the proof of Lemma 5.2).

        Parameters
        ----------
        tree : VWTree
            The tree to grow; every leaf must have v = 1.

        Returns
        -------
        VWGrowth
            The finished growth. Raises ``ParameterError`` if the procedure cannot make this tree.
        """
        growth = cls(float(tree.w[0]), tree.gamma)
        if (tree.v[tree.leaves] != 1).any():
            raise ParameterError("only trees whose leaves have v = 1 can be grown again")
        names = {0: 0}  # from nodes of the growth to those of the tree
        waiting = set() if tree.arity[0] == 0 else {0}
        while waiting:
            leaf = max(waiting, key=lambda node: (growth.keys[node], -node))
            node = names[leaf]
            below = tree.child[tree.child_start[node] : tree.child_start[node + 1]]
            done = growth.visits[leaf] + 1 == len(below)
            growth.visit(tree.w[below].tolist() if done else None, leaf)
            if done:
                waiting.remove(leaf)
                new = range(len(growth.visits) - len(below), len(growth.visits))
                names.update(zip(new, below.tolist(), strict=True))
                waiting |= {n for n in new if tree.arity[names[n]] > 0}
        return growth

    @property
    def keys(self) -> Mapping[int, float]:
        """The weight e(v) w / v of each leaf, by which the next one is chosen."""
        return MappingProxyType(self._keys)

    @property
    def visits(self) -> tuple[int, ...]:
        """The visitation count v of every node."""
        return tuple(self._v)

    @property
    def leaf(self) -> int:
        """The leaf that is due: one with the largest key, the oldest if there are several."""
        return max(self._keys, key=lambda node: (self._keys[node], -node))

    @property
    def room(self) -> float:
        """The most that the children of the ``leaf`` that is due may weigh: e(v) w after it."""
        return self._rate(self._v[self.leaf] + 1) * self._w[self.leaf]

    @property
    def tree(self) -> VWTree:
        """The tree so far."""
        return VWTree(np.array(self._w), np.array(self._v), np.array(self._parent), self.gamma)

    def visit(self, children: Sequence[float] | None = None, leaf: int | None = None) -> int:
        """Visit a leaf with the largest key, and give it children if wanted.

        Parameters
        ----------
        children : sequence of float or None, default=None
            The weights of its children, as many as its visitation count after this visit; None for
            no children yet.
        leaf : int or None, default=None
            The leaf, if several have the largest key; None for ``leaf``.

        Returns
        -------
        int
            The leaf that was visited.
        """
        chosen = self.leaf if leaf is None else leaf
        if chosen not in self._keys:
            raise ParameterError(f"{leaf!r} is not a leaf; the leaves are {[*self._keys]}")
        largest, own = self._keys[self.leaf], self._keys[chosen]
        if largest > loose(own, self._w[0]):
            raise ParameterError(
                f"leaf {chosen} is not due: its key is {own:g}, "
                f"that of leaf {self.leaf} is {largest:g}"
            )
        visits = self._v[chosen] + 1
        if children is not None:
            self._check_children(chosen, visits, children)
        self._v[chosen] = visits
        self._keys[chosen] = self._rate(visits) * self._w[chosen] / visits
        if children is not None:
            del self._keys[chosen]
            for weight in map(float, children):
                self._keys[len(self._w)] = weight
                self._w.append(weight)
                self._v.append(1)
                self._parent.append(chosen)
        return chosen

    def _check_children(self, leaf: int, visits: int, children: Sequence[float]) -> None:
        if len(children) != visits:
            raise ParameterError(
                f"leaf {leaf} must have {visits} children after {visits - 1} visits, "
                f"got {len(children)}"
            )
        if not all(isfinite(w) and w >= 0 for w in children):
            raise ParameterError(f"weights must be finite and at least 0, got {list(children)}")
        most, weight = self._rate(visits) * self._w[leaf], self._w[leaf]
        if sum(children) > loose(most, weight):
            raise ParameterError(
                f"the children of leaf {leaf} weigh {sum(children):g}, "
                f"but e({visits}) w is {most:g}"
            )

    def _rate(self, n: int) -> float:
        while len(self._e) <= n:
            self._e.append(self._e[-1] * (1.0 - self.gamma / (len(self._e) - 1)))
        return self._e[n]
