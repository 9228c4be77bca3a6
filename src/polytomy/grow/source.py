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
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple, Protocol

import numpy as np

from polytomy import kernels
from polytomy._errors import TargetError
from polytomy._types import BranchArray, ByteArray, FloatArray, IntArray, RowArray
from polytomy.encode import RESIDUE_UNIT, Coded, Schema, Target
from polytomy.theory import cases_per_weight


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
    """A split: the rows of ``node`` whose ``column`` has code c go to child branch_of_code[c].

    Parameters
    ----------
    node, column : int
        The node and the column.
    branch_of_code : int32 array
        The branch of each code of the column; -1 for a code that no row of the node has.
    children : list of int
        The numbers of the new nodes.
    """

    node: int
    column: int
    branch_of_code: BranchArray
    children: list[int]


class GroupResidues(NamedTuple):
    """The residues of groups of rows, for a numeric target.

    Parameters
    ----------
    amounts : int64 array
        The sum of the rows' residues, by group.
    low, high : float64 arrays
        The least and the largest number of each group; infinite ends, in the wrong order, if it
        has no rows.
    """

    amounts: IntArray
    low: FloatArray
    high: FloatArray

    def __add__(self, other: "GroupResidues") -> "GroupResidues":  # type: ignore[override]
        """Return the residues of both sets of rows together."""
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return GroupResidues(self.amounts + other.amounts, low, high)


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
    residues : GroupResidues or None, default=None
        The residue of all rows, as one group, if the target is numeric.
    cases : float or None, default=None
        The cases that a unit stands for; None for those that follow from the rows and the weight.
    """

    counts: IntArray
    n_rows: int
    weighted: bool
    residues: GroupResidues | None = None
    cases: float | None = None

    def cases_per_unit(self, unit: float) -> float:
        """Return the cases that a unit stands for, given the weight of a unit.

        Parameters
        ----------
        unit : float
            The weight of one unit.

        Returns
        -------
        float
            The cases.
        """
        if self.cases is not None:
            return self.cases
        return cases_per_weight(self.n_rows, int(np.sum(self.counts)) * unit) * unit

    def root_residue(self) -> tuple[int, bool, float] | None:
        """Return the residue of all rows as the engine takes it.

        Returns
        -------
        tuple or None
            The amount, whether all rows are alike, and the unit of amounts; None for classes.
        """
        held = self.residues
        if held is None:
            return None
        return int(held.amounts[0]), bool(held.low[0] >= held.high[0]), RESIDUE_UNIT


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

    def move(
        self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]
    ) -> Sequence[GroupResidues] | None:
        """Give the rows of nodes to new children.

        Parameters
        ----------
        moves : sequence of tuples
            Node, column, branch of each code, and children; see ``Move``. A node may be moved
            again, to other children.

        Returns
        -------
        sequence of GroupResidues or None
            The residues of the children of each move, if the target is numeric.
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
        self._layout = Layout.of(coded.schema)
        self._every = np.arange(len(coded.schema), dtype=np.int32)
        # The rows of a node lie together, and those of its children are a part of them.
        self._order = np.arange(coded.n_rows, dtype=np.uint32)
        self._scratch = np.empty_like(self._order)
        self._whole = slice(0, coded.n_rows)
        self._place = {0: self._whole}

    def totals(self) -> SampleTotals:
        """Return the class counts and the number of these rows.

        Returns
        -------
        SampleTotals
            The totals.
        """
        target = self._target
        residues = self._residues([self._order])
        return SampleTotals(target.total(), target.n_rows, target.units is not None, residues)

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

    def move(
        self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]
    ) -> list[GroupResidues] | None:
        """Give the rows of nodes to their children.

        Parameters
        ----------
        moves : sequence of tuples
            Node, column, branch of each code, and children; see ``Move``.

        Returns
        -------
        list of GroupResidues or None
            The residues of the children of each move, if the target is numeric.
        """
        all_residues = []
        for node, column, branch_of_code, children in moves:
            groups = self._split(node, column, branch_of_code, children)
            if (residues := self._residues(groups)) is not None:
                all_residues.append(residues)
        return None if self._target.residues is None else all_residues

    def _split(
        self, node: int, column: int, branch_of_code: BranchArray, children: Sequence[int]
    ) -> list[RowArray]:
        """Bring the rows of a node into the order of its children; return those of each child."""
        place = self._place[node]
        members = self._order[place]
        out = self._scratch[: len(members)]
        sizes = kernels.scatter(
            members, self._codes, column, branch_of_code, out, len(children), self._threads
        )
        members[:] = out
        ends = place.start + np.cumsum(sizes)
        starts = ends - sizes
        own = [slice(a, b) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        self._place |= dict(zip(children, own, strict=True))
        return [self._order[part] for part in own]

    def _residues(self, groups: Sequence[RowArray]) -> GroupResidues | None:
        """Return the residues of groups of rows; None if the target is not numeric."""
        held = self._target.residues
        if held is None:
            return None
        values = [held.values[rows] for rows in groups]
        return GroupResidues(
            np.array([held.amounts[rows].sum() for rows in groups], dtype=np.int64),
            np.array([part.min(initial=np.inf) for part in values]),
            np.array([part.max(initial=-np.inf) for part in values]),
        )

    def groups(self, nodes: Sequence[int]) -> BranchArray:
        """Return the position of each row's node in a list.

        Parameters
        ----------
        nodes : sequence of int
            Nodes, each row being in one of them.

        Returns
        -------
        int32 array
            The positions, one for each row.
        """
        group = np.empty(len(self._order), dtype=np.int32)
        for position, node in enumerate(nodes):
            group[self._order[self._place[node]]] = position
        return group

    def release(self, node: int) -> None:
        """Forget a node's rows.

        Parameters
        ----------
        node : int
            A node without children, which will not be asked about again.
        """
        self._place.pop(node, None)

    def _members(self, nodes: Sequence[int]) -> RowArray | None:
        """Return the rows of some nodes; None for all rows."""
        places = [self._place[node] for node in nodes]
        if all(one.stop == other.start for one, other in pairwise(places)):
            whole = slice(places[0].start, places[-1].stop)
            return None if whole == self._whole else self._order[whole]
        return np.concatenate([self._order[place] for place in places])

    def _counted(self, nodes: Sequence[int]) -> Histograms:
        counts = np.zeros((self._layout.n_codes, self._target.n_classes), dtype=np.int64)
        weighted = self._target.units is not None
        rows = np.zeros(self._layout.n_codes, dtype=np.int64) if weighted else None
        kernels.accumulate(
            self._codes,
            self._every,
            self._members(nodes),
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
        residues = _added([totals.residues for totals in all_totals])
        return SampleTotals(counts, n_rows, all_totals[0].weighted, residues)

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

    def move(
        self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]
    ) -> list[GroupResidues] | None:
        """Give the rows of nodes to their children, in every part.

        Parameters
        ----------
        moves : sequence of tuples
            Node, column, branch of each code, and children; see ``Move``.

        Returns
        -------
        list of GroupResidues or None
            The residues of the children of each move, if the target is numeric.
        """
        return added_residues([part.move(moves) for part in self._parts])

    def release(self, node: int) -> None:
        """Forget a node in every part.

        Parameters
        ----------
        node : int
            A node without children, which will not be asked about again.
        """
        for part in self._parts:
            part.release(node)


def added_residues(
    answers: Sequence[Sequence[GroupResidues] | None],
) -> list[GroupResidues] | None:
    """Return the residues that all parts answered to the same moves, added up.

    Parameters
    ----------
    answers : sequence
        What ``move`` of each part returned.

    Returns
    -------
    list of GroupResidues or None
        The residues of the children of each move; None if the target is not numeric.
    """
    held = [answer for answer in answers if answer is not None]
    if not held:
        return None
    return [reduce(GroupResidues.__add__, found) for found in zip(*held, strict=True)]


def _added(residues: Sequence[GroupResidues | None]) -> GroupResidues | None:
    held = [part for part in residues if part is not None]
    return reduce(GroupResidues.__add__, held) if held else None


def check_totals(totals: Any) -> None:
    """Raise an error if the totals of a source cannot be those of rows."""
    counts = np.asarray(totals.counts)
    fits = counts.ndim == 1 and len(counts) > 0 and counts.dtype.kind in "iu" and counts.min() >= 0
    n_rows = totals.n_rows
    if not fits or not isinstance(n_rows, Integral) or int(n_rows) < 1:
        raise TargetError(
            "totals() must return the units of each class as integers of at least 0, and at least "
            f"one row; got {totals.counts!r} and {n_rows!r}"
        )
    if not totals.weighted and int(counts.sum()) != n_rows:
        raise TargetError(f"{n_rows} rows without weights, but counts of {int(counts.sum())}")
