"""Pruned and raised trees: numbering, new numbers of old nodes, and leaves of rows."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TreeError
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.tree import (
    GONE,
    IntervalSplit,
    TreeBuilder,
    check_tree,
    grafted,
    pruned,
    raised,
    stump,
)
from tests.naive.pruning import all_prunings
from tests.strategies import case_of, grown_trees, random_cases


def counter(case):
    """Count each row at every node of its path."""

    def count(shape):
        units, rows = np.zeros(shape.counts.shape), np.zeros(shape.n_nodes, dtype=np.int64)
        for i, leaf in enumerate(apply(shape, case.coded.schema, case.table).tolist()):
            for node in shape.path(leaf):
                units[node, case.labels[i]] += case.units[i]
                rows[node] += 1
        return units * case.target.unit, rows

    return count


@given(random_cases(), st.integers(0, 2**32 - 1))
def test_pruned_maps_old_leaves_to_the_new_leaves_of_rows(case, seed):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=None)).tree
    cut = np.random.default_rng(seed).integers(0, tree.n_nodes, 3)
    small, place = pruned(tree, cut)
    check_tree(small)
    before = apply(tree, case.coded.schema, case.table)
    after = apply(small, case.coded.schema, case.table)
    np.testing.assert_array_equal(after, place[before])
    counts, rows = counter(case)(small)
    np.testing.assert_array_equal(counts, small.counts)
    np.testing.assert_array_equal(rows, small.rows)


@given(grown_trees(max_inner=6))
def test_pruned_keeps_the_order_of_nodes(grown):
    tree = grown.tree
    for pruning in all_prunings(tree):
        small, place = pruned(tree, pruning.leaves)
        assert small.n_leaves == pruning.size
        assert sorted(place[list(pruning.leaves)].tolist()) == small.leaves().tolist()
        _, kept = np.unique(place, return_index=True)  # a node comes before those merged into it
        np.testing.assert_array_equal(small.counts, tree.counts[kept])
        np.testing.assert_array_equal(place[kept], np.arange(small.n_nodes))
        np.testing.assert_array_equal(small.parent[1:], place[tree.parent[kept[1:]]])


def test_pruned_handles_no_nodes_and_the_root():
    case = case_of({"x": [0, 1, 2, 3, 4, 5]}, [0, 1, 0, 1, 0, 1])
    tree = grow(case.coded, case.target, GrowParams(max_leaves=None)).tree
    same, place = pruned(tree, [])
    assert same == tree
    assert place.tolist() == list(range(tree.n_nodes))
    assert pruned(tree, tree.leaves())[0] == tree
    leaf, place = pruned(tree, [0, 1])
    assert (leaf.n_nodes, leaf.counts.tolist()) == (1, [[3, 3]])
    assert set(place.tolist()) == {0}
    with pytest.raises(TreeError, match="node 99 does not exist"):
        pruned(tree, [99])


@given(random_cases(), st.integers(1, 10))
def test_pruned_tree_of_a_run_equals_a_shorter_run(case, n):
    """Cutting the nodes of the last steps gives the tree before them, with the same numbers."""
    growth = grow(case.coded, case.target, GrowParams(max_leaves=None))
    steps = [e.leaf for e in growth.expansions]
    shorter, _ = pruned(growth.tree, steps[n:])
    stop = GrowParams(max_leaves=None)
    seen = []
    expected = grow(
        case.coded, case.target, stop, on_step=lambda e: seen.append(e) or len(seen) == n
    )
    if steps[n:]:
        assert shorter == expected.tree


def chain_case():
    """Return a tree with a split on x above two splits on y, and its 12 rows."""
    x = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
    y = [0, 0, 0, 1, 1, 1, 2, 2, 0, 1, 1, 2]
    return case_of({"x": x, "y": y}, [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1])


def chain_tree():
    builder = TreeBuilder(np.array([6.0, 6.0]), 12)
    builder.split(0, IntervalSplit(0, np.array([0.5]), -1, 0), np.array([[5.0, 3], [1, 3]]), [8, 4])
    ask_y = IntervalSplit(1, np.array([0.5, 1.5]), -1, 0)
    builder.split(1, ask_y, np.array([[3.0, 0], [0, 3], [2, 0]]), [3, 3, 2])
    builder.split(2, IntervalSplit(1, np.array([0.5]), -1, 1), np.array([[1.0, 0], [0, 3]]), [1, 3])
    return builder.finish()


def test_raised_subtree_holds_the_rows_of_the_node_it_replaced():
    case = chain_case()
    tree = chain_tree()
    check_tree(tree)
    small, place = raised(tree, [], {0: 1}, counter(case))
    check_tree(small)
    assert small.n_leaves == 3
    assert small.counts.tolist() == [[6, 6], [4, 0], [0, 5], [2, 1]]
    assert small.rows.tolist() == [12, 4, 5, 3]
    assert place.tolist() == [0, 0, GONE, 1, 2, 3, GONE, GONE]
    alone, place = raised(tree, [1], {0: 1}, counter(case))
    assert (alone.n_nodes, alone.counts.tolist()) == (1, [[6, 6]])
    assert place.tolist() == [0, 0, GONE, 0, 0, 0, GONE, GONE]
    # a node that is cut is not replaced
    assert raised(tree, [0], {0: 1}, counter(case))[0] == pruned(tree, [0])[0]
    assert raised(tree, [2], {}, counter(case))[0] == pruned(tree, [2])[0]
    with pytest.raises(TreeError, match="node 6 cannot replace node 1"):
        raised(tree, [], {1: 6}, counter(case))


@given(random_cases(max_rows=40))
def test_grafted_branches_hold_the_rows_of_the_split_above(case):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=4)).tree
    if tree.n_leaves == 1:
        return
    above = apply(stump(tree, 0), case.coded.schema, case.table)
    parts = [np.flatnonzero(above == leaf) for leaf in range(1, int(above.max()) + 1)]
    whole = GrowParams(max_leaves=None)
    branches = [grow(case.coded.take(r), case.target.take(r), whole).tree for r in parts]
    joined = grafted(tree, branches)
    check_tree(joined)
    assert stump(joined, 0) == stump(tree, 0)
    assert joined.n_nodes == 1 + sum(branch.n_nodes for branch in branches)
    counts, rows = counter(case)(joined)
    np.testing.assert_array_equal(counts, joined.counts)
    np.testing.assert_array_equal(rows, joined.rows)


def test_grafted_needs_a_tree_for_each_branch():
    tree = chain_tree()
    with pytest.raises(TreeError, match="1 trees for"):
        grafted(tree, [tree])
    leaf = pruned(tree, [0])[0]
    with pytest.raises(TreeError, match="0 branches"):
        grafted(leaf, [tree])


def test_stump_has_the_split_of_the_node():
    case = chain_case()
    tree = chain_tree()
    only = stump(tree, 1)
    assert only.n_leaves == 3
    leaf = apply(only, case.coded.schema, case.table)
    assert (leaf - 1).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 0, 1, 1, 2]
    with pytest.raises(TreeError, match="node 3 is a leaf"):
        stump(tree, 3)


def test_pruned_handles_chains_beyond_the_recursion_limit():
    n = 3000
    builder = TreeBuilder(np.array([float(n), 1.0]), n + 1)
    node, spine = 0, [0]
    for i in range(n):  # each split cuts one row off the left end
        cut = IntervalSplit(0, np.array([i + 0.5]), -1, 1)
        rest = np.array([[1.0, 0.0], [n - i - 1.0, 1.0]])
        _, node = builder.split(node, cut, rest, [1, n - i])
        spine.append(node)
    tree = builder.finish()
    assert tree.depth.max() == n > sys.getrecursionlimit()
    small, place = pruned(tree, [spine[-10]])
    assert small.n_leaves == n - 8
    assert place[spine[-1]] == place[spine[-10]]
    assert place[spine[-11]] < place[spine[-10]]
