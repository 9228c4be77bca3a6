"""The bins of a numeric column, by sorting the values and adding up their weights."""


def naive_cuts(values, weights, max_bins, max_values=None):
    """Return the smallest and largest value of each bin; weights are integers.

    Up to ``max_values`` distinct values (``max_bins``, if None) have a bin each. Otherwise bin b
    ends at the first value up to which at least (b + 1) / max_bins of the weight lies.
    """
    held = {}
    for v, w in zip(values, weights, strict=True):
        held[v + 0.0] = held.get(v + 0.0, 0) + w
    ordered = sorted(held)
    if len(ordered) <= (max_values or max_bins):
        return [(v, v) for v in ordered]
    total = sum(weights)
    slack = total >> 40
    bins, first, seen, ended = [], None, 0, 0
    for v in ordered:
        first = v if first is None else first
        seen += held[v]
        # how many of the shares (b + 1) / max_bins of the weight have been reached
        reached = sum((seen + slack) * max_bins >= (b + 1) * total for b in range(max_bins - 1))
        if reached > ended or v == ordered[-1]:
            bins.append((first, v))
            first, ended = None, reached
    return bins
