"""Sources of histograms: where the rows of a growing tree are.

The engine asks a source for two things, in batches: the class histograms of some nodes, and moving
the rows of split nodes to their children. Rows in memory have a source of their own inside the
engine. Any Python object that follows ``NodeSource`` can take its place: a sum over partitions on
other machines, or a database. Sums are integers, so every source that holds the same rows leads to
the same tree, bit for bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, Protocol

import numpy as np

from polytomy import kernels
from polytomy._errors import TargetError
from polytomy._types import BranchArray, ByteArray, IntArray, RowArray
from polytomy.encode import Coded, Schema, Target


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The position of each column's codes in a histogram over all columns."""

    code_start: IntArray
    has_missing: ByteArray

    @classmethod
    def of(cls, schema: Schema) -> "Layout":
        """Return the layout of a schema's columns."""
        missing = np.array([c.has_missing for c in schema], dtype=np.uint8)
        return cls(schema.code_start(), missing)

    @property
    def n_codes(self) -> int:
        """The number of codes of all columns together."""
        return int(self.code_start[-1])


class Histograms(NamedTuple):
    """Class histograms over all columns.

    Parameters
    ----------
    counts : int64 array of shape (codes, classes)
        The units of each class, by code.
    rows : int64 array or None
        The number of rows of each code; None if every row weighs one unit.
    """

    counts: IntArray
    rows: IntArray | None

    def __add__(self, other: "Histograms") -> "Histograms":  # type: ignore[override]
        """Return the histograms of both sets of rows together."""
        rows = None if self.rows is None or other.rows is None else self.rows + other.rows
        return Histograms(self.counts + other.counts, rows)


class Move(NamedTuple):
    """A split: the rows of ``node`` whose ``column`` has code c go to child branch_of_code[c]."""

    node: int
    column: int
    branch_of_code: BranchArray  # -1 for a code that no row of the node has
    children: list[int]


class SampleTotals(NamedTuple):
    """The whole sample in numbers.

    Parameters
    ----------
    counts : int64 array
        The units of each class.
    n_rows : int
        The number of rows.
    weighted : bool
        Whether rows have weights other than one unit.
    """

    counts: IntArray
    n_rows: int
    weighted: bool


class NodeSource(Protocol):
    """A source of histograms. Node 0 holds all rows; children get larger numbers."""

    def totals(self) -> SampleTotals:
        """Return the class counts and the number of rows of the whole sample.

        Returns
        -------
        SampleTotals
            The totals.
        """

    def histograms(self, requests: Sequence[Sequence[int]]) -> Sequence[Histograms]:
        """Return the histograms of some nodes, one for each request.

        Parameters
        ----------
        requests : sequence of sequences of int
            The nodes whose rows are counted together, for each request.

        Returns
        -------
        sequence of Histograms
            The histograms, in the order of the requests.
        """

    def move(self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]) -> None:
        """Give the rows of nodes to new children.

        Parameters
        ----------
        moves : sequence of tuples
            Node, column, branch of each code, and children; see ``Move``. A node may be moved
            again, to other children.
        """

    def release(self, node: int) -> None:
        """Forget a node.

        Parameters
        ----------
        node : int
            A node without children, which will not be asked about again.
        """


class Partition:
    """Some of the rows of a sample, in this process.

    Parameters
    ----------
    coded : Coded
        The codes of these rows, by the schema of the whole sample.
    target : Target
        Their classes and weights. All partitions of a sample share the number of classes and the
        unit of weight, and either all or none have weights.
    threads : int, default=1
        The number of threads.
    """

    def __init__(self, coded: Coded, target: Target, threads: int = 1) -> None:
        if coded.n_rows != target.n_rows:
            raise TargetError(f"{coded.n_rows} rows but {target.n_rows} labels")
        self._codes, self._target, self._threads = coded.code_table(), target, threads
        self._columns = coded.columns
        self._layout = Layout.of(coded.schema)
        self._every = np.arange(len(coded.schema), dtype=np.int32)
        self._rows: dict[int, RowArray] = {0: np.arange(coded.n_rows, dtype=np.uint32)}

    def totals(self) -> SampleTotals:
        """Return the class counts and the number of these rows.

        Returns
        -------
        SampleTotals
            The totals.
        """
        weighted = self._target.units is not None
        return SampleTotals(self._target.total(), self._target.n_rows, weighted)

    def histograms(self, requests: Sequence[Sequence[int]]) -> list[Histograms]:
        """Return the histograms of these rows, one for each request.

        Parameters
        ----------
        requests : sequence of sequences of int
            The nodes whose rows are counted together, for each request.

        Returns
        -------
        list of Histograms
            The histograms, in the order of the requests.
        """
        return [self._counted(nodes) for nodes in requests]

    def move(self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]) -> None:
        """Give the rows of nodes to their children.

        Parameters
        ----------
        moves : sequence of tuples
            Node, column, branch of each code, and children; see ``Move``.
        """
        for node, column, branch_of_code, children in moves:
            members = self._rows[node]
            branch = branch_of_code[self._columns[column][members]]
            self._rows |= {child: members[branch == b] for b, child in enumerate(children)}

    def release(self, node: int) -> None:
        """Forget a node's rows.

        Parameters
        ----------
        node : int
            A node without children, which will not be asked about again.
        """
        self._rows.pop(node, None)

    def _counted(self, nodes: Sequence[int]) -> Histograms:
        counts = np.zeros((self._layout.n_codes, self._target.n_classes), dtype=np.int64)
        weighted = self._target.units is not None
        rows = np.zeros(self._layout.n_codes, dtype=np.int64) if weighted else None
        kernels.accumulate(
            self._codes,
            self._every,
            np.concatenate([self._rows[node] for node in nodes]),
            (self._target.labels, self._target.units, *self._target.more),
            self._layout.code_start,
            (counts, rows),
            self._threads,
        )
        return Histograms(counts, rows)


class SummedSource:
    """A source that adds up other sources, each with a part of the rows.

    Parameters
    ----------
    parts : sequence of NodeSource
        The sources, at least one.

    Examples
    --------
    >>> from polytomy.encode import encode
    >>> from polytomy.grow import Grower, GrowParams
    >>> from polytomy.table import Table
    >>> x, labels = np.arange(6.0), np.array([0, 0, 1, 1, 0, 0])
    >>> coded = encode(Table.of({"x": x}))
    >>> halves = [np.arange(3), np.arange(3, 6)]
    >>> parts = [Partition(coded.take(rows), Target.of(labels[rows], 2)) for rows in halves]
    >>> run = Grower.from_source(SummedSource(parts), coded.schema, GrowParams())
    >>> run.grow().tree.threshold.tolist()
    [1.5, 3.5]
    """

    def __init__(self, parts: Sequence[NodeSource]) -> None:
        if not parts:
            raise ValueError("a summed source needs at least one part")
        self._parts = list(parts)

    def totals(self) -> SampleTotals:
        """Return the class counts and the number of all rows.

        Returns
        -------
        SampleTotals
            The totals.
        """
        all_totals = [part.totals() for part in self._parts]
        if len({totals.weighted for totals in all_totals}) > 1:
            raise TargetError("either all or none of the parts must have weights")
        counts = reduce(np.add, [totals.counts for totals in all_totals])
        n_rows = sum(totals.n_rows for totals in all_totals)
        return SampleTotals(counts, n_rows, all_totals[0].weighted)

    def histograms(self, requests: Sequence[Sequence[int]]) -> list[Histograms]:
        """Return the histograms of all rows, one for each request.

        Parameters
        ----------
        requests : sequence of sequences of int
            The nodes whose rows are counted together, for each request.

        Returns
        -------
        list of Histograms
            The histograms, in the order of the requests.
        """
        answers = [part.histograms(requests) for part in self._parts]
        return [reduce(Histograms.__add__, found) for found in zip(*answers, strict=True)]

    def move(self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]) -> None:
        """Give the rows of nodes to their children, in every part.

        Parameters
        ----------
        moves : sequence of tuples
            Node, column, branch of each code, and children; see ``Move``.
        """
        for part in self._parts:
            part.move(moves)

    def release(self, node: int) -> None:
        """Forget a node in every part.

        Parameters
        ----------
        node : int
            A node without children, which will not be asked about again.
        """
        for part in self._parts:
            part.release(node)
