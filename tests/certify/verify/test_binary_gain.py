"""The verifier's best binary gain against a brute-force search of all options."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polytomy.certify import Rules
from polytomy.certify.verify.binary_gain import BinarySearch, Histograms, column_codes
from polytomy.certify.verify.recount import Sample, recount
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.index import Index, resolve
from polytomy.reference import INDICES, Limits, Run, menu
from polytomy.table import Table
from tests.grow.test_oracle import sum_of_roots_of_pairs
from tests.strategies import case_of, cases, grow_params, random_cases

SLOW = settings(
    max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def rules_of(params, own=False):
    return Rules(
        params.procedure,
        params.order,
        params.gamma,
        params.max_leaves,
        tuple(params.families),
        own,
        params.min_samples_leaf,
        params.min_weight_fraction_leaf,
    )


def search_of(tree, schema, sample, rules):
    held = recount(tree, sample)
    codes = [column_codes(c, spec) for c, spec in zip(sample.columns, schema, strict=True)]
    return BinarySearch(schema, sample, Histograms(schema, sample, held, codes), rules), held


def quiet(function, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the error index is for teaching only
        return function(*args)


def assert_brute_force_agrees(case, params):
    tree = quiet(grow, case.coded, case.target, params).tree
    weights = np.array(case.units) * case.target.unit
    sample = Sample.of(case.table, case.coded.schema, case.labels, weights, case.n_classes)
    search, held = search_of(tree, case.coded.schema, sample, rules_of(params))
    index = quiet(resolve, params.index, case.n_classes)
    run = Run(case.columns, case.labels, case.units)
    limits = Limits(
        INDICES.get(params.index, params.index),
        tuple(params.families),
        2,
        params.min_samples_leaf,
        params.min_weight_fraction_leaf * run.weight * (1 - 1e-12),
    )
    for node in range(tree.n_nodes):
        rows = held.rows_of(node).tolist()
        counts = run.counts[rows].sum(axis=0)
        if np.count_nonzero(counts) < 2:
            continue  # a pure node is never split, and the index rounds there
        binary = menu(run.columns, rows, run.counts, limits).get(2)
        found = search.best(node, index)
        assert found.exact
        if binary is None:
            assert found.lower is None
        else:
            scale = 1e-9 * case.target.unit * float(limits.index(counts))
            assert found.lower == pytest.approx(binary.gain * case.target.unit, rel=0, abs=scale)


@SLOW
@given(cases() | random_cases(), grow_params())
def test_binary_search_equals_brute_force_at_every_node(case, params):
    assert_brute_force_agrees(case, params)


@settings(SLOW, max_examples=30)
@given(random_cases(max_rows=16), grow_params(index=sum_of_roots_of_pairs))
def test_binary_search_equals_brute_force_for_a_user_index(case, params):
    assert_brute_force_agrees(case, params)


@pytest.mark.parametrize("families", [("values",), ("groups",), ("values", "groups")])
@pytest.mark.parametrize("n_classes", [2, 3])
@settings(SLOW, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_binary_search_respects_size_limits_for_categories(families, n_classes, seed):
    rng = np.random.default_rng(seed)
    columns = {"c": [["a", "b", "c", None][i] for i in rng.integers(0, 4, 14)]}
    case = case_of(columns, rng.integers(0, n_classes, 14).tolist(), None, n_classes)
    params = GrowParams(families=families, min_samples_leaf=int(rng.integers(1, 5)))
    assert_brute_force_agrees(case, params)


def many_categories(n_classes, n=600):
    rng = np.random.default_rng(5)
    town = rng.integers(0, 12, n)
    labels = np.where(rng.random(n) < 0.5, town % n_classes, rng.integers(0, n_classes, n))
    table = Table.of({"town": np.array([f"t{t:02}" for t in town]), "x": rng.random(n)})
    return table, labels


def grown_with_search(table, labels, own=False, **params):
    coded, target = encode(table), Target.of(labels)
    params = GrowParams(max_leaves=8, **params)
    growth = grow(coded, target, params)
    sample = Sample.of(table, coded.schema, labels, None, target.n_classes)
    search, _ = search_of(growth.tree, coded.schema, sample, rules_of(params, own))
    return growth, search


def test_binary_search_is_exact_for_many_categories_of_two_classes():
    growth, search = grown_with_search(*many_categories(2))
    for step in growth.expansions:
        found = search.best(step.leaf, growth.index)
        assert found.exact
        assert found.lower == pytest.approx(step.best_binary_gain, rel=1e-9)


def test_binary_search_bounds_many_categories_of_more_classes():
    growth, search = grown_with_search(*many_categories(3))
    step = growth.expansions[0]
    found = search.best(0, growth.index)
    assert not found.exact
    assert found.lower < step.best_binary_gain < found.upper
    finest = growth.root_impurity - sum(
        growth.index.value(np.bincount(labels, minlength=3).astype(float))
        for labels in by_category(*many_categories(3))
    )
    assert found.upper == pytest.approx(finest, rel=1e-9)


def by_category(table, labels):
    towns = table.column("town")
    return [labels[towns == town] for town in sorted(set(towns.tolist()))]


def test_binary_search_allows_any_gain_to_a_user_defined_family():
    table, labels = many_categories(2)
    growth, search = grown_with_search(table, labels, own=True)
    found = search.best(0, growth.index)
    assert found.lower == pytest.approx(growth.expansions[0].best_binary_gain, rel=1e-9)
    assert found.upper == pytest.approx(growth.root_impurity, rel=1e-12)


def test_binary_search_ignores_families_that_are_not_listed():
    growth, search = grown_with_search(*many_categories(2), families=("intervals",))
    everything, _ = grown_with_search(*many_categories(2))
    found = search.best(0, growth.index)
    assert found.lower == pytest.approx(growth.expansions[0].best_binary_gain, rel=1e-9)
    assert found.lower < everything.expansions[0].best_binary_gain


def test_binary_search_of_a_node_without_rows_finds_nothing():
    x = np.arange(20.0)
    table = Table.of({"x": x})
    coded = encode(table)
    tree = grow(coded, Target.of((x > 9).astype(int)), GrowParams(max_leaves=2)).tree
    few = Table.of({"x": x[:5]})
    sample = Sample.of(few, coded.schema, np.zeros(5, dtype=int), None, 2)
    search, held = search_of(tree, coded.schema, sample, rules_of(GrowParams()))
    assert held.rows.tolist() == [5, 5, 0]

    def refuses(counts):
        raise AssertionError("nothing is to be asked of an empty node")

    assert search.best(2, Index("refuses", refuses)).upper is None
