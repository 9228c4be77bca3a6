"""Every option a node has, by brute force over its rows.

A node is a list of rows; a column is a list of values with None for missing. An option is a
(gain, arity, feature, family, order, branches) record whose branches follow the node's rows.
"""

from dataclasses import dataclass

from .index import NAIVE_INDEX
from .partitions import contiguous, set_partitions

FAMILIES = ("intervals", "values", "groups")
TIE = 1e-12


@dataclass(frozen=True)
class NaiveOption:
    gain: float
    arity: int
    feature: int
    family: str
    within: tuple  # order among a node's options of one arity, feature and family
    across: tuple  # order among the options of several leaves
    branches: tuple  # of each of the node's rows


@dataclass(frozen=True)
class NaiveNode:
    """What is needed to weigh options: the rows' classes and exact weights."""

    labels: list
    units: list
    n_classes: int
    index: str

    def counts(self, rows):
        counts = [0] * self.n_classes
        for row in rows:
            counts[self.labels[row]] += self.units[row]
        return counts

    def value(self, rows):
        f = self.index if callable(self.index) else NAIVE_INDEX[self.index]
        return f(self.counts(rows))

    def gain(self, rows, branches, arity):
        children = [
            [r for r, b in zip(rows, branches, strict=True) if b == j] for j in range(arity)
        ]
        gain = self.value(rows) - sum(self.value(child) for child in children)
        return gain if gain > TIE * self.value(rows) else 0.0


def interval_options(node, rows, cells, codes, feature, max_arity):
    """Every k consecutive ranges of a number, missing cells in every branch or their own."""
    values = sorted({cells[r] for r in rows if cells[r] is not None})
    has_missing = any(cells[r] is None for r in rows)
    n = len(values)
    place = {v: i for i, v in enumerate(values)}
    for k in range(2, max_arity + 1):
        for ends in contiguous(n, k):
            for missing in range(k) if has_missing else [-1]:
                yield from _interval(
                    node, rows, cells, codes, feature, place, values, ends, missing, k
                )
        if has_missing and n >= 1:
            for ends in contiguous(n, k - 1):
                alone = (*ends, n)
                yield from _interval(
                    node, rows, cells, codes, feature, place, values, alone, k - 1, k
                )


def _interval(node, rows, cells, codes, feature, place, values, ends, missing, k):
    branches = tuple(
        missing if cells[r] is None else sum(place[cells[r]] >= e for e in ends) for r in rows
    )
    if len(set(branches)) < k:
        return
    left = tuple(codes[values[e - 1]] for e in ends if e < len(values))
    gain = node.gain(rows, branches, k)
    yield NaiveOption(gain, k, feature, "intervals", (ends, missing), (*left, missing), branches)


def value_options(node, rows, cells, feature, largest):
    """One child a category; missing cells alone or in any one child."""
    names = sorted({cells[r] for r in rows if cells[r] is not None})
    has_missing = any(cells[r] is None for r in rows)
    choices = [*range(len(names)), len(names)] if has_missing else [None]
    for missing in choices:
        arity = len(names) + (missing == len(names))
        if not 2 <= arity <= largest:
            continue
        branches = tuple(missing if cells[r] is None else names.index(cells[r]) for r in rows)
        string = (*range(len(names)), *([missing] if has_missing else []))
        gain = node.gain(rows, branches, arity)
        yield NaiveOption(gain, arity, feature, "values", string, string, branches)


def group_options(node, rows, cells, feature, max_arity):
    """Categories in groups: along the class share for two classes, else every set partition."""
    names = sorted({cells[r] for r in rows if cells[r] is not None})
    items = [*names, None] if any(cells[r] is None for r in rows) else names
    held = {i: node.counts([r for r in rows if cells[r] == v]) for i, v in enumerate(items)}
    present = [c for c in range(node.n_classes) if any(counts[c] for counts in held.values())]
    if len(present) <= 2:
        high = present[-1]
        order = _by_share({i: counts[high] / sum(counts) for i, counts in held.items()})
        strings = (
            (ends, _string(order, ends))
            for k in range(2, max_arity + 1)
            for ends in contiguous(len(items), k)
        )
    else:
        assert len(items) <= 8, "beyond eight categories the fast path is a heuristic"
        strings = ((s, s) for s in set_partitions(len(items)) if 2 <= len(set(s)) <= max_arity)
    for within, string in strings:
        branches = tuple(string[items.index(cells[r])] for r in rows)
        arity = len(set(string))
        gain = node.gain(rows, branches, arity)
        yield NaiveOption(gain, arity, feature, "groups", within, string, branches)


def _by_share(share):
    """Items by ascending share; shares within the tolerance are equal and go by item."""
    order = []
    while share:
        least = min(share.values())
        tied = sorted(i for i, s in share.items() if s <= least + TIE)
        order += tied
        share = {i: s for i, s in share.items() if i not in tied}
    return order


def _string(order, ends):
    """Block of each item, renumbered by first appearance, for runs along an order."""
    run = {item: sum(at >= e for e in ends) for at, item in enumerate(order)}
    names = {}
    return tuple(names.setdefault(run[item], len(names)) for item in sorted(run))


def all_options(node, rows, table, params, largest):
    """Return every option of every family on every column that the limits allow."""
    cap = min(params.max_arity, largest)
    options = []
    for feature, column in enumerate(table):
        if column.kind == "ordered" and "intervals" in params.families:
            options += interval_options(node, rows, column.cells, column.codes, feature, cap)
        if column.kind == "nominal" and "values" in params.families:
            options += value_options(node, rows, column.cells, feature, largest)
        if column.kind == "nominal" and "groups" in params.families:
            options += group_options(node, rows, column.cells, feature, cap)
    fewest = params.min_samples_leaf
    lightest = params.min_weight_fraction_leaf * sum(node.units) * (1 - TIE)
    kept = []
    for o in options:
        children = [
            [r for r, b in zip(rows, o.branches, strict=True) if b == j] for j in range(o.arity)
        ]
        enough = all(len(c) >= fewest and sum(node.counts(c)) >= lightest for c in children)
        kept += [o] if enough else []
    return kept


@dataclass(frozen=True)
class NaiveColumn:
    kind: str
    cells: list
    codes: dict  # value -> code
