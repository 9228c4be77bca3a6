"""Reading the facts of a tree as the page does: merging nodes, pruning, conditions, routing."""


def merged_children(facts, node):
    """Return the children of a node after merging, in depth-first order."""
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
    """Return the children of each node of the contracted tree."""
    shown, waiting = {}, [0]
    while waiting:
        node = waiting.pop()
        shown[node] = merged_children(facts, node)
        waiting += shown[node]
    return shown


def conditions_of(facts, leaf):
    """Return the rule of a node: for each column on the path, its last condition."""
    nodes, path = facts["nodes"], [leaf]
    while nodes[path[-1]]["parent"] >= 0:
        path.append(nodes[path[-1]]["parent"])
    text = {}
    for node in reversed(path[:-1]):
        parent = nodes[node]["parent"]
        asked = nodes[parent]["column"]
        key = ("own", parent) if asked < 0 else asked
        text[key] = nodes[node].get("known", nodes[node]["answer"])
    return tuple(text.values())


def prunings_of(facts):
    """Yield (size, errors, leaves) of every pruning, by applying the differences."""
    leaves = set()
    path = facts["path"]
    for size, errors, flips in zip(path["sizes"], path["errors"], path["toggles"], strict=True):
        leaves ^= set(flips)
        yield size, errors, set(leaves)


def route(facts, node, values, missing):
    """Return the child of a node that a row reaches."""
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
