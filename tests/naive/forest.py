"""A forest by its definition: reference trees on bags, and the mean of their leaves' shares."""

import numpy as np

from polytomy import reference


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
