"""A tree's leaves, each with the rows' passes on its path, added up to SHAP values."""

from dataclasses import dataclass

import numpy as np

from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.tree import Tree

from .routes import Cells, branches
from .weights import leaf_weights

_BITS = 62  # columns whose passes fit in one whole number


@dataclass(frozen=True, slots=True)
class _Way:
    """The way to a node: by column asked about, in order, the rows that pass and their share."""

    node: int
    passes: dict[int, AnyArray]
    shares: dict[int, float]


def add_tree(
    tree: Tree,
    values: FloatArray,
    cover: FloatArray,
    columns: list[tuple[Cells, AnyArray | None]],
    out: FloatArray,
) -> None:
    """Add a tree's SHAP values to ``out``, of shape (columns, outputs, rows).

    Parameters
    ----------
    tree : Tree
        The tree.
    values : array of shape (nodes, outputs)
        What a row gets by ending in a node.
    cover : array of shape (nodes,)
        The training weight of each node.
    columns : list
        The rows, as ``cells_of`` returns them.
    out : array
        What is added to.
    """
    waiting = [_Way(0, {}, {})]
    while waiting:
        way = waiting.pop()
        if tree.is_leaf(way.node):
            _add_leaf(way, values[way.node], out)
            continue
        taken = branches(tree, way.node, columns)
        feature = int(tree.feature[way.node])
        before = way.passes.get(feature)
        for branch, child in enumerate(tree.children(way.node).tolist()):
            passes = taken == branch
            if before is not None:
                passes &= before
            share = way.shares.get(feature, 1.0) * float(cover[child] / cover[way.node])
            waiting.append(
                _Way(child, {**way.passes, feature: passes}, {**way.shares, feature: share})
            )


def _add_leaf(way: _Way, value: FloatArray, out: FloatArray) -> None:
    if not way.passes:
        return
    shares = np.array(list(way.shares.values()))
    patterns, row_pattern = _patterns(list(way.passes.values()))
    weights = leaf_weights(patterns, shares)  # (patterns, columns on the path)
    for at, feature in enumerate(way.passes):
        for output in np.flatnonzero(value).tolist():
            out[feature, output] += (weights[:, at] * value[output])[row_pattern]


def _patterns(passes: list[AnyArray]) -> tuple[AnyArray, IntArray | slice]:
    """Return the different patterns of passes among the rows, and which of them each row has.

    Few are different, and the weights depend on nothing else.
    """
    m, n = len(passes), len(passes[0])
    if m > _BITS:
        return np.stack(passes, axis=1), slice(None)
    code = np.zeros(n, dtype=np.int64)
    for bit, passing in enumerate(passes):
        code |= passing.astype(np.int64) << bit
    if m < 12 and 1 << m <= n:  # all there could be are fewer than the rows
        every, which = np.arange(1 << m), code
    else:
        every, which = np.unique(code, return_inverse=True)
    return (every[:, np.newaxis] >> np.arange(m)) & 1 == 1, which
