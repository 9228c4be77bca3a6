"""Rows down a tree: where each one ends."""

import numpy as np

from polytomy import kernels
from polytomy._threads import checked_threads
from polytomy._types import BranchArray
from polytomy.encode import Schema, value_table
from polytomy.table import Table
from polytomy.tree import OWN, Tree


def apply(tree: Tree, schema: Schema, table: Table, threads: int = 1) -> BranchArray:
    """Return the leaf, as a node number, that each row of a table ends in.

    Built-in questions are answered by a kernel; rows that meet a user's own question are routed by
    it, then go on.
    """
    threads = checked_threads(threads)
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
    values = value_table(table, schema)
    node = np.zeros(table.n_rows, dtype=np.int32)
    kernels.route(arrays, values, node, threads)
    while tree.own and (waiting := tree.kind[node] == OWN).any():
        for asked in np.unique(node[waiting]).tolist():
            rows = np.flatnonzero(node == asked)
            node[rows] = tree.children(asked)[tree.own[asked].route(table.take(rows))]
        kernels.route(arrays, values, node, threads)
    return node
