"""Bins of a column, by sorting and adding up."""


def naive_cuts(values, weights, max_bins):
    """Return (low, high) of each bin; values are not missing, weights are integers."""
    held = {}
    for v, w in zip(values, weights, strict=True):
        held[v + 0.0] = held.get(v + 0.0, 0) + w
    ordered = sorted(held)
    if len(ordered) <= max_bins:
        return [(v, v) for v in ordered]
    total = sum(weights)
    slack = total >> 40
    bins, first, seen, ended = [], None, 0, 0
    for v in ordered:
        first = v if first is None else first
        seen += held[v]
        # the ends (b+1)/max_bins of the weight that have been reached so far
        reached = sum((seen + slack) * max_bins >= (b + 1) * total for b in range(max_bins - 1))
        if reached > ended or v == ordered[-1]:
            bins.append((first, v))
            first, ended = None, reached
    return bins
