"""Check the constraints on columns and branches, by the paths and the counts of a tree."""

from collections.abc import Iterator

import numpy as np

from polytomy._types import TIE, FloatArray
from polytomy.certify.record import Rules
from polytomy.encode import Schema
from polytomy.tree import Constraints, IntervalSplit, Tree

from .report import Ledger


def check_constraints(
    ledger: Ledger, tree: Tree, schema: Schema, held: Constraints, *, is_edited: bool = False
) -> None:
    """Check which columns a tree asks about, where, and what its branches are like.

    That columns which come first are asked first is checked with the run, because it depends on the
    rows.

    Parameters
    ----------
    ledger : Ledger
        Collects the comparisons of the current check.
    tree : Tree
        The tree, with its training counts.
    schema : Schema
        The columns.
    held : Constraints
        The constraints.
    is_edited : bool, default=False
        Whether the tree was edited by hand. Then what breaks a constraint is noted, not found
        fault with.
    """
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            continue
        problems = [
            *_column_problems(tree, schema, held, node),
            *_branch_problems(tree, held, node),
        ]
        for problem in problems:
            if is_edited:
                ledger.note(f"Edited by hand: node {node} {problem}.")
            else:
                ledger.holds(False, f"node {node}", f"it {problem}")
        if not problems:
            ledger.count(1)


def columns_above(tree: Tree, node: int) -> set[int]:
    """Return the columns that the nodes above a node split on."""
    found: set[int] = set()
    parent = int(tree.parent[node])
    while parent >= 0:
        found.add(int(tree.feature[parent]))
        parent = int(tree.parent[parent])
    return found


def columns_to_search(tree: Tree, n_columns: int, rules: Rules, node: int) -> tuple[int, ...]:
    """Return the columns that a node could split on, given those asked above it.

    Columns that come first are the only ones if the node splits on one of them.
    """
    held, above = rules.constraints, columns_above(tree, node)
    allowed = [j for j in range(n_columns) if j not in held.never]
    if held.after:
        allowed = [j for j in allowed if not held.after[j] or above.intersection(held.after[j])]
    first = [j for j in allowed if j in held.first and j not in above]
    is_first = not tree.is_leaf(node) and int(tree.feature[node]) in first
    return tuple(first if is_first else allowed)


def passed_over(tree: Tree, n_columns: int, rules: Rules, node: int) -> tuple[int, ...]:
    """Return the columns that come first but that a node did not split on, though it might have."""
    above, searched = columns_above(tree, node), columns_to_search(tree, n_columns, rules, node)
    if int(tree.feature[node]) in rules.constraints.first and int(tree.feature[node]) not in above:
        return ()
    return tuple(j for j in searched if j in rules.constraints.first and j not in above)


def _column_problems(tree: Tree, schema: Schema, held: Constraints, node: int) -> Iterator[str]:
    column = int(tree.feature[node])
    if column < 0:
        return
    name = schema[column].name
    if column in held.never:
        yield f"asks about {name!r}, which never_ask excludes"
    needed = held.after[column] if held.after else ()
    if needed and not columns_above(tree, node).intersection(needed):
        names = ", ".join(repr(schema[j].name) for j in needed)
        yield f"asks about {name!r}, but only_after needs a question about {names} above it"


def _branch_problems(tree: Tree, held: Constraints, node: int) -> Iterator[str]:
    children = tree.children(node)
    weights = tree.weight[children]
    least = held.min_child_share * float(tree.weight[node])
    if held.min_child_share and weights.min() < least * (1 - 4 * TIE):
        share = weights.min() / float(tree.weight[node])
        yield f"has a branch with a share of {share:.4g}, below min_child_share"
    if not held.min_difference:
        return
    values = _values(tree)[children]
    split = tree.split(node)
    if isinstance(split, IntervalSplit):
        values = values[: len(split.thresholds) + 1]  # a branch of missing cells has no neighbours
    else:
        values = np.sort(values)
    if len(values) < 2:
        return
    nearest = float(np.abs(np.diff(values)).min())
    scale = max(held.min_difference, float(np.abs(values).max()) * TIE)
    if nearest < held.min_difference - 1e-9 * scale:
        yield f"has neighbouring branches that differ by {nearest:.6g}, below min_difference"


def _values(tree: Tree) -> FloatArray:
    """Return the mean, or the share of the second class, of each node."""
    if tree.is_numeric:
        return np.asarray(tree.mean)
    second = tree.counts[:, 1] if tree.n_classes > 1 else np.zeros(tree.n_nodes)
    return np.asarray(second / tree.weight)
