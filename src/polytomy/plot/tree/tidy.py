"""Tidy layout of trees of any arity: the positions of nodes along their level.

The nodes of a level do not overlap and keep their order. A parent is centred above its first and
last child. A subtree is drawn the same way wherever it is, and the layout of a mirrored tree is the
mirrored layout.

Each subtree has two contours: how far it extends to the left and to the right on each level.
Subtrees are packed as closely as their contours allow, once from the left and once from the right.
Both packings keep all distances, and so does their mean, which is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from polytomy._types import FloatArray


def tidy(
    children: Sequence[Sequence[int]],
    widths: Sequence[float],
    gap: float = 1.0,
    apart: float | None = None,
) -> FloatArray:
    """Return the position of the middle of each node; the leftmost node begins at 0.

    The time is linear in the number of nodes, and the depth is not limited.

    Parameters
    ----------
    children : sequence of sequences
        The children of each node, from left to right; node 0 is the root.
    widths : sequence of float
        The widths of the nodes.
    gap : float, default=1.0
        The smallest distance between two children of one parent.
    apart : float, default=None
        The smallest distance between neighbours with different parents; by default ``gap``.

    Returns
    -------
    ndarray of shape (n_nodes,)

    Examples
    --------
    >>> tidy([[1, 2, 3], [], [4, 5], [], [], []], [4, 2, 2, 2, 2, 2]).tolist()
    [4.0, 1.0, 4.0, 7.0, 2.5, 5.5]
    """
    apart = gap if apart is None else apart
    order = _parents_first(children)
    contours: dict[int, _Contour] = {}
    beside_parent = np.zeros(len(children))
    for node in reversed(order):
        below = [contours.pop(child) for child in children[node]]
        at = _side_by_side(below, gap, apart)
        middle = (at[0] + at[-1]) / 2 if at else 0.0
        at = [x - middle for x in at]
        beside_parent[list(children[node])] = at
        contours[node] = _under_a_root(below, at, widths[node] / 2)
    whole = contours[0]
    middles = np.zeros(len(children))
    middles[0] = -(min(whole.left) + whole.shift)
    for node in order:
        for child in children[node]:
            middles[child] = middles[node] + beside_parent[child]
    return middles


def _parents_first(children: Sequence[Sequence[int]]) -> list[int]:
    """Return all nodes, each before its children."""
    order = [0]
    for node in order:
        order += children[node]
    return order


@dataclass(slots=True)
class _Contour:
    """The left and right ends of a subtree on each level, the deepest first, before the shift."""

    left: list[float]
    right: list[float]
    shift: float = 0.0

    @property
    def height(self) -> int:
        return len(self.left)


def _side_by_side(below: list[_Contour], gap: float, apart: float) -> list[float]:
    """Return the positions of sibling subtrees, the first at 0: the mean of both packings."""
    if len(below) < 2:
        return [0.0] * len(below)
    from_left = _packed(below, gap, apart, mirrored=False)
    from_right = _packed(below[::-1], gap, apart, mirrored=True)[::-1]
    span = from_left[-1]  # both packings have the same span, the longest chain of distances
    return [(x + span - y) / 2 for x, y in zip(from_left, from_right, strict=True)]


def _packed(below: list[_Contour], gap: float, apart: float, *, mirrored: bool) -> list[float]:
    """Push each subtree against those before it; ``mirrored`` swaps left and right."""
    sign = -1.0 if mirrored else 1.0
    at: list[float] = []
    seen: list[int] = []  # subtrees visible from the end, the shortest last
    for one in below:
        x = -inf if at else 0.0
        level = 0
        near = one.right if mirrored else one.left
        while seen and level < one.height:
            other = below[seen[-1]]
            far = other.left if mirrored else other.right
            between = at[seen[-1]] + sign * (other.shift - one.shift)
            for up in range(level, min(one.height, other.height)):
                space = apart if up else gap
                x = max(x, between + sign * (far[-1 - up] - near[-1 - up]) + space)
            level = other.height
            if other.height > one.height:
                break
            seen.pop()  # hidden by the new one
        seen.append(len(at))
        at.append(x)
    return at


def _under_a_root(below: list[_Contour], at: list[float], half: float) -> _Contour:
    """Return the joint contour of subtrees under a root at 0, reusing that of the tallest.

    Only the levels of the others are written, so every level of a subtree is written once.
    """
    if not below:
        return _Contour([-half], [half])
    heights = [one.height for one in below]
    tallest = heights.index(max(heights))
    base = below[tallest]
    shift = base.shift + at[tallest]
    for i in range(tallest - 1, -1, -1):  # the first subtree is written last
        _write(base.left, below[i].left, below[i].shift + at[i] - shift)
    for i in range(tallest + 1, len(below)):
        _write(base.right, below[i].right, below[i].shift + at[i] - shift)
    base.left.append(-half - shift)
    base.right.append(half - shift)
    return _Contour(base.left, base.right, shift)


def _write(onto: list[float], ends: list[float], shift: float) -> None:
    """Replace the upper levels by the ends of a subtree that is at most as tall."""
    onto[len(onto) - len(ends) :] = [end + shift for end in ends]
