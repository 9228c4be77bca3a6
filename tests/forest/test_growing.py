"""Forests against the definition, threads, and votes out of bag."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy._errors import ParameterError
from polytomy.encode import NumericTarget, Target, encode
from polytomy.ensemble import FOREST, Ensemble, mean_shares, votes
from polytomy.forest import ForestParams, ForestSample, OutOfBag, RowSampler, grow_forest
from polytomy.grow import GrowParams
from polytomy.predict import apply
from polytomy.table import Table
from tests.grow.test_numbers import coded_table
from tests.naive.forest import naive_forest, naive_number_forest
from tests.strategies import nominal_cells, ordered_cells, random_cases


def sample_of(n_rows=600, n_columns=5, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n_rows, n_columns))
    labels = np.digitize(x[:, 0] + x[:, 1] * x[:, 2] + rng.standard_normal(n_rows) / 2, [-1, 1])
    table = Table.of(x)
    return ForestSample(encode(table), Target.of(labels, 3), table)


@settings(max_examples=25, deadline=None)
@given(
    random_cases(max_rows=25, max_columns=3),
    st.booleans(),
    st.sampled_from([None, 1, 2]),
    st.sampled_from([None, 4]),
)
def test_forest_is_the_mean_of_reference_trees_on_its_bags(case, bootstrap, features, leaves):
    grow = GrowParams(max_leaves=leaves, max_arity=4)
    params = ForestParams(max_features=features, bootstrap=bootstrap, grow=grow)
    sample = ForestSample(case.coded, case.target, case.table)
    members = [grown.member for grown in grow_forest(sample, params, range(3), seed=1)]
    schema = case.coded.schema
    forest = Ensemble(schema, np.arange(case.n_classes), members, np.zeros(case.n_classes), FOREST)
    sampler = RowSampler(case.coded, case.target, params, seed=1)
    bags = [sampler.bag(tree) for tree in range(3)]
    if not bootstrap:  # bags hold all rows, with the case's own weights
        assert all(bag.target is case.target for bag in bags)
    rules = {
        "max_leaves": leaves,
        "max_arity": 4,
        "columns_per_node": params.columns_per_node(len(schema)),
    }
    expected = naive_forest(case, bags, rules)
    np.testing.assert_allclose(mean_shares(votes(forest, case.table)), expected, atol=1e-9)


@st.composite
def number_samples(draw, max_rows=14):
    n = draw(st.integers(1, max_rows))
    cells = {"a": ordered_cells(n, 6), "b": nominal_cells(n, 4), "c": ordered_cells(n, 3)}
    columns = {name: draw(cells[name]) for name in draw(st.sampled_from(["a", "ab", "abc"]))}
    # Sums of these numbers differ, so no two splits are equally good by accident.
    numbers = st.sampled_from([0.0, 1.0, 2.236, 7.389, 31.006, 153.94])
    y = draw(st.lists(numbers, min_size=n, max_size=n))
    w = draw(st.none() | st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return columns, np.array(y), None if w is None else np.array(w, dtype=float)


@settings(max_examples=40, deadline=None)
@given(
    number_samples(),
    st.sampled_from(["squared_error", "poisson"]),
    st.sampled_from([{}, {"bootstrap": False}, {"bootstrap": False, "max_samples": 0.7}]),
    st.sampled_from([None, 1]),
    st.sampled_from([None, 4]),
)
def test_numeric_forest_is_the_mean_of_trees_on_its_bags(case, criterion, bag, features, leaves):
    columns, y, w = case
    table, coded = coded_table(columns)
    grow = GrowParams(max_leaves=leaves, max_arity=3, index=criterion)
    params = ForestParams(max_features=features, grow=grow, **bag)
    target = NumericTarget.of_numbers(y, w, criterion)
    sample = ForestSample(coded, target, table)
    members = [grown.member for grown in grow_forest(sample, params, range(3), seed=1)]
    forest = Ensemble(coded.schema, np.empty(0), members, np.zeros(1), FOREST, sample.scale)
    sampler = RowSampler(coded, target, params, seed=1)
    bags = [sampler.bag(tree) for tree in range(3)]
    drawn = replace(grow, columns_per_node=params.columns_per_node(len(columns)))
    expected = naive_number_forest(table, y, bags, drawn)
    found = forest.mean_numbers(votes(forest, table))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("leaves", [8, None])
def test_forest_does_not_depend_on_the_number_of_threads(leaves):
    sample, params = sample_of(), ForestParams(grow=GrowParams(max_leaves=leaves))
    one, three = (
        [g.member for g in grow_forest(sample, params, range(6), threads=n)] for n in (1, 3)
    )
    assert one == three
    assert one[0] != one[1]


def test_trees_can_be_grown_in_several_calls():
    sample, params = sample_of(), ForestParams()
    every = list(grow_forest(sample, params, range(5), seed=4))
    later = list(grow_forest(sample, params, range(3, 5), seed=4))
    assert [g.member for g in every[3:]] == [g.member for g in later]
    kept = tuple(g.member for g in every[:3])
    again = list(grow_forest(sample, params, range(5), seed=4, existing=kept))
    assert all(a.member is b for a, b in zip(again, kept, strict=False))
    for a, b in zip(again, every, strict=True):
        assert a.member == b.member
        assert np.array_equal(a.scores, b.scores)


def test_out_of_bag_votes_are_those_of_trees_without_the_row():
    sample, params = sample_of(), ForestParams(grow=GrowParams(max_leaves=10))
    sampler = RowSampler(sample.coded, sample.target, params, seed=0)
    found, expected = OutOfBag.of(sample.target), np.zeros((600, 3))
    for number, grown in enumerate(grow_forest(sample, params, range(12), threads=2)):
        found.add(grown, number + 1)
        tree = grown.member.tree
        leaves = apply(tree, sample.coded.schema, sample.table)
        shares = tree.counts[leaves] / tree.counts[leaves].sum(axis=1, keepdims=True)
        outside = sampler.bag(number).target.units == 0
        expected[outside] += shares[outside]
    np.testing.assert_allclose(found.votes, expected, atol=1e-9)
    assert list(found.errors) == [1, 2, 5, 10]
    known = expected.any(axis=1)
    wrong = expected.argmax(axis=1) != sample.target.labels
    assert found.error == pytest.approx(wrong[known].mean())


def test_rows_in_every_bag_have_no_votes():
    sample = sample_of()
    found = OutOfBag.of(sample.target)
    params = ForestParams(bootstrap=False)
    for number, grown in enumerate(grow_forest(sample, params, range(2))):
        found.add(grown, number + 1)
    assert np.isnan(found.forecast).all()
    assert np.isnan(found.error)


def test_a_node_whose_columns_cannot_be_split_draws_further_ones():
    rng = np.random.default_rng(0)
    x = np.zeros((200, 30))
    x[:, 17] = rng.standard_normal(200)
    table, labels = Table.of(x), (x[:, 17] > 0).astype(int)
    sample = ForestSample(encode(table), Target.of(labels), table)
    for grown in grow_forest(sample, ForestParams(max_features=1), range(4)):
        assert grown.member.tree.feature[0] == 17


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_features": 0}, "max_features must be"),
        ({"max_features": "third"}, "max_features must be"),
        ({"max_features": 1.5}, "max_features must be"),
        ({"max_features": True}, "max_features must be"),
        ({"max_samples": 0.0}, "max_samples must be"),
        ({"max_samples": float("nan")}, "max_samples must be"),
        ({"bootstrap": 1}, "bootstrap must be True or False"),
        ({"grow": GrowParams(procedure="priced")}, "'priced' is for single trees"),
    ],
)
def test_invalid_parameters_are_refused(params, message):
    with pytest.raises(ParameterError, match=message):
        ForestParams(**params)


def test_columns_per_node_is_at_least_one_and_none_for_all():
    assert ForestParams(max_features=0.01).columns_per_node(5) == 1
    assert ForestParams(max_features="log2").columns_per_node(2) == 1
    assert ForestParams().columns_per_node(1) is None
    assert ForestParams(max_features=9).columns_per_node(9) is None
