"""Where the nodes of a tree of any arity are drawn: side by side, as close as they can be.

The rules are those of tidy drawings. Nodes of one level never overlap and keep their order. A
parent stands over the middle between its first and its last child. A subtree looks the same
wherever it stands, and the mirror image of a tree is drawn as the mirror image of its drawing.

Each subtree has two outlines: how far it reaches to the left and to the right on each of its
levels. Children are put side by side as close as their outlines allow, once from the left and once
from the right. Both keep all distances, so the mean of the two does too, and stands in between.
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
    """Return the middle of each node, from 0, where the leftmost begins, to the right.

    It takes time linear in the nodes, and trees may be as deep as they like.

    Parameters
    ----------
    children : sequence of sequences
        The children of each node, from left to right; node 0 is the root.
    widths : sequence of float
        Of the nodes.
    gap : float
        The least distance between two children of one parent.
    apart : float, optional
        The same between neighbours of one level with different parents; by default the gap.

    Examples
    --------
    >>> tidy([[1, 2, 3], [], [4, 5], [], [], []], [4, 2, 2, 2, 2, 2]).tolist()
    [4.0, 1.0, 4.0, 7.0, 2.5, 5.5]
    """
    apart = gap if apart is None else apart
    order = _from_the_root(children)
    outlines: dict[int, _Outline] = {}
    beside_parent = np.zeros(len(children))
    for node in reversed(order):
        below = [outlines.pop(child) for child in children[node]]
        at = _side_by_side(below, gap, apart)
        middle = (at[0] + at[-1]) / 2 if at else 0.0
        at = [x - middle for x in at]
        beside_parent[list(children[node])] = at
        outlines[node] = _under_a_root(below, at, widths[node] / 2)
    whole = outlines[0]
    middles = np.zeros(len(children))
    middles[0] = -(min(whole.left) + whole.shift)
    for node in order:
        for child in children[node]:
            middles[child] = middles[node] + beside_parent[child]
    return middles


def _from_the_root(children: Sequence[Sequence[int]]) -> list[int]:
    """Return all nodes, parents before their children."""
    order = [0]
    for node in order:
        order += children[node]
    return order


@dataclass(slots=True)
class _Outline:
    """The left and right ends of a subtree on each level, the deepest first, all to be shifted."""

    left: list[float]
    right: list[float]
    shift: float = 0.0

    @property
    def height(self) -> int:
        return len(self.left)


def _side_by_side(below: list[_Outline], gap: float, apart: float) -> list[float]:
    """Return where subtrees stand, the first at 0: between as far left and as far right as may."""
    if len(below) < 2:
        return [0.0] * len(below)
    from_left = _packed(below, gap, apart, mirrored=False)
    from_right = _packed(below[::-1], gap, apart, mirrored=True)[::-1]
    span = from_left[-1]  # both ways come to the same: the longest chain of distances
    return [(x + span - y) / 2 for x, y in zip(from_left, from_right, strict=True)]


def _packed(below: list[_Outline], gap: float, apart: float, *, mirrored: bool) -> list[float]:
    """Push each subtree against those before it; mirrored, all sides are swapped."""
    sign = -1.0 if mirrored else 1.0
    at: list[float] = []
    seen: list[int] = []  # those that can be seen from the end, the shortest last
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
            seen.pop()  # the new one hides it
        seen.append(len(at))
        at.append(x)
    return at


def _under_a_root(below: list[_Outline], at: list[float], half: float) -> _Outline:
    """Return the outline of subtrees together, under a root at 0; that of the tallest is used up.

    So only the levels of the others are written, each once in the life of a tree.
    """
    if not below:
        return _Outline([-half], [half])
    heights = [one.height for one in below]
    tallest = heights.index(max(heights))
    base = below[tallest]
    shift = base.shift + at[tallest]
    for i in range(tallest - 1, -1, -1):  # the first of all is written last
        _write(base.left, below[i].left, below[i].shift + at[i] - shift)
    for i in range(tallest + 1, len(below)):
        _write(base.right, below[i].right, below[i].shift + at[i] - shift)
    base.left.append(-half - shift)
    base.right.append(half - shift)
    return _Outline(base.left, base.right, shift)


def _write(onto: list[float], ends: list[float], shift: float) -> None:
    """Replace the upper levels of a list by the ends of a subtree that is at most as tall."""
    onto[len(onto) - len(ends) :] = [end + shift for end in ends]
