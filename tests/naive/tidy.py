"""The layout of a drawn tree: each box of a subtree is compared with each box of its siblings'."""

from fractions import Fraction


def naive_tidy(children, widths, gap, apart):
    """Return the centre of each node's box as a fraction; the leftmost box begins at 0."""
    gap, apart = Fraction(gap), Fraction(apart)
    boxes = _boxes(children, [Fraction(w) for w in widths], gap, apart, 0)
    start = min(left for _, _, left, _ in boxes)
    middles = {node: (left + right) / 2 - start for node, _, left, right in boxes}
    return [middles[node] for node in range(len(children))]


def _boxes(children, widths, gap, apart, node):
    """Return (node, level, left, right) for the nodes of a subtree whose root is centred at 0."""
    below = [_boxes(children, widths, gap, apart, child) for child in children[node]]
    at = _places(below, gap, apart)
    middle = (at[0] + at[-1]) / 2 if at else 0
    moved = [
        (one, level + 1, left + x - middle, right + x - middle)
        for x, boxes in zip(at, below, strict=True)
        for one, level, left, right in boxes
    ]
    return [(node, 0, -widths[node] / 2, widths[node] / 2), *moved]


def _places(below, gap, apart):
    """Return the centres of the children: half-way between leftmost and rightmost placement."""
    k = len(below)
    need = {(i, j): _distance(below[i], below[j], gap, apart) for j in range(k) for i in range(j)}
    left = []
    for j in range(k):
        left.append(max((left[i] + need[i, j] for i in range(j)), default=Fraction(0)))
    right = [Fraction(0)] * k
    for i in reversed(range(k)):
        right[i] = min((right[j] - need[i, j] for j in range(i + 1, k)), default=left[i])
    return [(x + y) / 2 for x, y in zip(left, right, strict=True)]


def _distance(one, other, gap, apart):
    """Return the least distance between the roots of two neighbouring subtrees."""
    return max(
        right - left + (apart if level else gap)
        for _, level, _, right in one
        for _, its, left, _ in other
        if its == level
    )
