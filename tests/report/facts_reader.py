"""What the page does with the facts, in Python: merging nodes, pruning, telling paths."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """A node as the page shows it: its number in the facts, and its children's."""

    node: int
    children: tuple[int, ...]


def merged_children(facts, node):
    """Return what a node's children are once those that join it are merged, in walking order."""
    nodes = facts["nodes"]
    found, waiting = [], list(reversed(nodes[node].get("children", [])))
    while waiting:
        child = waiting.pop()
        if facts["contracted"] and nodes[child].get("joins"):
            waiting += reversed(nodes[child]["children"])
        else:
            found.append(child)
    return found


def tree_of(facts):
    """Return the nodes of the contracted tree, by number in the facts."""
    shown, waiting = {}, [0]
    while waiting:
        node = waiting.pop()
        shown[node] = merged_children(facts, node)
        waiting += shown[node]
    return shown


def conditions_of(facts, leaf):
    """Return the rule of a node: for each column asked, what the deepest answer knows of it."""
    nodes, path = facts["nodes"], [leaf]
    while nodes[path[-1]]["parent"] >= 0:
        path.append(nodes[path[-1]]["parent"])
    said = {}
    for node in reversed(path[:-1]):
        parent = nodes[node]["parent"]
        asked = nodes[parent]["column"]
        key = ("own", parent) if asked < 0 else asked
        said[key] = nodes[node].get("known", nodes[node]["answer"])
    return tuple(said.values())


def prunings_of(facts):
    """Yield (size, errors, leaves) of every pruning, by replaying what changes."""
    leaves = set()
    path = facts["path"]
    for size, errors, flips in zip(path["sizes"], path["errors"], path["toggles"], strict=True):
        leaves ^= set(flips)
        yield size, errors, set(leaves)


def route(facts, node, values, missing):
    """Return the child a row takes at a node: by a number, a listed category's place, or none."""
    here = facts["nodes"][node]
    value = values[here["column"]]
    if missing[here["column"]]:
        branch = here["missing"] if here["missing"] >= 0 else here["default"]
    elif "thresholds" in here:
        cuts = [float(t) for t in here["thresholds"]]
        branch = sum(value > cut for cut in cuts)
    else:
        held = [b for b, codes in enumerate(here["categories"]) if value in codes]
        branch = held[0] if held else here["default"]
    return here["children"][branch]
