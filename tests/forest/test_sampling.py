"""The bags of a forest: amounts, weights as cases, and independence of the order of rows."""

import numpy as np
import pytest

from polytomy._errors import ParameterError
from polytomy.encode import Target, encode
from polytomy.forest import ForestParams, RowSampler
from polytomy.table import Table

X = np.random.default_rng(0).integers(0, 30, 400).astype(float)
LABELS = (X > 12).astype(int)


def sampler(weights=None, rows=slice(None), **params):
    target = Target.of(LABELS[rows], 2, weights)
    coded = encode(Table.of({"x": X[rows]}), target.units)
    return RowSampler(coded, target, ForestParams(**params), seed=3)


def by_value(bag, rows=slice(None)):
    """Return the weight of each distinct value in a bag."""
    return np.bincount(X[rows].astype(int), bag.target.units * bag.target.unit, 30)


def test_bootstrap_draws_as_many_cases_as_there_are():
    bag = sampler().bag(0)
    assert bag.target.units.sum() == 400
    assert 0.3 < bag.outside.mean() < 0.45
    assert np.array_equal(np.flatnonzero(bag.target.units), bag.rows)
    assert np.array_equal(bag.outside, bag.target.units == 0)


def test_bags_differ_between_trees_and_depend_on_nothing_else():
    one, again = sampler(), sampler()
    assert not np.array_equal(one.bag(0).target.units, one.bag(1).target.units)
    assert one.bag(0).seed != one.bag(1).seed
    again.bag(5)
    assert np.array_equal(one.bag(1).target.units, again.bag(1).target.units)
    assert one.bag(1).seed == again.bag(1).seed


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize(("amount", "expected"), [(0.25, 100), (1, 1), (7, 7), (1.0, 400)])
def test_max_samples_is_a_number_or_a_fraction(bootstrap, amount, expected):
    bag = sampler(bootstrap=bootstrap, max_samples=amount).bag(0)
    assert bag.target.units.sum() == expected
    assert bootstrap or bag.target.units.max() == 1


def test_max_samples_cannot_exceed_the_rows():
    with pytest.raises(ParameterError, match="max_samples=401 is more than the 400 rows"):
        sampler(max_samples=401)


def test_without_drawing_a_bag_has_all_rows():
    bag = sampler(bootstrap=False).bag(0)
    assert bag.rows is None
    assert bag.outside is None


@pytest.mark.parametrize("bootstrap", [True, False])
def test_bags_depend_neither_on_the_order_of_rows_nor_on_repeating_them(bootstrap):
    params = {"bootstrap": bootstrap, "max_samples": 0.8}
    weights = np.random.default_rng(1).integers(1, 5, 400)
    order = np.random.default_rng(2).permutation(400)
    repeated = np.repeat(np.arange(400), weights)
    for tree in range(3):
        expected = by_value(sampler(weights, **params).bag(tree))
        shuffled = sampler(weights[order], order, **params).bag(tree)
        assert np.array_equal(by_value(shuffled, order), expected)
        several = sampler(None, repeated, **params).bag(tree)
        assert np.array_equal(by_value(several, repeated), expected)


def test_equal_whole_weights_are_cases_too():
    twice = np.repeat(np.arange(400), 2)
    expected = by_value(sampler(None, twice).bag(0), twice)
    assert np.array_equal(by_value(sampler(np.full(400, 2.0)).bag(0)), expected)


def test_fractional_weights_are_drawn_in_proportion():
    weights = np.where(np.arange(400) < 40, 9.25, 0.5)
    one = sampler(weights)
    drawn = sum(one.bag(tree).target.units for tree in range(300)) / 300
    assert drawn.sum() == 400  # as many draws as rows
    assert drawn[:40].sum() / 400 == pytest.approx(weights[:40].sum() / weights.sum(), rel=0.02)
    bag = one.bag(0)
    assert bag.target.units.sum() * bag.target.unit == pytest.approx(weights.sum())


def test_subsamples_keep_fractional_weights():
    weights = np.random.default_rng(1).uniform(0.1, 3, 400)
    bag = sampler(weights, bootstrap=False, max_samples=0.5).bag(0)
    assert len(bag.rows) == 200
    held = bag.target.units[bag.rows] * bag.target.unit
    np.testing.assert_allclose(held, weights[bag.rows], rtol=1e-12)


def test_huge_weights_are_drawn_without_listing_their_cases():
    bag = sampler(np.random.default_rng(1).integers(1, 10**12, 400)).bag(0)
    assert bag.target.units.sum() == 400
