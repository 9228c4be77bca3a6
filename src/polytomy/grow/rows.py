"""Which rows a node holds: ranges of one permuted array of row numbers.

    members   | 4 0 7 | 1 2 | 3 5 6 |        rows of the leaves 3, 4 and 2
    of node 1 |<----------->|                also rows of 3 and 4, its children

Splitting a node permutes its range, stably, so that each child's rows are consecutive again.
"""

import numpy as np

from polytomy import kernels
from polytomy._types import BranchArray, IntArray, RowArray


class RowRanges:
    """The rows of every node of a growing tree; node 0 holds all of them in order."""

    def __init__(self, n_rows: int) -> None:
        self._members = np.arange(n_rows, dtype=np.uint32)
        self._scratch: RowArray | None = None
        self._range: dict[int, tuple[int, int]] = {0: (0, n_rows)}
        self._moved = False

    def members(self, node: int) -> RowArray:
        """Return the rows of a node, a view into the shared array."""
        start, stop = self._range[node]
        return self._members[start:stop]

    def is_everything_in_order(self, node: int) -> bool:
        """Say whether a node holds rows 0, 1, 2, ... to the last, as the root does at first."""
        return not self._moved and node == 0

    def n_rows(self, node: int) -> int:
        """Return the number of rows of a node."""
        start, stop = self._range[node]
        return stop - start

    def scatter_by_code(
        self,
        node: int,
        codes: tuple[kernels.CodeTable, int],
        branch_of_code: BranchArray,
        children: list[int],
        threads: int,
    ) -> None:
        """Give each child the rows whose code, in (table, column), leads to its branch."""
        if self._scratch is None:
            self._scratch = np.empty_like(self._members)
        members = self.members(node)
        table, column = codes
        sizes = kernels.scatter(
            members, table, column, branch_of_code, self._scratch, len(children), threads
        )
        self._assign(node, children, sizes)

    def scatter_by_branch(self, node: int, branches: BranchArray, children: list[int]) -> None:
        """Give each child the rows of its branch; ``branches`` follows the order of the members."""
        members = self.members(node)
        members[:] = members[np.argsort(branches, kind="stable")]
        self._assign(node, children, np.bincount(branches, minlength=len(children)))

    def _assign(self, node: int, children: list[int], sizes: IntArray) -> None:
        self._moved = True
        start, _ = self._range[node]
        for child, size in zip(children, sizes.tolist(), strict=True):
            self._range[child] = (start, start + size)
            start += size
