"""The splits of one arity that a column offers, by enumeration."""

from itertools import combinations, pairwise, product

MISSING = "missing"


def interval_splits(bins, k, has_missing=False):
    """Return all ways to cut bins into ranges and to place missing cells, with k branches."""
    found = set()
    for n_cuts in range(bins):
        for cuts in combinations(range(1, bins), n_cuts):
            edges = (0, *cuts, bins)
            ranges = [frozenset(range(a, b)) for a, b in pairwise(edges)]
            found |= set(_with_missing(ranges)) if has_missing else {frozenset(ranges)}
    return {split for split in found if len(split) == k}


def group_splits(categories, k, has_missing=False):
    """Return all ways to divide categories, and missing cells as one more, into k groups."""
    items = [*range(categories), *[MISSING] * has_missing]
    found = set()
    for groups in product(range(k), repeat=len(items)):
        split = {
            g: frozenset(i for i, h in zip(items, groups, strict=True) if h == g) for g in groups
        }
        found.add(frozenset(split.values()))
    return {split for split in found if len(split) == k}


def value_splits(categories, has_missing=False):
    """Return all splits with one branch for each category; missing cells may go anywhere."""
    each = [frozenset([c]) for c in range(categories)]
    return set(_with_missing(each)) if has_missing else {frozenset(each)}


def _with_missing(parts):
    for i, part in enumerate(parts):
        yield frozenset([*parts[:i], part | {MISSING}, *parts[i + 1 :]])
    yield frozenset([*parts, frozenset([MISSING])])
