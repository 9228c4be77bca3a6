"""Contraction: a node and a child that ask about the same column become one node.

Same leaves and same predictions on every input, also on missing and unseen values, with fewer
questions on the way. In phylogenetics this collapse is what makes a polytomy.
"""

from collections.abc import Callable, Iterator

import numpy as np

from polytomy._types import UNSEEN

from .arrays import Tree
from .builder import TreeBuilder
from .question import CodeQuestion, IntervalQuestion, OwnQuestion, Question


def contract(tree: Tree) -> Tree:
    """Return the contracted tree; the given one is left as it is.

    The branch for values not seen at a node is composed along the merged nodes, not decided anew.
    """
    return contraction(tree)[0]


def contraction(tree: Tree) -> tuple[Tree, dict[int, int]]:
    """Return the contracted tree, and which of its nodes each node that is left has become."""
    builder = TreeBuilder(tree.counts[0], int(tree.rows[0]))
    became = {0: 0}
    waiting = [(0, 0)]  # (node of the old tree, leaf of the new one)
    while waiting:
        old, new = waiting.pop()
        question, children = _merged(tree, old)
        if question is None:
            continue
        made = builder.split(new, question, tree.counts[children], tree.rows[children])
        became.update(zip(children, made, strict=True))
        waiting.extend(zip(children, made, strict=True))
    return builder.finish(), became


def _merged(tree: Tree, node: int) -> tuple[Question | None, list[int]]:
    """Return what a node asks once merged, and the old nodes that become its children."""
    question = tree.question(node)
    if question is None or isinstance(question, OwnQuestion):
        return question, tree.children(node).tolist()
    if isinstance(question, IntervalQuestion):
        return _merged_intervals(tree, node, question)
    return _merged_codes(tree, node, question)


def _joins(tree: Tree, node: int, child: int) -> bool:
    return bool(tree.kind[child] == tree.kind[node] and tree.feature[child] == tree.feature[node])


def _follow(tree: Tree, node: int, branch_at: Callable[[int], int]) -> int:
    """Follow a value through merged nodes to where it leaves them; UNSEEN takes the default."""
    while True:
        branch = branch_at(node)
        if branch == UNSEEN:
            branch = int(tree.default_branch[node])
        child = int(tree.children(node)[branch])
        if not _joins(tree, node, child):
            return child
        node = child


def _missing_child(tree: Tree, node: int) -> int:
    return _follow(tree, node, lambda here: int(tree.missing_branch[here]))


def _unseen_child(tree: Tree, node: int) -> int:
    return _follow(tree, node, lambda _: UNSEEN)


def _merged_intervals(
    tree: Tree, node: int, question: IntervalQuestion
) -> tuple[Question, list[int]]:
    ranges = list(_ranges(tree, node))
    children = [child for child, _ in ranges]
    thresholds = np.array([high for _, high in ranges[:-1]], dtype=np.float64)
    seen = question.missing_branch != UNSEEN
    missing = _missing_child(tree, node) if seen else UNSEEN
    if seen and missing not in children:
        children.append(missing)
    return (
        IntervalQuestion(
            question.feature,
            thresholds,
            children.index(missing) if seen else UNSEEN,
            children.index(_unseen_child(tree, node)),
        ),
        children,
    )


def _ranges(tree: Tree, node: int) -> Iterator[tuple[int, float]]:
    """Yield the ranges of a merged node from left to right: (child, upper end).

    The merged nodes may form a chain of any length, so they wait on a stack, not in recursion.
    """
    waiting = [(node, np.inf, True)]
    while waiting:
        here, high, merges = waiting.pop()
        if not merges:
            yield here, high
            continue
        question = tree.question(here)
        assert isinstance(question, IntervalQuestion)
        ends = [*question.thresholds.tolist(), high]
        children = tree.children(here).tolist()[: len(ends)]
        for child, end in zip(reversed(children), reversed(ends), strict=True):
            waiting.append((child, end, _joins(tree, here, child)))


def _merged_codes(tree: Tree, node: int, question: CodeQuestion) -> tuple[Question, list[int]]:
    children = list(_outer_children(tree, node))
    place = {child: branch for branch, child in enumerate(children)}
    code_to_branch = np.full(len(question.code_to_branch), UNSEEN, dtype=np.int32)
    for code in np.flatnonzero(question.code_to_branch != UNSEEN).tolist():
        code_to_branch[code] = place[_child_of_code(tree, node, code)]
    seen = question.missing_branch != UNSEEN
    return (
        CodeQuestion(
            question.feature,
            code_to_branch,
            place[_missing_child(tree, node)] if seen else UNSEEN,
            place[_unseen_child(tree, node)],
        ),
        children,
    )


def _outer_children(tree: Tree, node: int) -> Iterator[int]:
    waiting = [(node, True)]
    while waiting:
        here, merges = waiting.pop()
        if not merges:
            yield here
            continue
        children = reversed(tree.children(here).tolist())
        waiting.extend((child, _joins(tree, here, child)) for child in children)


def _child_of_code(tree: Tree, node: int, code: int) -> int:
    def branch_at(here: int) -> int:
        start, stop = tree.code_to_branch_start[here : here + 2]
        return int(tree.code_to_branch[start + code]) if code < stop - start else UNSEEN

    return _follow(tree, node, branch_at)
