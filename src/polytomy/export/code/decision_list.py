"""A tree as a decision list: the order of the tests in generated code.

The tests of a node follow each other, each with the code of its subtree indented below it. A row
that passes none of them continues, without indentation, with the tests of the child that has the
most leaves. Nesting is therefore at most log2(leaves) deep, no matter how deep the tree is, and
stays within the limits of parsers and compilers.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from polytomy._types import IntArray
from polytomy.tree import Tree, leaves_below


@dataclass(frozen=True, slots=True)
class BranchStep:
    """A test of whether a row at ``node`` takes ``branch``; the code of ``child`` is indented."""

    indent: int
    node: int
    branch: int
    child: int


@dataclass(frozen=True, slots=True)
class LeafStep:
    """The leaf of all rows that get this far; it ends an indented block."""

    indent: int
    leaf: int


def decision_list(tree: Tree) -> Iterator[BranchStep | LeafStep]:
    """Yield the tests and leaves of a tree in the order of the generated code.

    Examples
    --------
    >>> import numpy as np
    >>> from polytomy.tree import IntervalSplit, TreeBuilder
    >>> builder = TreeBuilder(np.array([2.0, 2.0]), 4)
    >>> ask = IntervalSplit(0, np.array([0.5]), -1, 0)
    >>> _ = builder.split(0, ask, np.array([[2.0, 0.0], [0.0, 2.0]]), [2, 2])
    >>> for step in decision_list(builder.finish()):
    ...     print(step)
    BranchStep(indent=0, node=0, branch=1, child=2)
    LeafStep(indent=1, leaf=2)
    LeafStep(indent=0, leaf=1)
    """
    leaves = leaves_below(tree)
    open_blocks = [_block(tree, leaves, 0, 0)]
    while open_blocks:
        step = next(open_blocks[-1], None)
        if step is None:
            open_blocks.pop()
            continue
        yield step
        if isinstance(step, BranchStep):
            open_blocks.append(_block(tree, leaves, step.child, step.indent + 1))


def _block(tree: Tree, leaves: IntArray, node: int, indent: int) -> Iterator[BranchStep | LeafStep]:
    """Yield the steps at one indentation: from a node down to the leaf of the untested branches."""
    while not tree.is_leaf(node):
        children = tree.children(node).tolist()
        default = int(tree.default_branch[node])
        # On a tie the default branch stays untested, because unseen values take it.
        last = max(range(len(children)), key=lambda b: (leaves[children[b]], b == default, b))
        for branch, child in enumerate(children):
            if branch != last:
                yield BranchStep(indent, node, branch, child)
        node = children[last]
    yield LeafStep(indent, node)
