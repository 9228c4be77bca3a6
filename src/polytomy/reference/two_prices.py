"""The default of ``polytomy.TreeClassifier``: two runs at prices, each pruned to the least cost.

    cost of a tree = loss + leaf price * leaves + question price * questions

The loss of a leaf is half its errors and a quarter of F. A question is asked of every row that
passes a split, however many branches it has. A leaf costs as much as one case, or less if there
are fewer than 100.

1. Grow 2 s + 16 leaves with the procedure ``priced``, without a branch price.
2. Grow as many again with a branch price: twice the smallest gain per leaf of the first s leaves.
3. Of all prunings of both trees with at most s leaves, keep the one with the least cost.

A pruning may do more than turn nodes into leaves. A node and those of its children that split on
the same column are one **wide split**, one question. Its branches are ordered, ranges by their
values and categories by the share of the node's largest class, and neighbours may be merged into
one leaf. Missing cells with a branch of their own may join any one range.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .grower import Run
from .index import first_largest
from .tree import Node


@dataclass(frozen=True)
class Pruning:
    """A pruning of a run's tree.

    Attributes
    ----------
    cost : float
        Its cost, in units of weight.
    leaves : tuple of tuples of int
        The rows of each leaf.
    """

    cost: float = 0.0
    leaves: tuple[tuple[int, ...], ...] = ()

    def __add__(self, other: "Pruning") -> "Pruning":
        return Pruning(self.cost + other.cost, self.leaves + other.leaves)


Prunings = dict[int, Pruning]  # the cheapest by number of leaves


def two_prices(
    columns: Mapping[str, Any],
    labels: Any,
    weights: Any = None,
    *,
    unit: float = 1.0,
    max_leaves: int = 32,
    question_price: float | None = None,
    branch_price: float = 2.0,
    **rules: Any,
) -> Pruning:
    """Return the cheapest pruning of two runs.

    Parameters
    ----------
    columns : mapping of str to sequence
        The cells of each column, as for ``Run``.
    labels : sequence
        The class of each row.
    weights : sequence of numbers, default=None
        The weight of each row; None is 1 each.
    unit : float, default=1.0
        The cases that a weight of 1 stands for, as for ``Run``.
    max_leaves : int, default=32
        The budget s.
    question_price : float or None, default=None
        What a question for every row must save, as a share of half the impurity that the first s
        leaves of the first run remove; None is 0.03 + 0.9 / s, with at least 8 for s.
    branch_price : float, default=2.0
        The branch price of the second run, in multiples of the smallest gain per leaf; 0 if the
        first run ends with fewer than s leaves.
    **rules
        Other fields of ``Rules``.

    Returns
    -------
    Pruning
        The pruning, the first run's on a tie.

    Examples
    --------
    >>> x = [v for v in range(6) for _ in range(5)]
    >>> kept = two_prices({"x": x}, [v // 2 % 2 for v in x], max_leaves=8)
    >>> [len(rows) for rows in kept.leaves], round(kept.cost, 2)  # three leaves, one question
    ([10, 10, 10], 2.8)
    """
    if question_price is None:
        question_price = 0.03 + 0.9 / max(max_leaves, 8)
    first = {**rules, "unit": unit, "procedure": "priced", "max_leaves": 2 * max_leaves + 16}
    narrow = Run(columns, labels, weights, **first)
    narrow.grow()
    within = [s for s in narrow.steps if s.leaves_before + s.split.arity - 1 <= max_leaves]
    grown = narrow.steps[-1] if narrow.steps else None
    is_spent = grown is not None and grown.leaves_before + grown.split.arity - 1 >= max_leaves
    least = min((s.split.gain / (s.split.arity - 1) for s in within if is_spent), default=0.0)
    wide = Run(columns, labels, weights, **first, branch_price=branch_price * least / narrow.weight)
    wide.grow()
    removed = sum(s.split.gain for s in within)
    question = question_price * removed / (2 * narrow.weight)
    cases = narrow.weight * narrow.cases_per_weight
    leaf = min(1.0, cases / 100) / narrow.cases_per_weight
    found = []
    for run in (narrow, wide):
        sizes = prunings(run, run.tree, question).items()
        found += [Pruning(p.cost + leaf * k, p.leaves) for k, p in sizes if k <= max_leaves]
    return min(found, key=lambda pruning: pruning.cost)


def prunings(run: Run, node: Node, question: float) -> Prunings:
    """Return the cheapest pruning below a node for each number of leaves, which cost nothing here.

    With best(0) = nothing, the first j branches of a wide split have the prunings

        best(j) = the cheapest of best(i) + (branches i + 1 to j as one leaf, or branch j's own).
    """
    found = {1: _leaf(run, [node])}
    if node.split is None:
        return found
    branches, missing = _wide_split(node, node)
    best: list[list[Prunings]] = [[{0: Pruning()}, {}]]  # without and with the missing cells
    for j in range(1, len(branches) + 1):
        best.append([{}, {}])
        for i in range(j):
            group = branches[i:j]
            own = {1: _leaf(run, group)} if i < j - 1 else prunings(run, group[0], question)
            for placed in (0, 1):
                _keep_cheapest(best[j][placed], best[i][placed], own)
            if missing:
                _keep_cheapest(best[j][1], best[i][0], {1: _leaf(run, [*group, *missing])})
    without, whole = best[-1]
    _keep_cheapest(
        whole, without, prunings(run, missing[0], question) if missing else {0: Pruning()}
    )
    asked = Pruning(question * float(node.counts.sum()))
    _keep_cheapest(found, {k: p for k, p in whole.items() if k > 1}, {0: asked})
    return found


def _keep_cheapest(found: Prunings, some: Prunings, others: Prunings) -> None:
    """Add every sum of two prunings that is cheaper than one of the same size."""
    for a, one in some.items():
        for b, other in others.items():
            if a + b not in found or one.cost + other.cost < found[a + b].cost:
                found[a + b] = one + other


def _leaf(run: Run, nodes: Sequence[Node]) -> Pruning:
    """Return some nodes as one leaf."""
    counts = np.sum([node.counts for node in nodes], axis=0)
    loss = float(counts.sum() - counts.max()) / 2 + float(run.rules.function(counts)) / 4
    return Pruning(loss, (tuple(row for node in nodes for row in node.rows),))


def _wide_split(node: Node, head: Node) -> tuple[list[Node], list[Node]]:
    """Return the nodes after a wide split in their order, and that of missing cells alone."""
    assert node.split is not None
    assert head.split is not None
    children, missing = list(node.children), []
    if node.split.family == "intervals":
        if len(node.split.thresholds) + 2 == node.split.arity:
            missing = [children.pop()]
    else:
        top = first_largest(head.counts)
        children.sort(key=lambda child: child.counts[top] / child.counts.sum())
    found: list[Node] = []
    for child in children:
        if child.split is not None and child.split.column == head.split.column:
            inner, own = _wide_split(child, head)
            found += inner
            missing += own
        else:
            found.append(child)
    return found, missing
