"""A tree as the classroom shows it, and where two trees of the same rows differ."""

from dataclasses import replace
from typing import Any

import numpy as np

from polytomy.encode import Schema
from polytomy.export import describe_branches
from polytomy.tree import CategorySplit, IntervalSplit, Tree


def split_words(tree: Tree, schema: Schema, node: int) -> list[str]:
    """Return the branches of a node in words, without the column's name."""
    split = tree.split(node)
    assert isinstance(split, IntervalSplit | CategorySplit)
    plain = replace(split, default_branch=-1)  # a lesson has no new categories
    return describe_branches(plain, schema, named=False)


def tree_nodes(tree: Tree, schema: Schema) -> list[dict[str, Any]]:
    """Return the nodes of a tree: parent, answer on the edge, counts, label, column and children.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Its columns.

    Returns
    -------
    list of dict
        One for each node. ``column`` is None for a leaf, and ``answer`` for the root.
    """
    nodes: list[dict[str, Any]] = [
        {
            "id": node,
            "parent": int(tree.parent[node]) if node else None,
            "answer": None,
            "rows": int(tree.rows[node]),
            "counts": [round(c) for c in tree.counts[node].tolist()],
            "label": int(tree.label[node]),
            "column": None,
            "children": [],
        }
        for node in range(tree.n_nodes)
    ]
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            continue
        children = tree.children(node).tolist()
        nodes[node] |= {"column": schema[int(tree.feature[node])].name, "children": children}
        for child, words in zip(children, split_words(tree, schema, node), strict=True):
            nodes[child]["answer"] = words
    return nodes


def path_words(nodes: list[dict[str, Any]], node: int) -> list[str]:
    """Return the conditions on the path to a node, from the root down."""
    words: list[str] = []
    while nodes[node]["parent"] is not None:
        parent = nodes[nodes[node]["parent"]]
        words.append(f"{parent['column']}: {nodes[node]['answer']}")
        node = parent["id"]
    return words[::-1]


def differences(mine: Tree, other: Tree, schema: Schema) -> list[dict[str, Any]]:
    """Return the nodes at which two trees of the same rows part, from the root down.

    Below a node where they differ, the trees hold other rows and are not compared.

    Parameters
    ----------
    mine, other : Tree
        The trees.
    schema : Schema
        The columns of both.

    Returns
    -------
    list of dict
        ``path``, and the split of each tree there in words, ``mine`` and ``other``; None stands for
        a leaf.
    """
    nodes = tree_nodes(mine, schema)
    found = []
    pending = [(0, 0)]
    while pending:
        a, b = pending.pop()
        if mine.is_leaf(a) and other.is_leaf(b):
            continue
        if _same_branches(mine, a, other, b):
            pairs = zip(mine.children(a).tolist(), other.children(b).tolist(), strict=True)
            pending += list(pairs)[::-1]
            continue
        words = [_whole_split(tree, schema, node) for tree, node in ((mine, a), (other, b))]
        found.append({"path": path_words(nodes, a), "mine": words[0], "other": words[1]})
    return found


def _same_branches(mine: Tree, a: int, other: Tree, b: int) -> bool:
    """Return whether two nodes are split on the same column into the same rows."""
    if mine.is_leaf(a) or other.is_leaf(b) or mine.feature[a] != other.feature[b]:
        return False
    held, others = mine.counts[mine.children(a)], other.counts[other.children(b)]
    return bool(held.shape == others.shape and np.array_equal(held, others))


def _whole_split(tree: Tree, schema: Schema, node: int) -> str | None:
    if tree.is_leaf(node):
        return None
    column = schema[int(tree.feature[node])].name
    return f"{column}: {' | '.join(split_words(tree, schema, node))}"
