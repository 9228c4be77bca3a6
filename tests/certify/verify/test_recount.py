"""The verifier's routing and counting against the kernel's."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import TreeError
from polytomy.certify.verify.recount import Sample, recount
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Table
from tests.grow.test_own_family import Signs, xor
from tests.strategies import random_cases
from tests.tree.test_contract import probes


def leaves_of(tree, held, n_rows):
    """Return the leaf of every row, as ``apply`` does."""
    leaves = np.full(n_rows, -1)
    for leaf in tree.leaves().tolist():
        leaves[held.rows_of(leaf)] = leaf
    return leaves


def recounted(tree, schema, table, labels=None, weights=None, n_classes=2):
    labels = np.zeros(table.n_rows, dtype=int) if labels is None else np.asarray(labels)
    return recount(tree, Sample.of(table, schema, labels, weights, n_classes))


def assert_routed_alike(tree, schema, table):
    held = recounted(tree, schema, table)
    np.testing.assert_array_equal(leaves_of(tree, held, table.n_rows), apply(tree, schema, table))
    return held


@settings(max_examples=60)
@given(random_cases(max_rows=60), st.integers(0, 2**32 - 1))
def test_recount_routes_new_rows_like_the_kernel(case, seed):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=None, max_arity=12)).tree
    table = probes(case, np.random.default_rng(seed))
    held = assert_routed_alike(tree, case.coded.schema, table)
    inner = [v for v in range(tree.n_nodes) if not tree.is_leaf(v)]
    for node in inner:
        below = np.concatenate([held.rows_of(c) for c in tree.children(node).tolist()])
        assert sorted(below) == sorted(held.rows_of(node))


@settings(max_examples=60)
@given(random_cases(max_rows=60))
def test_recount_of_training_rows_equals_the_tree(case):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=None)).tree
    weights = np.array(case.units) * case.target.unit
    held = recounted(tree, case.coded.schema, case.table, case.labels, weights, case.n_classes)
    np.testing.assert_allclose(held.counts, tree.counts, rtol=1e-12)
    np.testing.assert_array_equal(held.rows, tree.rows)
    assert not held.defaulted.any()


def test_recount_handles_dates_labels_categories_infinities_and_missing():
    rng = np.random.default_rng(3)
    n = 400
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D"),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "town": rng.choice(["Ulm", "Rom", "Wien"], n),
            "big": rng.integers(0, 5, n) * 300 + 2**60,  # doubles are 256 apart there
            "x": rng.choice([-np.inf, -1.0, -0.0, 0.0, 2.5, np.inf], n),
            "yes": rng.random(n) < 0.5,
        }
    )
    for name in ("day", "size", "town", "x"):
        frame.loc[rng.random(n) < 0.15, name] = None
    labels = rng.integers(0, 3, n)
    table = Table.of(frame)
    coded = encode(table)
    tree = grow(coded, Target.of(labels), GrowParams(max_leaves=None, min_samples_leaf=3)).tree
    assert set(range(6)) <= set(tree.feature.tolist())
    held = assert_routed_alike(tree, coded.schema, table)
    assert not held.defaulted.any()
    new = frame.sample(n, replace=True, random_state=0).reset_index(drop=True)
    new["size"] = pd.Categorical(
        rng.choice(["XL", "L", "S", "M"], n), ["XL", "L", "S", "M"], ordered=True
    )
    new["town"] = rng.choice(["Ulm", "Bonn", None], n)
    new["day"] = new["day"].astype("datetime64[ms]")
    held = assert_routed_alike(tree, coded.schema, Table.of(new))
    assert held.defaulted.any()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_recount_handles_every_number_type(dtype):
    x = np.arange(120).astype(dtype)
    coded = encode(Table.of({"x": x}))
    params = GrowParams(procedure="hatano", max_leaves=40, max_arity=40)
    tree = grow(coded, Target.of(np.arange(120) // 3 % 2), params).tree
    assert tree.n_leaves == 40
    assert_routed_alike(tree, coded.schema, Table.of({"x": x}))


def test_recount_handles_custom_splits():
    x, labels = xor()
    table, target = Table.of(x), Target.of(labels)
    coded = encode(table)
    params = GrowParams(max_leaves=10, families=("intervals", Signs()))
    tree = grow(coded, target, params, table).tree
    assert tree.own
    assert_routed_alike(tree, coded.schema, table)


def grown_on_two():
    x = np.arange(40.0)
    table = Table.of({"x": x, "town": np.array(["a", "b"] * 20)})
    coded = encode(table)
    params = GrowParams(procedure="hatano", max_leaves=4)
    return grow(coded, Target.of((x // 10 % 2).astype(int)), params).tree, coded.schema, table


def broken(tree, **arrays):
    """Return a tree with one entry of some arrays changed: name=(place, value)."""
    changed = {}
    for name, (at, value) in arrays.items():
        changed[name] = getattr(tree, name).copy()
        changed[name][at] = value
    return replace(tree, **changed)


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"feature": (0, 1)}, "the split of node 0 does not fit column 1"),
        ({"feature": (0, 7)}, "the split of node 0 does not fit column 7"),
        ({"child": (0, 0)}, "node 0 has invalid children"),
        ({"child": (0, 2)}, "node 0 has invalid children"),
        ({"child": (0, 99)}, "node 0 has invalid children"),
        ({"kind": (0, 0)}, "node 1 is not a child of an earlier node"),
        ({"missing_branch": (0, 9)}, "node 0 has 4 children but uses 10"),
        ({"missing_branch": (0, -3)}, "node 0 routes rows to branch -3"),
    ],
)
def test_recount_rejects_trees_that_cannot_be_followed(arrays, sentence):
    tree, schema, table = grown_on_two()
    assert tree.arity(0) == 4
    x = table.column("x").copy()
    x[5] = np.nan
    with pytest.raises(TreeError, match=sentence):
        recounted(broken(tree, **arrays), schema, Table.of({"x": x, "town": table.column("town")}))
