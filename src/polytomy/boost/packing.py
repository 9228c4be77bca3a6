"""Members to plain arrays and back: all trees' arrays end to end."""

import json
from typing import Any

import numpy as np

from polytomy._types import AnyArray, IntArray
from polytomy.ensemble import Member
from polytomy.tree import Tree, check_tree, from_plain, to_plain

_BY_NODE = ("kind", "feature", "parent", "missing_branch", "default_branch", "counts", "rows")
_RAGGED = ("child", "threshold", "code_to_branch")


def packed(members: tuple[Member, ...]) -> dict[str, AnyArray]:
    """Return members as arrays that say everything about them."""
    own = [
        [number, node, to_plain(question)]
        for number, member in enumerate(members)
        for node, question in member.tree.own.items()
    ]
    out: dict[str, AnyArray] = {
        "nodes": np.array([m.tree.n_nodes for m in members], dtype=np.int64),
        "own": np.array(json.dumps(own)),
    }
    if not members:
        return out
    trees = [m.tree for m in members]
    for name in (*_BY_NODE, *_RAGGED, *(f"{name}_start" for name in _RAGGED)):
        out[name] = np.concatenate([getattr(tree, name) for tree in trees])
    out["scores"] = np.concatenate([m.scores for m in members])
    return out


def unpacked(arrays: dict[str, AnyArray]) -> tuple[Member, ...]:
    """Return the members that ``packed`` wrote; every tree is checked."""
    own: dict[int, dict[int, Any]] = {}
    for number, node, question in json.loads(str(arrays["own"])):
        own.setdefault(number, {})[node] = from_plain(question)
    members = []
    at = dict.fromkeys(_RAGGED, 0)
    first = 0
    for number, n_nodes in enumerate(arrays["nodes"].tolist()):
        parts = {name: arrays[name][first : first + n_nodes] for name in _BY_NODE}
        for name in _RAGGED:
            start: IntArray = arrays[f"{name}_start"][first + number : first + number + n_nodes + 1]
            stop = at[name] + int(start[-1])
            parts[f"{name}_start"] = start
            parts[name] = arrays[name][at[name] : stop]
            at[name] = stop
        copies = {name: np.array(part) for name, part in parts.items()}
        tree = Tree(**copies, own=own.get(number, {}))
        check_tree(tree)
        members.append(Member(tree, arrays["scores"][first : first + n_nodes]))
        first += n_nodes
    return tuple(members)
