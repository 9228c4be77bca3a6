"""The rows of a session: routing and counting those of one node.

Thresholds that people state need not lie between bins, so ordered columns are compared by their
values, not by their codes.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import UNKNOWN, AnyArray, BranchArray, FloatArray, IntArray
from polytomy.encode import Coded, NumericTarget, Schema, Target, aligned, missing_cells
from polytomy.export import describe_branches
from polytomy.prune import node_counts
from polytomy.table import Ordered, Table
from polytomy.tree import (
    CategorySplit,
    CustomSplit,
    NodeSplit,
    Tree,
    TreeBuilder,
    checked_route,
    heaviest_branch,
    nodes_below,
    subtree_sums,
)


@dataclass(frozen=True, eq=False)
class EditRows:
    """The training rows of a session.

    Parameters
    ----------
    table : Table
        The rows.
    coded : Coded
        Their codes, with the schema of the tree.
    target : Target
        Their classes or numbers, and weights.
    centre : float or None
        The number that the moments of a numeric target are about.
    """

    table: Table
    coded: Coded
    target: Target
    centre: float | None

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.coded.schema

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.coded.n_rows

    @cached_property
    def _columns(self) -> list[Any]:
        return aligned(self.table, self.schema)

    def part(self, rows: IntArray) -> tuple[Coded, Target]:
        """Return the codes and the target of some rows; all of them are not copied."""
        if len(rows) == self.n_rows:
            return self.coded, self.target
        return self.coded.take(rows), self.target.take(rows)

    def is_missing(self, column: int, rows: IntArray) -> AnyArray:
        """Return whether the cells of a column are missing."""
        return np.asarray(self.coded.columns[column][rows] == self.schema[column].n_values)

    def values(self, column: int, rows: IntArray) -> FloatArray:
        """Return the cells of an ordered column as numbers; missing ones are nan."""
        held: Ordered = self._columns[column].take(rows)
        numbers = held.values.astype(np.float64)
        gone = missing_cells(held) | ((held.values == UNKNOWN) & (held.values.dtype == np.int32))
        numbers[gone] = np.nan
        return numbers

    def branches(self, split: NodeSplit, rows: IntArray) -> BranchArray:
        """Return the branch that each of some rows takes at a split."""
        if isinstance(split, CustomSplit):
            return checked_route(split.branching, self.table.take(rows))
        if isinstance(split, CategorySplit):
            n = self.schema[split.feature].n_values
            branch_of = np.append(split.branch_of_codes(n), split.branch_of_missing)
            return branch_of[self.coded.columns[split.feature][rows]].astype(np.int32)
        numbers = self.values(split.feature, rows)
        branch = np.searchsorted(split.thresholds, numbers, side="left").astype(np.int32)
        branch[np.isnan(numbers)] = split.branch_of_missing
        return branch

    def counts(self, branch: BranchArray, rows: IntArray, arity: int) -> FloatArray:
        """Return the counts, or the moments, of the rows of each branch."""
        target = self.target
        if isinstance(target, NumericTarget):
            return target.moments(branch, arity, self.centre, rows)
        k = target.n_classes
        units = None if target.units is None else target.units[rows]
        cell = branch.astype(np.int64) * k + target.labels[rows]
        # a sum of units is below 2^53, so the floats of bincount are exact
        held = np.bincount(cell, weights=units, minlength=arity * k).reshape(arity, k)
        return np.asarray(held * target.unit, dtype=np.float64)

    def weights(self, branch: BranchArray, rows: IntArray, arity: int) -> FloatArray:
        """Return the weight of the rows of each branch."""
        target = self.target
        if isinstance(target, NumericTarget):
            return target.moments(branch, arity, rows=rows)[:, 0]
        units = None if target.units is None else target.units[rows]
        return np.asarray(np.bincount(branch, units, arity) * target.unit, dtype=np.float64)

    def stump(self, tree: Tree, node: int, split: NodeSplit, rows: IntArray) -> Tree:
        """Return a split of a node as a tree with the counts of its rows.

        New values go to the heaviest branch. Raise an error if no row takes one of the branches.
        """
        branch = self.branches(split, rows)
        counts = self.counts(branch, rows, split.arity)
        n_rows = np.bincount(branch, minlength=split.arity)
        if (n_rows == 0).any():
            words = describe_branches(split, self.schema)[int(n_rows.argmin())]
            raise ParameterError(f"no row of node {node} has {words}, so that branch is empty")
        weight = counts[:, 0] if tree.is_numeric else counts.sum(axis=1)
        builder = TreeBuilder(tree.counts[node], int(tree.rows[node]), tree.centre, tree.costs)
        if not isinstance(split, CustomSplit):
            split = replace(split, default_branch=heaviest_branch(weight))
        builder.split(0, split, counts, n_rows)
        return builder.finish()

    def route(self, tree: Tree, node: int, rows: IntArray) -> BranchArray:
        """Return the leaf of the tree that each of some rows of a node reaches."""
        leaf = np.full(len(rows), node, dtype=np.int32)
        held = {node: np.arange(len(rows))}
        for v in np.flatnonzero(nodes_below(tree, node)).tolist():
            split, own = tree.split(v), held.pop(v)
            if split is None:
                leaf[own] = v
                continue
            branch = self.branches(split, rows[own])
            held |= {c: own[branch == b] for b, c in enumerate(tree.children(v).tolist())}
        return leaf

    def filled(self, shape: Tree, tree: Tree, node: int, rows: IntArray) -> Tree:
        """Return a subtree of any counts with those of the rows of a node of the tree."""
        leaf, target = self.route(shape, 0, rows), self.target.take(rows)
        if isinstance(target, NumericTarget):
            moments = target.moments(leaf, shape.n_nodes, self.centre)
            counts = subtree_sums(shape, moments)
            n_rows = subtree_sums(shape, np.bincount(leaf, minlength=shape.n_nodes))
        else:
            units, n_rows = node_counts(shape, leaf, target)
            counts = np.asarray(units * target.unit, dtype=np.float64)
        counts[0] = tree.counts[node]
        splits = [shape.split(v) for v in range(shape.n_nodes)]
        children = [shape.children(v).tolist() for v in range(shape.n_nodes)]
        return TreeBuilder.from_nodes(
            splits, children, counts, n_rows, tree.centre, tree.costs
        ).finish()
