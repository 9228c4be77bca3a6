"""Check that the tree that predicts is the grown one pruned, contracted, and with merged branches.

Both trees are read as contracted. Then a remaining split must be on the same column, with each of
its branches one branch of the grown split, or several that together are a leaf. Where subtrees may
have been raised, the trees are compared as grown, and a node may stand for any node below.
"""

import numpy as np

from polytomy._types import UNSEEN, IntArray
from polytomy.index import Index
from polytomy.theory import Prices, losses, tree_cost
from polytomy.tree import CategorySplit, CustomSplit, IntervalSplit, NodeSplit, Tree, contract

from .report import TOLERANCE, Ledger

_HERE = "tree that predicts"
_ColumnSplit = IntervalSplit | CategorySplit


def check_derivation(ledger: Ledger, kept: Tree, grown: Tree) -> None:
    """Check that a tree is a pruning of another one, in which branches may be merged."""
    ledger.begin("tree that predicts: a pruning of the grown tree")
    small, large = contract(kept), contract(grown)
    slack = TOLERANCE * np.abs(large.counts).max(axis=0)
    if not large.is_numeric:
        slack = np.full(large.n_classes, TOLERANCE * float(large.weight[0]))
    waiting = [(0, [0])]  # a node, and the nodes of the grown tree that it stands for
    while waiting:
        node, sources = waiting.pop()
        split = small.split(node)
        counts, rows = large.counts[sources].sum(axis=0), large.rows[sources].sum()
        off = np.abs(small.counts[node] - counts)
        is_same = (off <= slack + TOLERANCE * np.abs(counts)).all()
        ledger.holds(
            bool(is_same and small.rows[node] == rows),
            _HERE,
            f"node {node} has other rows than the nodes it stands for",
        )
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
    if isinstance(split, CustomSplit) and isinstance(whole, CustomSplit):
        return np.arange(split.arity) if split.branching == whole.branching else None
    if isinstance(split, CustomSplit) or isinstance(whole, CustomSplit):
        return None
    became = {UNSEEN: UNSEEN}
    is_one_each = all(became.setdefault(old, new) == new for old, new in _cells(split, whole))
    groups = [became.get(old, UNSEEN) for old in range(whole.arity)]
    is_complete = set(groups) == set(range(split.arity))
    return np.array(groups) if is_one_each and is_complete else None


def _cells(split: _ColumnSplit, whole: _ColumnSplit) -> list[tuple[int, int]]:
    """Return where ``whole`` and ``split`` send each range or category, missing and new cells.

    The list is empty if one split cannot be the other with merged branches.
    """
    if split.feature != whole.feature:
        return []
    others = [
        (whole.missing_branch, split.missing_branch),
        (whole.default_branch, split.default_branch),
    ]
    if isinstance(split, IntervalSplit) and isinstance(whole, IntervalSplit):
        kept = np.isin(whole.thresholds, split.thresholds)
        if not np.array_equal(whole.thresholds[kept], split.thresholds):
            return []
        return [*enumerate([0, *np.cumsum(kept).tolist()]), *others]
    if isinstance(split, CategorySplit) and isinstance(whole, CategorySplit):
        if len(split.code_to_branch) != len(whole.code_to_branch):
            return []
        codes = whole.code_to_branch.tolist(), split.code_to_branch.tolist()
        return [*zip(*codes, strict=True), *others]
    return []


def check_raised(ledger: Ledger, kept: Tree, grown: Tree) -> None:
    """Check that a tree is a pruning of another one in which subtrees may have been raised."""
    ledger.begin("tree that predicts: raised subtrees of the grown tree")
    ledger.holds(_is_raised(kept, grown), _HERE, "it does not follow from the grown tree")


def _is_raised(kept: Tree, grown: Tree) -> bool:
    """Return whether the splits of a tree are those of another one, in the same order."""
    alike: dict[object, list[int]] = {}
    for node in range(grown.n_nodes):
        alike.setdefault(_split_key(grown, node), []).append(node)
    ends = _last_below(grown)
    # For each node of the kept tree, from the bottom: the grown nodes it may stand for, or None for
    # a leaf, which any node may become.
    stands: list[list[int] | None] = [None] * kept.n_nodes
    for node in range(kept.n_nodes - 1, -1, -1):  # children have larger numbers
        if kept.split(node) is None:
            continue
        stands[node] = [
            source
            for source in alike.get(_split_key(kept, node), [])
            if all(
                (below := stands[child]) is None or any(_is_in(s, top, ends) for s in below)
                for child, top in zip(
                    kept.children(node).tolist(), grown.children(source).tolist(), strict=True
                )
            )
        ]
    return stands[0] is None or bool(stands[0])


def _last_below(tree: Tree) -> tuple[IntArray, IntArray]:
    """Return each node's place in depth-first order, and the last place within its subtree."""
    place, last = np.zeros(tree.n_nodes, np.int64), np.zeros(tree.n_nodes, np.int64)
    size = np.ones(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes - 1, 0, -1):
        size[tree.parent[node]] += size[node]
    for node in range(tree.n_nodes):
        last[node] = place[node] + size[node] - 1
        first = place[node] + 1
        for child in tree.children(node).tolist():
            place[child], first = first, first + size[child]
    return place, last


def _is_in(node: int, top: int, ends: tuple[IntArray, IntArray]) -> bool:
    place, last = ends
    return bool(place[top] <= place[node] <= last[top])


def _split_key(tree: Tree, node: int) -> object:
    """Return a split as a value that equals that of the same split elsewhere."""
    split = tree.split(node)
    if split is None:
        return None
    if isinstance(split, CustomSplit):
        return repr(split.branching)
    cells = split.thresholds if isinstance(split, IntervalSplit) else split.code_to_branch
    where = split.feature, split.missing_branch, split.default_branch, split.arity
    return (type(split).__name__, *where, cells.tobytes())


def check_prices(ledger: Ledger, kept: Tree, own: Tree, index: Index, prices: Prices) -> None:
    """Check that a tree costs no more than the run's own tree, which is one of its competitors."""
    ledger.begin("tree that predicts: cost")
    cost, limit = tree_cost(kept, index, prices), tree_cost(own, index, prices)
    ledger.holds(
        cost
        <= limit
        + TOLERANCE * max(limit, float(own.errors[0] if own.is_numeric else own.weight[0])),
        _HERE,
        f"it costs {cost:.10g}, but the run's own tree of that size costs {limit:.10g}",
    )


def check_allowance(
    ledger: Ledger,
    kept: Tree,
    own: Tree,
    index: Index,
    prices: Prices,
    stated: float,
    *,
    may_cost_more: bool,
) -> None:
    """Check by how much a tree may exceed the error bound of the run's own tree.

    Errors are at most the loss, and the loss of the run's own tree is at most what bounds its
    errors. So the allowance must be at least the difference of the losses. It is the difference of
    the prices that are paid, unless the tree costs more than the run's own tree.
    """
    ledger.begin("certificate: allowance of the tree that predicts")
    loss, paid = [], []
    for tree in (kept, own):
        loss.append(float(losses(tree.counts[tree.leaves()], index, tree.costs).sum()))
        paid.append(tree_cost(tree, index, prices) - loss[-1])
    allowed = paid[1] - paid[0]
    if may_cost_more:
        allowed = max(allowed, loss[0] - loss[1])
    weight = float(own.weight[0]) / (2 if own.is_numeric else 1)  # the loss is half the impurity
    scale = float(own.errors[0]) if own.is_numeric else float(own.weight[0])
    what = "by how much the kept tree may exceed the bound"
    ledger.close(stated, allowed / weight, "certificate", what, scale / weight)
