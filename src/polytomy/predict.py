"""Prediction: the leaf of each row."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from polytomy import kernels
from polytomy._errors import TreeError
from polytomy._threads import checked_threads
from polytomy._types import AnyArray, BranchArray
from polytomy.encode import Schema, value_table
from polytomy.table import ScannedTable, Table
from polytomy.tree import CODES, INTERVALS, LEAF, OWN, Tree, checked_route

_SPLIT_OF_KIND = {"ordered": INTERVALS, "nominal": CODES}


def apply(tree: Tree, schema: Schema, table: Table, threads: int = 1) -> BranchArray:
    """Return the leaf of each row of a table, as a node number.

    A kernel routes rows through built-in splits. Rows that reach a split by a user's own family are
    routed by that split, then continue.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        The columns of the tree.
    table : Table
        The rows. The table must have the columns of the schema.
    threads : int, default=1
        The number of threads. The result does not depend on it.

    Returns
    -------
    ndarray of int
        The leaf of each row.
    """
    threads = checked_threads(threads)
    check_fit(schema, tree)
    if isinstance(table, ScannedTable):
        return _apply_in_parts(tree, schema, table, threads)
    return RoutedTable.of(table, schema).leaves(tree, threads)


def _apply_in_parts(tree: Tree, schema: Schema, table: ScannedTable, threads: int) -> BranchArray:
    """Return the leaf of each row; only the columns that the tree asks about are read."""
    if not tree.own:
        asked = np.unique(tree.feature[tree.kind != LEAF])
        asked = asked if len(asked) else np.array([0])
        place = np.zeros(len(schema), dtype=tree.feature.dtype)
        place[asked] = np.arange(len(asked))
        feature = np.where(tree.kind == LEAF, tree.feature, place[tree.feature])
        tree, schema = replace(tree, feature=feature), Schema(tuple(schema[int(j)] for j in asked))
    leaf = np.empty(table.n_rows, dtype=np.int32)
    for start, part in table.parts(schema.names):
        leaf[start : start + part.n_rows] = RoutedTable.of(part, schema).leaves(tree, threads)
    return leaf


@dataclass(frozen=True, slots=True, eq=False)
class RoutedTable:
    """A table aligned with a schema, to be routed through any number of trees.

    Parameters
    ----------
    table : Table
        The rows.
    values : ValueTable
        The rows as the kernels read them.
    """

    table: Table
    values: kernels.ValueTable

    @classmethod
    def of(cls, table: Table, schema: Schema) -> Self:
        """Align a table with a schema."""
        return cls(table, value_table(table, schema))

    def leaves(self, tree: Tree, threads: int = 1, among: AnyArray | None = None) -> BranchArray:
        """Return the leaf of each row, as ``apply`` does.

        Parameters
        ----------
        tree : Tree
            A tree of the table's schema.
        threads : int, default=1
            The number of threads.
        among : array of bool, default=None
            The rows to route; the leaves of the others mean nothing. None routes all rows.

        Returns
        -------
        ndarray of int
            The leaf of each row.
        """
        arrays = kernels.TreeArrays(
            tree.kind,
            tree.feature,
            tree.child_start,
            tree.child,
            tree.threshold_start,
            tree.threshold,
            tree.code_to_branch_start,
            tree.code_to_branch,
            tree.missing_branch,
            tree.default_branch,
        )
        node = np.zeros(self.table.n_rows, dtype=np.int32)
        if among is not None:
            node[~among] = tree.n_nodes - 1  # the last node is a leaf, where a row stays
        kernels.route(arrays, self.values, node, threads)
        while tree.own and (waiting := tree.kind[node] == OWN).any():
            for asked in np.unique(node[waiting]).tolist():
                rows = np.flatnonzero(node == asked)
                chosen = checked_route(tree.own[asked], self.table.take(rows))
                node[rows] = tree.children(asked)[chosen]
            kernels.route(arrays, self.values, node, threads)
        return node


def check_fit(schema: Schema, *trees: Tree) -> None:
    """Raise ``TreeError`` if a tree splits on a column that the schema does not have."""
    kinds = [spec.kind for spec in schema] + ["none"]  # -1 and beyond read "none"
    split = np.array([_SPLIT_OF_KIND.get(kind, LEAF) for kind in kinds])
    for tree in trees:
        asked = np.where(tree.feature < len(schema), tree.feature, -1)
        wrong = (tree.kind != split[asked]) & ((tree.kind == INTERVALS) | (tree.kind == CODES))
        if wrong.any():
            node = int(np.argmax(wrong))
            raise TreeError(
                f"the schema does not belong to this tree: node {node} splits on column "
                f"{tree.feature[node]} of {len(schema)}, which is {kinds[asked[node]]}"
            )
