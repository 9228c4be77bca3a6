"""Which rows a node holds: ranges of one permuted array of row numbers.

    members   | 4 0 7 | 1 2 | 3 5 6 |        rows of the leaves 3, 4 and 2
    of node 1 |<----------->|                also rows of 3 and 4, its children

Splitting a node permutes its range, stably, so that each child's rows are consecutive again. That
waits until somebody asks for the children's rows: the last ones of a tree may never be wanted.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polytomy import kernels
from polytomy._types import BranchArray, IntArray, RowArray


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A split by code: which column of a table, where each code leads, and to whom."""

    table: kernels.CodeTable
    column: int
    branch_of_code: BranchArray
    children: list[int]
    threads: int


class RowRanges:
    """The rows of every node of a growing tree; node 0 holds all of them in order."""

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._scratch: RowArray | None = None
        self._range: dict[int, tuple[int, int]] = {0: (0, n_rows)}
        self._parent: dict[int, int] = {}  # of the children of splits that wait
        self._waiting: dict[int, Split] = {}
        self._leaves = {0}
        self._moved = False

    @cached_property
    def _members(self) -> RowArray:
        return np.arange(self._n_rows, dtype=np.uint32)  # a tree of one question never needs it

    def members(self, node: int) -> RowArray:
        """Return the rows of a node, a view into the shared array."""
        start, stop = self._range_of(node)
        return self._members[start:stop]

    def is_everything_in_order(self, node: int) -> bool:
        """Say whether a node holds rows 0, 1, 2, ... to the last, as the root does at first."""
        return not self._moved and node == 0

    def n_rows(self, node: int) -> int:
        """Return the number of rows of a node."""
        start, stop = self._range_of(node)
        return stop - start

    def scatter_by_code(self, node: int, split: Split) -> None:
        """Give each child, some day, the rows whose code leads to its branch."""
        self._waiting[node] = split
        self._parent.update(dict.fromkeys(split.children, node))
        self._replace(node, split.children)

    def scatter_by_branch(self, node: int, branches: BranchArray, children: list[int]) -> None:
        """Give each child the rows of its branch; ``branches`` follows the order of the members."""
        members = self.members(node)
        members[:] = members[np.argsort(branches, kind="stable")]
        self._assign(node, children, np.bincount(branches, minlength=len(children)))
        self._replace(node, children)

    def parts(self) -> list[tuple[int, Split | None]]:
        """Return nodes that hold every row once: leaves, and nodes whose split into leaves waits.

        The rows of the latter's children need not be permuted to know where they are.
        """
        last = [n for n, s in self._waiting.items() if self._leaves.issuperset(s.children)]
        inside = {child for node in last for child in self._waiting[node].children}
        split: list[tuple[int, Split | None]] = [(node, self._waiting[node]) for node in last]
        return split + [(leaf, None) for leaf in sorted(self._leaves - inside)]

    def _replace(self, node: int, children: list[int]) -> None:
        self._leaves.discard(node)
        self._leaves.update(children)

    def _range_of(self, node: int) -> tuple[int, int]:
        if node not in self._range:
            self._permute(self._parent[node])
        return self._range[node]

    def _permute(self, node: int) -> None:
        """Do what waits: permute a node's rows by the branch their codes lead to."""
        members = self.members(node)
        split = self._waiting.pop(node)
        if self._scratch is None:
            self._scratch = np.empty_like(self._members)
        sizes = kernels.scatter(
            members,
            split.table,
            split.column,
            split.branch_of_code,
            self._scratch,
            len(split.children),
            split.threads,
        )
        self._assign(node, split.children, sizes)

    def _assign(self, node: int, children: list[int], sizes: IntArray) -> None:
        self._moved = True
        start, _ = self._range[node]
        for child, size in zip(children, sizes.tolist(), strict=True):
            self._range[child] = (start, start + size)
            start += size
