"""The invariants of a tree, checked on its arrays alone."""

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import UNSEEN

from .arrays import CODES, INTERVALS, LEAF, OWN, Tree
from .question import CodeQuestion, IntervalQuestion, OwnQuestion


def check_tree(tree: Tree) -> None:
    """Raise ``TreeError`` with the first invariant that does not hold.

    Offsets fit their arrays; every node but the root is the child of one earlier node, its parent;
    a question has at least two branches, as many as children, and each of them can be reached;
    thresholds are finite and ascend; counts are not negative, and a node's are its children's sum.
    """
    _check_shapes(tree)
    _check_edges(tree)
    for node in range(tree.n_nodes):
        if not tree.is_leaf(node):
            _check_node(tree, node)
    _check_counts(tree)


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise TreeError(f"not a tree: {sentence}")


def _check_shapes(tree: Tree) -> None:
    n = tree.n_nodes
    _require(n > 0, "it has no node")
    for name in ("feature", "parent", "missing_branch", "default_branch", "counts", "rows"):
        _require(len(getattr(tree, name)) == n, f"{name} has not one entry a node")
    for name in ("child", "threshold", "code_to_branch"):
        start = getattr(tree, f"{name}_start")
        fits = len(start) == n + 1 and start[0] == 0 and start[-1] == len(getattr(tree, name))
        _require(fits and bool((np.diff(start) >= 0).all()), f"{name}_start does not fit {name}")
    known = np.isin(tree.kind, (LEAF, INTERVALS, CODES, OWN))
    _require(bool(known.all()), "a node is of no known kind")
    own = set(np.flatnonzero(tree.kind == OWN).tolist())
    _require(own == set(tree.own), "a question of a user's own is missing, or asked by no node")


def _check_edges(tree: Tree) -> None:
    n = tree.n_nodes
    _require(int(tree.parent[0]) == -1, "node 0 is not the root")
    _require(np.array_equal(np.sort(tree.child), np.arange(1, n)), "a node has not one parent")
    parents = np.repeat(np.arange(n), np.diff(tree.child_start))
    _require(np.array_equal(tree.parent[tree.child], parents), "parent and child disagree")
    _require(bool((tree.child > parents).all()), "a child comes before its parent")
    leaf = np.diff(tree.child_start) == 0
    _require(np.array_equal(leaf, tree.kind == LEAF), "a leaf has children, or a question none")


def _check_node(tree: Tree, node: int) -> None:
    question = tree.question(node)
    arity = tree.arity(node)
    where = f"node {node}"
    _require(arity >= 2, f"{where} has one child")
    _require(question is not None and question.arity == arity, f"{where} has not a child a branch")
    if isinstance(question, OwnQuestion) or question is None:
        return
    _require(question.feature >= 0, f"{where} asks about no column")
    _require(0 <= question.default_branch < arity, f"{where} has no branch for unseen values")
    _require(UNSEEN <= question.missing_branch < arity, f"{where} sends missing cells nowhere")
    reached = {question.missing_branch}
    if isinstance(question, IntervalQuestion):
        cuts = question.thresholds
        ascend = bool(np.isfinite(cuts[1:]).all() and (np.diff(cuts) > 0).all())
        _require(ascend and not np.isnan(cuts).any(), f"{where} has thresholds out of order")
        _require(not (cuts == np.inf).any(), f"{where} has a range above infinity")
        reached.update(range(len(cuts) + 1))
    if isinstance(question, CodeQuestion):
        codes = question.code_to_branch
        _require(bool((codes >= UNSEEN).all()), f"{where} sends a category nowhere")
        reached.update(codes.tolist())
    _require(reached | {UNSEEN} == set(range(UNSEEN, arity)), f"{where} has a child no row reaches")


def _check_counts(tree: Tree) -> None:
    counts = tree.counts
    _require(
        bool(np.isfinite(counts).all() and (counts >= 0).all()), "a count is negative or not finite"
    )
    _require(bool((tree.rows > 0).all()), "a node has no training row")
    inner = np.flatnonzero(tree.kind != LEAF)
    for node in inner:
        children = tree.children(int(node))
        total = counts[children].sum(axis=0)
        close = np.allclose(counts[node], total, rtol=1e-9, atol=1e-9 * counts[0].sum())
        rows = tree.rows[node] == tree.rows[children].sum()
        _require(close and bool(rows), f"node {node} does not hold what its children hold")
