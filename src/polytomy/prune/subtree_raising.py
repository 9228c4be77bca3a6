"""Subtree raising: replace a node by a leaf or by the subtree of its heaviest, or any, child.

The rows of the other branches are routed through that subtree, so its leaves may change their
labels and are evaluated again. From the bottom up, each node becomes a leaf, is replaced, or stays;
a tie goes to the smaller tree. A raised subtree is pruned again with the rows it then holds, but
nothing inside it is raised again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from polytomy._types import TIE, AnyArray, FloatArray, IntArray, RowArray
from polytomy.tree import LEAF, Tree, depth_first_starts, raised, stump

from .pruner import Rows
from .units import node_counts


class LeafCounts(NamedTuple):
    """Class counts of candidate leaves, of shape (leaves, classes), in units."""

    training: IntArray
    held: IntArray


Estimate = Callable[[LeafCounts], AnyArray]
"""Returns the estimated errors of each leaf."""


def raise_subtrees(
    tree: Tree,
    estimate: Estimate,
    training: Rows,
    held: Rows | None,
    any_child: bool = False,
) -> tuple[Tree, IntArray]:
    """Prune a tree and raise subtrees.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    estimate : callable
        Returns the estimated errors of leaves from their class counts.
    training : Rows
        The training rows.
    held : Rows or None
        The held-out rows, if the estimate uses them.
    any_child : bool, default=False
        Whether to try the subtrees of all children, and not only that of the heaviest. Of those
        with the fewest estimated errors, the heaviest is taken.

    Returns
    -------
    Tree
        The new tree.
    ndarray of int
        The new number of each old node, as in ``polytomy.tree.raised``.
    """
    raiser = _Raiser(tree, estimate, training, held, any_child)
    raiser.run()

    def count(shape: Tree) -> tuple[FloatArray, IntArray]:
        counts, rows = node_counts(shape, training.route(shape, None), training.target)
        return np.asarray(counts * training.target.unit, dtype=np.float64), rows

    return raised(tree, sorted(raiser.cut), raiser.instead, count)


@dataclass(slots=True)
class _Trial:
    """A subtree with all rows of a node above it: its counts, cuts and estimated errors."""

    child: int  # whose subtree it is
    nodes: list[int]
    counts: list[IntArray]  # for each group of rows
    cut: set[int]
    errors: float


class _Raiser:
    def __init__(
        self,
        tree: Tree,
        estimate: Estimate,
        training: Rows,
        held: Rows | None,
        any_child: bool,
    ) -> None:
        self._tree, self._estimate, self._any_child = tree, estimate, any_child
        self._groups = [_Group(tree, rows) for rows in (training, held) if rows is not None]
        self._stumps: dict[int, Tree] = {}
        self.cut: set[int] = set()
        self.instead: dict[int, int] = {}

    def run(self) -> None:
        tree = self._tree
        leaf = self._leaf_errors(list(range(tree.n_nodes)), [g.counts for g in self._groups])
        now: list[float] = list(leaf)  # errors of each node's current subtree
        for node in range(tree.n_nodes - 1, -1, -1):  # children have larger numbers
            if tree.is_leaf(node):
                continue
            children = tree.children(node).tolist()
            stay = sum(now[c] for c in children)
            trial = self._best_trial(node, children)
            other = stay if trial is None else min(stay, trial.errors)
            if _at_most(leaf[node], other):
                self.cut.add(node)
            elif trial is not None and _at_most(trial.errors, stay):
                self._accept(node, trial)
                now[node] = trial.errors
            else:
                now[node] = stay

    def _accept(self, node: int, trial: _Trial) -> None:
        self.instead[node] = trial.child
        self.cut |= trial.cut
        for group, counts in zip(self._groups, trial.counts, strict=True):
            group.counts[trial.nodes] = counts

    def _best_trial(self, node: int, children: list[int]) -> _Trial | None:
        """Return the trial with the fewest errors; None if the children to try are leaves."""
        weights = self._tree.counts[children].sum(axis=1)
        heaviest_first = np.argsort(-weights, kind="stable").tolist()
        best: _Trial | None = None
        for i in heaviest_first if self._any_child else heaviest_first[:1]:
            trial = self._trial(node, children[i])
            if trial is not None and (best is None or not _at_most(best.errors, trial.errors)):
                best = trial
        return best

    def _trial(self, node: int, child: int) -> _Trial | None:
        """Route the node's other rows through the child's subtree; None if that is a leaf."""
        top = self._stands(child)
        if self._ends(top):
            return None
        nodes = self._subtree(top)
        place = {v: i for i, v in enumerate(nodes)}
        counts = [group.counts[nodes] for group in self._groups]
        for group, held in zip(self._groups, counts, strict=True):
            for v, rows in self._sent(top, group, group.outside(node, child)):
                held[place[v]] += group.total(rows)
        leaf = self._leaf_errors(nodes, counts)
        now, cut = list(leaf), set()
        for v in reversed(nodes):  # parents come before children
            if self._ends(v):
                continue
            stay = sum(now[place[self._stands(c)]] for c in self._tree.children(v).tolist())
            if _at_most(leaf[place[v]], stay):
                cut.add(v)
            else:
                now[place[v]] = stay
        return _Trial(child, nodes, counts, cut, now[0])

    def _sent(self, top: int, group: "_Group", rows: RowArray) -> Iterator[tuple[int, RowArray]]:
        """Yield the nodes of the current subtree with the rows that pass them."""
        waiting = [(top, rows)]
        while waiting:
            node, here = waiting.pop()
            if len(here) == 0:
                continue
            yield node, here
            if self._ends(node):
                continue
            if node not in self._stumps:
                self._stumps[node] = stump(self._tree, node)
            branch = group.rows.route(self._stumps[node], here) - 1
            for b, child in enumerate(self._tree.children(node).tolist()):
                waiting.append((self._stands(child), here[branch == b]))

    def _leaf_errors(self, nodes: list[int], counts: list[IntArray]) -> list[float]:
        nothing = np.zeros((len(nodes), self._tree.n_classes), dtype=np.int64)
        training, held = [*counts, nothing][:2]
        errors: list[float] = self._estimate(LeafCounts(training, held)).tolist()
        return errors

    def _stands(self, node: int) -> int:
        """Return the node that is now in the place of this one."""
        while node in self.instead:
            node = self.instead[node]
        return node

    def _ends(self, node: int) -> bool:
        return node in self.cut or bool(self._tree.kind[node] == LEAF)

    def _subtree(self, top: int) -> list[int]:
        nodes = [top]
        for node in nodes:  # the list grows during the loop
            if not self._ends(node):
                nodes.extend(self._stands(c) for c in self._tree.children(node).tolist())
        return nodes


class _Group:
    """Rows sorted so that those of any node are contiguous, and their counts at the nodes."""

    def __init__(self, tree: Tree, rows: Rows) -> None:
        self.rows = rows
        self._target = rows.target
        leaf = rows.route(tree, None)
        self.counts, size = node_counts(tree, leaf, rows.target)
        self._start, self._size = depth_first_starts(tree, size), size
        self._order = np.argsort(self._start[leaf], kind="stable").astype(np.uint32)

    def outside(self, node: int, child: int) -> RowArray:
        """Return the rows of a node that do not reach a child."""
        start, stop = self._start[node], self._start[node] + self._size[node]
        left, right = self._start[child], self._start[child] + self._size[child]
        return np.concatenate([self._order[start:left], self._order[right:stop]])

    def total(self, rows: RowArray) -> IntArray:
        """Return the units of each class among the rows."""
        units = None if self._target.units is None else self._target.units[rows]
        labels = self._target.labels[rows]
        n_classes = self.counts.shape[1]
        return np.bincount(labels, weights=units, minlength=n_classes).astype(np.int64)


def _at_most(one: float, other: float) -> bool:
    """Return whether a number of errors is at most another; integers are compared exactly."""
    return one <= (other if isinstance(other, int) else other * (1 + TIE))
