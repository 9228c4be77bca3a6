"""The SHAP values of one tree: the sum of those of its leaves."""

from dataclasses import dataclass

import numpy as np

from polytomy._cancellation import check
from polytomy._errors import FamilyError
from polytomy._types import MISSING, UNKNOWN, AnyArray, BranchArray, FloatArray, IntArray
from polytomy.table import Ordered, Ranks, Times
from polytomy.tree import CategorySplit, IntervalSplit, Tree

from .weights import leaf_weights

_BITS = 62  # columns whose passes fit in one integer

Cells = FloatArray | BranchArray
Columns = list[tuple[Cells, BranchArray | None]]  # as ``cells_of`` returns them


def cells_of(column: Ordered | BranchArray) -> tuple[Cells, BranchArray | None]:
    """Return the cells of a column as splits compare them: numbers (NaN if missing) or codes.

    The second array is True for ordered labels that are not in the training table; it is None if
    there are none.
    """
    if not isinstance(column, Ordered):
        return column, None
    values = column.values.astype(np.float64)
    if isinstance(column.scale, Times):
        values[column.values == np.iinfo(np.int64).min] = np.nan
    elif isinstance(column.scale, Ranks) and column.values.dtype == np.int32:
        unknown = column.values == UNKNOWN
        values[column.values < 0] = np.nan
        return values, unknown if unknown.any() else None
    return values, None


def _branches(tree: Tree, node: int, columns: Columns) -> BranchArray | IntArray:
    """Return the branch of a node that each row would take, whether or not it reaches the node."""
    split = tree.split(node)
    if isinstance(split, IntervalSplit):
        values, unknown = columns[split.feature]
        missing = split.branch_of_missing
        taken = np.searchsorted(split.thresholds, values, side="left")
        taken = np.where(np.isnan(values), missing, taken)
        return taken if unknown is None else np.where(unknown, split.default_branch, taken)
    if isinstance(split, CategorySplit):
        codes, _ = columns[split.feature]
        return _branch_table(split)[np.minimum(codes, len(split.code_to_branch))]
    assert split is not None
    raise FamilyError(
        f"node {node} has the user-defined split {split.branching.kind!r}, which is on no "
        "single column; fit with the built-in families for SHAP values"
    )


def _branch_table(split: CategorySplit) -> BranchArray:
    """Return the branch of each code; the last entries are for other codes, UNKNOWN and MISSING."""
    ends = np.empty(3, dtype=np.int32)
    ends[0] = split.default_branch  # a code beyond those of the node
    ends[MISSING] = split.branch_of_missing
    ends[UNKNOWN] = split.default_branch
    return np.concatenate((split.branch_of_codes(len(split.code_to_branch)), ends))


@dataclass(frozen=True, slots=True)
class _Path:
    """The path to a node: for each column on it, the rows that pass its splits and their share."""

    node: int
    passes: dict[int, AnyArray]
    shares: dict[int, float]


def add_tree(
    tree: Tree,
    values: FloatArray,
    cover: FloatArray,
    columns: Columns,
    out: FloatArray,
) -> None:
    """Add a tree's SHAP values to ``out``, of shape (columns, outputs, rows).

    Parameters
    ----------
    tree : Tree
        The tree.
    values : array of shape (nodes, outputs)
        The outputs of a row that ends in a node.
    cover : array of shape (nodes,)
        The training weight of each node.
    columns : list
        The rows, as ``cells_of`` returns them.
    out : array
        The array to add to.
    """
    waiting = [_Path(0, {}, {})]
    while waiting:
        check()
        path = waiting.pop()
        if tree.is_leaf(path.node):
            _add_leaf(path, values[path.node], out)
            continue
        taken = _branches(tree, path.node, columns)
        feature = int(tree.feature[path.node])
        before = path.passes.get(feature)
        for branch, child in enumerate(tree.children(path.node).tolist()):
            passes = taken == branch
            if before is not None:
                passes &= before
            share = path.shares.get(feature, 1.0) * float(cover[child] / cover[path.node])
            waiting.append(
                _Path(child, {**path.passes, feature: passes}, {**path.shares, feature: share})
            )


def _add_leaf(path: _Path, value: FloatArray, out: FloatArray) -> None:
    if not path.passes:
        return
    shares = np.array(list(path.shares.values()))
    patterns, row_pattern = _patterns(list(path.passes.values()))
    weights = leaf_weights(patterns, shares)  # (patterns, columns on the path)
    for at, feature in enumerate(path.passes):
        for output in np.flatnonzero(value).tolist():
            out[feature, output] += (weights[:, at] * value[output])[row_pattern]


def _patterns(passes: list[AnyArray]) -> tuple[AnyArray, IntArray | slice]:
    """Return the distinct patterns of passes, and the pattern of each row.

    The weights depend only on the pattern, and few patterns are distinct.
    """
    m, n = len(passes), len(passes[0])
    if m > _BITS:
        return np.stack(passes, axis=1), slice(None)
    code = np.zeros(n, dtype=np.int64)
    for bit, passing in enumerate(passes):
        code |= passing.astype(np.int64) << bit
    if m < 12 and 1 << m <= n:  # no more possible patterns than rows
        every, which = np.arange(1 << m), code
    else:
        every, which = np.unique(code, return_inverse=True)
    return (every[:, np.newaxis] >> np.arange(m)) & 1 == 1, which
