"""Check the invariants of a tree on its arrays."""

from math import isfinite

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import UNSEEN, AnyArray, FloatArray

from .splits import CategorySplit, CustomSplit, IntervalSplit
from .tree import CODES, INTERVALS, LEAF, OWN, Tree

_ROUNDING = 1e-9  # relative to the counts of all rows


def check_tree(tree: Tree, fewest_rows: int = 1) -> None:
    """Raise ``TreeError`` for the first invariant that does not hold.

    Offsets match their arrays. Every node but the root is the child of exactly one earlier node.
    A split has at least two branches, one for each child, and every branch can be reached.
    Thresholds are finite and ascending. Counts are not negative, and those of a node are the sum
    of its children's. For a numeric target, some rows have the moments of each node: its weight is
    positive, and its sum of squares is at least that of its mean. Every node has at least
    ``fewest_rows`` rows; a density tree may have empty leaves. Only leaves are given a class by
    hand, and one that the tree has.
    """
    _check_shapes(tree)
    _check_edges(tree)
    for node in np.flatnonzero((tree.kind != LEAF) & ~_plain_intervals(tree)).tolist():
        _check_node(tree, node)
    _check_counts(tree, fewest_rows)
    for node, label in tree.relabelled.items():
        is_leaf = not tree.is_numeric and 0 <= node < tree.n_nodes and tree.is_leaf(node)
        _require(is_leaf, f"node {node}, which was relabelled, is not a leaf with a class")
        _require(0 <= label < tree.n_classes, f"node {node} was given a class that does not exist")


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise TreeError(f"not a tree: {sentence}")


def _check_shapes(tree: Tree) -> None:
    n = tree.n_nodes
    _require(n > 0, "it has no nodes")
    for name in ("feature", "parent", "missing_branch", "default_branch", "counts", "rows"):
        _require(len(getattr(tree, name)) == n, f"{name} does not have one entry for each node")
    for name in ("child", "threshold", "code_to_branch"):
        start = getattr(tree, f"{name}_start")
        fits = len(start) == n + 1 and start[0] == 0 and start[-1] == len(getattr(tree, name))
        _require(fits and bool((np.diff(start) >= 0).all()), f"{name}_start does not match {name}")
    known = np.isin(tree.kind, (LEAF, INTERVALS, CODES, OWN))
    _require(bool(known.all()), "a node has an unknown kind")
    own = set(np.flatnonzero(tree.kind == OWN).tolist())
    _require(own == set(tree.own), "the user-defined splits do not match the nodes of kind OWN")


def _check_edges(tree: Tree) -> None:
    n = tree.n_nodes
    _require(int(tree.parent[0]) == -1, "node 0 is not the root")
    _require(
        np.array_equal(np.sort(tree.child), np.arange(1, n)),
        "a node does not have exactly one parent",
    )
    parents = np.repeat(np.arange(n), np.diff(tree.child_start))
    _require(np.array_equal(tree.parent[tree.child], parents), "parent and child disagree")
    _require(bool((tree.child > parents).all()), "a child comes before its parent")
    leaf = np.diff(tree.child_start) == 0
    _require(np.array_equal(leaf, tree.kind == LEAF), "a leaf has children, or a split has none")


def _plain_intervals(tree: Tree) -> AnyArray:
    """Return which nodes are interval splits for which ``_check_node`` would find nothing."""
    arity, n_cuts = np.diff(tree.child_start), np.diff(tree.threshold_start)
    missing, default = tree.missing_branch, tree.default_branch
    fits: AnyArray = (tree.kind == INTERVALS) & (arity >= 2) & (tree.feature >= 0)
    fits &= (default >= 0) & (default < arity) & (missing >= UNSEEN)
    fits &= (arity == np.maximum(n_cuts, missing) + 1) & (arity <= n_cuts + 2)
    cuts = tree.threshold
    ascends = cuts < np.inf  # not if it is nan
    ascends[1:] &= np.isfinite(cuts[1:]) & (cuts[1:] > cuts[:-1])
    first = tree.threshold_start[:-1][n_cuts > 0]
    ascends[first] = cuts[first] < np.inf  # the first of a node may be -inf
    fits[np.repeat(np.arange(tree.n_nodes), n_cuts)[~ascends]] = False
    return fits


def _check_node(tree: Tree, node: int) -> None:
    split = tree.split(node)
    arity = tree.arity(node)
    where = f"node {node}"
    _require(arity >= 2, f"{where} has only one child")
    _require(
        split is not None and split.arity == arity,
        f"{where} does not have one child for each branch",
    )
    if isinstance(split, CustomSplit) or split is None:
        return
    _require(split.feature >= 0, f"{where} has no column")
    _require(0 <= split.default_branch < arity, f"{where} has no branch for unseen values")
    _require(
        UNSEEN <= split.missing_branch < arity, f"{where} has an invalid branch for missing cells"
    )
    reached = {split.missing_branch}
    if isinstance(split, IntervalSplit):
        cuts = split.thresholds
        ascend = bool(np.isfinite(cuts[1:]).all() and (np.diff(cuts) > 0).all())
        _require(ascend and not np.isnan(cuts).any(), f"{where} has thresholds that do not ascend")
        _require(not (cuts == np.inf).any(), f"{where} has an infinite threshold")
        reached.update(range(len(cuts) + 1))
    if isinstance(split, CategorySplit):
        codes = split.code_to_branch
        _require(bool((codes >= UNSEEN).all()), f"{where} has an invalid branch for a category")
        reached.update(codes.tolist())
    _require(
        reached | {UNSEEN} == set(range(UNSEEN, arity)),
        f"{where} has a child that no row can reach",
    )


def _check_counts(tree: Tree, fewest_rows: int) -> None:
    counts = tree.counts
    if tree.is_numeric:
        _check_moments(tree)
    else:
        _require(
            bool(np.isfinite(counts).all() and (counts >= 0).all()),
            "a count is negative or not finite",
        )
    slack = count_tolerance(tree)
    _require(bool((tree.rows >= fewest_rows).all()), "a node has no training rows")
    inner = np.flatnonzero(tree.kind != LEAF)
    if not len(inner):
        return
    starts = tree.child_start[inner]  # leaves have no children between them
    total = np.add.reduceat(counts[tree.child], starts, axis=0)
    close = (np.abs(counts[inner] - total) <= slack + _ROUNDING * np.abs(total)).all(axis=1)
    wrong = ~close | (tree.rows[inner] != np.add.reduceat(tree.rows[tree.child], starts))
    _require(
        not wrong.any(),
        f"the counts of node {inner[np.argmax(wrong)]} are not the sum of its children's",
    )


def count_tolerance(tree: Tree) -> FloatArray:
    """Return by how much rounding may change each count, or moment, of a node."""
    counts = tree.counts
    scale = np.abs(counts).max(axis=0) if tree.is_numeric else counts[0].sum()
    return np.asarray(_ROUNDING * scale)


def _check_moments(tree: Tree) -> None:
    """Check that there may be rows with the moments of each node."""
    moments, centre = tree.counts, tree.centre
    assert centre is not None
    _require(moments.shape[1] in (3, 4), "a numeric target has 3 or 4 moments")
    _require(
        isfinite(centre) and bool(np.isfinite(moments).all()),
        "a moment or the centre is not finite",
    )
    w, s, q = moments[:, 0], moments[:, 1], moments[:, 2]
    _require(bool((w > 0).all()), "a node has no weight")
    fits = (q >= 0).all() and (np.abs(s) <= np.sqrt(w) * np.sqrt(q) * (1 + _ROUNDING)).all()
    _require(bool(fits), "a sum of squares is smaller than that of the mean")
    _require(bool(np.isfinite(tree.mean).all()), "a mean is not finite")
    if moments.shape[1] == 4:
        _require(centre == 0, "Poisson moments are not about 0")
        _require(bool((s >= 0).all()), "a Poisson sum is negative")
        logs = moments[:, 3]
        least = s * np.log(np.where(s > 0, s, 1.0) / w)
        slack = _ROUNDING * np.maximum(s, np.abs(logs))
        _require(bool((logs >= least - slack).all()), "a Poisson deviance is negative")
