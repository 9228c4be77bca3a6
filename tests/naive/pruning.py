"""All prunings of a small tree, and the best of them by each method's definition."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product


@dataclass(frozen=True)
class NaivePruning:
    """A pruned subtree by its leaves.

    ``order`` decides ties: the sizes of the root's branches, then those of the branches' branches.
    """

    leaves: frozenset
    depth: int  # the sum of the leaves' depths below the subtree's root
    order: tuple

    @property
    def size(self):
        return len(self.leaves)

    def total(self, values):
        return sum(values[v] for v in self.leaves)


def all_prunings(tree, node=0):
    """Return every pruning of a node's subtree, including the node as a leaf."""
    found = [NaivePruning(frozenset([node]), 0, ())]
    children = tree.children(node).tolist()
    if not children:
        return found
    for parts in product(*(all_prunings(tree, c) for c in children)):
        sizes = tuple(p.size for p in parts)
        found.append(
            NaivePruning(
                frozenset().union(*(p.leaves for p in parts)),
                sum(p.depth + p.size for p in parts),
                sizes + tuple(s for p in parts for s in p.order),
            )
        )
    return found


def cut_of(tree, pruning):
    """Return the inner nodes of the tree that are leaves of the pruning."""
    return sorted(v for v in pruning.leaves if not tree.is_leaf(v))


def best_of_size(prunings, errors, k):
    """Return the pruning of at most k leaves with the fewest errors.

    Ties go to the smaller one, then to the one closest to the root, then to ``order``.
    """
    allowed = [p for p in prunings if p.size <= k]
    return min(allowed, key=lambda p: (p.total(errors), p.size, p.depth, p.order))


def smallest_with(prunings, errors, most):
    """Return the size of the smallest pruning with at most ``most`` errors, or None."""
    return min((p.size for p in prunings if p.total(errors) <= most), default=None)


def smallest_best(prunings, costs):
    """Return the pruning of least cost, the smallest on a tie; it is unique."""

    def key(p):
        return (p.total(costs), p.size)

    least = min(map(key, prunings))
    (best,) = [p for p in prunings if key(p) == least]
    return best


def cost_path(prunings, costs):
    """Return [(alpha, pruning)]: alpha 0, then each alpha at which the best pruning changes.

    A pruning costs its ``costs`` plus alpha for each leaf. Two prunings of different size cost the
    same at one alpha only, so the best one can change at no others.
    """
    cheapest = {}  # by size
    for p in prunings:
        cost = p.total(costs)
        least, same = cheapest.get(p.size, (cost, []))
        if cost <= least:
            cheapest[p.size] = (cost, [*same, p] if cost == least else [p])
    meet = {
        Fraction(cheapest[a][0] - cheapest[b][0], b - a)
        for a in cheapest
        for b in cheapest
        if a < b
    }
    path = []
    for alpha in [Fraction(0), *sorted(m for m in meet if m > 0)]:
        size = min(cheapest, key=lambda k: (cheapest[k][0] + alpha * k, k))
        if not path or size < path[-1][1].size:
            (best,) = cheapest[size][1]  # it is unique
            path.append((alpha, best))
    return path


def subtree(tree, node, cut):
    """Return the leaves and the inner nodes of a subtree once the nodes in ``cut`` are leaves."""
    if tree.is_leaf(node) or node in cut:
        return [node], []
    leaves, inner = [], [node]
    for child in tree.children(node).tolist():
        more_leaves, more_inner = subtree(tree, child, cut)
        leaves += more_leaves
        inner += more_inner
    return leaves, inner


def prune_upwards(tree, prunes, node=0):
    """Prune from the bottom up: a node becomes a leaf if ``prunes(node, leaves, inner)``."""
    if tree.is_leaf(node):
        return set()
    cut = set()
    for child in tree.children(node).tolist():
        cut |= prune_upwards(tree, prunes, child)
    leaves, inner = subtree(tree, node, cut)
    return {node} if prunes(node, leaves, inner) else cut
