"""A tree as a ladder of tests: the order in which code that runs it is written.

The tests of a node come one after the other, each with the subtree it leads to set inwards; a row
that passes none of them goes on, without indentation, to the tests of the child with the most
leaves. So nesting is at most log2(leaves) deep however deep the tree is, and nothing that reads the
code, no parser and no compiler, meets its limits.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from polytomy._types import IntArray
from polytomy.tree import LEAF, Tree


@dataclass(frozen=True, slots=True)
class Rung:
    """A test: does a row that is at ``node`` take ``branch``? What follows from it is set in."""

    indent: int
    node: int
    branch: int
    child: int


@dataclass(frozen=True, slots=True)
class Landing:
    """Where rows end that have come so far: ``leaf`` closes an indentation."""

    indent: int
    leaf: int


def ladder(tree: Tree) -> Iterator[Rung | Landing]:
    """Yield the tests and leaves of a tree in the order of the code.

    Examples
    --------
    >>> import numpy as np
    >>> from polytomy.tree import IntervalQuestion, TreeBuilder
    >>> builder = TreeBuilder(np.array([2.0, 2.0]), 4)
    >>> ask = IntervalQuestion(0, np.array([0.5]), -1, 0)
    >>> _ = builder.split(0, ask, np.array([[2.0, 0.0], [0.0, 2.0]]), [2, 2])
    >>> for step in ladder(builder.finish()):
    ...     print(step)
    Rung(indent=0, node=0, branch=1, child=2)
    Landing(indent=1, leaf=2)
    Landing(indent=0, leaf=1)
    """
    leaves = leaves_below(tree)
    going = [_steps(tree, leaves, 0, 0)]
    while going:
        step = next(going[-1], None)
        if step is None:
            going.pop()
            continue
        yield step
        if isinstance(step, Rung):
            going.append(_steps(tree, leaves, step.child, step.indent + 1))


def _steps(tree: Tree, leaves: IntArray, node: int, indent: int) -> Iterator[Rung | Landing]:
    """Yield the steps at one indentation: from a node down its heaviest children to a leaf."""
    while not tree.is_leaf(node):
        children = tree.children(node).tolist()
        default = int(tree.default_branch[node])
        # On a tie, what no test says falls through: it is where new values go.
        last = max(range(len(children)), key=lambda b: (leaves[children[b]], b == default, b))
        for branch, child in enumerate(children):
            if branch != last:
                yield Rung(indent, node, branch, child)
        node = children[last]
    yield Landing(indent, node)


def leaves_below(tree: Tree) -> IntArray:
    """Return how many leaves each node has below it; 1 for a leaf."""
    leaves: IntArray = (tree.kind == LEAF).astype(np.int64)
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        leaves[tree.parent[node]] += leaves[node]
    return leaves
