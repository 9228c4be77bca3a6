"""Histograms by GROUP BY: a source whose rows stay in a database."""

from collections.abc import Sequence
from functools import reduce
from itertools import groupby
from typing import NamedTuple

import numpy as np

from polytomy._types import BranchArray, FloatArray
from polytomy.encode import OrderedColumn, Schema
from polytomy.grow import GroupResidues, Histograms, SampleTotals
from polytomy.tree import CategorySplit, IntervalSplit, Tree

from .database import Database
from .numbers import StoredNumbers
from .targets import StoredTarget


class CodedRows(NamedTuple):
    """Rows of codes in a database.

    Parameters
    ----------
    relation : str
        The SQL of the rows, for a FROM clause. Their columns are ``c0``, ``c1`` and so on, and
        those of the target.
    schema : Schema
        The columns that the codes are of.
    target : StoredTarget
        The target.
    """

    relation: str
    schema: Schema
    target: StoredTarget


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
        return self._rows.target.totals

    def move(
        self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]
    ) -> list[GroupResidues] | None:
        """Give the rows of nodes to new children: note the conditions.

        Parameters
        ----------
        moves : sequence of tuples
            Node, column, branch of each code, and children; see ``polytomy.grow.source.Move``.

        Returns
        -------
        list of GroupResidues or None
            The residues of the children of each move, if the target is numeric.
        """
        for node, column, branch_of_code, children in moves:
            self._moves += 1
            for branch, child in enumerate(children):
                condition = _condition(f"c{column}", branch_of_code, branch)
                self._places[child] = _Place(node, self._moves, condition)
        target = self._rows.target
        if not isinstance(target, StoredNumbers):
            return None
        children = [child for *_, group in moves for child in group]
        rows = self._rows_of(dict(zip(children, range(len(children)), strict=True)))
        found = target.residues(self._database, rows, len(children))
        ends = np.cumsum([len(group) for *_, group in moves]).tolist()
        pairs = zip([0, *ends], ends, strict=False)
        amounts, low, high = found
        return [GroupResidues(amounts[a:b], low[a:b], high[a:b]) for a, b in pairs]

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
        nodes = [node for request in requests for node in request]
        if not self._are_disjoint(nodes):
            alone = {node: self.histograms([[node]])[0] for node in nodes}
            return [
                reduce(Histograms.__add__, map(alone.__getitem__, request)) for request in requests
            ]
        number = {node: i for i, request in enumerate(requests) for node in request}
        target = self._rows.target
        names = ["part", *target.groups, "code", "n", *target.sums]
        found = self._database.fetch(self._query(number), **dict.fromkeys(names, "int64"))
        return target.histograms(found, (len(requests), self._n_codes))

    def moments(self, tree: Tree) -> FloatArray:
        """Return the moments of the rows at each leaf of a tree, for a numeric target.

        Parameters
        ----------
        tree : Tree
            The tree. Its nodes are those of this source from now on.

        Returns
        -------
        ndarray of shape (n_nodes, 3)
            The moments; those of inner nodes are zero.
        """
        target = self._rows.target
        assert isinstance(target, StoredNumbers)
        self._places = {}
        for node in range(tree.n_nodes):
            split = tree.split(node)
            if split is None:
                continue
            assert isinstance(split, IntervalSplit | CategorySplit)
            branches = _branches(split, self._rows.schema)
            for branch, child in enumerate(tree.children(node).tolist()):
                condition = _condition(f"c{split.feature}", branches, branch)
                self._places[child] = _Place(node, node, condition)
        rows = self._rows_of({leaf: leaf for leaf in tree.leaves().tolist()})
        return target.moments(self._database, rows, tree.n_nodes)

    def _are_disjoint(self, nodes: Sequence[int]) -> bool:
        """Return whether no row is in two of the nodes, as in all requests of the engine.

        Each node above them must be split in one way on their paths: it may have been moved twice.
        """
        wanted = set(nodes)
        if len(wanted) < len(nodes):
            return False
        split_of: dict[int, int] = {}
        for node in nodes:
            at = node
            while at in self._places:
                place = self._places[at]
                again = split_of.setdefault(place.above, place.move) != place.move
                if again or place.above in wanted:
                    return False
                at = place.above
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

    def _rows_of(self, number: dict[int, int]) -> str:
        """Return a query for the rows of some nodes, with the number of each node as ``part``."""
        rows = f"SELECT {self._part(number)} AS part, * FROM {self._rows.relation}"
        return f"SELECT * FROM ({rows}) AS placed WHERE part IS NOT NULL"

    def _query(self, number: dict[int, int]) -> str:
        target, rows = self._rows.target, self._rows_of(number)
        columns = [f"c{j}" for j in range(len(self._starts))]
        groups = ", ".join(["part", *target.groups])
        sums = [f"CAST(sum({x}) AS BIGINT) AS {name}" for name, x in target.sums.items()]
        counted = ", ".join(["count(*) AS n", *sums])
        codes = [
            f"CAST({x} AS INTEGER) + {start}" if start else f"CAST({x} AS INTEGER)"
            for x, start in zip(columns, self._starts, strict=True)
        ]
        if not self._database.has_grouping_sets:
            return " UNION ALL ".join(
                f"SELECT {groups}, {code} AS code, {counted} FROM ({rows}) AS rows{j} "
                f"GROUP BY {groups}, {x}"
                for j, (x, code) in enumerate(zip(columns, codes, strict=True))
            )
        # In the set of one column, all others are NULL, and no code is.
        code = f"COALESCE({', '.join(codes)})" if len(codes) > 1 else codes[0]
        sets = ", ".join(f"({groups}, {x})" for x in columns)
        return (
            f"SELECT {groups}, {code} AS code, {counted} FROM ({rows}) AS counted "
            f"GROUP BY GROUPING SETS ({sets})"
        )


def _branches(split: IntervalSplit | CategorySplit, schema: Schema) -> BranchArray:
    """Return the branch of each code of the column that a node splits."""
    spec = schema[split.feature]
    if isinstance(split, CategorySplit):
        present = split.branch_of_codes(spec.n_values)
    else:
        assert isinstance(spec, OrderedColumn)
        present = np.searchsorted(split.thresholds, spec.high)
    missing = [split.branch_of_missing] * spec.has_missing
    return np.append(present, missing).astype(np.int32)


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
