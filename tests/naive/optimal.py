"""The best tree of a size by trying all splits of any arity: an oracle for tiny tables."""

from collections import Counter
from functools import cache
from itertools import combinations, pairwise


def least_errors(columns, labels, units, leaves, max_depth=None):
    """Return the least weight in error of any tree with at most this many leaves.

    ``columns`` is a list of lists of cells: numbers are ordered, text is nominal, None is missing.
    With ``max_depth``, only trees of binary splits count, with at most so many on a path.
    """
    is_nominal = [any(isinstance(cell, str) for cell in cells) for cells in columns]

    @cache
    def best(rows, leaves, depth):
        weight = Counter()
        for i in rows:
            weight[labels[i]] += units[i]
        least = sum(weight.values()) - max(weight.values())
        if leaves == 1 or depth == 0 or least == 0:
            return least
        for cells, nominal in zip(columns, is_nominal, strict=True):
            for parts in splits(cells, nominal, rows):
                if len(parts) <= leaves and (max_depth is None or len(parts) == 2):
                    below = None if depth is None else depth - 1
                    least = min(least, share(tuple(parts), leaves, below))
        return least

    def share(parts, leaves, depth):
        """Return the least errors of the parts with so many leaves between them."""
        if len(parts) == 1:
            return best(parts[0], leaves, depth)
        others = len(parts) - 1
        return min(
            best(parts[0], own, depth) + share(parts[1:], leaves - own, depth)
            for own in range(1, leaves - others + 1)
        )

    return best(frozenset(range(len(labels))), leaves, max_depth)


def splits(cells, nominal, rows):
    """Yield every partition of rows that a split on a column can make, as lists of sets."""
    values = sorted({cells[i] for i in rows} - {None})
    missing = [None] if any(cells[i] is None for i in rows) else []
    for groups in set_partitions(values + missing) if nominal else ranges(values, missing):
        if len(groups) > 1:
            yield [frozenset(i for i in rows if cells[i] in group) for group in groups]


def ranges(values, missing):
    """Yield all partitions of sorted values into ranges, with missing cells anywhere."""
    for n_cuts in range(max(len(values), 1)):
        for cuts in combinations(range(1, len(values)), n_cuts):
            ends = [0, *cuts, len(values)]
            groups = [values[a:b] for a, b in pairwise(ends) if a < b]
            if not missing:
                yield groups
                continue
            yield [*groups, missing]
            for at, group in enumerate(groups):
                yield [*groups[:at], [*group, None], *groups[at + 1 :]]


def set_partitions(items):
    """Yield all partitions of a list into non-empty lists."""
    if not items:
        yield []
        return
    first, *others = items
    for groups in set_partitions(others):
        yield [[first], *groups]
        for at, group in enumerate(groups):
            yield [*groups[:at], [first, *group], *groups[at + 1 :]]
