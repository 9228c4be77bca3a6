"""The options of a node: how many splits of its arity its column offers to its rows."""

from itertools import pairwise
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TreeError
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.grow import GrowParams, grow
from polytomy.prune.split_options import split_options
from polytomy.theory import log_n_splits
from polytomy.tree import CategorySplit, CustomSplit, IntervalSplit, TreeBuilder, contract
from tests.strategies import random_cases


def ordered(bins, has_missing=False):
    return OrderedColumn("x", np.arange(float(bins)), np.arange(float(bins)), has_missing)


def nominal(n, has_missing=False):
    return NominalColumn("c", tuple("abcdefghij"[:n]), has_missing)


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
def test_options_of_the_column_equal_the_count_for_each_kind_of_split(split, spec, options):
    builder = TreeBuilder(np.array([float(split.arity), 0.0]), split.arity)
    builder.split(0, split, np.eye(1, 2).repeat(split.arity, 0), [1] * split.arity)
    found = split_options(builder.finish(), Schema((spec,))).log_count
    assert found[0] == pytest.approx(log(options))
    assert not found[1:].any()


def bins_that_pass(tree, node, spec):
    """Return the bins that no split of the node's column on the path sends elsewhere."""
    feature = tree.split(node).feature
    left = []
    for b, value in enumerate(spec.high.tolist()):
        for above, below in pairwise(tree.path(node)):
            split = tree.split(above)
            if not isinstance(split, IntervalSplit) or split.feature != feature:
                continue
            branch = tree.children(above).tolist().index(below)
            only_missing = branch > len(split.thresholds)
            if not only_missing and np.searchsorted(split.thresholds, value) != branch:
                break
        else:
            left.append(b)
    return left


@given(random_cases(max_rows=60), st.sampled_from([2, 8]), st.booleans())
def test_options_at_a_node_equal_the_naive_count(case, max_arity, contracted):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=None, max_arity=max_arity)).tree
    tree = contract(tree) if contracted else tree
    schema = case.coded.schema
    found = split_options(tree, schema, at_node=True)
    whole = split_options(tree, schema)
    for node in range(tree.n_nodes):
        split = tree.split(node)
        if split is None:
            assert (found.log_count[node], found.n_values[node]) == (0, 1)
            continue
        has_missing = split.missing_branch >= 0
        if isinstance(split, IntervalSplit):
            bins = len(bins_that_pass(tree, node, schema[split.feature]))
            n, family = min(bins, tree.rows[node] - has_missing), "intervals"
        else:
            branches = [branch for branch in split.code_to_branch.tolist() if branch >= 0]
            n = len(branches)
            family = "values" if branches == list(range(n)) else "groups"
        assert found.n_values[node] == n + has_missing
        assert found.log_count[node] <= whole.log_count[node] + 1e-9
        expected = log_n_splits(family, int(n), split.arity, has_missing)
        assert found.log_count[node] == pytest.approx(expected)


def test_options_at_a_node_count_its_values_only():
    """Cut 9 bins at 2.5 and the lower 3 again; group 3 of 5 categories; by hand."""
    builder = TreeBuilder(np.array([20.0, 20]), 40)
    builder.split(
        0, IntervalSplit(0, np.array([2.5]), -1, 0), np.array([[15.0, 5], [5, 15]]), [20, 20]
    )
    builder.split(
        1, IntervalSplit(0, np.array([0.5]), -1, 0), np.array([[8.0, 2], [7, 3]]), [10, 10]
    )
    codes = np.array([0, -1, 1, 0, -1], dtype=np.int32)
    builder.split(2, CategorySplit(1, codes, 1, 0), np.array([[3.0, 10], [2, 5]]), [13, 7])
    builder.split(
        5, IntervalSplit(0, np.array([4.5]), -1, 0), np.array([[1.0, 1], [2, 9]]), [2, 11]
    )
    builder.split(7, IntervalSplit(0, np.array([3.5]), -1, 0), np.array([[1.0, 0], [0, 1]]), [1, 1])
    schema = Schema((ordered(9), nominal(5, has_missing=True)))
    found = split_options(builder.finish(), schema, at_node=True)
    expected = {0: 8, 1: 2, 2: 7, 5: 5, 7: 1}  # of node 2: S(3 + 1, 2)
    for node in range(len(found.log_count)):
        assert exp(found.log_count[node]) == pytest.approx(expected.get(node, 1))
    assert found.n_values[[0, 1, 2, 5, 7]].tolist() == [9, 3, 4, 6, 2]


def test_options_of_a_user_defined_split_have_no_values():
    builder = TreeBuilder(np.array([2.0, 0.0]), 2)
    builder.split(0, CustomSplit(Counted()), np.array([[1.0, 0], [1, 0]]), [1, 1])
    found = split_options(builder.finish(), Schema((ordered(9),)), at_node=True)
    assert found.log_count[0] == pytest.approx(log(12))
    assert found.n_values[0] == inf


def test_options_at_nodes_of_a_long_chain():
    n = 20_000
    builder = TreeBuilder(np.array([float(n), 1.0]), n + 1)
    node = 0
    for i in range(n):
        cut = IntervalSplit(0, np.array([i + 0.5]), -1, 0)
        _, node = builder.split(node, cut, np.array([[1.0, 0], [n - i - 1, 1]]), [1, n - i])
    found = split_options(builder.finish(), Schema((ordered(n + 1),)), at_node=True)
    np.testing.assert_allclose(np.exp(found.log_count[::2][:-1]), np.arange(n, 0, -1))


def test_options_refuse_the_schema_of_another_table():
    builder = TreeBuilder(np.array([2.0, 0.0]), 2)
    builder.split(0, IntervalSplit(0, np.array([0.5]), -1, 0), np.eye(1, 2).repeat(2, 0), [1, 1])
    with pytest.raises(TreeError, match="the schema does not match the tree"):
        split_options(builder.finish(), Schema((nominal(3),)), at_node=True)
