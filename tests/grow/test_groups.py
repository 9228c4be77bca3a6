"""Groups of categories: exact where they say so, a sound heuristic beyond, fast when many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, alternatives, grow
from polytomy.index import INDICES
from polytomy.reference.splits import set_partitions
from polytomy.table import Table
from polytomy.tree import check_tree


def group_menu(names, labels, index="gini", weights=None, n_classes=None, **params):
    """Return the best grouping of each arity, the counts of the categories, and F of the node."""
    coded = encode(Table.of({"x": names}, nominal=["x"]))
    target = Target.of(labels, n_classes, weights)
    grow_params = GrowParams(families=("groups",), max_leaves=None, index=index, **params)
    one_leaf = grow(coded, target, GrowParams(max_leaves=1)).tree
    root = np.zeros(len(labels), dtype=np.int32)
    (found,) = alternatives(coded, target, one_leaf, grow_params, leaf_of_row=root)
    node_value = float(INDICES[index].value(target.total().astype(float)))
    return {o.arity: o for o in found.menu}, found.column_counts(0), node_value


def best_gain(counts, index, k, node_value):
    f = INDICES[index].value
    costs = [
        sum(
            float(f(counts[[i for i, b in enumerate(s) if b == block]].sum(axis=0)))
            for block in range(k)
        )
        for s in set_partitions(len(counts))
        if len(set(s)) == k
    ]
    return node_value - min(costs)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["gini", "sqrt", "entropy"]),
    st.sampled_from([2, 3, 5]),
)
def test_groups_of_up_to_eight_categories_are_the_best_partition(seed, index, n_classes):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 60))
    names, labels = rng.integers(0, 7, n), rng.integers(0, n_classes, n)
    weights = None if rng.random() < 0.5 else rng.exponential(size=n) + 0.01
    menu, held, node_value = group_menu(names, labels, index, weights, n_classes)
    counts = held.astype(float)
    for k in range(2, len(counts) + 1):
        expected = best_gain(counts, index, k, node_value)
        gain = menu[k].gain if k in menu else 0.0  # what gains nothing may be left out
        assert gain == pytest.approx(expected, abs=1e-9 * max(node_value, 1e-300))


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_groups_of_nine_categories_are_exact_for_two_classes(seed):
    rng = np.random.default_rng(seed)
    names, labels = rng.integers(0, 9, 80), rng.integers(0, 2, 80)
    menu, held, node_value = group_menu(names, labels, "entropy", n_classes=2)
    counts = held.astype(float)
    for k in (2, 3, 4):
        expected = best_gain(counts, "entropy", k, node_value)
        gain = menu[k].gain if k in menu else 0.0
        assert gain == pytest.approx(expected, abs=1e-9 * max(node_value, 1e-300))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_groups_of_many_categories_equal_the_full_program_for_two_classes(seed, min_rows):
    """The O(n log n) levels give what the O(n^2) ones give along the same order."""
    rng = np.random.default_rng(seed)
    n_codes = 90
    names = rng.integers(0, n_codes, 700)
    labels = rng.integers(0, 2, 700)
    menu, held, node_value = group_menu(
        names, labels, n_classes=2, max_arity=6, min_samples_leaf=min_rows
    )
    counts = held[held.sum(axis=1) > 0].astype(float)
    order = np.lexsort((np.arange(len(counts)), counts[:, 1] / counts.sum(axis=1)))
    prefix = np.vstack([[0, 0], np.cumsum(counts[order], axis=0)])
    f = INDICES["gini"].value
    n = len(counts)
    cost = f(prefix[None, :, :] - prefix[:, None, :])  # cost[i, j] of the run i..j-1
    rows = prefix.sum(axis=1)
    cost[rows[None, :] - rows[:, None] < min_rows] = np.inf
    best = cost[0].copy()
    for k in range(2, 7):
        best = np.array([(best[: j + 1] + cost[: j + 1, j]).min() for j in range(n + 1)])
        if np.isfinite(best[n]):
            gain = node_value - best[n]
            assert menu[k].gain == pytest.approx(gain, abs=1e-9 * node_value)


def test_groups_follow_the_principal_component_for_more_classes():
    """Categories along a line in the simplex of class shares: there the heuristic is exact."""
    rng = np.random.default_rng(0)
    t = np.linspace(0, 1, 20)
    counts = np.round(
        60 * (np.outer(1 - t, [0.8, 0.1, 0.1]) + np.outer(t, [0.1, 0.2, 0.7]))
    ).astype(int)
    shuffled = rng.permutation(20)
    names = np.repeat(shuffled, counts.sum(axis=1))
    labels = np.concatenate([np.repeat([0, 1, 2], c) for c in counts])
    menu, _, _ = group_menu(names, labels, n_classes=3)
    place = {code: i for i, code in enumerate(shuffled.tolist())}
    low, high = (
        sorted(place[int(c)] for c in menu[2].cut.codes[menu[2].cut.branches == b]) for b in (0, 1)
    )
    assert {tuple(low), tuple(high)} == {tuple(range(10)), tuple(range(10, 20))}


@pytest.mark.parametrize("n_classes", [2, 4])
def test_groups_of_a_hundred_thousand_categories_are_found(n_classes):
    rng = np.random.default_rng(0)
    names = rng.integers(0, 100_000, 300_000)
    labels = (names % 7 + rng.integers(0, 3, 300_000)) % n_classes
    coded = encode(Table.of({"who": names}, nominal=["who"]))
    growth = grow(coded, Target.of(labels, n_classes), GrowParams(max_leaves=8), threads=2)
    check_tree(growth.tree)
    assert growth.tree.n_leaves == 8
    error = 1 - growth.tree.counts[growth.tree.leaves()].max(axis=1).sum() / growth.weight
    assert error < 0.6 * (1 - 1 / n_classes)


def test_groups_treat_missing_as_one_more_category():
    names = np.array(["a"] * 4 + ["b"] * 4 + [None] * 4, dtype=object)
    labels = [0] * 4 + [1] * 4 + [0, 0, 0, 0]
    menu, _, _ = group_menu(names, labels)
    assert menu[2].cut.branches.tolist() == [0, 1, 0]  # with "a"


@pytest.mark.parametrize("n_small", [400, 600])
def test_groups_keep_a_category_of_nearly_all_rows_apart(n_small):
    """Above 512 categories they are packed; a pack that is full by one category holds it alone."""
    small = np.repeat([f"s{i:03d}" for i in range(n_small)], 2)
    labels = np.concatenate([np.tile([0, 1], n_small), np.full(20_000, 2)])
    names = np.concatenate([small, np.full(20_000, "large")])
    for order in (labels, 2 - labels):  # wherever it comes in the order
        growth = grow(encode(Table.of({"x": names})), Target.of(order), GrowParams(max_leaves=2))
        assert growth.tree.n_leaves == 2
        alone = growth.tree.counts[1:]
        assert np.count_nonzero(alone[:, order[-1]]) == 1
