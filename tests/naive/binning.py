"""The best bins of a column by trying every partition of its items."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import inf, log


def information_value(others, events, totals, smoothing):
    """Return the information value of a bin; -inf if it has none."""
    b, a = others / totals[0], events / totals[1]
    p, q = a, b
    if a == 0 or b == 0:
        added = smoothing / min(totals)
        p, q = p + added, q + added
    return (a - b) * log(p / q) if p > 0 and q > 0 else -inf


def rises(steps):
    """Return whether no step goes down."""
    return all(step >= 0 for step in steps)


def falls(steps):
    """Return whether no step goes up."""
    return all(step <= 0 for step in steps)


def follows(rates, trend, least):
    """Return whether the rates of neighbouring bins have a trend and differ enough."""
    steps = [after - before for before, after in pairwise(rates)]
    if any(abs(step) < least for step in steps):
        return False
    halves = [(steps[:k], steps[k:]) for k in range(len(steps) + 1)]
    return {
        "any": True,
        "ascending": rises(steps),
        "descending": falls(steps),
        "peak": any(rises(before) and falls(after) for before, after in halves),
        "valley": any(falls(before) and rises(after) for before, after in halves),
    }[trend]


def best_bins(items, rows, value, rules, trend):
    """Return the largest total value of any partition that the rules allow, and its ends.

    ``items`` are vectors of counts, ``value`` is a function of one, and ``rules`` are ``max_bins``,
    ``min_rows``, ``min_weight``, ``min_difference`` and ``rate_class``. Of equal values, the
    partition with the fewest bins comes first.
    """
    max_bins, min_rows, min_weight, least, rate_class = rules
    n = len(items)
    best = (-inf, (n,))
    for k in range(1, min(max_bins, n) + 1):
        for cuts in combinations(range(1, n), k - 1):
            runs = list(pairwise((0, *cuts, n)))
            counts = [tuple(map(sum, zip(*items[a:b], strict=True))) for a, b in runs]
            if k > 1:
                if any(sum(rows[a:b]) < min_rows for a, b in runs):
                    continue
                if any(sum(c) < min_weight for c in counts):
                    continue
                if rate_class >= 0:
                    rates = [Fraction(c[rate_class], sum(c)) for c in counts]
                    if not follows(rates, trend, least):
                        continue
            total = sum(value(c) for c in counts)
            if total > best[0] + 1e-12 * max(1.0, abs(total)):
                best = (total, (*cuts, n))
    return best
