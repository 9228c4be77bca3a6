"""Check that the tree that predicts follows from the grown one: pruned, contracted, branches merged.

Both trees are read as contracted. Then a remaining split must be on the same column, with each of
its branches one branch of the grown split, or several that together are a leaf.
"""

import numpy as np

from polytomy._types import UNSEEN, IntArray
from polytomy.index import Index
from polytomy.theory import Prices, tree_cost
from polytomy.tree import CategorySplit, CustomSplit, IntervalSplit, NodeSplit, Tree, contract

from .report import TOLERANCE, Ledger

_HERE = "tree that predicts"


def check_derivation(ledger: Ledger, kept: Tree, grown: Tree) -> None:
    """Check that a tree is a pruning of another one, in which branches may be merged."""
    ledger.begin("tree that predicts: a pruning of the grown tree")
    small, large = contract(kept), contract(grown)
    waiting = [(0, [0])]  # a node, and the nodes of the grown tree that it stands for
    while waiting:
        node, sources = waiting.pop()
        split = small.split(node)
        same = np.allclose(small.counts[node], large.counts[sources].sum(axis=0), rtol=1e-9)
        ledger.holds(bool(same), _HERE, f"node {node} has other rows than the nodes it stands for")
        if split is None:
            continue
        whole = large.split(sources[0])
        if not ledger.holds(
            len(sources) == 1 and whole is not None,
            _HERE,
            f"node {node} is split, but stands for {len(sources)} nodes that are not one split",
        ):
            continue
        assert whole is not None
        groups = _groups(split, whole)
        fits = groups is not None
        if not ledger.holds(fits, _HERE, f"node {node} is not the grown tree's split, or merged"):
            continue
        assert groups is not None
        children = large.children(sources[0])
        for branch, child in enumerate(small.children(node).tolist()):
            waiting.append((child, children[np.flatnonzero(groups == branch)].tolist()))


def _groups(split: NodeSplit, whole: NodeSplit) -> IntArray | None:
    """Return the branch of ``split`` that each branch of ``whole`` became, or None."""
    if isinstance(split, CustomSplit) or isinstance(whole, CustomSplit):
        same = isinstance(split, CustomSplit) and isinstance(whole, CustomSplit)
        is_equal = same and split.branching == whole.branching
        return np.arange(split.arity) if is_equal else None
    if type(split) is not type(whole) or split.feature != whole.feature:
        return None
    groups = np.full(whole.arity, -2)  # not known yet
    if isinstance(split, IntervalSplit) and isinstance(whole, IntervalSplit):
        kept = np.isin(whole.thresholds, split.thresholds)
        if kept.sum() != len(split.thresholds):
            return None
        groups[: len(kept) + 1] = np.concatenate(([0], np.cumsum(kept)))
    elif isinstance(split, CategorySplit) and isinstance(whole, CategorySplit):
        if not _match_codes(groups, split, whole):
            return None
    if (split.missing_branch == UNSEEN) != (whole.missing_branch == UNSEEN):
        return None
    if whole.missing_branch != UNSEEN:
        if groups[whole.missing_branch] == -2:
            groups[whole.missing_branch] = split.missing_branch
        if groups[whole.missing_branch] != split.missing_branch:
            return None
    is_complete = set(groups.tolist()) == set(range(split.arity))
    return groups if is_complete and groups[whole.default_branch] == split.default_branch else None


def _match_codes(groups: IntArray, split: CategorySplit, whole: CategorySplit) -> bool:
    """Fill in the branches of categories; return whether each branch became only one."""
    if len(split.code_to_branch) != len(whole.code_to_branch):
        return False
    for new, old in zip(split.code_to_branch.tolist(), whole.code_to_branch.tolist(), strict=True):
        if (new == UNSEEN) != (old == UNSEEN):
            return False
        if old != UNSEEN and groups[old] not in (-2, new):
            return False
        if old != UNSEEN:
            groups[old] = new
    return True


def check_prices(ledger: Ledger, kept: Tree, own: Tree, index: Index, prices: Prices) -> None:
    """Check that a tree costs no more than the run's own tree, which is one of its competitors."""
    ledger.begin("tree that predicts: cost")
    cost, limit = tree_cost(kept, index, prices), tree_cost(own, index, prices)
    ledger.holds(
        cost <= limit + TOLERANCE * max(limit, float(own.counts[0].sum())),
        _HERE,
        f"it costs {cost:.10g}, but the run's own tree of that size costs {limit:.10g}",
    )
