"""Subtree raising: a node may be replaced by its heaviest child's subtree, not only by a leaf.

The rows of the other branches are sent down that subtree, so its leaves may change their labels and
must be judged again. From the bottom up a node has three choices: to become a leaf, to be
replaced, or to stay; on a tie the smaller tree. A subtree that is raised is pruned again with the
rows it then holds, but nothing inside it is raised again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from polytomy._types import TIE, AnyArray, FloatArray, IntArray, RowArray
from polytomy.tree import LEAF, Tree, raised, stump

from .counts import node_counts
from .pruner import Rows


class Leaf(NamedTuple):
    """Count vectors of would-be leaves, shape (leaves, classes), in units."""

    training: IntArray
    held: IntArray


Estimate = Callable[[Leaf], AnyArray]
"""What each leaf is estimated to err."""


def raise_subtrees(
    tree: Tree, estimate: Estimate, training: Rows, held: Rows | None
) -> tuple[Tree, IntArray]:
    """Prune and raise; return the new tree and the places of the old nodes, as ``tree.raised``."""
    raiser = _Raiser(tree, estimate, training, held)
    raiser.run()

    def count(shape: Tree) -> tuple[FloatArray, IntArray]:
        counts, rows = node_counts(shape, training.route(shape, None), training.target)
        return np.asarray(counts * training.target.unit, dtype=np.float64), rows

    return raised(tree, sorted(raiser.cut), raiser.instead, count)


@dataclass(slots=True)
class _Trial:
    """A subtree with the rows of a node above it: counts at its nodes, and what it then errs."""

    nodes: list[int]
    counts: list[IntArray]  # of each group of rows
    cut: set[int]
    errors: float


class _Raiser:
    def __init__(self, tree: Tree, estimate: Estimate, training: Rows, held: Rows | None) -> None:
        self._tree, self._estimate = tree, estimate
        self._groups = [_Group(tree, rows) for rows in (training, held) if rows is not None]
        self._stumps: dict[int, Tree] = {}
        self.cut: set[int] = set()
        self.instead: dict[int, int] = {}

    def run(self) -> None:
        tree = self._tree
        leaf = self._leaf_errors(list(range(tree.n_nodes)), [g.counts for g in self._groups])
        now: list[float] = list(leaf)  # what each node's current subtree errs
        for node in range(tree.n_nodes - 1, -1, -1):  # children have larger numbers
            if tree.is_leaf(node):
                continue
            children = tree.children(node).tolist()
            stay = sum(now[c] for c in children)
            heaviest = children[int(np.argmax(tree.counts[children].sum(axis=1)))]
            trial = self._trial(node, heaviest)
            other = stay if trial is None else min(stay, trial.errors)
            if _no_more(leaf[node], other):
                self.cut.add(node)
            elif trial is not None and _no_more(trial.errors, stay):
                self._accept(node, heaviest, trial)
                now[node] = trial.errors
            else:
                now[node] = stay

    def _accept(self, node: int, child: int, trial: _Trial) -> None:
        self.instead[node] = child
        self.cut |= trial.cut
        for group, counts in zip(self._groups, trial.counts, strict=True):
            group.counts[trial.nodes] = counts

    def _trial(self, node: int, child: int) -> _Trial | None:
        """Send the node's other rows down the child's current subtree; None if it is a leaf."""
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
            if _no_more(leaf[place[v]], stay):
                cut.add(v)
            else:
                now[place[v]] = stay
        return _Trial(nodes, counts, cut, now[0])

    def _sent(self, top: int, group: "_Group", rows: RowArray) -> Iterator[tuple[int, RowArray]]:
        """Yield which of the rows pass which node of the current subtree."""
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
        errors: list[float] = self._estimate(Leaf(training, held)).tolist()
        return errors

    def _stands(self, node: int) -> int:
        """Return the node that stands where this one was."""
        while node in self.instead:
            node = self.instead[node]
        return node

    def _ends(self, node: int) -> bool:
        return node in self.cut or bool(self._tree.kind[node] == LEAF)

    def _subtree(self, top: int) -> list[int]:
        nodes = [top]
        for node in nodes:  # it grows on the way
            if not self._ends(node):
                nodes.extend(self._stands(c) for c in self._tree.children(node).tolist())
        return nodes


class _Group:
    """Rows sorted so that those of any node lie side by side, and their counts at the nodes."""

    def __init__(self, tree: Tree, rows: Rows) -> None:
        self.rows = rows
        self._target = rows.target
        leaf = rows.route(tree, None)
        self.counts, size = node_counts(tree, leaf, rows.target)
        self._start, self._size = _ranges(tree, size), size
        self._order = np.argsort(self._start[leaf], kind="stable").astype(np.uint32)

    def outside(self, node: int, child: int) -> RowArray:
        """Return the rows of a node that are not a child's."""
        start, stop = self._start[node], self._start[node] + self._size[node]
        left, right = self._start[child], self._start[child] + self._size[child]
        return np.concatenate([self._order[start:left], self._order[right:stop]])

    def total(self, rows: RowArray) -> IntArray:
        """Return the units of each class among rows."""
        units = None if self._target.units is None else self._target.units[rows]
        labels = self._target.labels[rows]
        n_classes = self.counts.shape[1]
        return np.bincount(labels, weights=units, minlength=n_classes).astype(np.int64)


def _ranges(tree: Tree, size: IntArray) -> IntArray:
    """Return where each node's rows begin when the leaves' follow each other, depth first."""
    start = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes):  # parents come first
        children = tree.children(node)
        start[children] = start[node] + np.cumsum(size[children]) - size[children]
    return start


def _no_more(one: float, other: float) -> bool:
    """Say whether a number of errors is at most another; integers are compared exactly."""
    return one <= (other if isinstance(other, int) else other * (1 + TIE))
