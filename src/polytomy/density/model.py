"""A density model: a tree whose leaves are boxes, and the density of rows in them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polytomy._types import MISSING, AnyArray, BranchArray, FloatArray
from polytomy.encode import Schema, aligned, missing_cells
from polytomy.table import Ordered, Table
from polytomy.theory import cases_per_weight
from polytomy.tree import Tree

from .boxes import Boxes, boxes_of, has_tails, n_unseen
from .cells import ColumnCells, cells_of

_TAIL = 0.1  # scale of the tails beyond a column's range, as a fraction of the range


@dataclass(frozen=True, eq=False)
class DensityModel:
    """A fitted density tree.

    The density of a box is its share of the rows, divided by its volume. Shares are shrunk a
    little: a child's share of its parent is (n + prior * v)/(n_parent + prior) if it has n of its
    rows and the fraction v of its volume, so that no box is empty.

    Each outcome of a column that training did not show (a value below the range or above it, a
    missing cell, a new category) has the probability 1/(n + outcomes) of Laplace's rule. Beyond the
    range, the density falls with the square of the distance.

    Parameters
    ----------
    schema : Schema
        The columns.
    missing_odds : tuple of float
        For each column, the weight of the missing cells divided by that of the others.
    tree : Tree
        The tree. Its counts have one component, the weight of the rows.
    prior : float, default=1.0
        The number of rows that are spread evenly over the box of each node.
    """

    schema: Schema
    missing_odds: tuple[float, ...]
    tree: Tree
    prior: float = 1.0

    @cached_property
    def cells(self) -> tuple[ColumnCells, ...]:
        """The cells of each column."""
        return cells_of(self.schema, self.missing_odds)

    @cached_property
    def boxes(self) -> Boxes:
        """The boxes of the nodes of ``tree``."""
        return boxes_of(self.tree, self.schema, self.cells)

    @cached_property
    def weight(self) -> FloatArray:
        """The number of cases of each node: its weight, or rows if weights are not counts."""
        weight = self.tree.counts[:, 0]
        return np.asarray(weight * cases_per_weight(int(self.tree.rows[0]), float(weight[0])))

    @cached_property
    def log_share(self) -> FloatArray:
        """The logarithm of the share of rows to expect at each node of ``tree``."""
        parent = self.tree.parent
        held, within = self.weight, np.exp(self.boxes.log_fraction)
        above = np.concatenate((held[:1], held[parent[1:]]))
        with np.errstate(divide="ignore"):  # without a prior, empty boxes have no share
            part = np.log((held + self.prior * within) / (above + self.prior))
        part[0] = 0.0
        for node in range(1, len(part)):  # parents come first
            part[node] += part[parent[node]]
        return part

    @cached_property
    def gains(self) -> FloatArray:
        """The log-likelihood that each node adds to that of its parent; 0 for the root."""
        held = self.weight
        above = held[self.tree.parent]
        ratio = np.divide(held, above, out=np.ones(len(held)), where=(held > 0) & (above > 0))
        gains = held * (np.log(ratio) - self.boxes.log_fraction)
        gains[0] = 0.0
        return np.asarray(gains)

    @cached_property
    def log_relative_volume(self) -> FloatArray:
        """The logarithm of each box's fraction of the volume of the whole table's box."""
        volume = self.boxes.log_volume
        return np.asarray(volume - volume[0])

    @cached_property
    def unseen(self) -> FloatArray:
        """The probability of each outcome of a column that training did not show."""
        return np.array([1.0 / (self.weight[0] + 1 + n_unseen(spec)) for spec in self.schema])

    @cached_property
    def log_density(self) -> FloatArray:
        """The logarithm of the density at the rows inside each node's box."""
        return np.asarray(self.log_share - self.boxes.log_volume + self._log_seen.sum(axis=1))

    @cached_property
    def log_inside(self) -> FloatArray:
        """For each node and column, the log-density of a cell inside the node's box."""
        return np.asarray(self._log_seen - self.boxes.log_length)

    @cached_property
    def _log_seen(self) -> FloatArray:
        """For each node and column, the logarithm of the probability of what training showed."""
        return np.log1p(-self.unseen * self.boxes.ends)

    def score_rows(self, table: Table, nodes: BranchArray) -> FloatArray:
        """Return the log-density of each row, given a node on its path.

        Parameters
        ----------
        table : Table
            The rows.
        nodes : ndarray of int
            For each row, a node of ``tree`` that it reaches, taken for a leaf.

        Returns
        -------
        ndarray of float
            The log-densities.
        """
        return self.score_at(nodes, self.outside(table))

    def score_at(self, nodes: BranchArray, outside: list["Outside"]) -> FloatArray:
        """Return the log-density of each row, given a node on its path and the cells outside."""
        score = self.log_density[nodes]
        for part in outside:
            score[part.rows] += self.correction(part, nodes)
        return score

    def correction(self, outside: "Outside", nodes: BranchArray) -> FloatArray:
        """Return what the cells of one column outside the boxes add to the log-density."""
        if outside.is_seen:
            return outside.log_density
        at, j = nodes[outside.rows], outside.column
        return np.asarray(np.log(self.unseen[j]) + outside.log_density - self.log_inside[at, j])

    def outside(self, table: Table) -> list["Outside"]:
        """Return the cells that are not inside boxes, column by column."""
        found: list[Outside] = []
        for j, column in enumerate(aligned(table, self.schema)):
            found += self._outside(j, column)
        return [part for part in found if len(part.rows)]

    def _outside(self, j: int, column: Ordered | BranchArray) -> list["Outside"]:
        spec, cells = self.schema[j], self.cells[j]
        missing = missing_cells(column) if isinstance(column, Ordered) else column == MISSING
        length = cells.lengths[-1] if spec.has_missing else 1.0
        parts = [_alike(j, missing, float(np.log(length)), is_seen=spec.has_missing)]
        if not isinstance(column, Ordered):
            return [*parts, _alike(j, (column < 0) & ~missing)]
        if not len(cells.edges):  # training showed missing cells only
            return [*parts, _alike(j, ~missing, -np.inf, is_seen=True)]
        values = column.values.astype(np.float64)
        if not has_tails(spec):
            known = (values >= 0) & (values < cells.edges[-1])
            return [*parts, _alike(j, ~known & ~missing)]
        with np.errstate(over="ignore", invalid="ignore"):
            beyond = np.maximum(cells.edges[0] - values, values - cells.edges[-1])
        rows = np.flatnonzero((beyond > 0) & ~missing)
        return [*parts, Outside(j, rows, _tail(beyond[rows], cells))]


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """Cells of a column that are not inside a box.

    Parameters
    ----------
    column : int
        The column.
    rows : ndarray of int
        The rows.
    log_density : ndarray of float
        The logarithm of the density of the cell among those of its outcome.
    is_seen : bool, default=False
        Whether training showed such cells: missing ones.
    """

    column: int
    rows: AnyArray
    log_density: FloatArray
    is_seen: bool = False


def _alike(
    column: int, which: AnyArray, log_density: float = 0.0, *, is_seen: bool = False
) -> Outside:
    """Return some cells that all have the same density."""
    rows = np.flatnonzero(which)
    return Outside(column, rows, np.full(len(rows), log_density), is_seen)


def tail_scale(cells: ColumnCells) -> float:
    """Return the distance from a range at which the density is a quarter of that at its end."""
    wide = float(cells.edges[-1] / 2 - cells.edges[0] / 2) * 2
    return _TAIL * wide if 0 < wide < np.inf else 1.0


def _tail(distance: FloatArray, cells: ColumnCells) -> FloatArray:
    """Return the log-density at distances from the end of a range."""
    scale = tail_scale(cells)
    with np.errstate(over="ignore"):
        return np.asarray(-np.log(scale) - 2 * np.log1p(distance / scale))
