"""Regression by brute force: every split of every column, with losses from their definitions."""

from itertools import combinations, pairwise
from math import log

import numpy as np


def loss(y, w, criterion):
    """Return the weighted squared error, or half the Poisson deviance, about the mean."""
    y, w = np.asarray(y, float), np.asarray(w, float)
    mean = np.average(y, weights=w)
    if criterion == "squared_error":
        return float((w * (y - mean) ** 2).sum())
    terms = [a * (v * log(v / mean) if v > 0 else 0.0) for v, a in zip(y, w, strict=True)]
    return float(sum(terms))


def best_gains(columns, rows, y, w, criterion, max_arity):
    """Return the largest gain of any split of each arity, {arity: gain}."""
    best = {}
    whole = loss(y[rows], w[rows], criterion)
    for cells in columns:
        for parts in _partitions([cells[i] for i in rows], max_arity):
            left = sum(loss(y[rows][list(p)], w[rows][list(p)], criterion) for p in parts)
            arity = len(parts)
            best[arity] = max(best.get(arity, -np.inf), whole - left)
    return best


def _partitions(cells, max_arity):
    """Yield every division of the positions of cells into branches."""
    missing = [i for i, c in enumerate(cells) if c is None]
    values = sorted({c for c in cells if c is not None})
    at = {v: [i for i, c in enumerate(cells) if c == v] for v in values}
    if any(isinstance(v, str) for v in values):
        blocks = [at[v] for v in values] + ([missing] if missing else [])
        for grouping in _set_partitions(list(range(len(blocks)))):
            parts = [[i for b in group for i in blocks[b]] for group in grouping]
            if len(parts) >= 2 and (len(parts) <= max_arity or len(parts) >= len(values)):
                yield parts
        return
    for k in range(1, min(max_arity, len(values)) + 1):
        for cuts in combinations(range(1, len(values)), k - 1):
            ends = [0, *cuts, len(values)]
            runs = [[i for v in values[a:b] for i in at[v]] for a, b in pairwise(ends)]
            if not missing:
                if k >= 2:
                    yield runs
                continue
            if k + 1 <= max_arity:
                yield [*runs, missing]
            for j in range(k if k >= 2 else 0):
                yield [r + missing if i == j else r for i, r in enumerate(runs)]


def _set_partitions(items):
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for smaller in _set_partitions(rest):
        yield [[first], *smaller]
        for i, group in enumerate(smaller):
            yield [*smaller[:i], [first, *group], *smaller[i + 1 :]]
