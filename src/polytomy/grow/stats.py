"""Statistics of a node: class histograms of every column; and where they come from.

The grower asks a ``StatsSource`` and knows no more. Sums are integers, so a source that adds up
partitions of the rows gives the same statistics, and so the same tree, as one that holds them all.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from polytomy._types import BranchArray, ByteArray, FloatArray, IntArray
from polytomy.encode import Schema
from polytomy.table import Table

from .menu import Cut


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where each column's codes lie when the histograms of a node stand end to end."""

    code_start: IntArray
    has_missing: ByteArray
    n_classes: int

    @classmethod
    def of(cls, schema: Schema, n_classes: int) -> "Layout":
        """Return the layout of a schema's columns."""
        missing = np.array([c.has_missing for c in schema], dtype=np.uint8)
        return cls(schema.code_start(), missing, n_classes)

    @property
    def n_codes(self) -> int:
        """The codes of all columns together."""
        return int(self.code_start[-1])


@dataclass(frozen=True, slots=True, eq=False)
class Stats:
    """The histograms of one node: units of each class, and rows, by code.

    ``rows`` is None when every row weighs one unit; the counts say it then.
    """

    counts: IntArray  # (codes of all columns, classes)
    rows: IntArray | None
    layout: Layout

    @property
    def nbytes(self) -> int:
        """The memory the histograms take."""
        return self.counts.nbytes + (0 if self.rows is None else self.rows.nbytes)

    def column(self, j: int) -> tuple[IntArray, IntArray | None]:
        """Return the counts and the rows (or None, as above) of each code of a column."""
        start, stop = self.layout.code_start[j : j + 2]
        return self.counts[start:stop], None if self.rows is None else self.rows[start:stop]

    def __add__(self, other: "Stats") -> "Stats":
        """Return the statistics of both nodes' rows together."""
        rows = None if self.rows is None or other.rows is None else self.rows + other.rows
        return Stats(self.counts + other.counts, rows, self.layout)

    def subtract(self, other: "Stats") -> None:
        """Take another node's rows out of these statistics, in place."""
        np.subtract(self.counts, other.counts, out=self.counts)
        if self.rows is not None and other.rows is not None:
            np.subtract(self.rows, other.rows, out=self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class NodeSummary:
    """How much a node holds: units of each class, and rows."""

    counts: IntArray
    rows: int


class NodeRows(Protocol):
    """What a user's family sees of a node: its rows."""

    @property
    def table(self) -> Table:
        """The node's rows of the raw table."""

    @property
    def class_weights(self) -> FloatArray:
        """The weight of each class in each row, (rows, classes), in exact units of the weights."""


class StatsSource(Protocol):
    """Collects the statistics of nodes and scatters their rows."""

    layout: Layout

    def root(self) -> NodeSummary:
        """Return what the root holds."""

    def collect(self, node: int) -> Stats:
        """Return a node's statistics."""

    def scatter(self, node: int, feature: int, cut: Cut, children: list[int]) -> list[NodeSummary]:
        """Give a node's rows to its children; return what each of them holds."""

    def release(self, node: int) -> None:
        """Take note that a node's statistics will not be asked for (again)."""

    def view(self, node: int) -> NodeRows:
        """Return a node's rows, for users' own families."""


def branch_summaries(
    counts: IntArray, rows: IntArray | None, branch_of_code: BranchArray, n_branches: int
) -> list[NodeSummary]:
    """Add up a column's histogram by branch; ``rows`` may be None as in ``Stats``.

    A code without a branch (UNSEEN, -1) has nothing to add, so it does no harm to the last one.
    """
    held = np.zeros((n_branches, counts.shape[1]), dtype=np.int64)
    np.add.at(held, branch_of_code, counts)
    if rows is None:
        n_rows = held.sum(axis=1)
    else:
        n_rows = np.zeros(n_branches, dtype=np.int64)
        np.add.at(n_rows, branch_of_code, rows)
    return [NodeSummary(c, n) for c, n in zip(held, n_rows.tolist(), strict=True)]
