"""Reduced error pruning: the smallest pruning with the fewest held-out errors."""

import numpy as np
import pytest
from hypothesis import given, settings

from polytomy import ParameterError
from polytomy.prune import Evidence, ReducedError, reduced_error
from tests.naive.pruning import all_prunings, cut_of, prune_upwards, smallest_best
from tests.strategies import grown_trees, tree_of


def held_errors(grown):
    label = grown.tree.counts.argmax(axis=1)
    return (grown.held.sum(axis=1) - grown.held[range(len(label)), label]).tolist()


@settings(max_examples=300)
@given(grown_trees(max_inner=12))
def test_reduced_error_is_the_smallest_pruning_with_fewest_held_out_errors(grown):
    tree, errors = grown.tree, held_errors(grown)
    best = smallest_best(all_prunings(tree), errors)
    assert reduced_error(tree, grown.held).tolist() == cut_of(tree, best)
    small, place = ReducedError().prune(tree, Evidence(held=grown.held))
    assert small.n_leaves == best.size
    assert len(place) == tree.n_nodes


@given(grown_trees(max_inner=12))
def test_reduced_error_prunes_ties_from_the_bottom_up(grown):
    errors = held_errors(grown)

    def prunes(node, leaves, inner):
        return errors[node] <= sum(errors[v] for v in leaves)

    cut = prune_upwards(grown.tree, prunes)
    assert reduced_error(grown.tree, grown.held).tolist() == sorted(cut)


@given(grown_trees())
def test_reduced_error_prunes_subtrees_without_held_out_rows(grown):
    cut = set(reduced_error(grown.tree, grown.held).tolist())
    for node in range(grown.tree.n_nodes):
        if grown.held[node].sum() == 0 and not grown.tree.is_leaf(node):
            assert cut & set(grown.tree.path(node))
    nothing = np.zeros_like(grown.held)
    assert reduced_error(grown.tree, nothing).tolist() == [0] * (grown.tree.n_nodes > 1)


def test_reduced_error_compares_with_the_current_subtree():
    """Node 1's split adds an error; without it, the root's split is worth keeping."""
    children = [[1, 2], [3, 4], [], [], []]
    units = np.array([[5, 5], [5, 1], [0, 4], [3, 0], [2, 1]])
    tree = tree_of(children, units)
    held = np.array([[3, 2], [3, 0], [0, 2], [1, 0], [2, 0]])
    assert reduced_error(tree, held).tolist() == [1]
    held = np.array([[3, 1], [3, 1], [0, 0], [3, 0], [0, 1]])
    assert reduced_error(tree, held).tolist() == [0]  # a tie all the way up


def test_reduced_error_needs_held_out_rows():
    tree = tree_of([[]], np.array([[1, 1]]))
    with pytest.raises(ParameterError, match="reduced-error pruner needs held-out rows"):
        ReducedError().cut(tree, Evidence())
    with pytest.raises(ParameterError, match="training rows for raising"):
        ReducedError(raising=True).prune(tree, Evidence(held=np.array([[1, 1]])))
