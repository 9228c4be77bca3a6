"""Contraction: the same leaf for every possible row, and never more nodes on the way."""

import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy._types import UNSEEN
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import LEAF, IntervalSplit, TreeBuilder, check_tree, contract
from tests.naive.route import naive_leaf
from tests.strategies import random_cases

binary = GrowParams(procedure="kearns-mansour", max_leaves=None)
multi = GrowParams(procedure="hatano", index="sqrt", max_leaves=20)


def counts_at(tree, nodes):
    return tree.counts[nodes]


def probes(case, rng, n=60):
    """Rows of seen, unseen, in-between and missing values."""
    columns = {}
    for column, spec in zip(case.table.columns, case.coded.schema, strict=True):
        if spec.kind == "ordered":
            values = np.concatenate(
                [rng.uniform(-5, 12, n // 2), rng.choice(column.values, n - n // 2)]
            )
            values[rng.random(n) < 0.2] = np.nan
        else:
            pool = [*spec.categories, None, "never seen"]
            values = np.array([pool[i] for i in rng.integers(0, len(pool), n)], dtype=object)
        columns[column.name] = values
    return Table.of(columns, nominal=[c.name for c in case.table.columns if c.kind == "nominal"])


@settings(max_examples=150, deadline=None)
@given(random_cases(max_rows=60), st.sampled_from([binary, multi]), st.integers(0, 2**32 - 1))
def test_contract_keeps_the_leaf_of_every_row_with_no_more_nodes(case, params, seed):
    tree = grow(case.coded, case.target, params).tree
    short = contract(tree)
    check_tree(short)
    assert short.n_leaves == tree.n_leaves
    table = probes(case, np.random.default_rng(seed))
    before = apply(tree, case.coded.schema, table)
    after = apply(short, case.coded.schema, table)
    np.testing.assert_array_equal(counts_at(tree, before), counts_at(short, after))
    assert (short.depth[after] <= tree.depth[before]).all()
    # the leaves correspond one to one
    pairs = {*zip(before.tolist(), after.tolist(), strict=True)}
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)


@settings(max_examples=80, deadline=None)
@given(random_cases(max_rows=40), st.integers(0, 2**32 - 1))
def test_contract_leaves_no_child_with_the_column_of_its_parent(case, seed):
    short = contract(grow(case.coded, case.target, binary).tree)
    inner = np.flatnonzero((short.kind != LEAF) & (short.parent >= 0))
    assert (short.feature[inner] != short.feature[short.parent[inner]]).all()
    assert contract(short) == short
    table = probes(case, np.random.default_rng(seed), 20)
    ends = apply(short, case.coded.schema, table)
    rows = list(zip(*(c.values.tolist() for c in table.columns), strict=True))
    assert ends.tolist() == [naive_leaf(short, case.coded.schema, row) for row in rows]


def test_contract_merges_nested_intervals_into_one_split():
    x = np.arange(60.0)
    coded = encode(Table.of({"x": x}))
    tree = grow(coded, Target.of((x // 10 % 2).astype(int)), binary).tree
    short = contract(tree)
    assert (short.n_nodes, short.arity(0)) == (7, 6)
    assert short.threshold.tolist() == [9.5, 19.5, 29.5, 39.5, 49.5]
    assert tree.n_nodes == 11


def test_contract_handles_chains_beyond_the_recursion_limit():
    n = 3000
    builder = TreeBuilder(np.array([float(n), 1.0]), n + 1)
    node = 0
    for i in range(n):  # each split cuts one row off the left end
        rest = np.array([float(n - i - 1), 1.0])
        cut = IntervalSplit(0, np.array([i + 0.5]), UNSEEN, 1)
        _, node = builder.split(node, cut, np.array([[1.0, 0.0], rest]), [1, n - i])
    tree = builder.finish()
    assert tree.depth.max() == n > sys.getrecursionlimit()
    short = contract(tree)
    check_tree(short)
    assert short.arity(0) == n + 1
    table = Table.of({"x": np.append(np.arange(n + 1.0), np.nan)})
    schema = encode(table).schema
    leaves = apply(short, schema, table)
    assert leaves.tolist() == [*range(1, n + 2), n + 1]
    np.testing.assert_array_equal(short.counts[leaves], tree.counts[apply(tree, schema, table)])
