"""A forest by its definition: trees on bags, and the mean of their leaves' shares or means."""

from dataclasses import replace

import numpy as np

from polytomy import reference
from polytomy.encode import NumericTarget, encode
from polytomy.grow import grow
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
