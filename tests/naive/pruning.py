"""All prunings of a small tree, written out, and what is best among them by definition."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product


@dataclass(frozen=True)
class NaivePruning:
    """The leaves of a pruned subtree; ``order`` is the sizes of its branches, then theirs."""

    leaves: frozenset
    depth: int  # the sum over the leaves, counted from the subtree's root
    order: tuple

    @property
    def size(self):
        return len(self.leaves)

    def total(self, values):
        return sum(values[v] for v in self.leaves)


def all_prunings(tree, node=0):
    """Return every pruning of a node's subtree, the node alone among them."""
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
    """Return the inner nodes that are leaves of a pruning."""
    return sorted(v for v in pruning.leaves if not tree.is_leaf(v))


def best_of_size(prunings, errors, k):
    """Fewest errors with at most k leaves; then smallest, closest to the root, first branches."""
    allowed = [p for p in prunings if p.size <= k]
    return min(allowed, key=lambda p: (p.total(errors), p.size, p.depth, p.order))


def smallest_with(prunings, errors, most):
    """The least size of a pruning with at most so many errors; None if there is none."""
    return min((p.size for p in prunings if p.total(errors) <= most), default=None)


def smallest_best(prunings, costs):
    """The pruning of least cost, the smallest on a tie; there is only one."""

    def key(p):
        return (p.total(costs), p.size)

    least = min(map(key, prunings))
    (best,) = [p for p in prunings if key(p) == least]
    return best


def cost_path(prunings, costs):
    """[(alpha, pruning)]: alpha 0, then every price at which the smallest best pruning changes.

    Two prunings cost the same at one price at most; between those prices nothing can change.
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
            (best,) = cheapest[size][1]  # there is only one
            path.append((alpha, best))
    return path


def subtree(tree, node, cut):
    """The nodes of a subtree whose cut nodes are leaves: (leaves, inner nodes)."""
    if tree.is_leaf(node) or node in cut:
        return [node], []
    leaves, inner = [], [node]
    for child in tree.children(node).tolist():
        more_leaves, more_inner = subtree(tree, child, cut)
        leaves += more_leaves
        inner += more_inner
    return leaves, inner


def prune_upwards(tree, prunes, node=0):
    """Prune the children, then the node where ``prunes(node, leaves, inner)`` says so."""
    if tree.is_leaf(node):
        return set()
    cut = set()
    for child in tree.children(node).tolist():
        cut |= prune_upwards(tree, prunes, child)
    leaves, inner = subtree(tree, node, cut)
    return {node} if prunes(node, leaves, inner) else cut
