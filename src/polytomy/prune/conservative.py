"""Conservative pruning: keep a subtree only where its advantage can hardly be chance."""

from dataclasses import dataclass
from math import log, sqrt
from typing import ClassVar

from polytomy._types import IntArray
from polytomy.encode import Schema
from polytomy.tree import Tree

from .bottom_up import topmost
from .counts import case_weight, units_of
from .options import log_options
from .pruner import Evidence, Pruner, check_number, needed


@dataclass(frozen=True, slots=True)
class Conservative(Pruner):
    """Prune by a penalty on training errors, from the bottom up (structural risk minimisation).

    A node v with weight m_v keeps its current subtree T_v only if

        errors(T_v)/m_v + scale * alpha <= errors(leaf)/m_v,
        alpha = sqrt((L_v + ln(1/delta)) / m_v)

    where L_v = ln n + the sum of ln(n * options) over the questions on the path to v and inside
    T_v, n is the number of columns, and options how many questions of that arity the column has.
    For Boolean columns that is (depth + leaves) ln n. The idea: with
    probability of the order of 1 - delta no kept subtree is truly worse than its leaf, at the
    price that much may be pruned. The lecture gives the penalty as an example and its constant is
    not quite enough for that as a theorem: the difference of two errors lies between -1 and 1, so
    Hoeffding's inequality asks for ``scale=2**0.5``.

    Parameters
    ----------
    delta : float
        The chance of an error of the method, in (0, 1).
    scale : float
        A factor on the penalty: 1 is the lecture's, less prunes less, 0 prunes nothing.
    """

    name: ClassVar[str] = "conservative"
    delta: float = 0.05
    scale: float = 1.0

    def __post_init__(self) -> None:
        check_number("delta", self.delta, lambda x: 0 < x < 1, "between 0 and 1")
        check_number("scale", self.scale, lambda x: 0 <= x < float("inf"), "of at least 0")

    def cut(self, tree: Tree, evidence: Evidence) -> IntArray:
        """Return the nodes that become leaves."""
        schema = needed(evidence.schema, self.name, "the schema")
        return conservative(tree, schema, self.delta, self.scale)


def conservative(tree: Tree, schema: Schema, delta: float = 0.05, scale: float = 1.0) -> IntArray:
    """Return the nodes that become leaves; the formula is in ``Conservative``."""
    case_weight(tree, "conservative pruning")
    units = units_of(tree)
    errors, weight = units.errors.tolist(), tree.counts.sum(axis=1).tolist()
    parent, log_n = tree.parent.tolist(), log(len(schema))
    inner = [not tree.is_leaf(v) for v in range(tree.n_nodes)]
    # a question costs what naming it takes: its column, and which of the column's
    price = [c + log_n if inner[v] else 0.0 for v, c in enumerate(log_options(tree, schema))]
    above = [0.0] * tree.n_nodes  # the price of the questions on the path
    for v in range(1, tree.n_nodes):
        above[v] = above[parent[v]] + price[parent[v]]
    below = [0] * tree.n_nodes  # errors and price of the current subtree
    inside = price.copy()
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
