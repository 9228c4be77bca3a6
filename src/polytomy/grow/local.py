"""Statistics from rows held in this process, with as few passes over them as possible.

A node's histograms are its parent's minus its siblings', so of the children of a split all but the
largest need a pass. Which way is shorter is decided when a node is asked for: a leaf that is never
asked for is never counted.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polytomy import kernels
from polytomy._errors import FamilyError, TableError, TargetError
from polytomy._types import BranchArray, FloatArray, IntArray, RowArray
from polytomy.encode import Coded, Target
from polytomy.table import Table

from .menu import Cut, OwnCut
from .rows import RowRanges, Split
from .stats import Layout, NodeSummary, Stats, branch_summaries

_LEAST_POOL = 32 << 20  # bytes of histograms always allowed


class LocalStats:
    """A ``StatsSource`` over one encoded table.

    Parameters
    ----------
    coded : Coded
        The table's codes.
    target : Target
        Its classes and weights.
    table : Table, optional
        The raw columns, needed by users' own families only.
    threads : int
        How many threads to use; the statistics do not depend on it.
    pool_bytes : int, optional
        How much memory histograms may take. Beyond it the oldest are dropped and counted again if
        asked for. By default half of what the codes take, and at least 32 MB.
    """

    def __init__(
        self,
        coded: Coded,
        target: Target,
        table: Table | None = None,
        threads: int = 1,
        pool_bytes: int | None = None,
    ) -> None:
        check_rows(coded, target, table)
        self.layout = Layout.of(coded.schema, target.n_classes)
        self._coded, self._target, self._table, self._threads = coded, target, table, threads
        self._codes = coded.code_table()
        self._every = np.arange(len(coded.schema), dtype=np.int32)
        self._rows = RowRanges(coded.n_rows)
        self._pool: dict[int, Stats] = {}
        self._parent: dict[int, int] = {}
        self._children: dict[int, list[int]] = {}
        self._done: set[int] = set()
        self._root: NodeSummary | None = None
        self._root_rows: IntArray | None = None
        codes_bytes = sum(c.nbytes for c in coded.columns)
        self._pool_bytes = max(_LEAST_POOL, codes_bytes // 2) if pool_bytes is None else pool_bytes

    def root(self) -> NodeSummary:
        """Return what the root holds."""
        if self._root is None:
            # A tree of many will surely want the root's histograms, which say it too
            again = self._root_rows is not None
            units = self.collect(0).column(0)[0].sum(axis=0) if again else self._target.total()
            self._root = NodeSummary(units, self._target.n_rows)
        return self._root

    def collect(self, node: int) -> Stats:
        """Return a node's histograms: from the pool, by subtraction, or by counting its rows."""
        if node in self._pool:
            return self._pool[node]
        stats = self._subtracted(node)
        if stats is None:
            stats = self._counted(node)
        self._keep(node, stats)
        self._forget_parent(node)
        return stats

    def scatter(self, node: int, feature: int, cut: Cut, children: list[int]) -> list[NodeSummary]:
        """Give a node's rows to its children; return what each of them holds."""
        self._children[node] = children
        self._parent.update(dict.fromkeys(children, node))
        if isinstance(cut, OwnCut):
            summaries = self._view_summaries(node, cut, len(children))
            self._rows.scatter_by_branch(node, cut.branches, children)
            return summaries
        branch_of_code = cut.branch_of_code(self._coded.schema[feature])
        counts, rows = self._column(node, feature)
        summaries = branch_summaries(counts, rows, branch_of_code, len(children))
        split = Split(self._codes, feature, branch_of_code, children, self._threads)
        self._rows.scatter_by_code(node, split)
        return summaries

    def leaves(self, out: BranchArray | None = None) -> BranchArray:
        """Return the leaf, as a node number, that each row is in; in ``out``, if given."""
        leaf = np.empty(self._coded.n_rows, dtype=np.int32) if out is None else out
        for node, split in self._rows.parts():
            every = self._rows.is_everything_in_order(node)
            members = None if every else self._rows.members(node)
            if split is None:
                leaf[... if members is None else members] = node
            else:
                child = np.array(split.children, dtype=np.int32)[split.branch_of_code]
                kernels.find_leaves(self._codes, split.column, child, members, leaf)
        return leaf

    def restart(self, target: Target) -> None:
        """Forget every node, for another tree on the same codes with a new target.

        How many rows the root has of each code stays known: the target does not change it.
        """
        if (target.n_rows, target.n_classes) != (self._coded.n_rows, self.layout.n_classes):
            raise TargetError("a new target must have the rows and classes of the one before")
        self._target, self._root = target, None
        self._rows = RowRanges(self._coded.n_rows)
        for known in (self._pool, self._parent, self._children, self._done):
            known.clear()

    def release(self, node: int) -> None:
        """Drop a node's histograms, now and when they come up as a sibling's."""
        self._done.add(node)
        self._pool.pop(node, None)

    def view(self, node: int) -> "LocalRows":
        """Return a node's rows, for users' own families."""
        if self._table is None:
            raise FamilyError(
                "users' own families need the raw table; pass it to grow(..., table=)"
            )
        return LocalRows(self._table, self._target, self._rows.members(node))

    def _counted(self, node: int) -> Stats:
        stats = self._empty(self.layout.n_codes)
        known = self._root_rows if node == 0 else None
        if known is not None and stats.rows is not None:
            bare = Stats(stats.counts, None, self.layout)
            self._accumulate(node, self._every, self.layout.code_start, bare)
            stats.rows[:] = known
            return stats
        self._accumulate(node, self._every, self.layout.code_start, stats)
        if node == 0 and stats.rows is not None:
            self._root_rows = stats.rows.copy()  # the array itself may become a child's
        return stats

    def _subtracted(self, node: int) -> Stats | None:
        """Return the parent's histograms minus the siblings', if that is the shorter way."""
        parent = self._parent.get(node)
        if parent is None or parent not in self._pool:
            return None
        siblings = [c for c in self._children[parent] if c != node]
        unknown = [c for c in siblings if c not in self._pool]
        if sum(map(self._rows.n_rows, unknown)) >= self._rows.n_rows(node):
            return None
        fresh = {c: self._counted(c) for c in unknown}
        stats = self._pool.pop(parent)  # the parent needs it no more: its array becomes the node's
        for sibling in siblings:
            known = fresh.get(sibling)
            stats.subtract(self._pool[sibling] if known is None else known)
        for sibling, counted in fresh.items():
            if sibling not in self._done:
                self._keep(sibling, counted)
        return stats

    def _forget_parent(self, node: int) -> None:
        parent = self._parent.get(node)
        if parent is not None and self._all_known(self._children[parent]):
            self._pool.pop(parent, None)

    def _all_known(self, nodes: Iterable[int]) -> bool:
        return all(c in self._pool or c in self._done for c in nodes)

    def _keep(self, node: int, stats: Stats) -> None:
        self._pool[node] = stats
        while len(self._pool) > 1 and len(self._pool) * stats.nbytes > self._pool_bytes:
            self._pool.pop(next(iter(self._pool)))

    def _column(self, node: int, feature: int) -> tuple[IntArray, IntArray | None]:
        if node in self._pool:
            return self._pool[node].column(feature)
        start = self.layout.code_start
        n_codes = int(start[feature + 1] - start[feature])
        stats = self._empty(n_codes)
        which = np.array([feature], dtype=np.int32)
        self._accumulate(node, which, start - start[feature], stats)
        return stats.counts, stats.rows

    def _empty(self, n_codes: int) -> Stats:
        counts = np.zeros((n_codes, self.layout.n_classes), dtype=np.int64)
        rows = None if self._target.units is None else np.zeros(n_codes, dtype=np.int64)
        return Stats(counts, rows, self.layout)

    def _accumulate(
        self, node: int, which: BranchArray, code_start: IntArray, stats: Stats
    ) -> None:
        everything = self._rows.is_everything_in_order(node)
        kernels.accumulate(
            self._codes,
            which,
            None if everything else self._rows.members(node),
            (self._target.labels, self._target.units, *self._target.more),
            code_start,
            (stats.counts, stats.rows),
            self._threads,
        )

    def _view_summaries(self, node: int, cut: OwnCut, n_branches: int) -> list[NodeSummary]:
        members = self._rows.members(node)
        counts = np.zeros((n_branches, self.layout.n_classes), dtype=np.int64)
        for labels, units in self._target.layers:
            weight = 1 if units is None else units[members]
            np.add.at(counts, (cut.branches, labels[members].astype(np.int64)), weight)
        rows = np.bincount(cut.branches, minlength=n_branches)
        return [NodeSummary(c, int(r)) for c, r in zip(counts, rows, strict=True)]


def check_rows(coded: Coded, target: Target, table: Table | None) -> None:
    """Refuse codes, a target and raw columns that are not of the same rows."""
    if coded.n_rows != target.n_rows:
        raise TargetError(f"{coded.n_rows} rows but {target.n_rows} labels")
    if table is not None and (table.n_rows, table.names) != (coded.n_rows, coded.schema.names):
        raise TableError("the raw table is not the one that was encoded")


@dataclass(frozen=True)
class LocalRows:
    """A node's rows of a table held in this process."""

    _source: Table
    _target: Target
    _members: RowArray

    @cached_property
    def table(self) -> Table:
        """The node's rows of the raw table."""
        return self._source.take(self._members)

    @cached_property
    def class_weights(self) -> FloatArray:
        """The weight of each class in each row, (rows, classes), in exact units of the weights."""
        out = np.zeros((len(self._members), self._target.n_classes))
        every = np.arange(len(out))
        for labels, units in self._target.layers:
            weight = 1.0 if units is None else units[self._members].astype(np.float64)
            out[every, labels[self._members]] += weight
        return out
