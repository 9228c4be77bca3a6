"""Every way to cut an ordered list, and every way to group a set."""

from itertools import combinations


def contiguous(n_items, k):
    """Yield the ends of the first k-1 of k non-empty runs of n_items, lowest cuts first."""
    yield from combinations(range(1, n_items), k - 1)


def set_partitions(n_items):
    """Yield every partition as its block string, in lexicographic order; blocks open in turn."""

    def extend(prefix, used):
        if len(prefix) == n_items:
            yield tuple(prefix)
            return
        for block in range(used + 1):
            yield from extend([*prefix, block], max(used, block + 1))

    yield from extend([], 0)
