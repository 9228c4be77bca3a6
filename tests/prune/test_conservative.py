"""Conservative pruning: the lecture's formula for Boolean columns."""

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import ParameterError, TreeError
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.prune import Conservative, Evidence, conservative
from polytomy.prune.split_options import split_options
from polytomy.tree import CategorySplit, IntervalSplit, TreeBuilder
from tests.naive.pruning import prune_upwards
from tests.strategies import grown_trees, tree_of


def ordered(bins, has_missing=False):
    return OrderedColumn("x", np.arange(float(bins)), np.arange(float(bins)), has_missing)


def nominal(n, has_missing=False):
    return NominalColumn("c", tuple("abcdefghij"[:n]), has_missing)


def boolean_schema(n):
    return Schema(tuple(ordered(2) for _ in range(n)))


@given(
    grown_trees(max_arity=2, max_inner=12, most=300, unit=1.0),
    st.integers(1, 20),
    st.sampled_from([0.01, 0.05, 0.5]),
    st.sampled_from([0.05, 0.3, 1.0]),
    st.sampled_from(["leaves", "nodes"]),
)
def test_conservative_equals_the_lectures_formula_for_boolean_columns(grown, n, delta, scale, size):
    tree = grown.tree
    errors = grown.units.sum(axis=1) - grown.units.max(axis=1)

    def prunes(node, leaves, inner):
        m = grown.units[node].sum()
        depth = len(tree.path(node)) - 1
        counted = len(leaves) + (len(inner) if size == "nodes" else 0)
        alpha = sqrt(((depth + counted) * log(n) + log(1 / delta)) / m)
        return errors[leaves].sum() / m + scale * alpha > errors[node] / m

    want = sorted(prune_upwards(tree, prunes))
    assert conservative(tree, boolean_schema(n), delta, scale, size).tolist() == want


def test_conservative_prunes_just_below_its_limit_only():
    """One split saves 40 of 100 errors: kept exactly down to the delta with alpha = 0.4."""
    tree = tree_of([[1, 2], [], []], np.array([[50, 50], [45, 5], [5, 45]]))
    schema = boolean_schema(3)
    at_limit = exp(2 * log(3) - 100 * 0.4**2)  # alpha^2 m = 2 ln n + ln(1/delta)
    assert conservative(tree, schema, at_limit * 1.001).tolist() == []
    assert conservative(tree, schema, at_limit * 0.999).tolist() == [0]
    assert Conservative(delta=at_limit * 1.001).cut(tree, Evidence(schema=schema)).tolist() == []


@given(grown_trees(unit=1.0))
def test_conservative_without_a_penalty_prunes_nothing(grown):
    """Ties are kept: a subtree never has more training errors than its leaf."""
    schema = Schema((ordered(5),))
    assert conservative(grown.tree, schema, scale=0).tolist() == []


@given(grown_trees(unit=1.0, max_inner=12))
def test_conservative_with_a_tiny_penalty_prunes_useless_subtrees(grown):
    errors = grown.units.sum(axis=1) - grown.units.max(axis=1)

    def prunes(node, leaves, inner):
        return errors[node] <= errors[leaves].sum()

    cut = conservative(grown.tree, Schema((ordered(5),)), scale=1e-9)
    assert cut.tolist() == sorted(prune_upwards(grown.tree, prunes))


def test_conservative_penalty_depends_on_the_options_of_the_column():
    """A three-way split of 6 bins below one of 4 categories into 2 groups, by hand."""
    builder = TreeBuilder(np.array([420.0, 580.0]), 1000)
    groups = CategorySplit(1, np.array([0, 1, 0, 1], dtype=np.int32), -1, 0)
    builder.split(0, groups, np.array([[400.0, 100], [20, 480]]), [500, 500])
    cuts = IntervalSplit(0, np.array([0.5, 1.5]), -1, 0)
    builder.split(1, cuts, np.array([[190.0, 5], [5, 90], [205, 5]]), [195, 95, 210])
    tree = builder.finish()
    schema = Schema((ordered(6), nominal(4)))
    np.testing.assert_allclose(np.exp(split_options(tree, schema).log_count), [7, 10, 1, 1, 1, 1])
    # Node 1 saves 85 of its 500; its length counts the root's split and its own.
    length = log(2) + log(2 * 7) + log(2 * 10)
    limit = exp(length - 85**2 / 500)
    assert conservative(tree, schema, limit * 1.001).tolist() == []
    assert conservative(tree, schema, limit * 0.999).tolist() == [1]
    # Then the root saves 300 of 1000, and its length counts its own split only.
    limit = exp(log(2) + log(2 * 7) - 300**2 / 1000)
    assert conservative(tree, schema, limit * 1.001).tolist() == [1]
    assert conservative(tree, schema, limit * 0.999).tolist() == [0]


def test_conservative_rejects_the_schema_of_another_table():
    tree = tree_of([[1, 2, 3], [], [], []], np.array([[3, 3], [1, 1], [1, 1], [1, 1]]))
    with pytest.raises(TreeError, match="the schema does not match the tree"):
        conservative(tree, Schema((ordered(2),)))
    with pytest.raises(ParameterError, match="needs the schema"):
        Conservative().cut(tree, Evidence())


@given(grown_trees(unit=0.1))
def test_conservative_warns_about_weights_below_case_counts(grown):
    with pytest.warns(UserWarning, match="case counts"):
        conservative(grown.tree, Schema((ordered(5),)))


def test_gap_bound_is_the_theorem_for_a_proven_scale_only():
    by_hand = 8 * sqrt(5 * 3 * (6 * log(7) + log(1 / 0.1)) / 50_000)
    assert Conservative(0.1, 8**0.5).gap_bound(5, 3, 50_000, 7) == pytest.approx(by_hand)
    assert Conservative(0.1, 2 * 8**0.5).gap_bound(5, 3, 50_000, 7) == pytest.approx(1.5 * by_hand)
    more = 8 * sqrt(5 * 3 * (9 * log(7) + log(1 / 0.1)) / 50_000)
    assert Conservative(0.1, 8**0.5, "nodes").gap_bound(5, 3, 50_000, 7) == pytest.approx(more)
    assert Conservative(0.1, 3).gap_bound(1, 0, 50_000, 7) == 0  # the root alone cannot be beaten
    with pytest.raises(ParameterError, match="size must be one of leaves, nodes; got 'both'"):
        Conservative(size="both")
    with pytest.raises(ParameterError, match="needs scale of at least"):
        Conservative().gap_bound(5, 3, 50_000, 7)
    with pytest.raises(ParameterError, match="n_splits must be at least 2"):
        Conservative(scale=3).gap_bound(5, 3, 50_000, 1)
    with pytest.raises(ParameterError, match="height must be a number from 0 to 4"):
        Conservative(scale=3).gap_bound(5, 5, 50_000, 7)
    with pytest.raises(ParameterError, match="up to 2/3"):
        Conservative(0.9, 3).gap_bound(5, 3, 50_000, 7)
