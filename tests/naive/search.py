"""Searches written from their definition: every tree on columns of two values, and one level."""

from dataclasses import replace
from itertools import product

import numpy as np

from polytomy.reference import Run
from polytomy.reference.two_prices import prunings


def cheapest_binary_tree(columns, labels, weights, prices, max_leaves, *, first=(), after=None):
    """Return the least cost of any tree on columns of two values.

    ``columns`` are rows of cells, ``prices`` those of a leaf and a question. Columns of ``first``
    that have not been asked on a path are the only ones where one of them gains; a column of
    ``after`` must be below a question about one of those that it is mapped to.
    """
    columns, labels, weights = np.asarray(columns), np.asarray(labels), np.asarray(weights)
    leaf_price, question_price = prices

    def gini_of(rows):
        counts = np.bincount(labels[rows], weights[rows])
        return counts.sum() - (counts**2).sum() / max(counts.sum(), 1)

    def may_ask(rows, asked):
        free = [
            j
            for j, cells in enumerate(columns)
            if not (after or {}).get(j) or asked & set(after[j])
        ]
        gains = [
            j
            for j in free
            if j in first
            and j not in asked
            and sum(gini_of(rows[columns[j][rows] == v]) for v in (0, 1)) < gini_of(rows) - 1e-9
        ]
        return gains or free

    def best(rows, budget, asked=frozenset()):
        counts = np.bincount(labels[rows], weights[rows])
        total = counts.sum()
        gini = total * (1 - ((counts / total) ** 2).sum()) * 2
        costs = [(total - counts.max()) / 2 + gini / 4 + leaf_price]
        for j in may_ask(rows, asked):
            cells, below = columns[j], asked | {j}
            left, right = rows[cells[rows] == 0], rows[cells[rows] == 1]
            if len(left) and len(right):
                costs += [
                    question_price * total + best(left, k, below) + best(right, budget - k, below)
                    for k in range(1, budget)
                ]
        return min(costs)

    return best(np.arange(len(labels)), max_leaves)


def search_of_one_level(sample, prices, budget, branch_prices, **rules):
    """Return the costs of the trees whose root has a given split, completed greedily.

    The splits are, for each column, its best binary one and the one that a run on this column
    alone would begin with. Each tree has two costs, with a charge and without: by how much half the
    charge for its first split exceeds half of that for the one a run begins with.
    ``sample`` has columns, labels, weights and the cases of a weight of 1.
    """
    columns, labels, weights, unit = sample
    leaf_price, question_price = prices
    rules = {**rules, "procedure": "priced", "unit": unit}
    whole = Run(columns, labels, weights, **rules, branch_price=branch_prices[-1])
    begun = whole.candidate(whole.tree)
    first = []
    for number, (name, cells) in enumerate(columns.items()):
        alone = Run({name: cells}, labels, weights, **rules, branch_price=branch_prices[-1])
        chosen = alone.candidate(alone.tree)
        found = [alone.menu(alone.tree).get(2), None if chosen is None else chosen.split]
        first += [replace(split, column=number) for split in found if split is not None]
    costs = []
    for split, branch_price in product(first, branch_prices):
        run = Run(columns, labels, weights, **rules, branch_price=branch_price)
        run._replace(run.tree, split)
        run.grow()
        charge = max(0.0, split.charge - begun.split.charge) / 2
        for k, pruned in prunings(run, run.tree, question_price).items():
            if k <= budget:
                cost = pruned.cost + leaf_price * k
                costs.append((cost + charge * (k > 1), cost))
    return costs
