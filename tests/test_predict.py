"""Prediction: rows reach the leaves that the splits describe, and bad tables are rejected."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import ParameterError, TableError, TargetError, TreeError
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Table
from tests.naive.route import naive_leaf
from tests.strategies import random_cases
from tests.tree.test_contract import probes


@settings(max_examples=100, deadline=None)
@given(random_cases(max_rows=60), st.integers(0, 2**32 - 1), st.sampled_from([1, 3]))
def test_rows_reach_the_leaf_that_the_splits_describe(case, seed, threads):
    params = GrowParams(max_leaves=None, max_arity=12)
    growth = grow(case.coded, case.target, params)
    table = probes(case, np.random.default_rng(seed))
    rows = list(zip(*(c.values.tolist() for c in table.columns), strict=True))
    expected = [naive_leaf(growth.tree, case.coded.schema, row) for row in rows]
    assert apply(growth.tree, case.coded.schema, table, threads).tolist() == expected


@settings(max_examples=60, deadline=None)
@given(random_cases(max_rows=60))
def test_training_rows_reach_the_leaf_that_counted_them(case):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=None)).tree
    leaves = apply(tree, case.coded.schema, case.table)
    counts = np.zeros_like(tree.counts)
    np.add.at(counts, (leaves, case.labels), case.units)
    at = tree.leaves()
    np.testing.assert_allclose(counts[at] * case.target.unit, tree.counts[at], rtol=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("n_bands", [3, 40])  # thresholds counted, and searched
def test_every_number_dtype_is_routed(dtype, n_bands):
    x = np.arange(120).astype(dtype)
    labels = (np.arange(120) * n_bands // 120) % 2
    coded = encode(Table.of({"x": x}))
    params = GrowParams(procedure="hatano", max_leaves=n_bands, max_arity=n_bands)
    tree = grow(coded, Target.of(labels), params).tree
    leaves = apply(tree, coded.schema, Table.of({"x": x}), threads=2)
    assert (tree.counts[leaves].argmax(axis=1) == labels).all()


def test_times_are_routed_and_nat_is_missing():
    day = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]").astype("datetime64[s]")
    labels = (np.arange(60) >= 31).astype(int)
    coded = encode(Table.of({"day": day}))
    tree = grow(coded, Target.of(labels), GrowParams(max_leaves=2)).tree
    new = np.array(["2024-01-15", "2024-02-15", "NaT"], dtype="datetime64[s]")
    leaves = apply(tree, coded.schema, Table.of({"day": new}))
    assert tree.counts[leaves].argmax(axis=1).tolist() == [0, 1, 0]  # 31 days of January weigh more


def test_values_that_the_training_table_lacks_go_to_the_heaviest_child():
    names = np.array(["a"] * 5 + ["b"] * 9 + ["c"] * 3)
    labels = [0] * 5 + [1] * 9 + [0] * 3
    coded = encode(Table.of({"x": names}))
    tree = grow(coded, Target.of(labels), GrowParams(families=("values",))).tree
    table = Table.of({"x": np.array(["b", "zebra", None, "c"], dtype=object)})
    assert apply(tree, coded.schema, table).tolist() == [2, 2, 2, 3]


def grown_on_three():
    x = np.random.default_rng(0).standard_normal((50, 3))
    coded = encode(Table.of(x, names=["a", "b", "c"]))
    return grow(coded, Target.of((x[:, 0] > 0).astype(int))).tree, coded.schema, x


def test_other_columns_are_rejected_with_a_message():
    tree, schema, x = grown_on_three()
    with pytest.raises(TableError, match=r"the order should be \['a', 'b', 'c'\]"):
        apply(tree, schema, Table.of(x[:, ::-1], names=["c", "b", "a"]))
    with pytest.raises(TableError, match=r"missing \['c'\], unexpected \[\]"):
        apply(tree, schema, Table.of(x[:, :2], names=["a", "b"]))
    with pytest.raises(TableError, match=r"missing \['c'\], unexpected \['d'\]"):
        apply(tree, schema, Table.of(x, names=["a", "b", "d"]))
    text = {"a": x[:, 0], "b": np.array(["x"] * 50), "c": x[:, 2]}
    with pytest.raises(TableError, match=r"column 'b' contained numbers .* now contains text or"):
        apply(tree, schema, Table.of(text))


def test_schema_of_another_tree_is_rejected():
    tree, _, x = grown_on_three()
    narrow = Table.of({"a": x[:, 0]})
    narrow_tree = grow(encode(Table.of(x[:, ::-1])), Target.of((x[:, 0] > 0).astype(int))).tree
    with pytest.raises(TreeError, match="to this tree: node 0 splits on column 2 of 1"):
        apply(narrow_tree, encode(narrow).schema, narrow)
    text = Table.of({"a": np.array(["u", "v"] * 25)})
    with pytest.raises(TreeError, match="column 0 of 1, which is nominal"):
        apply(tree, encode(text).schema, text)


@pytest.mark.parametrize("threads", [0, -1, 1.5, None, True])
def test_bad_numbers_of_threads_are_rejected(threads):
    tree, schema, x = grown_on_three()
    table = Table.of(x, names=["a", "b", "c"])
    with pytest.raises(ParameterError, match="threads must be an integer of at least 1"):
        apply(tree, schema, table, threads)
    with pytest.raises(ParameterError, match="threads must be"):
        encode(table, threads=threads)
    with pytest.raises(ParameterError, match="threads must be"):
        grow(encode(table), Target.of([0, 1] * 25), threads=threads)


def test_rows_labels_and_weights_must_have_equal_lengths():
    table = Table.of(np.zeros((5, 2)))
    with pytest.raises(TargetError, match="5 rows but 4 labels"):
        grow(encode(table), Target.of([0, 1, 0, 1]))
    with pytest.raises(TargetError, match=r"5 rows but weights of shape \(3,\)"):
        encode(table, np.ones(3, dtype=np.int64))
    for units in (np.full(5, 0.5), np.array([1, 1, 0, 1, 1]), np.array([1, 1, -2, 1, 1])):
        with pytest.raises(TargetError, match="positive integer weights"):
            encode(table, units)
    with pytest.raises(TableError, match="not the one that was encoded"):
        grow(encode(table), Target.of([0, 1, 0, 1, 0]), table=table.take(np.arange(4)))
