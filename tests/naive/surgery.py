"""Trees as nested dictionaries, and the same edits on them: plain recursion and no numbers."""

import numpy as np

from polytomy.tree import IntervalSplit


def nested(tree, node=0):
    """Return a node with its split, its counts, its class and its children."""
    split = tree.split(node)
    facts = {
        "counts": tree.counts[node].tolist(),
        "rows": int(tree.rows[node]),
        "label": tree.relabelled.get(node),
        "split": None,
        "children": [],
    }
    if split is not None:
        cuts = (
            split.thresholds if isinstance(split, IntervalSplit) else split.code_to_branch
        ).tolist()
        facts["split"] = [split.feature, cuts, split.missing_branch, split.default_branch]
        facts["children"] = [nested(tree, child) for child in tree.children(node).tolist()]
    return facts


def path_of(tree, node):
    """Return the branches that lead to a node."""
    path = []
    while node:
        parent = int(tree.parent[node])
        path.insert(0, tree.children(parent).tolist().index(node))
        node = parent
    return path


def at(whole, path):
    """Return the nested node at the end of a path."""
    for branch in path:
        whole = whole["children"][branch]
    return whole


def put(whole, path, part):
    """Return a nested tree with another one at the end of a path."""
    if not path:
        return part
    children = list(whole["children"])
    children[path[0]] = put(children[path[0]], path[1:], part)
    return {**whole, "children": children}


def leaf(facts):
    """Return a nested node without its split."""
    return {**facts, "split": None, "children": [], "label": None}


def merged(facts, low, high):
    """Return a nested node whose neighbouring ranges from ``low`` to ``high`` are one leaf."""
    feature, cuts, missing, _ = facts["split"]
    children = facts["children"]
    part = children[low : high + 1]
    counts = np.sum([c["counts"] for c in part], axis=0).tolist()
    one = leaf({**part[0], "counts": counts, "rows": sum(c["rows"] for c in part)})
    children = [*children[:low], one, *children[high + 1 :]]
    weights = [sum(c["counts"]) for c in children]
    default = min(b for b, w in enumerate(weights) if w >= max(weights) * (1 - 1e-11))
    split = [feature, [*cuts[:low], *cuts[high:]], missing, default]
    return {**facts, "split": split, "children": children}
