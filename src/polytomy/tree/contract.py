"""Contraction: merge a node with children that split on the same column.

The leaves and the predictions stay the same for every input, including missing and unseen values,
but rows pass fewer nodes. In phylogenetics such a collapse is called a polytomy.
"""

from collections.abc import Callable, Iterator

import numpy as np

from polytomy._types import UNSEEN

from .builder import TreeBuilder
from .splits import CategorySplit, CustomSplit, IntervalSplit, NodeSplit
from .tree import Tree


def contract(tree: Tree) -> Tree:
    """Return the contracted tree.

    The branch for unseen values is followed through the merged nodes, not chosen again.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.

    Returns
    -------
    Tree
        A tree with the same leaves and predictions, but fewer inner nodes.
    """
    return contraction(tree)[0]


def contraction(tree: Tree) -> tuple[Tree, dict[int, int]]:
    """Return the contracted tree, and the new number of each node that remains."""
    builder = TreeBuilder(tree.counts[0], int(tree.rows[0]), tree.centre, tree.costs)
    became = {0: 0}
    waiting = [(0, 0)]  # (node of the old tree, leaf of the new one)
    while waiting:
        old, new = waiting.pop()
        split, children = wide_split(tree, old)
        if split is None:
            continue
        made = builder.split(new, split, tree.counts[children], tree.rows[children])
        became.update(zip(children, made, strict=True))
        waiting.extend(zip(children, made, strict=True))
    return builder.finish(), became


def wide_split(tree: Tree, node: int) -> tuple[NodeSplit | None, list[int]]:
    """Return the contracted split of a node, and the nodes that become its children."""
    split = tree.split(node)
    if split is None or isinstance(split, CustomSplit):
        return split, tree.children(node).tolist()
    if isinstance(split, IntervalSplit):
        return _merged_intervals(tree, node, split)
    return _merged_codes(tree, node, split)


def _joins(tree: Tree, node: int, child: int) -> bool:
    return bool(tree.kind[child] == tree.kind[node] and tree.feature[child] == tree.feature[node])


def _follow(tree: Tree, node: int, branch_at: Callable[[int], int]) -> int:
    """Return the first node outside the merged ones that a value reaches; UNSEEN: the default."""
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


def _merged_intervals(tree: Tree, node: int, split: IntervalSplit) -> tuple[NodeSplit, list[int]]:
    ranges = list(_ranges(tree, node))
    children = [child for child, _ in ranges]
    thresholds = np.array([high for _, high in ranges[:-1]], dtype=np.float64)
    seen = split.missing_branch != UNSEEN
    missing = _missing_child(tree, node) if seen else UNSEEN
    if seen and missing not in children:
        children.append(missing)
    return (
        IntervalSplit(
            split.feature,
            thresholds,
            children.index(missing) if seen else UNSEEN,
            children.index(_unseen_child(tree, node)),
        ),
        children,
    )


def _ranges(tree: Tree, node: int) -> Iterator[tuple[int, float]]:
    """Yield (child, upper end) for each range of a merged node, from left to right.

    The merged nodes may form a chain of any length, hence a stack instead of recursion.
    """
    waiting = [(node, np.inf, True)]
    while waiting:
        here, high, merges = waiting.pop()
        if not merges:
            yield here, high
            continue
        split = tree.split(here)
        assert isinstance(split, IntervalSplit)
        ends = [*split.thresholds.tolist(), high]
        children = tree.children(here).tolist()[: len(ends)]
        for child, end in zip(reversed(children), reversed(ends), strict=True):
            waiting.append((child, end, _joins(tree, here, child)))


def _merged_codes(tree: Tree, node: int, split: CategorySplit) -> tuple[NodeSplit, list[int]]:
    children = list(_outer_children(tree, node))
    place = {child: branch for branch, child in enumerate(children)}
    code_to_branch = np.full(len(split.code_to_branch), UNSEEN, dtype=np.int32)
    for code in np.flatnonzero(split.code_to_branch != UNSEEN).tolist():
        code_to_branch[code] = place[_child_of_code(tree, node, code)]
    seen = split.missing_branch != UNSEEN
    return (
        CategorySplit(
            split.feature,
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
