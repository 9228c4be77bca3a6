"""The boxes of a tree's nodes: which codes of each column reach a node, and their lengths."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.table import Ranks
from polytomy.tree import CategorySplit, CustomSplit, IntervalSplit, Tree

from .cells import ColumnCells


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """The boxes of the nodes of a tree.

    Parameters
    ----------
    log_length : ndarray of shape (nodes, columns)
        The logarithm of the length of each box along each column.
    log_fraction : ndarray of shape (nodes,)
        The logarithm of the fraction of its parent's volume; 0 for the root.
    ends : ndarray of shape (nodes, columns)
        The number of outcomes of the column that training did not show and that lead to the node:
        below the range, above it, missing, or a new category.
    inside : tuple of tuples of bool arrays
        For each node and column, the codes in the box.
    """

    log_length: FloatArray
    log_fraction: FloatArray
    ends: IntArray
    inside: tuple[tuple[AnyArray, ...], ...]

    @property
    def log_volume(self) -> FloatArray:
        """The logarithm of the volume of each box."""
        return np.asarray(self.log_length.sum(axis=1))


def n_unseen(spec: ColumnSpec) -> int:
    """Return the number of outcomes of a column that training did not show."""
    if not spec.n_values:
        return 0
    sides = 2 if has_tails(spec) else 1
    return sides + (not spec.has_missing)


def has_tails(spec: ColumnSpec) -> bool:
    """Return whether new rows may lie beyond the range of a column."""
    return isinstance(spec, OrderedColumn) and not isinstance(spec.scale, Ranks)


def boxes_of(tree: Tree, schema: Schema, cells: Sequence[ColumnCells]) -> Boxes:
    """Return the boxes of all nodes of a tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Its columns.
    cells : sequence of ColumnCells
        The cells of each column.

    Returns
    -------
    Boxes
        The boxes.
    """
    n_columns = len(schema)
    lengths = [column.lengths for column in cells]
    inside: list[tuple[AnyArray, ...]] = [
        tuple(np.ones(len(length), dtype=bool) for length in lengths)
    ] * tree.n_nodes
    log_length = np.zeros((tree.n_nodes, n_columns))
    log_length[0] = [_log_sum(length) for length in lengths]
    log_fraction = np.zeros(tree.n_nodes)
    by_default = np.ones((tree.n_nodes, n_columns), dtype=bool)
    for node in range(tree.n_nodes):  # parents come first
        for child, column, part, is_default in _children(tree, schema, node, inside[node]):
            inside[child] = (*inside[node][:column], part, *inside[node][column + 1 :])
            log_length[child] = log_length[node]
            log_length[child, column] = _log_sum(lengths[column][part])
            log_fraction[child] = log_length[child, column] - log_length[node, column]
            by_default[child] = by_default[node]
            by_default[child, column] &= is_default
    ends = np.zeros((tree.n_nodes, n_columns), dtype=np.int64)
    for j, spec in enumerate(schema):
        ends[:, j] = _ends(spec, [box[j] for box in inside], by_default[:, j])
    return Boxes(log_length, log_fraction, ends, tuple(inside))


def _children(
    tree: Tree, schema: Schema, node: int, inside: Sequence[AnyArray]
) -> Iterator[tuple[int, int, AnyArray, bool]]:
    """Yield each child with its column, its codes, and whether values not seen lead to it."""
    split = tree.split(node)
    if split is None:
        return
    assert not isinstance(split, CustomSplit)
    branches = branch_of_codes(split, schema[split.feature])
    for branch, child in enumerate(tree.children(node).tolist()):
        part = inside[split.feature] & (branches == branch)
        yield child, split.feature, part, branch == split.default_branch


def branch_of_codes(split: IntervalSplit | CategorySplit, spec: ColumnSpec) -> IntArray:
    """Return the branch of each code of a column, including that of missing cells."""
    if isinstance(split, IntervalSplit):
        assert isinstance(spec, OrderedColumn)
        branches = np.searchsorted(split.thresholds, spec.high, side="left")
    else:
        assert isinstance(spec, NominalColumn)
        branches = split.branch_of_codes(spec.n_values)
    return np.append(branches, split.branch_of_missing) if spec.has_missing else branches


def _ends(spec: ColumnSpec, inside: Sequence[AnyArray], by_default: AnyArray) -> IntArray:
    """Return the number of unseen outcomes of a column that lead to each node."""
    if not spec.n_values:
        return np.zeros(len(inside), dtype=np.int64)
    found = by_default * int(not spec.has_missing)
    if not has_tails(spec):
        return np.asarray(found + by_default)
    last = spec.n_values - 1
    return np.asarray(found + [int(part[0]) + int(part[last]) for part in inside])


def _log_sum(lengths: FloatArray) -> float:
    """Return the logarithm of a sum that may overflow; -inf if it is empty."""
    if not len(lengths):
        return -np.inf
    most = lengths.max()
    return float(np.log(most) + np.log((lengths / most).sum()))
