"""Filling a tree with rows one by one: plain lists of row numbers, and no arrays."""

from dataclasses import dataclass, field

from polytomy.tree import IntervalSplit
from tests.naive.route import naive_branch


@dataclass
class Filled:
    """A node with its rows; ``branch_of`` maps the cells that its rows have to branches."""

    rows: list
    feature: int | None = None
    branch_of: dict = field(default_factory=dict)
    children: list = field(default_factory=list)


def refilled(tree, schema, rows, weights, least_rows, least_weight, node=0, held=None):
    """Return the root of a tree filled with rows of cells, without branches of too few of them."""
    held = list(range(len(rows))) if held is None else held
    split = tree.split(node)
    if split is None:
        return Filled(held)
    children = tree.children(node).tolist()
    part = [[] for _ in children]
    for i in held:
        part[naive_branch(split, schema, rows[i])].append(i)
    enough = [
        b
        for b, own in enumerate(part)
        if len(own) >= least_rows and sum(weights[i] for i in own) >= least_weight
    ]
    if not enough:
        return Filled(held)

    def below(child, own):
        return refilled(tree, schema, rows, weights, least_rows, least_weight, child, own)

    if len(enough) == 1:
        return below(children[enough[0]], held)
    home = {b: _home(split, b, enough, part) for b in range(len(part))}
    groups = [sorted(i for b in home if home[b] == kept for i in part[b]) for kept in enough]
    cells = {}
    for number, own in enumerate(groups):
        for i in own:
            cells[rows[i][split.feature]] = number
    made = [below(children[b], own) for b, own in zip(enough, groups, strict=True)]
    return Filled(held, split.feature, cells, made)


def _home(split, branch, enough, part):
    """Return the branch that the rows of a branch go to."""
    if branch in enough:
        return branch
    n_ranges = len(split.thresholds) + 1 if isinstance(split, IntervalSplit) else 0
    if branch < n_ranges:
        ranges = [b for b in enough if b < n_ranges]
        lower = [b for b in ranges if b < branch][-1:]
        upper = [b for b in ranges if b > branch][:1]
        near = lower + upper
        if near:
            return max(near, key=lambda b: len(part[b]))
    return max(enough, key=lambda b: len(part[b]))
