"""Densities by enumeration: the best split of one column into ranges or groups."""

from itertools import combinations, pairwise, product
from math import log


def log_likelihood(rows, length):
    """Return n ln(n / L), the log-likelihood of rows spread evenly over a length."""
    return rows * log(rows / length) if rows else 0.0


def gain_of(parts):
    """Return what a split into parts, pairs of rows and length, adds to the log-likelihood."""
    whole = log_likelihood(sum(n for n, _ in parts), sum(size for _, size in parts))
    return sum(log_likelihood(n, size) for n, size in parts) - whole


def best_split(rows, lengths, missing, least, most):
    """Return the best gain per added branch of an ordered column, up to ``most`` branches.

    ``missing`` has the rows and the length of missing cells, or is None. A part must be empty or
    have at least ``least`` rows.
    """
    cells = list(zip(rows, lengths, strict=True))
    best = 0.0
    for k in range(1, most + 1):
        for cuts in combinations(range(1, len(cells)), k - 1):
            ends = [0, *cuts, len(cells)]
            parts = [_sum(cells[a:b]) for a, b in pairwise(ends)]
            for split in _with_missing(parts, missing):
                if 2 <= len(split) <= most and all(n == 0 or n >= least for n, _ in split):
                    best = max(best, gain_of(split) / (len(split) - 1))
    return best


def best_grouping(rows, least, most):
    """Return the best gain per added branch of a column of categories of length 1."""
    best = 0.0
    for labels in product(range(most), repeat=len(rows)):
        groups = [[n for n, g in zip(rows, labels, strict=True) if g == at] for at in range(most)]
        parts = [(sum(group), len(group)) for group in groups if group]
        if len(parts) > 1 and all(n == 0 or n >= least for n, _ in parts):
            best = max(best, gain_of(parts) / (len(parts) - 1))
    return best


def _sum(cells):
    return sum(n for n, _ in cells), sum(size for _, size in cells)


def _with_missing(parts, missing):
    """Yield the parts with the missing cells in each of them, and on their own."""
    if missing is None:
        yield parts
        return
    for at in range(len(parts)):
        yield [_sum([part, missing]) if i == at else part for i, part in enumerate(parts)]
    if missing[0]:
        yield [*parts, missing]
