"""Every pruning of a small tree with merged branches, and the least cost of each size."""

from math import inf

import numpy as np


def least_costs(tree, index, question_price, contract=True, columns=()):
    """Return {number of leaves: least cost}; the cost counts losses and questions, not leaves.

    The first question about a column on a path costs ``columns[j]`` more.
    """

    def price(node):
        column, above = int(tree.feature[node]), int(tree.parent[node])
        while above >= 0:
            if int(tree.feature[above]) == column:
                return question_price
            above = int(tree.parent[above])
        return question_price + (columns[column] if len(columns) and column >= 0 else 0.0)

    return _of_node(tree, 0, index, price, contract)


def loss(counts, index):
    """Return half the errors plus a quarter of F."""
    return 0.5 * (counts.sum() - counts.max()) + 0.25 * float(index.value(counts[None])[0])


def _of_node(tree, node, index, price, contract):
    costs = {1: loss(tree.counts[node], index)}
    if tree.is_leaf(node):
        return costs
    top = int(tree.counts[node].argmax())
    branches, missing = _branches(tree, node, node, top, contract)
    may_merge = tree.kind[node] != 3
    for runs in _runs(len(branches), may_merge):
        for place in [None, *range(len(runs))] if missing is not None and may_merge else [None]:
            parts = []
            for r, run in enumerate(runs):
                nodes = [branches[i] for i in run]
                if place == r:
                    nodes = [*nodes, missing]
                if len(nodes) == 1:
                    parts.append(_of_node(tree, nodes[0], index, price, contract))
                else:
                    parts.append({1: loss(tree.counts[nodes].sum(axis=0), index)})
            if missing is not None and place is None:
                parts.append(_of_node(tree, missing, index, price, contract))
            for size, cost in _sums(parts).items():
                total = cost + price(node) * float(tree.counts[node].sum())
                if size > 1:
                    costs[size] = min(costs.get(size, inf), total)
    return costs


def _branches(tree, node, head, top, contract):
    """Return the nodes after a wide split, in the order of merging, and the missing rows' own."""
    children, missing, found = tree.children(node).tolist(), None, []
    if tree.kind[node] == 1:
        n_ranges = int(np.diff(tree.threshold_start)[node]) + 1
        if len(children) > n_ranges:
            missing = children.pop()
    elif tree.kind[node] == 2:
        children.sort(key=lambda c: tree.counts[c][top] / tree.counts[c].sum())
    for child in children:
        same = tree.kind[child] == tree.kind[head] and tree.feature[child] == tree.feature[head]
        if contract and tree.kind[head] in (1, 2) and same:
            inner, own = _branches(tree, child, head, top, contract)
            found += inner
            missing = own if own is not None else missing
        else:
            found.append(child)
    return found, missing


def _runs(n, may_merge):
    """Return every division of 0..n-1 into consecutive runs."""
    if not may_merge:
        return [[[i] for i in range(n)]]
    if n == 0:
        return [[]]
    return [[*rest, list(range(i, n))] for i in range(n) for rest in _runs(i, may_merge)]


def _sums(parts):
    total = {0: 0.0}
    for part in parts:
        joined = {}
        for a, x in total.items():
            for b, y in part.items():
                joined[a + b] = min(joined.get(a + b, inf), x + y)
        total = joined
    return total
