"""AdaBoost as the lecture prints it, on every stump there is; columns are lists with None."""

from itertools import combinations

import numpy as np


def stumps(column):
    """Every way to put a column's rows on two sides; True is the right one."""
    cells = sorted({v for v in column if v is not None}, key=str if _is_text(column) else None)
    missing = np.array([v is None for v in column])
    if _is_text(column):
        items = [*cells, None] if missing.any() else cells
        for size in range(1, len(items)):
            for right in combinations(items[1:], size):
                yield np.array([v in right for v in column])
        return
    for cut in cells[1:]:
        right = np.array([v is not None and v >= cut for v in column])
        yield right
        if missing.any():
            yield right | missing
    if missing.any() and cells:
        yield missing


def best_stump(table, y, d):
    """The stump of the largest gini gain, with the side each row is on."""

    def gini(rows):
        n, plus = d[rows].sum(), d[rows & (y > 0)].sum()
        return 4 * plus * (n - plus) / n if n else 0.0

    everyone = (side for column in table for side in stumps(column))
    return min(everyone, key=lambda right: gini(right) + gini(~right))


def adaboost(table, y, weights, n_rounds):
    """Yield (eps, alpha, Z, D) of each round; y is -1 or +1."""
    d = weights / weights.sum()
    for _ in range(n_rounds):
        right = best_stump(table, y, d)
        h = np.empty(len(y))
        for side in (right, ~right):
            h[side] = 1.0 if (d * y)[side].sum() > 0 else -1.0
        eps = d[h != y].sum()
        alpha = 0.5 * np.log((1 - eps) / eps)
        unscaled = d * np.exp(-alpha * y * h)
        z = unscaled.sum()
        yield eps, alpha, z, d
        d = unscaled / z


def _is_text(column):
    return any(isinstance(v, str) for v in column)
