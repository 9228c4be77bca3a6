"""Histograms by GROUP BY: a source whose rows stay in a database."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from polytomy._types import BranchArray, IntArray
from polytomy.encode import Schema
from polytomy.grow.source import Histograms, SampleTotals

from .database import Database


class CodedRows(NamedTuple):
    """Rows of codes in a database.

    Parameters
    ----------
    relation : str
        The SQL of the rows, for a FROM clause. Their columns are ``c0``, ``c1`` and so on, the
        class number ``label``, and ``u``, the units of weight, if they have weights.
    schema : Schema
        The columns that the codes are of.
    totals : SampleTotals
        The units of each class and the number of rows.
    """

    relation: str
    schema: Schema
    totals: SampleTotals


class _Place(NamedTuple):
    """How rows get to a node: from the node above, by a condition; ``move`` numbers the split."""

    above: int
    move: int
    condition: str


class SqlSource:
    """A source of histograms that asks a database for them; see ``polytomy.grow.source``.

    Nothing in the database changes: a node is a condition on the codes, and moving rows to children
    only adds conditions. All histograms that are asked for at once are one query.

    Parameters
    ----------
    database : Database
        The database.
    rows : CodedRows
        The rows in it.
    """

    def __init__(self, database: Database, rows: CodedRows) -> None:
        self._database, self._rows = database, rows
        starts = rows.schema.code_start()
        self._n_codes = int(starts[-1])
        self._starts: list[int] = starts[:-1].tolist()
        self._places: dict[int, _Place] = {}
        self._moves = 0

    def totals(self) -> SampleTotals:
        """Return the class counts and the number of rows of the whole sample.

        Returns
        -------
        SampleTotals
            The totals.
        """
        return self._rows.totals

    def move(self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]) -> None:
        """Give the rows of nodes to new children: note the conditions.

        Parameters
        ----------
        moves : sequence of tuples
            Node, column, branch of each code, and children; see ``polytomy.grow.source.Move``.
        """
        for node, column, branch_of_code, children in moves:
            self._moves += 1
            for branch, child in enumerate(children):
                condition = _condition(f"c{column}", branch_of_code, branch)
                self._places[child] = _Place(node, self._moves, condition)

    def release(self, node: int) -> None:
        """Forget nothing: the conditions of a node are those of the nodes below it too.

        Parameters
        ----------
        node : int
            A node without children, which will not be asked about again.
        """

    def histograms(self, requests: Sequence[Sequence[int]]) -> list[Histograms]:
        """Return the histograms of some nodes, one for each request, with one query.

        Parameters
        ----------
        requests : sequence of sequences of int
            The nodes whose rows are counted together, for each request.

        Returns
        -------
        list of Histograms
            The histograms, in the order of the requests.
        """
        number = {node: i for i, nodes in enumerate(requests) for node in nodes}
        if not self._are_disjoint(number):
            return [found for nodes in requests for found in self.histograms([nodes])]
        types = dict.fromkeys(("part", "label", "code", "n"), "int64")
        weighted = self._rows.totals.weighted
        if weighted:
            types["units"] = "int64"
        found = self._database.fetch(self._query(self._part(number)), **types)
        shape = (len(requests), self._n_codes, len(self._rows.totals.counts))
        n_rows = _spread(shape, found["part"], found["code"], found["label"], found["n"])
        if not weighted:
            return [Histograms(counts, None) for counts in n_rows]
        units = _spread(shape, found["part"], found["code"], found["label"], found["units"])
        return [Histograms(u, n.sum(axis=1)) for u, n in zip(units, n_rows, strict=True)]

    def _are_disjoint(self, nodes: Iterable[int]) -> bool:
        """Return whether each node above the given ones is split in one way on their paths."""
        split_of: dict[int, int] = {}
        for node in nodes:
            while node in self._places:
                place = self._places[node]
                if split_of.setdefault(place.above, place.move) != place.move:
                    return False
                node = place.above  # noqa: PLW2901
        return True

    def _part(self, number: dict[int, int]) -> str:
        """Return an expression for the number of the request that a row is counted for, or NULL."""
        below: dict[int, dict[int, str]] = {}
        for node in number:
            at = node
            while at in self._places:
                place = self._places[at]
                below.setdefault(place.above, {})[at] = place.condition
                at = place.above

        def expression(node: int) -> str:
            if node in number:
                return str(number[node])
            cases = (f"WHEN {test} THEN {expression(child)}" for child, test in below[node].items())
            return f"CASE {' '.join(cases)} END"

        return expression(0)

    def _query(self, part: str) -> str:
        columns = [f"c{j}" for j in range(len(self._starts))]
        read = ", ".join(["label", *(["u"] if self._rows.totals.weighted else []), *columns])
        rows = f"SELECT {part} AS part, {read} FROM {self._rows.relation}"
        rows = f"SELECT * FROM ({rows}) AS placed WHERE part IS NOT NULL"
        counted = "count(*) AS n"
        if self._rows.totals.weighted:
            counted += ", CAST(sum(u) AS BIGINT) AS units"
        codes = [
            f"CAST({x} AS INTEGER) + {start}" if start else f"CAST({x} AS INTEGER)"
            for x, start in zip(columns, self._starts, strict=True)
        ]
        if not self._database.has_grouping_sets:
            return " UNION ALL ".join(
                f"SELECT part, label, {code} AS code, {counted} FROM ({rows}) AS rows{j} "
                f"GROUP BY part, label, {x}"
                for j, (x, code) in enumerate(zip(columns, codes, strict=True))
            )
        # In the set of one column, all others are NULL, and no code is.
        code = f"COALESCE({', '.join(codes)})" if len(codes) > 1 else codes[0]
        sets = ", ".join(f"(part, label, {x})" for x in columns)
        return (
            f"SELECT part, label, {code} AS code, {counted} FROM ({rows}) AS counted "
            f"GROUP BY GROUPING SETS ({sets})"
        )


def _spread(shape: tuple[int, int, int], *columns: IntArray) -> IntArray:
    """Return an array with the values of the last column at the places of the others."""
    out = np.zeros(shape, dtype=np.int64)
    *places, values = columns
    out[tuple(np.asarray(at, dtype=np.int64) for at in places)] = values
    return out


def _condition(x: str, branch_of_code: BranchArray, branch: int) -> str:
    """Return the condition that a code is in a branch, as ranges; codes in no branch fit any."""
    branches = [(code, b) for code, b in enumerate(np.asarray(branch_of_code).tolist()) if b >= 0]
    ranges, alone = [], []
    for own, run in groupby(branches, key=lambda pair: pair[1] == branch):
        if own:
            codes = [code for code, _ in run]
            if codes[0] == codes[-1]:
                alone.append(str(codes[0]))
            else:
                ranges.append(f"{x} BETWEEN {codes[0]} AND {codes[-1]}")
    if alone:
        ranges.append(f"{x} IN ({', '.join(alone)})" if len(alone) > 1 else f"{x} = {alone[0]}")
    return " OR ".join(ranges) if ranges else "1 = 0"
