"""The alternatives of nodes against a search of each column on its own."""

import numpy as np
import pytest
from hypothesis import given, settings

from polytomy._errors import TargetError
from polytomy.encode import Target, encode
from polytomy.grow import Grower, GrowParams, alternatives, grow
from polytomy.grow.alternatives import _leaf_by_codes
from polytomy.index import resolve
from polytomy.predict import apply
from polytomy.reference import INDICES, Limits, Run, menu
from polytomy.table import Table
from polytomy.tree import contract, pruned
from tests.naive.runs import quiet
from tests.strategies import grow_params, random_cases


@settings(max_examples=60, deadline=None)
@given(random_cases(max_rows=40), grow_params())
def test_alternatives_are_the_best_split_of_each_arity_on_each_column(case, params):
    if callable(params.index):
        return
    tree = quiet(lambda: grow(case.coded, case.target, params)).tree
    tree = contract(tree)
    leaf = apply(tree, case.coded.schema, case.table)
    index = quiet(lambda: resolve(params.index, case.n_classes))
    run = Run(case.columns, case.labels, case.units)
    seen = {}
    for found in alternatives(case.coded, case.target, tree, params, leaf_of_row=leaf, index=index):
        rows = np.flatnonzero([found.node in tree.path(v) for v in leaf.tolist()])
        seen[found.node] = len(rows)
        widest = min(len(rows), max(params.range_arity, params.max_leaves or len(leaf)))
        expected = {
            (j, arity): split.gain
            for j, column in enumerate(run.columns)
            for arity, split in menu([column], rows, run.counts, limits_of(params, run)).items()
            if arity <= widest
        }
        gains = {(o.feature, o.arity): o.gain for o in found.options}
        held = run.counts[rows].sum(axis=0).astype(float)
        slack = 1e-9 * float(index.value(held)) + 1e-13 * held.sum()  # the second part: pure nodes
        assert gains.keys() <= expected.keys()
        for (j, arity), gain in expected.items():
            # An arity that gains no more than a smaller one may be left out.
            narrower = max([0.0, *(g for (i, k), g in gains.items() if i == j and k < arity)])
            if (j, arity) in gains:
                assert gains[j, arity] == pytest.approx(gain, abs=slack)
            else:
                assert gain <= narrower + slack
        by_arity = {}
        for option in found.options:
            by_arity.setdefault(option.arity, []).append(option.gain)
        best = {option.arity: option.gain for option in found.menu}
        assert best.keys() == by_arity.keys()
        for arity, gain in best.items():
            assert gain == pytest.approx(max(by_arity[arity]), abs=slack)
        for j, codes in enumerate(case.coded.columns):
            counts = np.zeros((case.coded.schema.n_codes()[j], case.n_classes), dtype=np.int64)
            for row in rows:
                counts[codes[row], case.labels[row]] += case.units[row]
            np.testing.assert_array_equal(found.column_counts(j), counts)
    assert list(seen.values()) == sorted(seen.values(), reverse=True)
    assert seen.keys() == {v for v in range(tree.n_nodes) if tree.rows[v] > 0}


def limits_of(params, run):
    return Limits(
        INDICES[params.index],
        tuple(params.families),
        params.range_arity,
        params.min_samples_leaf,
        params.min_weight_fraction_leaf * float(run.counts.sum()) * (1 - 1e-12),
    )


@settings(max_examples=60, deadline=None)
@given(random_cases(max_rows=60), grow_params())
def test_alternatives_route_rows_by_codes(case, params):
    tree = contract(quiet(lambda: grow(case.coded, case.target, params)).tree)
    expected = apply(tree, case.coded.schema, case.table)
    np.testing.assert_array_equal(_leaf_by_codes(case.coded, tree), expected)


def test_alternatives_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2000, 12))
    target = Target.of((x[:, 0] * x[:, 1] + x[:, 2] > 0).astype(int))
    coded = encode(Table.of(x))
    grower = Grower(coded, target, GrowParams(max_leaves=12))
    tree, leaf = grower.finish(), grower.leaves()
    one, other = (
        [
            (found.node, [(o.feature, o.arity, o.gain, o.cut.left) for o in found.options])
            for found in alternatives(coded, target, tree, leaf_of_row=leaf, threads=threads)
        ]
        for threads in (1, 3)
    )
    assert one == other
    assert len(one) == tree.n_nodes


def test_alternatives_of_a_pruned_tree_use_the_rows_of_its_nodes():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500, 3))
    target = Target.of((x[:, 0] + x[:, 1] > 0).astype(int))
    coded = encode(Table.of(x))
    tree = grow(coded, target, GrowParams(max_leaves=8)).tree
    short, _ = pruned(tree, [int(tree.children(0)[0])])
    leaf = apply(short, coded.schema, Table.of(x))
    seen = set()
    for found in alternatives(coded, target, short, leaf_of_row=leaf):
        assert found.column_counts(0).sum() == short.counts[found.node].sum()
        seen.add(found.node)
    assert seen == set(range(short.n_nodes))


def test_alternatives_refuse_rows_that_do_not_match():
    coded = encode(Table.of(np.arange(6.0)[:, None]))
    target = Target.of([0, 0, 1, 1, 0, 0])
    tree = grow(coded, target).tree
    with pytest.raises(TargetError, match="6 rows but 2 labels"):
        list(alternatives(coded, Target.of([0, 1]), tree, leaf_of_row=np.zeros(6, np.int32)))
    with pytest.raises(ValueError, match="one leaf per row"):
        list(alternatives(coded, target, tree, leaf_of_row=np.zeros(2, np.int32)))
    with pytest.raises(ValueError, match="no such leaf"):
        list(alternatives(coded, target, tree, leaf_of_row=np.full(6, 99, np.int32)))
