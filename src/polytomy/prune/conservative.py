"""Conservative pruning: keep a subtree only if its advantage is unlikely to be due to chance.

The penalty of a subtree depends on the number of splits that its nodes could have had.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import ClassVar

from polytomy._errors import ParameterError
from polytomy._types import IntArray
from polytomy.encode import Schema
from polytomy.theory import srm_gap
from polytomy.tree import Tree

from .bottom_up import topmost
from .pruner import Evidence, Pruner, check_number, check_size, needed
from .split_options import split_options
from .units import case_weight, training_units

PROVEN_SCALE = 8**0.5
"""The smallest factor on the penalty for which the theorem about the best pruning is proven."""


@dataclass(frozen=True, slots=True)
class Conservative(Pruner):
    """Prune by penalised training errors, from the bottom up (structural risk minimisation).

    A node v with weight m_v keeps its current subtree T_v only if

        errors(T_v)/m_v + scale * alpha <= errors(leaf)/m_v,
        alpha = sqrt((L_v + ln(1/delta)) / m_v)

    where L_v = ln n + the sum of ln(n * options) over the splits on the path to v and inside T_v,
    n is the number of columns, and options is the number of splits of that arity on the column.
    For Boolean columns this is (depth + leaves) ln n; ``size="nodes"`` adds ln n for each inner
    node of T_v, which makes it (depth + nodes) ln n. With probability of the order of 1 - delta, no
    kept subtree is truly worse than its leaf; the price is that much may be pruned. The lecture
    gives this penalty as an example. Its constant is slightly too small for a theorem: the
    difference of two errors lies between -1 and 1, so Hoeffding's inequality needs
    ``scale=2**0.5``, and a union over all subtrees with their labels ``scale=8**0.5``. From there
    on, ``gap_bound`` bounds the distance to the best pruning.

    Parameters
    ----------
    delta : float, default=0.05
        The probability that the method may err, between 0 and 1.
    scale : float, default=1.0
        A factor on the penalty. 1 is the lecture's; a smaller one prunes less, 0 prunes nothing.
    size : {"leaves", "nodes"}, default="leaves"
        Whether the size of T_v, the lecture's ``|T_v|``, is its number of leaves or of nodes. Nodes
        make the penalty larger.
    """

    name: ClassVar[str] = "conservative"
    for_costs: ClassVar[bool] = False
    delta: float = 0.05
    scale: float = 1.0
    size: str = "leaves"

    def __post_init__(self) -> None:
        check_size(self.size)
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
        return conservative(tree, schema, self.delta, self.scale, self.size)

    def gap_bound(self, leaves: int, height: int, m: float, n_splits: int) -> float:
        """Return by how much the error on new rows may exceed that of the best pruning.

        The theorem of the pruning lecture, 8.2.4, with constants; it holds with probability
        1 - delta. See ``polytomy.theory.srm_gap`` for its conditions, and
        docs/how-to/pruning.md for the proof.

        Parameters
        ----------
        leaves : int
            The number of leaves of the best pruning, the one with the least error on new rows.
        height : int
            Its height: the most splits on a path.
        m : float
            The number of training rows.
        n_splits : int
            The number of splits that a node could have, at least 2: for Boolean columns, the
            columns.

        Returns
        -------
        float
            The bound. Raises ``ParameterError`` if ``scale`` is below 8**0.5.

        Examples
        --------
        >>> round(Conservative(scale=8**0.5).gap_bound(4, 2, 100_000, 10), 4)
        0.25
        """
        if self.scale < PROVEN_SCALE:
            raise ParameterError(
                f"the guarantee needs scale of at least 8**0.5 = {PROVEN_SCALE:.4g}, "
                f"got {self.scale!r}"
            )
        larger = (1 + self.scale / PROVEN_SCALE) / 2
        return larger * srm_gap(leaves, height, m, n_splits, self.delta, size=self.size)


def conservative(
    tree: Tree, schema: Schema, delta: float = 0.05, scale: float = 1.0, size: str = "leaves"
) -> IntArray:
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
    size : {"leaves", "nodes"}, default="leaves"
        What the size of a subtree counts.

    Returns
    -------
    ndarray of int
        Node numbers in ascending order, none of them below another.
    """
    case_weight(tree, "conservative pruning")
    check_size(size)
    units = training_units(tree)
    errors, weight = units.errors.tolist(), tree.counts.sum(axis=1).tolist()
    parent, log_n = tree.parent.tolist(), log(len(schema))
    inner = [not tree.is_leaf(v) for v in range(tree.n_nodes)]
    # the length of a split: the column, and the choice among the column's splits
    options = split_options(tree, schema).log_count.tolist()
    split_length = [options[v] + log_n if inner[v] else 0.0 for v in range(tree.n_nodes)]
    above = [0.0] * tree.n_nodes  # summed over the splits on the path
    for v in range(1, tree.n_nodes):
        above[v] = above[parent[v]] + split_length[parent[v]]
    below = [0] * tree.n_nodes  # errors and length of the current subtree
    of_inner = log_n if size == "nodes" else 0.0
    inside = [split_length[v] + of_inner if inner[v] else 0.0 for v in range(tree.n_nodes)]
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
