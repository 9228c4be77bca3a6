"""The options that each node of a tree had: how many splits of its arity its column offers."""

import json
from collections.abc import Iterator
from math import inf, log
from typing import NamedTuple

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import UNSEEN, FloatArray
from polytomy.encode import OrderedColumn, Schema
from polytomy.theory import log_n_splits
from polytomy.tree import Branching, CategorySplit, CustomSplit, IntervalSplit, Tree


class SplitOptions(NamedTuple):
    """The number of splits that each node could have had instead of its own.

    Attributes
    ----------
    log_count : ndarray of float
        The log of the number of splits of the node's arity on its column; 0 for leaves.
    n_values : ndarray of float
        The number of values of the column that these splits divide, missing cells being one more;
        infinite for user-defined splits, 1 for leaves.
    """

    log_count: FloatArray
    n_values: FloatArray


class _Values(NamedTuple):
    """What a split divides: bins or categories, and whether there are missing cells."""

    n: int
    has_missing: bool


def split_options(tree: Tree, schema: Schema, *, at_node: bool = False) -> SplitOptions:
    """Return the number of splits that each node could have had; see ``log_n_splits``.

    A tree does not record which family proposed a split. One branch for each category at the node,
    in order, counts as a split of the family ``values``. The number for a user-defined split is its
    attribute ``n_options``, if it has one; otherwise its description counts, 8 bits for each
    character of its plain data.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Its columns.
    at_node : bool, default=False
        Count the splits that divide the rows of the node, rather than all of the column: its
        categories at the node; the bins between the thresholds on the path to the node, and no more
        than the node has rows; missing cells if the node has any.

    Returns
    -------
    SplitOptions
        The number of options of each node, and of the values that they divide.
    """
    log_count, n_values = np.zeros(tree.n_nodes), np.ones(tree.n_nodes)
    spans = dict(_bins_on_path(tree, schema)) if at_node else {}
    for node in range(tree.n_nodes):
        split = tree.split(node)
        if split is None:
            continue
        if isinstance(split, CustomSplit):
            log_count[node], n_values[node] = _log_custom_options(split.branching), inf
            continue
        values = _Values(schema[split.feature].n_values, schema[split.feature].has_missing)
        if at_node:
            values = _values_at_node(split, int(tree.rows[node]), spans.get(node, values.n))
        log_count[node] = log_n_splits(_family(split), values.n, split.arity, values.has_missing)
        n_values[node] = values.n + values.has_missing
        if log_count[node] == -inf:
            raise _mismatch(node)
    return SplitOptions(log_count, n_values)


def _mismatch(node: int) -> TreeError:
    return TreeError(
        f"the schema does not match the tree: its columns do not allow the split of node {node}"
    )


def _values_at_node(split: IntervalSplit | CategorySplit, rows: int, bins: int) -> _Values:
    has_missing = split.missing_branch != UNSEEN
    if isinstance(split, CategorySplit):
        return _Values(int(np.count_nonzero(split.code_to_branch != UNSEEN)), has_missing)
    ranges = len(split.thresholds) + 1  # a tree from a file may have thresholds inside bins
    return _Values(max(min(bins, rows - has_missing), ranges), has_missing)


def _bins_on_path(tree: Tree, schema: Schema) -> Iterator[tuple[int, int]]:
    """Yield each node with an interval split, and how many bins of its column can occur there.

    The nodes are visited depth first, with the range of every column at the current node. After the
    last child of a node, the range of its column is restored.
    """
    ranges = dict.fromkeys(schema.of_kind("ordered"), (-inf, inf))
    waiting: list[tuple[int | None, int, tuple[float, float]]] = [(0, UNSEEN, (-inf, inf))]
    while waiting:
        node, column, here = waiting.pop()
        ranges[column] = here
        if node is None:
            continue
        split, children = tree.split(node), tree.children(node).tolist()
        if not isinstance(split, IntervalSplit):
            waiting.extend((child, UNSEEN, here) for child in children)
            continue
        spec = schema[split.feature]
        if not isinstance(spec, OrderedColumn):
            raise _mismatch(node)
        low, high = ranges[split.feature]
        yield node, int(spec.high.searchsorted(high, "right") - spec.low.searchsorted(low, "right"))
        waiting.append((None, split.feature, (low, high)))
        for branch, child in enumerate(children):
            part = split.range_of(branch) or (low, high)  # missing cells only: they have no range
            waiting.append((child, split.feature, (max(low, part[0]), min(high, part[1]))))


def _family(split: IntervalSplit | CategorySplit) -> str:
    if isinstance(split, IntervalSplit):
        return "intervals"
    seen = split.code_to_branch[split.code_to_branch != UNSEEN]
    return "values" if (seen == np.arange(len(seen))).all() else "groups"


def _log_custom_options(branching: Branching) -> float:
    n_options = getattr(branching, "n_options", None)
    if n_options is not None:
        return log(n_options)
    return 8 * len(json.dumps(branching.to_plain(), default=str)) * log(2)
