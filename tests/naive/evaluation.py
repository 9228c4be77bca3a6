"""Oracles of the evaluation: every threshold, pair, bin and line by plain enumeration."""

from itertools import combinations, product
from math import comb, log


def counts_at(truth, scores, weights, threshold):
    """Return the weight of true and false positives if scores of at least a threshold count."""
    chosen = [(t, w) for t, s, w in zip(truth, scores, weights, strict=True) if s >= threshold]
    return sum(w for t, w in chosen if t), sum(w for t, w in chosen if not t)


def area(truth, scores, weights):
    """Return the share of pairs of a positive and a negative row in the right order."""
    rows = list(zip(truth, scores, weights, strict=True))
    right = whole = 0.0
    for (t, s, w), (u, r, v) in product(rows, rows):
        if t and not u:
            whole += w * v
            right += w * v * (1.0 if s > r else 0.5 if s == r else 0.0)
    return right / whole


def least_cost(points, cost_false_positive, cost_false_negative):
    """Return the least cost over points of true and false positives; the last selects all rows."""
    positives = points[-1][0]
    return min(
        cost_false_positive * fp + cost_false_negative * (positives - tp) for tp, fp in points
    )


def is_corner(points, i):
    """Return whether no line through two other points passes on or above a point."""
    x, y = points[i]
    if i in (0, len(points) - 1):
        return True
    for a, b in combinations([p for k, p in enumerate(points) if k != i], 2):
        (x0, y0), (x1, y1) = sorted((a, b))
        if x0 <= x <= x1 and x0 < x1 and y0 + (y1 - y0) * (x - x0) / (x1 - x0) >= y - 1e-12:
            return False
        if x0 == x1 == x and min(y0, y1) <= y <= max(y0, y1):
            return False
    return True


def fair_coin(heads, tails):
    """Return the two-sided p-value of a fair coin: every outcome at least as unlikely."""
    n = heads + tails
    unlikely = comb(n, heads)
    return sum(comb(n, k) for k in range(n + 1) if comb(n, k) <= unlikely) / 2**n


def stability(reference, new):
    """Return the population stability index of two lists of positive counts."""
    n, m = sum(reference), sum(new)
    return sum(
        (b / m - a / n) * log((b / m) / (a / n)) for a, b in zip(reference, new, strict=True)
    )


def rates(labels, predicted, groups, positive, group):
    """Return error, base, selection, false positive and false negative rates of a group."""
    rows = [(t, p) for t, p, g in zip(labels, predicted, groups, strict=True) if g == group]

    def share(hits, among):
        return sum(map(hits, among)) / len(among) if among else None

    return (
        share(lambda r: r[0] != r[1], rows),
        share(lambda r: r[0] == positive, rows),
        share(lambda r: r[1] == positive, rows),
        share(lambda r: r[1] == positive, [r for r in rows if r[0] != positive]),
        share(lambda r: r[1] != positive, [r for r in rows if r[0] == positive]),
    )
