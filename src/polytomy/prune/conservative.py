"""Conservative pruning: keep a subtree only if its advantage is unlikely to be due to chance.

The penalty of a subtree depends on the number of splits that its nodes could have had.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from math import comb, inf, log, sqrt
from typing import ClassVar

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import UNSEEN, FloatArray, IntArray
from polytomy.encode import Schema
from polytomy.tree import Branching, CategorySplit, CustomSplit, IntervalSplit, NodeSplit, Tree

from .bottom_up import topmost
from .pruner import Evidence, Pruner, check_number, needed
from .units import case_weight, training_units


@dataclass(frozen=True, slots=True)
class Conservative(Pruner):
    """Prune by penalised training errors, from the bottom up (structural risk minimisation).

    A node v with weight m_v keeps its current subtree T_v only if

        errors(T_v)/m_v + scale * alpha <= errors(leaf)/m_v,
        alpha = sqrt((L_v + ln(1/delta)) / m_v)

    where L_v = ln n + the sum of ln(n * options) over the splits on the path to v and inside T_v,
    n is the number of columns, and options is the number of splits of that arity on the column.
    For Boolean columns this is (depth + leaves) ln n. With probability of the order of 1 - delta,
    no kept subtree is truly worse than its leaf; the price is that much may be pruned. The lecture
    gives this penalty as an example. Its constant is slightly too small for a theorem: the
    difference of two errors lies between -1 and 1, so Hoeffding's inequality needs
    ``scale=2**0.5``.

    Parameters
    ----------
    delta : float, default=0.05
        The probability that the method may err, between 0 and 1.
    scale : float, default=1.0
        A factor on the penalty. 1 is the lecture's; a smaller one prunes less, 0 prunes nothing.
    """

    name: ClassVar[str] = "conservative"
    delta: float = 0.05
    scale: float = 1.0

    def __post_init__(self) -> None:
        check_number("delta", self.delta, lambda x: 0 < x < 1, "between 0 and 1")
        check_number("scale", self.scale, lambda x: 0 <= x < float("inf"), "of at least 0")

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves: those whose subtrees do not earn their penalty.

        Parameters
        ----------
        tree : Tree
            The tree.
        evidence : Evidence
            The schema of the tree.

        Returns
        -------
        ndarray of int
            Node numbers in ascending order, none of them below another.
        """
        schema = needed(evidence.schema, self.name, "the schema")
        return conservative(tree, schema, self.delta, self.scale)


def conservative(tree: Tree, schema: Schema, delta: float = 0.05, scale: float = 1.0) -> IntArray:
    """Return the nodes that become leaves; see ``Conservative`` for the formula.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        The columns of the tree.
    delta : float, default=0.05
        The probability that the method may err.
    scale : float, default=1.0
        A factor on the penalty.

    Returns
    -------
    ndarray of int
        Node numbers in ascending order, none of them below another.
    """
    case_weight(tree, "conservative pruning")
    units = training_units(tree)
    errors, weight = units.errors.tolist(), tree.counts.sum(axis=1).tolist()
    parent, log_n = tree.parent.tolist(), log(len(schema))
    inner = [not tree.is_leaf(v) for v in range(tree.n_nodes)]
    # the length of a split: the column, and the choice among the column's splits
    split_length = [c + log_n if inner[v] else 0.0 for v, c in enumerate(log_options(tree, schema))]
    above = [0.0] * tree.n_nodes  # summed over the splits on the path
    for v in range(1, tree.n_nodes):
        above[v] = above[parent[v]] + split_length[parent[v]]
    below = [0] * tree.n_nodes  # errors and length of the current subtree
    inside = split_length.copy()
    prunes = [False] * tree.n_nodes
    for v in range(tree.n_nodes - 1, -1, -1):  # children first
        length = log_n + above[v] + inside[v] + log(1 / delta)
        saved = (errors[v] - below[v]) * units.unit
        prunes[v] = inner[v] and saved < scale * sqrt(length * weight[v])
        if v:
            stays = inner[v] and not prunes[v]
            below[parent[v]] += below[v] if stays else errors[v]
            inside[parent[v]] += inside[v] if stays else 0.0
    return topmost(tree, prunes)


def log_options(tree: Tree, schema: Schema) -> FloatArray:
    """Return, for each node, the log of the number of splits of its arity on its column.

    - b bins of an ordered column in k ranges: C(b-1, k-1).
    - c categories in k groups: the Stirling number S(c, k).
    - one branch for each category at the node, in order: 1. A tree does not record which family
      proposed a split; this is what ``values`` proposes.

    If the column has missing cells, they may join any branch or have their own, which makes
    k C(b-1, k-1) + C(b-1, k-2) splits; S(c+1, k), as missing is one more category; and k + 1. The
    number for a user-defined split is its attribute ``n_options``, if it has one; otherwise its
    description counts, 8 bits for each character of its plain data. The log is 0 for leaves.
    """
    out = np.zeros(tree.n_nodes)
    for node in range(tree.n_nodes):
        split = tree.split(node)
        if split is not None:
            out[node] = _log_split_options(split, schema)
            if out[node] == -inf:
                raise TreeError(
                    f"the schema does not match the tree: its columns do not allow the split of "
                    f"node {node}"
                )
    return out


def _log_split_options(split: NodeSplit, schema: Schema) -> float:
    if isinstance(split, CustomSplit):
        return _log_custom_options(split.branching)
    spec, k = schema[split.feature], split.arity
    if isinstance(split, IntervalSplit):
        return log_ranges(spec.n_values, k, spec.has_missing)
    if _is_values(split):
        return log(k + 1) if spec.has_missing else 0.0
    return log_stirling(spec.n_values + spec.has_missing, k)


def _is_values(split: CategorySplit) -> bool:
    seen = split.code_to_branch[split.code_to_branch != UNSEEN]
    return bool((seen == np.arange(len(seen))).all())


def _log_custom_options(branching: Branching) -> float:
    n_options = getattr(branching, "n_options", None)
    if n_options is not None:
        return log(n_options)
    return 8 * len(json.dumps(branching.to_plain(), default=str)) * log(2)


@lru_cache(maxsize=4096)
def log_ranges(bins: int, k: int, has_missing: bool) -> float:
    """Return the log of the number of ways to cut bins into k ranges and place missing cells.

    >>> from math import exp
    >>> round(exp(log_ranges(5, 3, False))), round(exp(log_ranges(5, 3, True)))
    (6, 22)
    """
    ways = comb(bins - 1, k - 1)
    if has_missing:
        ways = k * ways + comb(bins - 1, k - 2)
    return log(ways) if ways else -inf  # Python's log takes integers of any size


@lru_cache(maxsize=4096)
def log_stirling(n: int, k: int) -> float:
    """Return the log of the Stirling number S(n, k): partitions of n items into k groups.

    >>> from math import exp
    >>> round(exp(log_stirling(5, 3)))
    25
    """
    if not 1 <= k <= n:
        return -inf
    size = np.log(np.arange(1, k + 1))
    row = np.full(k + 1, -inf)  # of 0, 1, ..., k groups
    row[1] = 0.0
    for _ in range(n - 1):  # S(n, k) = k S(n-1, k) + S(n-1, k-1), in logs to avoid overflow
        row[1:] = np.logaddexp(size + row[1:], row[:-1])
    return float(row[k])
