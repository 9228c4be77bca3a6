"""The verifier finds a tree that does not follow from the grown one, or that costs too much."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import TreeClassifier, verify
from polytomy._types import UNSEEN
from polytomy.certify.verify.check_pruning import check_derivation, check_prices
from polytomy.certify.verify.report import Ledger
from polytomy.grow import GrowParams, grow
from polytomy.index import resolve
from polytomy.prune import PricedPath
from polytomy.theory import Prices, tree_cost
from polytomy.tree import CategorySplit, IntervalSplit, TreeBuilder, merged_pruning
from polytomy.tree.merge import IS_GONE, IS_LEAF, IS_SPLIT
from tests.certify.tampering import found, with_entry
from tests.strategies import random_cases

GINI = resolve("gini", 2)


def grown():
    """Return four ranges of x and a branch of missing cells; the first range asks for a town.

    Nodes 1 to 4: the ranges; 5: missing; 6 to 8: groups of towns; the last two towns never reach
    the node.
    """
    counts = np.array([[6.0, 6], [1, 1], [2, 6], [3, 0], [1, 2]])
    builder = TreeBuilder(counts.sum(axis=0), 28)
    split = IntervalSplit(0, np.array([1.0, 2.0, 3.0]), missing_branch=4, default_branch=0)
    builder.split(0, split, counts, counts.sum(axis=1).astype(int))
    towns = CategorySplit(1, np.array([0, 1, 2, 1, UNSEEN, UNSEEN], dtype=np.int32), 2, 1)
    groups = np.array([[3.0, 0], [1, 4], [2, 2]])
    builder.split(1, towns, groups, groups.sum(axis=1).astype(int))
    return builder.finish()


def kept():
    """Merge the second and third ranges, the fourth with missing, and the first and last towns."""
    state = np.array([IS_SPLIT, IS_SPLIT, *[IS_LEAF] * 7])
    return merged_pruning(grown(), state, np.array([-1, 0, 1, 1, 2, 2, 0, 1, 0]))


def report(tree):
    ledger = Ledger()
    check_derivation(ledger, tree, grown())
    return ledger.report()


def test_check_accepts_merged_branches():
    assert kept().split(0).thresholds.tolist() == [1.0, 3.0]
    assert report(kept()), str(report(kept()))
    assert report(grown())


NOT_THE_SPLIT = "is not the grown tree's split, or merged"
OTHER_ROWS = "has other rows than the nodes it stands for"

TAMPERED = {
    "moved threshold": (
        lambda t: replace(t, threshold=with_entry(t.threshold, 0, 1.5)),
        NOT_THE_SPLIT,
    ),
    "other threshold of the run": (
        lambda t: replace(t, threshold=with_entry(t.threshold, 0, 2.0)),
        OTHER_ROWS,
    ),
    "column": (lambda t: replace(t, feature=with_entry(t.feature, 0, 2)), NOT_THE_SPLIT),
    "default branch": (
        lambda t: replace(t, default_branch=with_entry(t.default_branch, 0, 1)),
        NOT_THE_SPLIT,
    ),
    "missing branch": (
        lambda t: replace(t, missing_branch=with_entry(t.missing_branch, 0, 0)),
        OTHER_ROWS,
    ),
    "missing branch is unseen": (
        lambda t: replace(t, missing_branch=with_entry(t.missing_branch, 0, UNSEEN)),
        NOT_THE_SPLIT,
    ),
    "missing towns": (
        lambda t: replace(t, missing_branch=with_entry(t.missing_branch, 1, 1)),
        NOT_THE_SPLIT,
    ),
    "one town of a group": (
        lambda t: replace(t, code_to_branch=with_entry(t.code_to_branch, 3, 0)),
        NOT_THE_SPLIT,
    ),
    "group of towns": (
        lambda t: replace(t, code_to_branch=with_entry(t.code_to_branch, [0, 1, 3], [1, 0, 0])),
        NOT_THE_SPLIT,
    ),
    "town that never came": (
        lambda t: replace(t, code_to_branch=with_entry(t.code_to_branch, 5, 1)),
        NOT_THE_SPLIT,
    ),
    "town that came": (
        lambda t: replace(t, code_to_branch=with_entry(t.code_to_branch, 2, UNSEEN)),
        NOT_THE_SPLIT,
    ),
    "counts": (lambda t: replace(t, counts=with_entry(t.counts, (2, 0), 4.0)), OTHER_ROWS),
    "small counts": (lambda t: replace(t, counts=t.counts + 1e-6), OTHER_ROWS),
    "rows": (lambda t: replace(t, rows=with_entry(t.rows, 2, 11)), OTHER_ROWS),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_check_finds_a_tampered_tree(name):
    change, sentence = TAMPERED[name]
    found(report(change(kept())), sentence)


def test_check_finds_counts_that_are_wrong_by_less_than_a_unit_of_tiny_weights():
    def scaled(tree):
        return replace(tree, counts=tree.counts * 1e-9)

    ledger = Ledger()
    wrong = replace(kept(), counts=with_entry(kept().counts, (2, 0), 4.0))
    check_derivation(ledger, scaled(wrong), scaled(grown()))
    found(ledger.report(), OTHER_ROWS)


def test_check_finds_a_split_below_merged_branches():
    small = kept()
    builder = TreeBuilder(small.counts[0], 28)
    builder.split(0, small.split(0), small.counts[1:4], small.rows[1:4])
    builder.split(
        2, IntervalSplit(2, np.array([0.0]), UNSEEN, 0), np.array([[3.0, 0], [0, 7]]), [3, 7]
    )
    found(report(builder.finish()), "node 2 is split, but stands for 2 nodes")


def test_check_finds_a_split_where_the_grown_tree_has_a_leaf():
    whole = grown()
    builder = TreeBuilder(whole.counts[0], 28)
    builder.split(0, whole.split(0), whole.counts[1:6], whole.rows[1:6])
    builder.split(
        3, IntervalSplit(2, np.array([0.0]), UNSEEN, 0), np.array([[2.0, 0], [0, 6]]), [2, 6]
    )
    found(report(builder.finish()), "node 3 is split, but stands for 1 nodes")


def test_check_finds_a_split_of_another_kind():
    whole = grown()
    builder = TreeBuilder(whole.counts[0], 28)
    groups = CategorySplit(0, np.array([0, 1], dtype=np.int32), UNSEEN, 0)
    builder.split(0, groups, np.array([[6.0, 6], [7, 9]]), [12, 16])
    found(report(builder.finish()), NOT_THE_SPLIT)


@settings(max_examples=60, deadline=None)
@given(random_cases(follows=True), st.sampled_from([0.0, 0.02]), st.booleans())
def test_check_accepts_the_prunings_of_any_run(case, question, contracts):
    tree = grow(case.coded, case.target, GrowParams(procedure="priced"), case.table).tree
    path = PricedPath(tree, GINI, Prices(0.0, question), 12, contract=contracts)
    for size in path.sizes.tolist():
        ledger = Ledger()
        check_derivation(ledger, path.at(size), tree)
        assert ledger.report(), str(ledger.report())


def test_check_prices_finds_a_tree_that_costs_more_than_the_runs_own():
    prices = Prices(1.0, 0.1)
    small, whole = kept(), grown()
    costs = [tree_cost(tree, GINI, prices) for tree in (small, whole)]
    assert costs[0] < costs[1]
    for tree, own, fine in ((small, whole, True), (whole, small, False), (small, small, True)):
        ledger = Ledger()
        check_prices(ledger, tree, own, GINI, prices)
        assert bool(ledger.report()) == fine
    found(ledger_of(whole, small, prices), f"it costs {costs[1]:.10g}, but")


def ledger_of(tree, own, prices):
    ledger = Ledger()
    check_prices(ledger, tree, own, GINI, prices)
    return ledger.report()


def test_verify_finds_a_worse_pruning_in_a_fitted_classifier():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, (300, 3)).astype(float)
    y = (X[:, 0] // 3 % 2).astype(int) ^ (rng.random(300) < 0.1)
    clf = TreeClassifier(max_leaves=6).fit(X, y)
    assert verify(clf, X, y), str(verify(clf, X, y))
    grown_tree, pruning = clf._model.grown, clf._model.pruning
    state = np.full(grown_tree.n_nodes, IS_GONE)
    state[0] = IS_LEAF
    stump = merged_pruning(grown_tree, state, np.full(grown_tree.n_nodes, -1))
    clf._model = replace(clf._model, pruning=replace(pruning, tree=stump))
    found(verify(clf, X, y), "but the run's own tree of that size costs")
