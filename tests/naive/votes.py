"""The votes of an ensemble, one member after the other, and the sum of its score functions."""

import numpy as np

from polytomy.predict import apply


def naive_stages(ensemble, table):
    """Return the votes after 0, 1, 2, ... members."""
    stages = [np.tile(ensemble.start, (table.n_rows, 1))]
    for member in ensemble.members:
        leaves = apply(member.tree, ensemble.schema, table)
        stages.append(stages[-1] + member.scores[leaves])
    return stages


def naive_scores(additive, schema, table):
    """Return the start plus the sum of the score functions, for one row and function at a time."""
    total = np.tile(additive.start, (table.n_rows, 1))
    for function in additive.functions:
        cells = table.columns[function.feature].values.tolist()
        for i, cell in enumerate(cells):
            total[i] += _score(function, schema[function.feature], cell, table)
    return total


def _score(function, column, cell, table):
    if function.thresholds is None:
        if cell is None:
            return function.missing
        known = cell in column.categories
        return function.scores[column.categories.index(cell)] if known else function.unseen
    scale = column.scale
    if hasattr(scale, "labels"):
        if cell == -1:
            return function.missing
        label = table.columns[function.feature].scale.labels[cell]
        if label not in scale.labels:
            return function.unseen
        cell = scale.labels.index(label)
    if np.isnan(cell) or (hasattr(scale, "dtype") and cell == np.iinfo(np.int64).min):
        return function.missing
    return function.scores[sum(cell > t for t in function.thresholds.tolist())]
