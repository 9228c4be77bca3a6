"""A tree as a decision list: the order of the tests in generated code.

The tests of a node follow each other in the order of its branches, each with the code of its
subtree indented below it. A row that passes none of them continues, without indentation, with the
tests of the last branch. If that nests too deep, the branch with the most leaves stays untested
instead: nesting is then at most log2(leaves) deep, no matter how deep the tree is, and stays within
the limits of parsers and compilers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from polytomy._types import IntArray
from polytomy.tree import Tree, leaves_below

INDENT = "    "
_MOST_NESTED = 8  # SQL Server allows 10 levels of CASE


@dataclass(frozen=True, slots=True)
class BranchStep:
    """A test of whether a row at ``node`` takes ``branch``; the code of ``child`` is indented.

    ``after_lower`` says that rows of all lower branches have passed their test already.
    """

    indent: int
    node: int
    branch: int
    child: int
    after_lower: bool


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
    BranchStep(indent=0, node=0, branch=0, child=1, after_lower=True)
    LeafStep(indent=1, leaf=1)
    LeafStep(indent=0, leaf=2)
    """
    leaves = None if _nesting(tree) <= _MOST_NESTED else leaves_below(tree)
    open_blocks = [_block(tree, leaves, 0, 0)]
    while open_blocks:
        step = next(open_blocks[-1], None)
        if step is None:
            open_blocks.pop()
            continue
        yield step
        if isinstance(step, BranchStep):
            open_blocks.append(_block(tree, leaves, step.child, step.indent + 1))


def _nesting(tree: Tree) -> int:
    """Return how deep the code is nested if the last branch of every node stays untested."""
    deep = [0] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        if not tree.is_leaf(node):
            *tested, last = tree.children(node).tolist()
            deep[node] = max(deep[last], 1 + max(deep[child] for child in tested))
    return deep[0]


def _block(
    tree: Tree, leaves: IntArray | None, node: int, indent: int
) -> Iterator[BranchStep | LeafStep]:
    """Yield the steps at one indentation: from a node down to the leaf of the untested branches.

    The branch with the most ``leaves`` stays untested; if they are None, the last one.
    """
    while not tree.is_leaf(node):
        children = tree.children(node).tolist()
        last = len(children) - 1
        if leaves is not None:
            last = max(range(len(children)), key=lambda b: (leaves[children[b]], b))
        for branch, child in enumerate(children):
            if branch != last:
                yield BranchStep(indent, node, branch, child, branch < last)
        node = children[last]
    yield LeafStep(indent, node)


def block_lines(
    tree: Tree, test: Callable[[BranchStep], str], result: Callable[[int], str], close: str = ""
) -> list[str]:
    """Return a tree as the lines of a function's body, in a language with indented blocks.

    Parameters
    ----------
    tree : Tree
        The tree.
    test : callable
        From a step to the line that opens its block.
    result : callable
        From a leaf to the statement that returns its result.
    close : str, default=""
        The line that closes a block; empty if indentation alone does.
    """
    lines: list[str] = []
    opened = 0
    for step in decision_list(tree):
        if close:
            lines += [INDENT * (at + 1) + close for at in range(opened - 1, step.indent - 1, -1)]
        opened = step.indent
        margin = INDENT * (step.indent + 1)
        if isinstance(step, BranchStep):
            lines.append(margin + test(step))
            opened += 1
        else:
            lines.append(margin + result(step.leaf))
    return lines
