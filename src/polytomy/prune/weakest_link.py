"""CART's weakest links: the price of a leaf at which each node's subtree no longer pays.

For a price alpha a leaf, the tree pruned best has the least cost + alpha * leaves, the smallest one
on a tie. As alpha rises those trees are nested. CART finds them one link after the other, from the
whole tree on, and so looks at every node again and again. Here each node is looked at once, from
the bottom up: its own alpha follows from those below it.
"""

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from polytomy.tree import Tree


class Link(NamedTuple):
    """A node that becomes a leaf when a leaf's price rises to ``alpha``, ordered by falling alpha.

    ``saved``, ``leaves`` and ``carried`` are how much the subtree it has until then saves in cost
    beside the leaf, how many more leaves it has, and how much less is carried.
    """

    minus_alpha: float
    node: int
    saved: float
    leaves: int
    carried: int

    @property
    def alpha(self) -> float:
        """The price of a leaf."""
        return -self.minus_alpha


def weakest_links(
    tree: Tree, saved: Sequence[float], carried: Sequence[int]
) -> tuple[list[float], list[Link]]:
    """Return each node's alpha, and the links that happen, by rising alpha.

    Parameters
    ----------
    tree : Tree
        The tree, of any arity.
    saved : sequence of int or float
        For each node, its cost as a leaf less that of its children as leaves, not negative.
        Integers make ties exact.
    carried : sequence of int
        The same for a quantity that decides nothing, such as held-out errors.

    Returns
    -------
    list of float
        A node is a leaf of the best pruning for all prices from its alpha on; 0 at leaves.
    list of Link
        Those not forestalled by one above them.
    """
    alphas = [0.0] * tree.n_nodes
    waiting: dict[int, list[Link]] = {}  # by node: the links inside its subtree, the last one first
    for node in range(tree.n_nodes - 1, -1, -1):  # children have larger numbers
        if tree.is_leaf(node):
            continue
        links = _merged([waiting.pop(c) for c in tree.children(node).tolist() if c in waiting])
        link = _link(node, saved[node], tree.arity(node) - 1, carried[node])
        while links and links[0].alpha > link.alpha:  # it happens too late: the node is a leaf then
            late = heappop(links)
            link = _link(
                node,
                link.saved + late.saved,
                link.leaves + late.leaves,
                link.carried + late.carried,
            )
        heappush(links, link)
        waiting[node] = links
        alphas[node] = link.alpha
    return alphas, sorted(waiting.get(0, []), reverse=True)


def _link(node: int, saved: float, leaves: int, carried: int) -> Link:
    return Link(-(saved / leaves), node, saved, leaves, carried)


def _merged(heaps: list[list[Link]]) -> list[Link]:
    """Merge the smaller heaps into the largest, so that no link moves often."""
    if not heaps:
        return []
    heaps.sort(key=len)
    largest = heaps.pop()
    for heap in heaps:
        for link in heap:
            heappush(largest, link)
    return largest
