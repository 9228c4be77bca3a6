"""Weights in integer units: sums that differ by rounding as floats compare equal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import ParameterError
from polytomy.encode import Target
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.prune import node_counts
from polytomy.prune.units import case_weight, held_errors, held_units, training_units
from tests.strategies import grown_trees, random_cases


@given(grown_trees())
def test_training_units_of_equal_weights_are_row_counts(grown):
    units = training_units(grown.tree)
    np.testing.assert_array_equal(units.counts, grown.units)
    np.testing.assert_allclose(units.weights(units.counts), grown.tree.counts)


@given(random_cases())
def test_training_units_equal_those_of_the_grower(case):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=None)).tree
    found = training_units(tree)
    factor = case.target.unit / found.unit  # a power of two, or 1, unless the tree is one leaf
    np.testing.assert_array_equal(found.counts * found.unit, tree.counts)
    counts, _ = node_counts(tree, apply(tree, case.coded.schema, case.table), case.target)
    expected = counts * factor if tree.n_leaves > 1 else np.rint(counts * factor)
    np.testing.assert_array_equal(found.counts, expected)


@given(random_cases(), st.integers(0, 2**32 - 1))
def test_node_counts_count_rows_at_every_node_they_pass(case, seed):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=8)).tree
    rng = np.random.default_rng(seed)
    n = 50
    leaf = rng.choice(tree.leaves(), n)
    target = Target.of(rng.integers(0, tree.n_classes, n), tree.n_classes, rng.integers(1, 9, n))
    counts, rows = node_counts(tree, leaf, target)
    for node in range(tree.n_nodes):
        passes = [node in tree.path(int(end)) for end in leaf]
        assert rows[node] == sum(passes)
        for k in range(tree.n_classes):
            of_class = (target.labels == k) & passes
            units = np.ones(n) if target.units is None else target.units
            assert counts[node, k] == units[of_class].sum()


@given(grown_trees(unit=1.0), st.sampled_from([0.1, 1 / 3, 1e-5]))
def test_held_units_add_up_exactly(grown, unit):
    tree = grown.tree
    units = held_units(tree, grown.held * unit)
    inner = np.flatnonzero(np.diff(tree.child_start))
    for node in inner:
        children = tree.children(int(node))
        assert (units.counts[node] == units.counts[children].sum(axis=0)).all()
    np.testing.assert_allclose(units.weights(units.counts), grown.held * unit, atol=1e-12)
    np.testing.assert_array_equal(held_units(tree, grown.held).counts, grown.held)


def test_held_errors_use_the_training_label():
    training = np.array([[2.0, 2.0], [0.0, 1.0], [2.0, 1.0]])  # a tie goes to the lower class
    held = np.array([[1, 5], [4, 2], [0, 3]])
    assert held_errors(training, held).tolist() == [5, 4, 3]


@given(grown_trees(max_inner=3, unit=1.0))
def test_held_units_reject_invalid_counts(grown):
    with pytest.raises(ParameterError, match="one row for each node"):
        held_units(grown.tree, grown.held[:, :1])
    with pytest.raises(ParameterError, match="not negative"):
        held_units(grown.tree, grown.held - 9)
    with pytest.raises(ParameterError, match="finite"):
        held_units(grown.tree, grown.held * np.nan)


@given(grown_trees(unit=0.1))
def test_case_weight_warns_about_weights_below_case_counts(grown):
    with pytest.warns(UserWarning, match="reads weights as case counts"):
        assert case_weight(grown.tree, "the formula") == pytest.approx(grown.units[0].sum() / 10)


@given(grown_trees(unit=1.0))
def test_case_weight_does_not_warn_about_case_counts(grown):
    assert case_weight(grown.tree, "the formula") == grown.units[0].sum()
