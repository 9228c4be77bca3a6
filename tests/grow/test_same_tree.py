"""The tree is the same, bit for bit, in whichever form the data are given."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.table import Table
from tests.naive.runs import grown
from tests.strategies import case_of, grow_params, random_cases

PROCEDURES = {
    "per-leaf": GrowParams(max_leaves=40),
    "hatano": GrowParams(procedure="hatano", index="sqrt", max_leaves=40),
    "mansour-mcallester": GrowParams(
        procedure="mansour-mcallester", gamma=0.3, index="entropy", max_leaves=300
    ),
    "kearns-mansour": GrowParams(procedure="kearns-mansour", leaf_order="steepest", max_leaves=40),
    "id3": GrowParams(procedure="id3", max_leaves=40),
    "gain-ratio": GrowParams(procedure="gain-ratio", max_leaves=40),
    "gain-ratio, no budget": GrowParams(procedure="gain-ratio", max_leaves=None),
    "drawn columns": GrowParams(max_leaves=40, columns_per_node=1, seed=7),
    "drawn columns, no budget": GrowParams(max_leaves=None, columns_per_node=2, seed=8),
}


def mixed(n_rows=3000, seed=0, n_classes=3):
    """Numbers, few-valued numbers, categories and missing cells, with signal in all of them."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n_rows, 3)).astype(np.float32)
    x[:, 1] = np.round(x[:, 1] * 2)
    x[rng.random(x.shape) < 0.05] = np.nan
    town = rng.choice(["Bonn", "Graz", "Lund", "Pisa", "Vaduz"], n_rows).astype(object)
    town[rng.random(n_rows) < 0.05] = None
    score = np.nan_to_num(x).sum(axis=1) + (town == "Pisa") - (town == "Lund")
    labels = np.digitize(score + rng.standard_normal(n_rows) / 2, [-1, 1])[:n_rows] % n_classes
    return x, town, labels


def table_of(x, town):
    return Table.of({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "town": town})


def tree_of(table, labels, params, weights=None, threads=1):
    target = Target.of(labels, 3, weights)
    return grow(encode(table, target.units, threads=threads), target, params, threads=threads).tree


def without(tree, *names):
    """The tree with some arrays blanked, for comparing all the others."""
    return replace(tree, **{name: np.zeros_like(getattr(tree, name)) for name in names})


@pytest.mark.parametrize("name", PROCEDURES)
@pytest.mark.parametrize("n_rows", [3000, 40_000])  # sorted, and counted, cuts
def test_tree_is_the_same_for_threads_types_layouts_and_row_orders(name, n_rows):
    x, town, labels = mixed(n_rows)
    params = PROCEDURES[name]
    expected = tree_of(table_of(x, town), labels, params)
    assert expected.n_leaves > 10
    assert tree_of(table_of(x, town), labels, params, threads=2) == expected
    assert tree_of(table_of(x, town), labels, params, threads=7) == expected
    assert tree_of(table_of(np.asfortranarray(x), town), labels, params) == expected
    assert tree_of(table_of(x.astype(np.float64), town), labels, params) == expected
    order = np.random.default_rng(1).permutation(n_rows)
    assert tree_of(table_of(x[order], town[order]), labels[order], params) == expected


@pytest.mark.parametrize("name", PROCEDURES)
def test_tree_is_the_same_for_repeated_rows_and_scaled_weights(name):
    x, town, labels = mixed(1500)
    params = PROCEDURES[name]
    weights = np.random.default_rng(2).integers(1, 4, 1500)
    expected = tree_of(table_of(x, town), labels, params, weights)
    rows = np.repeat(np.arange(1500), weights)
    twice = tree_of(table_of(x[rows], town[rows]), labels[rows], params)
    assert without(twice, "rows") == without(expected, "rows")
    # The gain ratio leaves out columns by their cases, and weights are case counts.
    for factor in () if params.procedure == "gain-ratio" else (3, 0.1, 1e-9, np.pi):
        scaled = tree_of(table_of(x, town), labels, params, weights * factor)
        assert without(scaled, "counts") == without(expected, "counts")
        np.testing.assert_allclose(scaled.counts, expected.counts * factor, rtol=1e-12)


def test_tree_is_the_same_for_equal_weights_and_none():
    x, town, labels = mixed(800)
    expected = tree_of(table_of(x, town), labels, GrowParams())
    weighted = tree_of(table_of(x, town), labels, GrowParams(), np.full(800, 2.5))
    assert without(weighted, "counts") == without(expected, "counts")
    np.testing.assert_array_equal(weighted.counts, expected.counts * 2.5)


@settings(max_examples=100, deadline=None)
@given(random_cases(max_rows=60), grow_params())
def test_tree_is_the_same_for_threads_and_row_orders_on_small_tables(case, params):
    expected = grown(case, params)
    assert grown(case, params, threads=4).tree == expected.tree
    order = np.random.default_rng(0).permutation(len(case.labels))
    columns = {name: [cells[i] for i in order] for name, cells in case.columns.items()}
    units = case.target.units
    weights = None if units is None else units[order] * case.target.unit
    shuffled = case_of(columns, [case.labels[i] for i in order], weights, case.n_classes)
    other = grown(shuffled, params).tree
    assert without(other, "counts") == without(expected.tree, "counts")
