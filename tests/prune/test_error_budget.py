"""The pruning path against all prunings, and the criteria that select a size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import ParameterError
from polytomy.prune import (
    ErrorBudget,
    Evidence,
    PruningPath,
    first_least,
    one_standard_error,
    srm_scores,
)
from polytomy.tree import pruned
from tests.naive.pruning import all_prunings, best_of_size, cut_of, smallest_with
from tests.strategies import grown_trees, tree_of


def unit_errors(grown):
    return (grown.units.sum(axis=1) - grown.units.max(axis=1)).tolist()


def held_errors(grown):
    label = grown.tree.counts.argmax(axis=1)
    return (grown.held.sum(axis=1) - grown.held[range(len(label)), label]).tolist()


@settings(max_examples=300)
@given(grown_trees(max_inner=12))
def test_path_has_fewest_errors_at_each_size(grown):
    tree, errors, held = grown.tree, unit_errors(grown), held_errors(grown)
    unit = tree.counts[0].sum() / grown.units[0].sum()
    prunings = all_prunings(tree)
    best = [best_of_size(prunings, errors, k) for k in range(1, tree.n_leaves + 1)]
    distinct = sorted({p.size: p for p in best}.items())
    path = PruningPath(tree, held=grown.held)
    assert path.sizes.tolist() == [k for k, _ in distinct]
    np.testing.assert_allclose(path.training_errors, [p.total(errors) * unit for _, p in distinct])
    assert path.validation_errors.tolist() == [p.total(held) for _, p in distinct]
    for k, p in enumerate(best, 1):
        assert path.nodes_at(k).tolist() == cut_of(tree, p)
    assert path.nodes_at(10**9).tolist() == path.nodes_at(tree.n_leaves).tolist()
    assert pruned(tree, path.nodes_at(int(path.sizes[-1])))[0].n_leaves == path.sizes[-1]


@settings(max_examples=200)
@given(grown_trees(max_inner=12, unit=1.0))
def test_path_by_nodes_has_fewest_errors_at_each_size(grown):
    tree, errors, held = grown.tree, unit_errors(grown), held_errors(grown)
    nodes = {p: pruned(tree, cut_of(tree, p))[0].n_nodes for p in all_prunings(tree)}
    path = PruningPath(tree, held=grown.held, size="nodes")
    assert path.sizes[0] == 1
    for k in range(1, tree.n_nodes + 1):
        fewest, size = min((p.total(errors), n) for p, n in nodes.items() if n <= k)
        at = np.searchsorted(path.sizes, k, side="right") - 1
        assert (path.training_errors[at], path.sizes[at]) == (fewest, size)
        kept = pruned(tree, path.nodes_at(k))[0]
        assert kept.n_nodes == size
        assert kept.errors[kept.leaves()].sum() == fewest
        assert path.validation_errors[at] in {
            p.total(held) for p, n in nodes.items() if (p.total(errors), n) == (fewest, size)
        }
    chosen = path.select("srm")
    np.testing.assert_allclose(
        path.srm_scores(), srm_scores(path.sizes, path.training_errors, grown.units[0].sum())
    )
    budget = ErrorBudget(select="srm", size="nodes").cut(tree, Evidence())
    assert budget.tolist() == path.nodes_at(chosen).tolist()


@given(grown_trees(max_arity=2, unit=1.0))
def test_path_of_a_binary_tree_is_the_same_by_nodes(grown):
    """s leaves are 2s - 1 nodes; only selection by srm may differ."""
    leaves, nodes = PruningPath(grown.tree), PruningPath(grown.tree, size="nodes")
    assert nodes.sizes.tolist() == (2 * leaves.sizes - 1).tolist()
    assert nodes.training_errors.tolist() == leaves.training_errors.tolist()


def test_nodes_prefer_one_wide_split_to_several_binary_ones():
    """A 4-way split is 4 leaves or 5 nodes; three binary ones would be 4 leaves or 7 nodes."""
    counts = np.array([[8, 8], [4, 0], [0, 4], [4, 0], [0, 4]])
    wide = tree_of([[1, 2, 3, 4], [], [], [], []], counts)
    assert PruningPath(wide).sizes.tolist() == [1, 4]
    assert PruningPath(wide, size="nodes").sizes.tolist() == [1, 5]
    assert PruningPath(wide, 4, size="nodes").sizes.tolist() == [1]
    with pytest.raises(ParameterError, match="size must be one of leaves, nodes; got 'depth'"):
        PruningPath(wide, size="depth")
    with pytest.raises(ParameterError, match="size must be one of"):
        ErrorBudget(size=3)


@given(grown_trees(unit=1.0), st.integers(1, 12))
def test_path_with_max_size_is_the_start_of_the_whole_path(grown, most):
    whole, part = PruningPath(grown.tree), PruningPath(grown.tree, most)
    n = len(part)
    assert part.sizes.tolist() == [k for k in whole.sizes.tolist() if k <= most]
    assert part.training_errors.tolist() == whole.training_errors[:n].tolist()


@given(grown_trees(), st.integers(0, 12))
def test_for_errors_returns_the_smallest_tree(grown, most):
    tree = grown.tree
    unit = tree.counts[0].sum() / grown.units[0].sum()
    want = smallest_with(all_prunings(tree), unit_errors(grown), most)
    path = PruningPath(tree)
    if want is None:
        with pytest.raises(ParameterError, match="no pruning on the path has at most"):
            path.for_errors(most * unit)
    else:
        assert path.for_errors(most * unit) == want


def test_for_errors_tolerates_rounding():
    """Three errors of weight 0.1 are 0.30000000000000004."""
    tree = tree_of([[1, 2], [], []], np.array([[7, 7], [5, 1], [2, 6]]), 0.1)
    assert PruningPath(tree).training_errors[1] > 0.3
    assert PruningPath(tree).for_errors(0.3) == 2


@given(grown_trees(max_inner=12))
def test_select_takes_the_smaller_tree_on_a_tie(grown):
    tree = grown.tree
    path = PruningPath(tree, held=grown.held)
    held = path.validation_errors.tolist()
    assert path.select("holdout") == path.sizes[held.index(min(held))]
    budget = ErrorBudget(select="holdout").cut(tree, Evidence(held=grown.held))
    assert budget.tolist() == path.nodes_at(path.select("holdout")).tolist()


@given(grown_trees(unit=1.0))
def test_srm_selects_by_error_plus_root_of_leaves_over_m(grown):
    path = PruningPath(grown.tree)
    m = grown.units[0].sum()
    scores = [
        e / m + (k / m) ** 0.5
        for k, e in zip(path.sizes.tolist(), path.training_errors.tolist(), strict=True)
    ]
    np.testing.assert_allclose(path.srm_scores(), scores)
    least = min(scores)
    first = next(i for i, s in enumerate(scores) if s <= least + 1e-12)
    assert path.select("srm") == path.sizes[first]
    budget = ErrorBudget(select="srm").cut(grown.tree, Evidence())
    assert budget.tolist() == path.nodes_at(path.select("srm")).tolist()


@given(grown_trees(unit=0.1))
def test_srm_warns_about_weights_below_case_counts(grown):
    with pytest.warns(UserWarning, match="case counts"):
        PruningPath(grown.tree).select("srm")


@given(grown_trees(unit=1.0), st.integers(1, 15))
def test_error_budget_with_an_integer_limits_the_leaves(grown, k):
    cut = ErrorBudget(select=k).cut(grown.tree, Evidence())
    assert cut.tolist() == PruningPath(grown.tree).nodes_at(k).tolist()
    assert pruned(grown.tree, cut)[0].n_leaves <= k


@given(grown_trees(max_inner=2, unit=1.0))
def test_error_budget_rejects_invalid_arguments(grown):
    path = PruningPath(grown.tree)
    with pytest.raises(ParameterError, match="at least 1"):
        path.nodes_at(0)
    with pytest.raises(ParameterError, match="max_size"):
        PruningPath(grown.tree, 0)
    with pytest.raises(ParameterError, match="number of at least 0"):
        path.for_errors("three")
    with pytest.raises(ParameterError, match="needs a path with held-out rows"):
        path.select("holdout")
    with pytest.raises(ParameterError, match="'holdout' or 'srm'"):
        path.select("cv")
    with pytest.raises(ParameterError, match="cross-validate"):
        ErrorBudget(select="cv").cut(grown.tree, Evidence())
    with pytest.raises(ParameterError, match="needs held-out rows"):
        ErrorBudget().cut(grown.tree, Evidence())


def test_first_least_takes_the_first_on_a_tie():
    assert first_least(np.array([3.0, 1.0, 1.0])) == 1
    assert first_least(np.array([0.3, 0.1 + 0.2])) == 0
    assert first_least(np.array([0.1 + 0.2, 0.3])) == 0  # larger by rounding only
    assert first_least(np.array([0.3 + 1e-9, 0.3])) == 1


def test_one_standard_error_takes_the_smallest_pruning_within_it():
    errors = np.array([[0.50, 0.32, 0.30, 0.31], [0.50, 0.27, 0.20, 0.21]])
    # means .5 .295 .25 .26; the standard error of the best is .05: .295 is within it, .5 is not
    assert one_standard_error(errors) == 1
    assert one_standard_error(np.array([[0.5, 0.3, 0.20], [0.5, 0.3, 0.20]])) == 2


def test_srm_scores_equal_values_computed_by_hand():
    scores = srm_scores(np.array([1, 4]), np.array([30.0, 10.0]), 100.0)
    np.testing.assert_allclose(scores, [0.3 + 0.1, 0.1 + 0.2])
