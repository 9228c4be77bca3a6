"""Chi-square pruning against scipy's test on each node's table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from polytomy.prune import ChiSquare, Evidence, chi_square, p_chance
from tests.naive.pruning import subtree
from tests.strategies import grown_trees, tree_of


def tables(tree):
    """Yield each inner node's table of children against the classes it has."""
    for node in range(tree.n_nodes):
        if not tree.is_leaf(node):
            yield node, tree.counts[tree.children(node)][:, tree.counts[node] > 0]


@given(grown_trees(most=12, unit=1.0))
def test_p_chance_equals_pearsons_test_without_correction(grown):
    found = p_chance(grown.tree)
    assert np.isnan(found.p[grown.tree.leaves()]).all()
    assert not found.few[grown.tree.leaves()].any()
    for node, table in tables(grown.tree):
        theirs = chi2_contingency(table, correction=False)
        assert found.p[node] == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)
        assert found.few[node] == (theirs.expected_freq < 5).any()


def test_p_chance_equals_a_value_computed_by_hand():
    """(8, 2) and (2, 8): every cell is 3 off an expected 5, so chi-square is 4 * 9/5."""
    tree = tree_of([[1, 2], [], []], np.array([[10, 10], [8, 2], [2, 8]]))
    found = p_chance(tree)
    assert found.p[0] == pytest.approx(0.0072903, rel=1e-4)  # the tail of 7.2 at one degree
    assert not found.few[0]
    assert chi_square(tree, 0.01).tolist() == []
    assert chi_square(tree, 0.007).tolist() == [0]


def test_p_chance_ignores_absent_classes_and_is_one_at_pure_nodes():
    tree = tree_of([[1, 2], [], []], np.array([[9, 0], [4, 0], [5, 0]]))
    assert p_chance(tree).p[0] == 1
    assert chi_square(tree, 0.99).tolist() == [0]
    assert chi_square(tree, 1).tolist() == []  # only p-values above the limit are pruned
    two = tree_of([[1, 2], [], []], np.array([[10, 10], [8, 2], [2, 8]]))
    three = tree_of([[1, 2], [], []], np.array([[10, 0, 10], [8, 0, 2], [2, 0, 8]]))
    assert p_chance(two).p[0] == p_chance(three).p[0]
    assert not p_chance(three).few[0]


@given(grown_trees(max_inner=12, most=12, unit=1.0), st.sampled_from([0.0, 0.05, 0.3, 0.7, 1.0]))
def test_chi_square_removes_splits_whose_children_are_leaves(grown, most):
    tree, chance = grown.tree, p_chance(grown.tree).p
    cut = set()
    while True:
        leaves, inner = subtree(tree, 0, cut)
        ready = [v for v in inner if set(tree.children(v).tolist()) <= set(leaves)]
        gone = [v for v in ready if chance[v] > most]
        if not gone:
            break
        cut.add(gone[0])
    leaves, _ = subtree(tree, 0, cut)
    want = [v for v in leaves if not tree.is_leaf(v)]
    assert chi_square(tree, most).tolist() == sorted(want)
    assert ChiSquare(most).cut(tree, Evidence()).tolist() == sorted(want)


@given(grown_trees(unit=0.1))
def test_chi_square_warns_about_weights_below_case_counts(grown):
    with pytest.warns(UserWarning, match="case counts"):
        p_chance(grown.tree)
