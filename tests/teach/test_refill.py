"""Trees filled with other rows: against filling row by row, and what a reader may rely on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy._types import UNSEEN
from polytomy.encode import NumericTarget, Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.teach import refilled
from polytomy.tree import CategorySplit, Constraints, IntervalSplit, TreeBuilder, check_tree
from tests.naive.refilling import refilled as naive_refilled
from tests.strategies import case_of, random_cases

LEAST = st.tuples(st.sampled_from([1, 1, 2, 4]), st.sampled_from([0.0, 0.0, 1.5]))


def compare(tree, node, naive, schema, weights):
    """Compare a node of a refilled tree with that of the slow twin, and all nodes below it."""
    assert int(tree.rows[node]) == len(naive.rows)
    assert float(tree.weight[node]) == pytest.approx(sum(weights[i] for i in naive.rows))
    split = tree.split(node)
    assert (split is None) == (not naive.children)
    if split is None:
        return
    assert split.feature == naive.feature
    children = tree.children(node).tolist()
    assert len(children) == len(naive.children)
    own = [sum(weights[i] for i in child.rows) for child in naive.children]
    assert own[split.default_branch] == pytest.approx(max(own))
    compare_cells(split, naive.branch_of, schema[split.feature])
    for child, twin in zip(children, naive.children, strict=True):
        compare(tree, child, twin, schema, weights)


def compare_cells(split, branch_of, column):
    """Compare the branches of the cells that occur; all others are marked as unseen."""
    assert split.missing_branch == branch_of.get(None, UNSEEN)
    if isinstance(split, CategorySplit):
        expected = [branch_of.get(category, UNSEEN) for category in column.categories]
        assert split.code_to_branch.tolist() == expected
    else:
        assert all(
            sum(cell > t for t in split.thresholds) == branch
            for cell, branch in branch_of.items()
            if cell is not None
        )


def plain(case, rows):
    """Return the cells of some rows, row by row."""
    return [case.row(i) for i in rows]


@settings(max_examples=120)
@given(random_cases(max_rows=40), st.integers(0, 2**32 - 1), LEAST, st.sampled_from([2, 4, 8]))
def test_refilled_tree_is_that_of_rows_sent_down_one_by_one(case, seed, least, arity):
    rng = np.random.default_rng(seed)
    grown = grow(case.coded, case.target, GrowParams(max_leaves=None, max_arity=arity)).tree
    rows = np.flatnonzero(rng.random(len(case.labels)) < rng.choice([0.2, 0.6, 1.0]))
    rows = rows if len(rows) else np.array([0])
    labels = rng.integers(0, case.n_classes, len(rows))
    weights = rng.choice([0.5, 1.0, 3.0], len(rows))
    target = Target.of(labels, case.n_classes, weights)
    tree = refilled(grown, case.coded.take(rows), target, *least)
    check_tree(tree)
    cells, schema = plain(case, rows), case.coded.schema
    naive = naive_refilled(grown, schema, cells, weights.tolist(), *least)
    compare(tree, 0, naive, schema, weights.tolist())
    leaves = apply(tree, schema, case.table.take(rows))
    counts = np.zeros_like(tree.counts)
    np.add.at(counts, (leaves, labels), weights)
    at = tree.leaves()
    np.testing.assert_allclose(tree.counts[at], counts[at], rtol=1e-12)


@settings(max_examples=50)
@given(random_cases(max_rows=30), st.integers(0, 2**32 - 1), LEAST)
def test_refilled_tree_of_numbers_has_the_moments_of_its_rows(case, seed, least):
    rng = np.random.default_rng(seed)
    criterion = str(rng.choice(["squared_error", "poisson"]))
    y = rng.integers(0, 9, len(case.labels)).astype(float)
    y[0] = 1.0  # counts must not all be 0
    whole = NumericTarget.of_numbers(y, None, criterion)
    params = GrowParams(procedure="per-leaf", index=criterion, max_leaves=None)
    grown = grow(case.coded, whole, params).tree
    rows = np.flatnonzero(rng.random(len(y)) < 0.6)
    rows = rows if len(rows) else np.array([0])
    y, weights = y[rows] + 2.0, rng.choice([0.5, 2.0], len(rows))
    target = NumericTarget.of_numbers(y, weights, criterion)
    tree = refilled(grown, case.coded.take(rows), target, *least)
    check_tree(tree)
    schema = case.coded.schema
    naive = naive_refilled(grown, schema, plain(case, rows), weights.tolist(), *least)
    compare(tree, 0, naive, schema, weights.tolist())
    leaves = apply(tree, schema, case.table.take(rows))
    for leaf in tree.leaves().tolist():
        mean = np.average(y[leaves == leaf], weights=weights[leaves == leaf])
        assert float(tree.mean[leaf]) == pytest.approx(mean)


@settings(max_examples=40)
@given(random_cases(max_rows=30))
def test_refilled_with_its_own_rows_is_the_same_tree(case):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=12)).tree
    again = refilled(tree, case.coded, case.target)
    assert again.n_nodes == tree.n_nodes
    leaves = [apply(t, case.coded.schema, case.table) for t in (tree, again)]
    pairs = set(zip(*(found.tolist() for found in leaves), strict=True))
    assert len(pairs) == tree.n_leaves
    for one, other in pairs:
        np.testing.assert_allclose(again.counts[other], tree.counts[one])


def with_split(split, n_children):
    """Return a tree of one split; its counts are not used."""
    counts = np.ones((n_children, 2))
    builder = TreeBuilder(counts.sum(axis=0), 2 * n_children)
    builder.split(0, split, counts, [2] * n_children)
    return builder.finish()


def test_empty_ranges_join_the_neighbour_with_more_rows():
    case = case_of({"x": [1, 2, 3, 4, 5]}, [0, 1, 0, 1, 0])
    tree = with_split(IntervalSplit(0, np.array([1.5, 2.5, 3.5, 4.5]), UNSEEN, 0), 5)
    rows = np.array([0, 2, 4, 4])
    kept = refilled(tree, case.coded.take(rows), Target.of([0, 1, 1, 1]))
    assert kept.split(0).thresholds.tolist() == [2.5, 3.5]  # 2 joins 1 by order, 4 joins 5
    assert kept.rows.tolist() == [4, 1, 1, 2]
    assert kept.split(0).default_branch == 2


def test_a_split_into_missing_and_other_cells_stays():
    case = case_of({"x": [1, 2, 3, None]}, [0, 0, 1, 1])
    tree = with_split(IntervalSplit(0, np.array([2.5]), 2, 0), 3)
    kept = refilled(tree, case.coded.take(np.array([0, 1, 3])), Target.of([0, 0, 1]))
    check_tree(kept)
    assert kept.split(0).thresholds.tolist() == []
    assert kept.split(0).missing_branch == 1
    assert kept.rows.tolist() == [3, 2, 1]


def test_categories_without_rows_are_unseen():
    case = case_of({"x": list("abcd")}, [0, 1, 0, 1])
    codes = np.array([0, 0, 1, 2], dtype=np.int32)
    tree = with_split(CategorySplit(0, codes, UNSEEN, 0), 3)
    rows = np.array([1, 1, 2])
    kept = refilled(tree, case.coded.take(rows), Target.of([0, 1, 1]))
    assert kept.split(0).code_to_branch.tolist() == [UNSEEN, 0, 1, UNSEEN]
    assert kept.split(0).default_branch == 0


def test_the_only_branch_with_rows_takes_the_place_of_the_split():
    x = np.repeat(np.arange(4.0), 10)
    table = Table.of({"x": x, "y": np.tile(np.arange(10.0), 4)})
    coded = encode(table)
    labels = ((x >= 2) & (np.tile(np.arange(10), 4) >= 5)).astype(int)
    tree = grow(coded, Target.of(labels), GrowParams(procedure="per-leaf")).tree
    assert tree.split(0).feature == 0
    rows = np.flatnonzero(x >= 2)
    kept = refilled(tree, coded.take(rows), Target.of(labels[rows]))
    assert kept.n_leaves == 2
    assert kept.split(0).feature == 1
    for held in (
        Constraints(first=(0,)),
        Constraints(after=((), (0,))),
    ):  # column 1 needs the other
        assert refilled(tree, coded.take(rows), Target.of(labels[rows]), constraints=held).is_leaf(
            0
        )
        assert refilled(tree, coded, Target.of(labels), constraints=held) == tree
    assert refilled(tree, coded.take(rows[:1]), Target.of([0], 2)).n_leaves == 1
