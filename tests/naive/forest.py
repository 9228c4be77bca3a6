"""A forest by its definition: trees on bags, and the mean of their leaves' shares or means."""

from dataclasses import replace

import numpy as np

from polytomy import reference
from polytomy.encode import NumericTarget, Target, encode
from polytomy.forest import row_keys
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply


def naive_forest(case, bags, rules):
    """Return the class shares of each row, as means over trees grown on bags."""
    total = np.zeros((len(case.labels), case.n_classes))
    for bag in bags:
        units = bag.target.units
        rows = range(len(case.labels)) if bag.rows is None else bag.rows.tolist()
        weights = [1 if units is None else int(units[i]) for i in rows]
        run = reference.Run(
            {name: [cells[i] for i in rows] for name, cells in case.columns.items()},
            [case.labels[i] for i in rows],
            weights,
            seed=bag.seed,
            **rules,
        )
        run.grow()
        for i in range(len(case.labels)):
            cells = dict(zip(case.columns, case.row(i), strict=True))
            counts = run.tree.leaf(cells).counts
            total[i, run.classes] += counts / counts.sum()
    return total / len(bags)


def naive_number_forest(table, y, bags, params):
    """Return the number that each row is predicted, as the mean over trees grown on bags.

    A bag is written out: a row that was drawn twice is there twice, and the others are not there.
    """
    total = np.zeros(len(y))
    for bag in bags:
        weights = bag.target.weights
        times = np.ones(len(y)) if weights is None else weights
        rows = np.repeat(np.arange(len(y)), times.astype(int))
        part, numbers = table.take(rows), y[rows]
        coded = encode(part)
        target = NumericTarget.of_numbers(numbers, None, params.index)
        tree = grow(coded, target, replace(params, seed=bag.seed), part).tree
        own, asked = (apply(tree, coded.schema, t) for t in (part, table))
        total += [numbers[own == leaf].mean() for leaf in asked.tolist()]
    return total / len(bags)


def naive_quick_forecasts(sample, weights, index, max_leaves):
    """Return the forecasts of a quick forest, and its error and that of single trees.

    Integer weights are written out as so many cases, which are numbered by their cells and class.
    Each tree gets half of the cases and votes on the others; equal cases share their votes.
    """
    labels, n_classes = sample.target.labels, sample.target.n_classes
    is_counted = weights is None or np.array_equal(weights, np.round(weights))
    times = np.ones(len(labels), int)
    if is_counted and weights is not None:
        times = np.asarray(weights, int)
    weight = np.ones(len(labels)) if is_counted else np.asarray(weights)
    keys = row_keys(sample.coded, sample.target)
    order = np.lexsort((np.ones(len(labels)) if weights is None else weights, keys))
    cases = np.repeat(order, times[order])
    n_cases, drawn = len(cases), max(1, len(cases) // 2)
    total = float((weight * times).sum())
    least = min(0.5, 6 / max(total, len(labels)))

    def tree_of(number, **rules):
        random = np.random.default_rng([number, 0])
        seed = int(random.integers(0, 2**63))
        chosen = np.sort(random.permutation(n_cases)[:drawn])
        rows = cases[chosen]
        coded, part = sample.coded.take(rows), sample.table.take(rows)
        target = Target.of(labels[rows], n_classes, weight[rows])
        params = GrowParams(procedure="per-leaf", index=index, max_arity=2, seed=seed, **rules)
        tree = grow(coded, target, params, part).tree
        outside = np.delete(cases, chosen)
        leaf = apply(tree, sample.coded.schema, sample.table.take(outside))
        counts = tree.counts[leaf]
        return outside, counts / counts.sum(axis=1, keepdims=True)

    votes = np.zeros((len(labels), n_classes))
    n_columns = max(1, int(len(sample.coded.schema) ** 0.5))
    rules = {"max_leaves": None, "min_weight_fraction_leaf": least, "columns_per_node": n_columns}
    for number in range(40):
        outside, shares = tree_of(number, **rules)
        np.add.at(votes, outside, shares * weight[outside, None])
    pooled = np.array([votes[keys == key].sum(axis=0) for key in keys])
    known = pooled.sum(axis=1) > 0
    forecast = np.full(pooled.shape, np.nan)
    forecast[known] = pooled[known] / pooled[known].sum(axis=1, keepdims=True)
    heavy = (weight * times)[known]
    error = (heavy * (forecast[known].argmax(axis=1) != labels[known])).sum() / heavy.sum()
    wrong = seen = 0.0
    for number in range(8):
        outside, shares = tree_of(number, max_leaves=max_leaves)
        wrong += (weight[outside] * (shares.argmax(axis=1) != labels[outside])).sum()
        seen += weight[outside].sum()
    return forecast, (error, wrong / seen)
