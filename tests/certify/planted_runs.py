"""Runs with planted impurities: every step removes an exact fraction of its leaf's impurity.

With the sqrt index, F = 2 sqrt(ab), a leaf (a, b) falls into (ta, (1-t)b) and ((1-t)a, tb) with
equal weights sqrt(t(1-t)) F, whatever a and b are; and parts in proportion lose nothing. So any
advantage can be planted, for any number of children.
"""

import numpy as np

from polytomy import theory
from polytomy.certify import Rules, Run, Split
from polytomy.encode import OrderedColumn, Schema
from polytomy.index import resolve
from polytomy.tree import IntervalSplit, TreeBuilder

SQRT = resolve("sqrt")
SCHEMA = Schema((OrderedColumn("x", np.zeros(1), np.zeros(1), False),))


def parts(counts, k, advantage):
    """Split counts into k children that lose ``advantage`` of the impurity."""
    kept = 1 - advantage
    t = (1 + np.sqrt(1 - kept**2)) / 2
    one, other = k // 2, k - k // 2
    a, b = counts
    left = [[t * a / one, (1 - t) * b / one]] * one
    return np.array(left + [[(1 - t) * a / other, t * b / other]] * other)


def planted_run(moves, procedure="hatano", order="heaviest", gamma=None, max_leaves=None):
    """Return the run and the tree of moves (leaf, k, advantage)."""
    builder = TreeBuilder(np.array([0.5, 0.5]), 10**6)
    held = {0: np.array([0.5, 0.5])}
    rows = {0: 10**6}
    splits = []
    for leaf, k, advantage in moves:
        children = parts(held[leaf], k, advantage)
        ids = tuple(range(builder.n_nodes, builder.n_nodes + k))
        sizes = [rows[leaf] // k] * (k - 1)
        sizes.append(rows[leaf] - sum(sizes))
        before = builder.n_leaves
        cuts = IntervalSplit(0, np.arange(k - 1.0), -1, 0)
        builder.split(leaf, cuts, children, sizes)
        held.update(zip(ids, children, strict=True))
        rows.update(zip(ids, sizes, strict=True))
        weight = float(SQRT.value(held[leaf]))
        gain = weight - float(SQRT.value(children).sum())
        price = theory.price(procedure, k, gamma)
        splits.append(Split(leaf, ids, gain, weight, price, None, before))
    rules = Rules(procedure, order, gamma, max_leaves, ("intervals",), False)
    return Run(rules, SQRT, tuple(splits), ()), builder.finish()
