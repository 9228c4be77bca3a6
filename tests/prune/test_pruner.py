"""Pruners as objects: the registry, their parameters, and common behaviour."""

import pickle
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import ParameterError
from polytomy.encode import OrderedColumn, Schema
from polytomy.index import INDICES
from polytomy.prune import (
    PRUNERS,
    ChiSquare,
    Conservative,
    CostComplexity,
    ErrorBudget,
    Evidence,
    Pessimistic,
    ReducedError,
    resolve,
)
from polytomy.tree import check_tree
from tests.strategies import added_up, grown_trees, tree_of

SCHEMA = Schema((OrderedColumn("x", np.arange(9.0), np.arange(9.0), has_missing=False),))


def test_resolve_finds_every_pruner_by_name():
    assert list(PRUNERS) == [
        "reduced-error",
        "conservative",
        "error-budget",
        "chi-square",
        "cost-complexity",
        "pessimistic",
    ]
    for name, cls in PRUNERS.items():
        pruner = resolve(name)
        assert type(pruner) is cls
        assert pruner.name == name
        assert pruner == cls()
        assert resolve(pruner) is pruner
        assert pickle.loads(pickle.dumps(pruner)) == pruner
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            pruner.name = "other"


@pytest.mark.parametrize("wrong", ["reduced_error", None, 3, ReducedError, object()])
def test_resolve_rejects_invalid_pruners(wrong):
    with pytest.raises(ParameterError, match=r"pruner must be one of reduced-error, .*; got"):
        resolve(wrong)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ReducedError(fraction=0), "fraction must be a number between 0 and 1"),
        (lambda: ReducedError(fraction=1.0), "fraction"),
        (lambda: ReducedError(fraction=True), "fraction"),
        (lambda: ReducedError(raising=1), "raising must be True, False or 'any', got 1"),
        (lambda: Conservative(delta=0), "delta must be a number between 0 and 1"),
        (lambda: Conservative(delta=float("nan")), "delta"),
        (lambda: Conservative(scale=-1), "scale must be a number of at least 0"),
        (lambda: Conservative(scale=float("inf")), "scale"),
        (lambda: ErrorBudget(select="size"), "select must be one of holdout, srm, cv"),
        (lambda: ErrorBudget(select=0), "select"),
        (lambda: ErrorBudget(select=2.5), "select"),
        (lambda: ErrorBudget(select=True), "select"),
        (lambda: ErrorBudget(fraction="half"), "fraction"),
        (lambda: ErrorBudget(folds=1), "folds must be an integer of at least 2"),
        (lambda: ErrorBudget(max_size=0), "max_size must be an integer of at least 1 or None"),
        (lambda: ChiSquare(max_p_chance=1.5), "max_p_chance must be a number from 0 to 1"),
        (lambda: CostComplexity(alpha=-0.1), "alpha must be a number of at least 0"),
        (lambda: CostComplexity(cost="gini"), "cost must be 'index' or 'error'"),
        (lambda: CostComplexity(select="srm"), "select must be 'holdout' or 'cv'"),
        (lambda: CostComplexity(fraction=2), "fraction"),
        (lambda: CostComplexity(folds=None), "folds"),
        (lambda: Pessimistic(confidence=1), "confidence must be a number between 0 and 1"),
        (lambda: Pessimistic(raising="yes"), "raising"),
    ],
)
def test_pruners_reject_invalid_parameters(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_pruners_state_the_rows_they_need():
    assert ReducedError(fraction=0.2).held_fraction == 0.2
    assert ErrorBudget(fraction=0.2).held_fraction == 0.2
    assert ErrorBudget(select="srm").held_fraction is None
    assert ErrorBudget(select=np.int64(7)).held_fraction is None
    assert ErrorBudget(select="cv").cross_validates
    assert CostComplexity(fraction=0.2).held_fraction == 0.2
    assert CostComplexity(alpha=0.1).held_fraction is None
    assert CostComplexity(select="cv").cross_validates
    assert not CostComplexity(alpha=0.1, select="cv").cross_validates
    for other in (Conservative(), ChiSquare(), Pessimistic()):
        assert other.held_fraction is None
        assert not other.cross_validates


@pytest.mark.parametrize("name", PRUNERS)
def test_pruners_handle_chains_beyond_the_recursion_limit(name):
    n = 1500
    children = [[] for _ in range(2 * n + 1)]
    for node in range(0, 2 * n, 2):  # the first child is a leaf, the second is split
        children[node] = [node + 1, node + 2]
    leaf = np.array([[3, 1], [0, 4], [5, 5]])[np.arange(2 * n + 1) % 3]
    units = added_up(children, leaf)
    tree = tree_of(children, units)
    assert tree.depth.max() == n > sys.getrecursionlimit()
    evidence = Evidence(schema=SCHEMA, index=INDICES["gini"], held=units)
    small, _ = resolve(name).prune(tree, evidence)
    assert 1 <= small.n_leaves <= n + 1


@given(grown_trees(max_inner=12, unit=1.0), st.sampled_from(sorted(PRUNERS)))
def test_pruners_return_a_valid_tree_and_the_new_numbers(grown, name):
    evidence = Evidence(schema=SCHEMA, index=INDICES["gini"], held=grown.held)
    pruner = resolve(name)
    cut = pruner.cut(grown.tree, evidence)
    assert cut.tolist() == sorted(set(cut.tolist()))
    for node in cut.tolist():
        assert not grown.tree.is_leaf(node)
        assert not set(grown.tree.path(node)[:-1]) & set(cut.tolist())
    small, place = pruner.prune(grown.tree, evidence)
    check_tree(small)
    assert small.n_leaves <= grown.tree.n_leaves
    leaf = place[grown.tree.leaves()]
    total = np.zeros_like(small.counts)
    np.add.at(total, leaf, grown.tree.counts[grown.tree.leaves()])
    np.testing.assert_array_equal(total[small.leaves()], small.counts[small.leaves()])
