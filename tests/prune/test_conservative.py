"""Conservative pruning: the lecture's formula for Boolean columns, and numbers of splits."""

from itertools import combinations
from math import comb, exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import ParameterError, TreeError
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.prune import Conservative, Evidence, conservative
from polytomy.prune.conservative import log_options, log_ranges, log_stirling
from polytomy.reference.splits import set_partitions
from polytomy.tree import CategorySplit, CustomSplit, IntervalSplit, TreeBuilder
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
)
def test_conservative_equals_the_lectures_formula_for_boolean_columns(grown, n, delta, scale):
    tree = grown.tree
    errors = grown.units.sum(axis=1) - grown.units.max(axis=1)

    def prunes(node, leaves, inner):
        m = grown.units[node].sum()
        depth = len(tree.path(node)) - 1
        alpha = sqrt(((depth + len(leaves)) * log(n) + log(1 / delta)) / m)
        return errors[leaves].sum() / m + scale * alpha > errors[node] / m

    want = sorted(prune_upwards(tree, prunes))
    assert conservative(tree, boolean_schema(n), delta, scale).tolist() == want


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
    np.testing.assert_allclose(np.exp(log_options(tree, schema)), [7, 10, 1, 1, 1, 1])
    # Node 1 saves 85 of its 500; its length counts the root's split and its own.
    length = log(2) + log(2 * 7) + log(2 * 10)
    limit = exp(length - 85**2 / 500)
    assert conservative(tree, schema, limit * 1.001).tolist() == []
    assert conservative(tree, schema, limit * 0.999).tolist() == [1]
    # Then the root saves 300 of 1000, and its length counts its own split only.
    limit = exp(log(2) + log(2 * 7) - 300**2 / 1000)
    assert conservative(tree, schema, limit * 1.001).tolist() == [1]
    assert conservative(tree, schema, limit * 0.999).tolist() == [0]


@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize(("bins", "k"), [(2, 2), (5, 2), (5, 3), (6, 6), (3, 4)])
def test_log_ranges_equals_an_enumeration(bins, k, has_missing):
    """Enumerate all cuts of bins into ranges, and all branches for missing cells."""
    ways = 0
    for ranges in range(1, bins + 1):
        for _ in combinations(range(1, bins), ranges - 1):
            if not has_missing:
                ways += ranges == k
            else:
                ways += (ranges == k) * ranges  # with one of the ranges
                ways += ranges + 1 == k  # alone
    found = log_ranges(bins, k, has_missing)
    assert exp(found) == pytest.approx(ways) if ways else found == -np.inf


def test_log_stirling_equals_an_enumeration():
    for n in range(1, 8):
        sizes = [max(blocks) + 1 for blocks in set_partitions(n)]
        for k in range(1, n + 1):
            assert exp(log_stirling(n, k)) == pytest.approx(sizes.count(k))
    assert log_stirling(3, 4) == -np.inf


def test_log_counts_do_not_overflow():
    # S(n, 2) = 2^(n-1) - 1, S(n, n-1) = C(n, 2)
    assert log_stirling(3000, 2) == pytest.approx(2999 * log(2))
    assert log_stirling(300, 299) == pytest.approx(log(comb(300, 2)))
    exact = sum((-1) ** j * comb(8, j) * (8 - j) ** 2000 for j in range(8)) // 40320
    assert log_stirling(2000, 8) == pytest.approx(log(exact), rel=1e-12)
    assert log_ranges(100_000, 50_000, False) == pytest.approx(99_999 * log(2), rel=1e-4)


class Own:
    kind = "own"
    arity = 2

    def to_plain(self):
        return {"a": 1}


class Counted(Own):
    n_options = 12


@pytest.mark.parametrize(
    ("split", "spec", "options"),
    [
        (CategorySplit(0, np.array([0, 1, 2]), -1, 0), nominal(3), 1),
        (CategorySplit(0, np.array([-1, 0, -1, 1]), -1, 0), nominal(4), 1),
        (CategorySplit(0, np.array([-1, 0, -1, 1]), 2, 0), nominal(4, True), 4),
        (CategorySplit(0, np.array([0, 1]), 1, 0), nominal(2, True), 3),
        (CategorySplit(0, np.array([1, 0]), -1, 0), nominal(2), 1),
        (CategorySplit(0, np.array([1, 0, 2]), -1, 0), nominal(4), 6),
        (CategorySplit(0, np.array([0, 1, 0]), -1, 0), nominal(3), 3),
        (CategorySplit(0, np.array([0, 1, 0]), 1, 0), nominal(3, True), 7),
        (IntervalSplit(0, np.array([0.5]), -1, 0), ordered(9), 8),
        (IntervalSplit(0, np.array([0.5]), 2, 0), ordered(9, True), 3 * 28 + 8),
        (CustomSplit(Counted()), ordered(9), 12),
        (CustomSplit(Own()), ordered(9), 2.0 ** (8 * len('{"a": 1}'))),
    ],
)
def test_log_options_equal_the_count_for_each_kind_of_split(split, spec, options):
    builder = TreeBuilder(np.array([float(split.arity), 0.0]), split.arity)
    builder.split(0, split, np.eye(1, 2).repeat(split.arity, 0), [1] * split.arity)
    found = log_options(builder.finish(), Schema((spec,)))
    assert found[0] == pytest.approx(log(options))
    assert not found[1:].any()


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
