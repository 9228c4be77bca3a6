"""Pessimistic pruning: C4.5's confidence limit, and the comparison with subtrees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from polytomy.prune import Evidence, Pessimistic, pessimistic, upper_limit
from polytomy.prune.pessimistic import estimated_errors
from tests.naive.pruning import prune_upwards
from tests.strategies import grown_trees, tree_of


@pytest.mark.parametrize(("n", "limit"), [(6, 0.206), (9, 0.143), (1, 0.750)])
def test_upper_limit_equals_quinlans_book(n, limit):
    assert upper_limit(0, n) == pytest.approx(limit, abs=5e-4)


def test_upper_limit_is_exact_above_one_error():
    assert upper_limit(1, 16) == pytest.approx(0.1596, abs=5e-5)  # the book: 0.157


@given(st.integers(1, 500), st.floats(0, 0.99), st.sampled_from([0.01, 0.25, 0.5, 0.9]))
def test_upper_limit_is_the_rate_with_that_probability(n, share, confidence):
    errors = int(share * n)
    limit = float(upper_limit(errors, n, confidence))
    assert errors / n < limit <= 1 or confidence > 0.5
    assert binom.cdf(errors, n, limit) == pytest.approx(confidence, rel=1e-8)


@given(st.floats(1, 100), st.floats(0, 0.9))
def test_upper_limit_accepts_fractional_weights(weight, share):
    """The limit for a fractional weight lies between those for the neighbouring integers."""
    errors = share * weight
    assert upper_limit(errors, weight + 0.5) < upper_limit(errors, weight)
    assert upper_limit(errors + 0.05, weight) > upper_limit(errors, weight)


def test_pessimistic_prunes_quinlans_example():
    """The estimate for pure leaves of 6, 9 and 1 cases is 3.27 errors; for one leaf, 2.55."""
    units = np.array([[15, 100], [15, 1], [0, 99], [6, 0], [9, 0], [0, 1]])
    tree = tree_of([[1, 2], [3, 4, 5], [], [], [], []], units)
    three, one = estimated_errors(units[3:]).sum(), estimated_errors(units[1:2])[0]
    assert (three, one) == (pytest.approx(3.273, abs=1e-3), pytest.approx(2.554, abs=1e-3))
    assert pessimistic(tree).tolist() == [1]
    assert Pessimistic().cut(tree, Evidence()).tolist() == [1]


@given(grown_trees(max_inner=12, most=20, unit=1.0), st.sampled_from([0.1, 0.25, 0.75]))
def test_pessimistic_prunes_if_the_leafs_estimate_is_no_more(grown, confidence):
    def estimate(node):
        c = grown.units[node]
        return c.sum() * float(upper_limit(c.sum() - c.max(), c.sum(), confidence))

    def prunes(node, leaves, inner):
        return estimate(node) <= sum(map(estimate, leaves)) * (1 + 1e-12)

    want = sorted(prune_upwards(grown.tree, prunes))
    assert pessimistic(grown.tree, confidence).tolist() == want


@given(grown_trees(unit=0.1))
def test_pessimistic_warns_about_weights_below_case_counts(grown):
    with pytest.warns(UserWarning, match="case counts"):
        pessimistic(grown.tree)
