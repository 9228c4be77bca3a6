"""Polishing: against enumeration of all splits, and what holds for every polished tree."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy._errors import ParameterError, TableError, TargetError, TreeError
from polytomy._types import TIE, UNSEEN
from polytomy.encode import Coded, NumericTarget, OrderedColumn, Target, encode
from polytomy.grow import Grower, GrowParams, cases_per_unit
from polytomy.index import INDICES, NUMERIC, resolve
from polytomy.predict import apply
from polytomy.priced import (
    Sample,
    TwoPrices,
    grow_priced,
    in_units,
    leaves_to_grow,
    polish,
    polishing,
)
from polytomy.table import Table
from polytomy.theory import Prices, impurity_share, tree_cost
from polytomy.tree import (
    CategorySplit,
    IntervalSplit,
    TreeBuilder,
    check_tree,
    contract,
    subtree_sums,
)
from tests.grow.test_own_family import Signs, xor
from tests.naive import polishing as naive
from tests.priced.test_growing import sample_of, shops
from tests.strategies import random_cases

FREE = Prices(0.0, 0.0)
seeds = st.integers(0, 2**32 - 1)


# ---- samples and trees


def soft_target(rng, n_rows, n_classes, n_layers=2):
    """Return a target in which every row counts for several classes, with uneven weights."""
    weight = rng.exponential(size=n_rows) + 0.05
    layers = [
        (rng.integers(0, n_classes, n_rows).astype(np.uint16), rng.random(n_rows) + 0.01)
        for _ in range(n_layers)
    ]
    units = [np.rint(share * weight * 2**30).astype(np.int64) for _, share in layers]
    more = tuple((labels, u) for (labels, _), u in zip(layers[1:], units[1:], strict=True))
    return Target(layers[0][0], units[0], 2.0**-30, n_classes, more)


@st.composite
def samples(draw, kinds=("classes", "soft", "numbers", "counts")):
    """A small table with numbers, categories and missing cells, and a target of some kind."""
    case = draw(random_cases(max_rows=30))
    rng = np.random.default_rng(draw(seeds))
    kind = draw(st.sampled_from(kinds))
    weights = draw(st.sampled_from([None, rng.random(case.table.n_rows) + 0.1]))
    target = case.target
    if kind == "soft":
        target = soft_target(rng, case.table.n_rows, case.n_classes, int(rng.integers(2, 5)))
    elif kind == "numbers":
        target = NumericTarget.of_numbers(rng.normal(size=case.table.n_rows) * 3 + 7, weights)
    elif kind == "counts":
        target = NumericTarget.of_numbers(
            rng.poisson(1.5, case.table.n_rows).astype(float), weights, "poisson"
        )
    return Sample(encode(case.table, target.case_units[0]), target, case.table)


def node_counts(sample, leaf, tree):
    """Return the counts, or moments, and the rows of each node."""
    target, n = sample.target, tree.n_nodes
    if isinstance(target, NumericTarget):
        own = target.moments(leaf, n)
    else:
        own = np.zeros((n, target.n_classes))
        for labels, units in target.layers:
            np.add.at(own, (leaf, labels), target.unit * (1 if units is None else units))
    return subtree_sums(tree, own), subtree_sums(tree, np.bincount(leaf, minlength=n))


def recounted(tree, sample):
    """Return a tree with the counts of the sample's rows."""
    counts, rows = node_counts(sample, apply(tree, sample.coded.schema, sample.table), tree)
    is_numeric = isinstance(sample.target, NumericTarget)
    return replace(
        tree, counts=counts, rows=rows, centre=sample.target.centre if is_numeric else None
    )


def random_split(rng, sample, rows, widest):
    """Return a random split of some rows and the branch of each; None if there is none."""
    schema = sample.coded.schema
    column = int(rng.integers(len(schema)))
    spec, codes = schema[column], sample.coded.columns[column][rows].astype(int)
    present = np.unique(codes[codes < spec.n_values])
    has_missing = bool((codes == spec.n_values).any())
    n_parts = len(present) + has_missing
    if n_parts < 2 or len(present) == 0:
        return None
    k = int(rng.integers(2, min(widest, n_parts) + 1))
    apart = has_missing and (k > len(present) or rng.random() < 0.3)
    n_ranges = k - apart
    missing = k - 1 if apart else int(rng.integers(k)) if has_missing else UNSEEN
    branch = np.full(spec.n_values + 1, UNSEEN, dtype=np.int32)
    branch[-1] = missing
    cuts = np.sort(rng.choice(len(present) - 1, n_ranges - 1, replace=False))
    branch[present] = np.searchsorted(cuts, np.arange(len(present)))
    if isinstance(spec, OrderedColumn):
        thresholds = np.array([spec.threshold(present[c], present[c + 1]) for c in cuts.tolist()])
        return IntervalSplit(column, thresholds, missing, 0), branch[codes]
    moved = np.append(rng.permutation(k), UNSEEN).astype(np.int32)
    branch = moved[branch]
    return CategorySplit(column, branch[:-1], int(branch[-1]), 0), branch[codes]


def random_tree(rng, sample, n_splits=4, widest=4):
    """Return a tree of random splits, whose unseen values take the heaviest branch."""
    n, is_numeric = sample.target.n_rows, isinstance(sample.target, NumericTarget)
    width = (4 if sample.target.criterion == "poisson" else 3) if is_numeric else 1
    zeros = np.zeros(width if is_numeric else sample.target.n_classes)
    weight = total_units(sample.target)
    builder = TreeBuilder(zeros, n, 0.0 if is_numeric else None)
    waiting = [(0, np.arange(n))]
    while waiting and n_splits > 0:
        leaf, rows = waiting.pop(int(rng.integers(len(waiting))))
        found = random_split(rng, sample, rows, widest)
        if found is None:
            continue
        split, branch = found
        heavy = np.bincount(branch, weight[rows])
        split = replace(split, default_branch=int(np.argmax(heavy >= heavy.max() * (1 - TIE))))
        sizes = np.bincount(branch, minlength=split.arity)
        made = builder.split(leaf, split, np.zeros((split.arity, len(zeros))), sizes)
        waiting += [(child, rows[branch == b]) for b, child in enumerate(made)]
        n_splits -= 1
    tree = recounted(builder.finish(), sample)
    check_tree(tree)
    return tree


def total_units(target):
    """Return the units of each row over all layers."""
    return sum(np.ones(target.n_rows) if u is None else u for _, u in target.layers) + 0.0


def index_of(sample, name="gini"):
    target = sample.target
    return NUMERIC[target.criterion] if isinstance(target, NumericTarget) else INDICES[name]


def shape_of(tree, node=0):
    """Return the shape of a subtree, whatever the order of its branches."""
    return tuple(sorted(shape_of(tree, int(child)) for child in tree.children(node)))


def check_splits(tree, sample):
    """Check thresholds and branches of unseen values, as for a grown tree."""
    node_of = apply(tree, sample.coded.schema, sample.table)
    for node in np.flatnonzero(np.diff(tree.child_start)).tolist():
        inside = np.array([node in tree.path(int(leaf)) for leaf in node_of])
        split = tree.split(node)
        spec = sample.coded.schema[split.feature]
        codes = sample.coded.columns[split.feature][inside]
        assert (split.missing_branch != UNSEEN) == bool((codes == spec.n_values).any())
        weight = tree.weight[tree.children(node)]
        assert weight[split.default_branch] >= weight.max() * (1 - 1e-9)
        present = np.unique(codes[codes < spec.n_values]).tolist()
        if isinstance(split, CategorySplit):
            assert np.flatnonzero(split.code_to_branch != UNSEEN).tolist() == present
            continue
        halves = [spec.threshold(a, b) for a, b in pairwise(present)]
        assert set(split.thresholds.tolist()) <= set(halves)


def check_polished(found, tree, sample, index, prices):
    """Check what holds for every polished tree."""
    before = tree_cost(tree, index, prices)
    after = recounted(found.tree, sample)
    check_tree(found.tree)
    np.testing.assert_allclose(found.tree.counts, after.counts, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(found.tree.rows, after.rows)
    assert found.cost == pytest.approx(tree_cost(after, index, prices), rel=1e-9, abs=1e-9)
    assert found.cost <= before
    assert shape_of(found.tree) == shape_of(tree)
    if found.passes == 0:
        assert found.tree == tree
    else:
        assert found.cost < before
        check_splits(found.tree, sample)


# ---- what holds for every tree


@given(samples(), seeds, st.sampled_from(["gini", "sqrt", "entropy", "error"]))
def test_polishing_never_raises_the_cost_nor_changes_the_shape(sample, seed, name):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, sample, int(rng.integers(1, 6)), int(rng.integers(2, 8)))
    index, prices = index_of(sample, name), Prices(0.3, float(rng.choice([0.0, 0.05])))
    found = polish(tree, sample, index, prices)
    check_polished(found, tree, sample, index, prices)


@given(samples(), seeds)
def test_more_passes_never_cost_more(sample, seed):
    tree = random_tree(np.random.default_rng(seed), sample)
    index = index_of(sample)
    found = [polish(tree, sample, index, FREE, passes=n) for n in (0, 1, 2, 50)]
    assert [f.passes for f in found[:3]] == [min(n, found[3].passes) for n in range(3)]
    assert found[3].passes < 50
    costs = [f.cost for f in found]
    assert costs == sorted(costs, reverse=True)


@given(samples(), seeds)
def test_threads_do_not_change_the_result(sample, seed):
    tree = random_tree(np.random.default_rng(seed), sample)
    index = index_of(sample)
    assert polish(tree, sample, index, FREE, threads=3) == polish(tree, sample, index, FREE)


def test_threads_do_not_change_the_result_of_many_rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(8000, 6))
    x[rng.random(x.shape) < 0.05] = np.nan
    table = Table.of(x)
    target = soft_target(rng, 8000, 3)
    labels = np.where(x[:, 0] > x[:, 1], 2, 0).astype(np.uint16)
    sample = Sample(encode(table), replace(target, labels=labels), table)
    tree = random_tree(rng, sample, 6)
    found = polish(tree, sample, resolve("gini"), FREE)
    assert found.passes
    assert polish(tree, sample, resolve("gini"), FREE, threads=3) == found


@given(samples(("classes", "soft")), seeds, st.integers(1, 4), st.floats(0, 3))
def test_leaves_keep_their_least_rows_and_weight(sample, seed, min_rows, min_weight):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, sample)
    n_real = int(rng.integers(1, sample.target.n_rows + 1))
    sample = replace(sample, target=replace(sample.target, n_real=n_real))
    index = index_of(sample)
    found = polish(tree, sample, index, FREE, min_rows=min_rows, min_weight=min_weight)
    check_polished(found, tree, sample, index, FREE)
    rows, weight = least_leaf(tree, sample, n_real)
    kept_rows, kept_weight = least_leaf(found.tree, sample, n_real)
    assert kept_rows >= min(rows, min_rows)
    assert kept_weight >= min(weight, min_weight) * (1 - 1e-9)


def least_leaf(tree, sample, n_real):
    """Return the fewest observed rows and the least weight of a leaf."""
    leaf = apply(tree, sample.coded.schema, sample.table)[:n_real]
    return np.bincount(leaf, minlength=tree.n_nodes)[tree.leaves()].min(), tree.weight[
        tree.leaves()
    ].min()


# ---- against enumeration


def naive_problem(sample, index, prices):
    """Return the rows, as lists of codes, and the costs for the oracle."""
    schema, target = sample.coded.schema, sample.target
    cells = [
        [None if c == spec.n_values else int(c) for c in codes]
        for spec, codes in zip(schema, sample.coded.columns, strict=True)
    ]
    counts = np.zeros((target.n_rows, target.n_classes))
    for labels, units in target.layers:
        np.add.at(counts, (np.arange(target.n_rows), labels), 1 if units is None else units)
    problem = naive.Problem(
        list(zip(*cells, strict=True)),
        counts,
        [list(range(spec.n_values)) for spec in schema],
        [spec.kind == "ordered" for spec in schema],
        index.on_components,
        impurity_share(index),
        in_units(prices, target).question,
    )
    problem.cases = cases_per_unit(target)
    return problem


def naive_tree(tree, schema, node=0):
    """Return a tree as the oracle takes it."""
    split = tree.split(node)
    if split is None:
        return naive.Node(node)
    branch = {None: split.branch_of_missing}
    for code in range(schema[split.feature].n_values):
        if isinstance(split, IntervalSplit):
            branch[code] = int((schema[split.feature].low[code] > split.thresholds).sum())
        else:
            taken = int(split.code_to_branch[code])
            branch[code] = split.default_branch if taken == UNSEEN else taken
    children = [naive_tree(tree, schema, int(child)) for child in tree.children(node)]
    return naive.Node(node, split.feature, branch, children)


def same_groups(a, b):
    """Return whether two lists of leaves group the rows in the same way."""
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


@settings(max_examples=60)
@given(samples(("soft", "numbers")), seeds, st.sampled_from(["gini", "sqrt", "entropy"]))
def test_polishing_does_what_enumeration_does(sample, seed, name):
    # With uneven weights no two splits cost the same, so that both go the same way.
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, sample, int(rng.integers(1, 4)), 3)
    index, prices = index_of(sample, name), Prices(0.0, float(rng.choice([0.0, 0.02])))
    problem = naive_problem(sample, index, prices)
    problem.least_rows = int(rng.integers(1, 4))
    if rng.random() < 0.3:
        problem.n_real = int(rng.integers(1, sample.target.n_rows + 1))
        sample = replace(sample, target=replace(sample.target, n_real=problem.n_real))
    root = naive_tree(tree, sample.coded.schema)
    passes = naive.polish(problem, root, 3)
    found = polish(tree, sample, index, prices, passes=3, min_rows=problem.least_rows)
    leaf = apply(found.tree, sample.coded.schema, sample.table).tolist()
    assert found.passes == passes
    assert same_groups(leaf, problem.reached(root))


@given(samples(("classes",)), seeds)
def test_layers_change_nothing_if_a_row_counts_for_one_class(sample, seed):
    target = sample.target
    units = np.ones(target.n_rows, dtype=np.int64) if target.units is None else target.units
    other = np.zeros(target.n_rows, dtype=np.uint16), np.zeros(target.n_rows, dtype=np.int64)
    layered = replace(sample, target=replace(target, units=units, more=(other,)))
    tree = random_tree(np.random.default_rng(seed), sample)
    index = index_of(sample)
    assert polish(tree, layered, index, FREE) == polish(tree, sample, index, FREE)


# ---- trees and samples of every kind


def checkers(n=4):
    """Return a board of two columns whose classes alternate in blocks, as a sample."""
    x, z = (v.ravel() for v in np.meshgrid(np.arange(4 * n), np.arange(4 * n)))
    labels = (x // n + z // n) % 2
    table = Table.of({"x": x.astype(float), "z": z.astype(float)})
    return Sample(encode(table), Target.of(labels), table)


def grown(sample, **params):
    grower = Grower(sample.coded, sample.target, GrowParams(**params), table=sample.table)
    return grower.grow().tree


def test_polishing_finds_a_split_that_only_pays_with_those_below():
    rng = np.random.default_rng(1)
    x = rng.random((300, 3))
    table = Table.of(x)
    target = Target.of(((x[:, 0] > 0.5) ^ (x[:, 1] > 0.5)).astype(int))
    sample = Sample(encode(table), target, table)
    tree = grown(sample, max_leaves=4, max_arity=2)
    index = resolve("gini")
    found = polish(tree, sample, index, FREE, passes=20)
    check_polished(found, tree, sample, index, FREE)
    assert found.cost < 0.7 * tree_cost(tree, index, FREE)


def test_polishing_moves_all_thresholds_of_a_wide_split():
    x = np.arange(90.0)
    table = Table.of({"x": x})
    target = Target.of((x // 10).astype(int))
    sample = Sample(encode(table), target, table)
    builder = TreeBuilder(np.full(9, 10.0), 90)
    cuts = np.array([7.5, 21.5, 28.5, 41.5, 47.5, 61.5, 69.5, 81.5])
    builder.split(0, IntervalSplit(0, cuts, UNSEEN, 0), np.zeros((9, 9)), [10] * 9)
    tree = recounted(builder.finish(), sample)
    found = polish(tree, sample, resolve("gini"), FREE, passes=20)
    assert found.tree.threshold.tolist() == [9.5, 19.5, 29.5, 39.5, 49.5, 59.5, 69.5, 79.5]
    assert found.cost == 0


def test_missing_cells_may_get_a_branch_of_their_own():
    x = np.array([np.nan] * 5 + [1.0] * 5 + [2.0] * 5)
    z = np.array([0.0, 1.0, 2.0] * 5)
    table = Table.of({"z": z, "x": x})
    sample = Sample(encode(table), Target.of([1] * 5 + [0] * 10), table)
    builder = TreeBuilder(np.array([10.0, 5.0]), 15)
    builder.split(0, IntervalSplit(0, np.array([0.5]), UNSEEN, 0), np.zeros((2, 2)), [5, 10])
    tree = recounted(builder.finish(), sample)
    found = polish(tree, sample, resolve("gini"), FREE)
    split = found.tree.split(0)
    assert (split.feature, len(split.thresholds), split.missing_branch) == (1, 0, 1)
    assert found.cost == 0


def test_an_optimal_tree_stays_the_same_object():
    table = Table.of({"z": np.tile([2.0, 1.0, 4.0], 20), "x": np.arange(60.0)})
    sample = Sample(encode(table), Target.of(np.repeat([0, 2, 1], 20)), table)
    tree = grown(sample, max_leaves=3, max_arity=2)
    found = polish(tree, sample, resolve("gini"), FREE)
    assert found.cost == 0
    assert found.passes == 0
    assert found.tree is tree


def test_a_tree_of_another_target_gets_the_counts_of_the_sample():
    sample = checkers()
    tree = random_tree(np.random.default_rng(2), sample)
    soft = replace(sample, target=soft_target(np.random.default_rng(2), 256, 2))
    index = resolve("gini")
    for passes in (0, 4):
        found = polish(tree, soft, index, FREE, passes=passes)
        check_polished(found, recounted(tree, soft), soft, index, FREE)


def test_a_threshold_inside_a_bin_moves_to_its_edge():
    x, z = np.arange(100.0), np.tile([0.0, 1.0], 50)
    table = Table.of({"x": x, "z": z})
    target = Target.of(((x > 52) ^ (z > 0)).astype(int))
    sample = Sample(encode(table, max_bins=10), target, table)
    builder = TreeBuilder(np.zeros(2), 100)
    inside = IntervalSplit(0, np.array([53.5]), UNSEEN, 0)
    for child in builder.split(0, inside, np.zeros((2, 2)), [54, 46]):
        builder.split(child, IntervalSplit(1, np.array([0.5]), UNSEEN, 0), np.zeros((2, 2)), [1, 1])
    tree = recounted(builder.finish(), sample)
    found = polish(tree, sample, resolve("gini"), FREE)
    after = recounted(found.tree, sample)
    np.testing.assert_array_equal(found.tree.rows, after.rows)
    check_splits(found.tree, sample)


def test_a_leaf_stays_a_leaf():
    sample = checkers()
    tree = grown(sample, max_leaves=1)
    found = polish(tree, sample, resolve("gini"), Prices(1.0, 1.0))
    assert found.tree is tree
    assert found.cost == tree_cost(tree, resolve("gini"), Prices(1.0, 1.0))


@pytest.mark.parametrize("contracted", [False, True])
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_chains_on_one_column_and_contracted_trees_are_polished(contracted, target):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2))
    table = Table.of(x)
    signal = np.sin(3 * x[:, 0]) + 0.3 * rng.normal(size=400) + (x[:, 1] > 0.4)
    numbers = NumericTarget.of_numbers(signal)
    held = numbers if target == "numbers" else Target.of((signal > 0.3).astype(int))
    sample = Sample(encode(table), held, table)
    index = index_of(sample)
    tree = grown(sample, max_leaves=9, max_arity=2, index=index.name)
    tree = contract(tree) if contracted else tree
    prices = Prices(1.0, 0.001)
    found = polish(tree, sample, index, prices)
    assert found.passes
    check_polished(found, tree, sample, index, prices)


def test_priced_trees_are_polished():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(500, 4))
    x[rng.random(x.shape) < 0.1] = np.nan
    table = Table.of(x)
    labels = (np.nan_to_num(x[:, 0] * x[:, 1]) > 0).astype(int) + (rng.random(500) < 0.1)
    sample = Sample(encode(table), Target.of(labels), table)
    wanted = TwoPrices(8, leaves_to_grow(8), 0.08, 2.0, contract=True)
    _, tree, prices = grow_priced(sample, GrowParams(procedure="priced"), wanted)
    index = resolve("gini", 3)
    check_polished(polish(tree, sample, index, prices), tree, sample, index, prices)


def test_splits_by_own_families_stay():
    x, labels = xor()
    table = Table.of(x)
    sample = Sample(encode(table), Target.of(labels), table)
    tree = grown(sample, max_leaves=10, families=("intervals", Signs()))
    index = resolve("gini")
    found = polish(tree, sample, index, FREE)
    assert list(found.tree.own.values()) == list(tree.own.values())
    assert found.cost <= tree_cost(tree, index, FREE)
    np.testing.assert_allclose(found.tree.counts, recounted(found.tree, sample).counts)
    with pytest.raises(TableError, match="raw table"):
        polish(tree, replace(sample, table=None), index, FREE)


def test_a_users_index_polishes_like_the_built_in_one():
    sample = checkers(3)
    soft = soft_target(np.random.default_rng(5), sample.target.n_rows, 3)
    sample = replace(sample, target=soft)
    tree = random_tree(np.random.default_rng(5), sample, 6)

    def twice_gini(counts):
        total = counts.sum(axis=-1)
        return 2 * (total - (counts**2).sum(axis=-1) / np.where(total > 0, total, 1))

    ours, theirs = resolve("gini"), resolve(twice_gini, 3)
    expected = polish(tree, sample, ours, FREE)
    found = polish(tree, sample, theirs, FREE)
    assert found.passes == expected.passes > 0
    assert found.tree == expected.tree


def test_read_only_arrays_are_accepted():
    sample = checkers()
    columns = tuple(c.copy() for c in sample.coded.columns)
    target = soft_target(np.random.default_rng(0), sample.target.n_rows, 2)
    for array in (*columns, *(a for layer in target.layers for a in layer)):
        array.setflags(write=False)
    coded = Coded(sample.coded.schema, columns, sample.coded.n_rows)
    sample = Sample(coded, target, sample.table)
    tree = random_tree(np.random.default_rng(0), sample)
    check_polished(polish(tree, sample, resolve("gini"), FREE), tree, sample, resolve("gini"), FREE)


# ---- errors


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_rows": 0},
        {"min_rows": 1.5},
        {"min_rows": True},
        {"passes": -1},
        {"passes": "4"},
        {"min_weight": -1.0},
        {"min_weight": np.nan},
        {"min_weight": np.inf},
        {"min_weight": None},
        {"min_weight": True},
        {"threads": 0},
    ],
)
def test_wrong_numbers_are_refused(wrong):
    sample = checkers()
    tree = grown(sample, max_leaves=3)
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        polish(tree, sample, resolve("gini"), FREE, **wrong)


def test_a_sample_of_other_rows_is_refused():
    sample = checkers()
    tree, index = grown(sample, max_leaves=3), resolve("gini")
    fewer = replace(sample, target=sample.target.take(np.arange(10)))
    with pytest.raises(TargetError, match="256 rows but 10 labels"):
        polish(tree, fewer, index, FREE)
    few = Sample(sample.coded.take(np.arange(1)), sample.target.take(np.arange(1)), None)
    with pytest.raises(TreeError, match="a leaf of the tree has no rows"):
        polish(tree, few, index, FREE)
    with pytest.raises(TargetError, match="classes or numbers"):
        polish(tree, sample, NUMERIC["squared_error"], FREE)
    other = encode(Table.of({"town": np.array(["a", "b"] * 128)}))
    with pytest.raises(TreeError, match="schema"):
        polish(tree, replace(sample, coded=other), index, FREE)


def test_huge_and_tiny_limits_are_accepted():
    sample = checkers()
    tree = random_tree(np.random.default_rng(0), sample)
    index = resolve("gini")
    found = polish(tree, sample, index, FREE, min_rows=10**30, min_weight=1e300, passes=10**30)
    check_polished(found, tree, sample, index, FREE)
    assert polish(tree, sample, index, FREE, passes=0).tree is tree


@pytest.mark.parametrize("n_shops", [60, 300])
def test_groupings_of_polished_splits_pay_for_their_description(monkeypatch, n_shops):
    sample = sample_of(*shops(600, n_shops))
    grower = Grower(sample.coded, sample.target, GrowParams(procedure="priced", max_leaves=8))
    index, prices = resolve("gini", 2), Prices(1.0, 0.02)
    tree = grower.grow().tree
    charged = polish(tree, sample, index, prices)
    assert set(charged.tree.feature.tolist()) <= {-1, 0, 1}
    monkeypatch.setattr(polishing, "cases_per_unit", lambda _target: 0.0)
    uncharged = polish(tree, sample, index, prices)
    assert 2 in uncharged.tree.feature
    assert uncharged.cost < charged.cost
