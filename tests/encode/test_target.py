"""Class labels and weights as exact integers."""

from fractions import Fraction
from itertools import product
from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TargetError
from polytomy.encode import RESIDUE_UNIT, NumericTarget, Target, fixed_point, weighing_rows


def test_integer_weights_are_unchanged():
    units, unit = fixed_point([3, 1.0, 2], 3)
    assert units.tolist() == [3, 1, 2]
    assert unit == 1.0


def test_equal_weights_become_counts():
    assert fixed_point([0.3] * 4, 4) == (None, 0.3)
    assert Target.of([0, 1]).units is None


@given(st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=50))
def test_fixed_point_is_within_half_a_unit_and_its_sum_exact(weights):
    units, unit = fixed_point(weights, len(weights))
    if units is None:
        return
    assert sum(units.tolist()) <= 2**53
    for w, u in zip(weights, units.tolist(), strict=True):
        assert abs(Fraction(w) - u * Fraction(unit)) <= Fraction(unit) / 2


@pytest.mark.parametrize("weights", [[1e139, 1e-139, 3e130], [1e-138, 3e-139, 5e-324]])
def test_fixed_point_handles_extreme_weights(weights):
    units, unit = fixed_point(weights, len(weights))
    assert units.min() >= 0
    assert 0 < units.sum() <= 2**53
    assert unit > 0


def test_weighing_rows_leaves_out_rows_of_no_weight():
    assert weighing_rows([1, 0, 2.5, 0], 4).tolist() == [0, 2]
    assert weighing_rows([1, 2, 3], 3) is None
    assert weighing_rows([1.0, 1e-30], 2).tolist() == [0]
    with pytest.raises(TargetError, match="dropped first"):
        Target.of([0, 1], weights=[0, 2])


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, -2], "row 1 has -2"),
        ([1, np.nan], "must be finite; row 1 has nan"),
        ([1, np.inf], "must be finite; row 1 has inf"),
        ([0, 0], "all weights are zero"),
        ([1e308, 1.5e308], "rescale them"),
        ([1e-300, 2e-300], "rescale them"),
        ([1, 2, 3], r"shape \(2,\), got \(3,\)"),
    ],
)
def test_invalid_weights_are_refused(weights, sentence):
    with pytest.raises(TargetError, match=sentence):
        Target.of([0, 1], weights=weights)


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([], "non-empty"),
        ([[0, 1]], "1-D"),
        ([0.5, 1.0], "class numbers, got dtype float64"),
        ([0, -1], r"0\.\.65535, got -1\.\.0"),
        (["a", "b"], "class numbers"),
    ],
)
def test_invalid_labels_are_refused(labels, sentence):
    with pytest.raises(TargetError, match=sentence):
        Target.of(labels)


@pytest.mark.parametrize("n_classes", [0, -1, 2.5, "3", 65_537, 10**6])
def test_n_classes_out_of_range_is_refused(n_classes):
    with pytest.raises(TargetError, match="n_classes must be an integer from 1 to 65536"):
        Target.of([0, 1], n_classes)
    assert Target.of([0, 65_535]).labels.tolist() == [0, 65_535]


def test_total_sums_units_by_class():
    rng = np.random.default_rng(0)
    labels, weights = rng.integers(0, 4, 200_000), rng.integers(1, 9, 200_000)
    target = Target.of(labels, weights=weights)
    assert target.total().tolist() == [int(weights[labels == c].sum()) for c in range(4)]
    assert Target.of(labels, 6).total().tolist() == [*np.bincount(labels).tolist(), 0, 0]


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_repeated_cases_are_multiples_of_single_ones(criterion):
    values, cases = np.array([0.0, 1.7, 3.1, 3.1, 9.2]), np.array([0, 2, 1, 4, 3])
    target = NumericTarget.of_numbers(values, [1, 1, 2, 5, 3], criterion)
    single = target.single_cases(10)
    assert single.weights is None
    drawn = single.repeated(cases, 0.5)
    assert np.array_equal(drawn.weights, cases * 0.5)
    assert np.array_equal(drawn.units, single.units * cases)
    assert np.array_equal(drawn.residues.amounts, single.residues.amounts * cases)
    assert int(drawn.total().sum()) * drawn.unit == pytest.approx(5.0, rel=1e-12)
    assert int(drawn.residues.amounts.sum()) <= 2**61
    group = np.array([0, 1, 0, 1])
    kept = np.array([1, 2, 3, 4])
    whole = drawn.moments(np.array([0, 0, 1, 0, 1]), 2)
    np.testing.assert_allclose(drawn.moments(group, 2, rows=kept), whole)
    assert drawn.centre == target.centre


@pytest.mark.parametrize("y", [[-0.0, -0.0], [-0.0, 0.0], [0.0, -0.0], [-0.0, 3.0]])
def test_zeros_have_no_sign_in_any_order(y):
    scale = NumericTarget.of_numbers(y).scale
    assert not np.signbit([scale.low, scale.centre]).any()


def test_keys_are_equal_for_equal_targets():
    assert Target.of([3, 1, 3]).keys.tolist() == [3, 1, 3]
    assert NumericTarget.of_numbers([2.5, -0.0, 0.0, 7.0]).keys.tolist() == [1, 0, 0, 2]
    assert NumericTarget.of_numbers([1.0, 2.0], [2, 6]).case_units[0].tolist() == [2, 6]


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@pytest.mark.parametrize("n_groups", [3, 900, 5000])  # of many rows, of a few, and partly empty
def test_moments_are_the_totals_of_moment_sums(criterion, n_groups):
    rng = np.random.default_rng(n_groups)
    n = 7000
    y, w = rng.exponential(size=n) * (rng.random(n) < 0.9), rng.exponential(size=n) + 0.01
    chosen = rng.permutation(n)[:4000].astype(np.uint32)
    for weights, rows, centre in product((None, w), (None, chosen), (None, 0.75)):
        target = NumericTarget.of_numbers(y, weights, criterion)
        group = rng.integers(0, n_groups, n if rows is None else len(rows))
        expected = target.moment_sums(group, n_groups, centre, rows).total()
        for threads in (1, 3):
            found = target.moments(group, n_groups, centre, rows, threads)
            np.testing.assert_array_equal(found, expected)


def test_moments_of_no_rows_are_zero():
    target = NumericTarget.of_numbers([1.0, 2.0])
    no_rows = np.empty(0, dtype=np.uint32)
    assert target.moments(no_rows, 2, rows=no_rows).tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize(("group", "rows"), [([0, 2], None), ([0, -1], None), ([0, 1], [0, 5])])
def test_moments_of_unknown_groups_and_rows_are_refused(group, rows):
    target = NumericTarget.of_numbers([1.0, 2.0])
    with pytest.raises(ValueError, match="no such"):
        target.moments(np.array(group), 2, rows=None if rows is None else np.array(rows))


@pytest.mark.parametrize("weighted", [False, True])
def test_moments_of_many_rows_are_exact_sums(weighted):
    rng = np.random.default_rng(3)
    n = 150_000
    y, group = rng.standard_normal(n), rng.integers(0, 3, n)
    w = rng.exponential(size=n) + 0.01 if weighted else np.ones(n)
    target = NumericTarget.of_numbers(y, w if weighted else None)
    for centre in (None, 0.25):
        d = y - (target.centre if centre is None else centre)
        expected = [
            [fsum(w[group == g]), fsum((w * d)[group == g]), fsum((w * (d * d))[group == g])]
            for g in range(3)
        ]
        found = target.moments(group, 3, centre)
        np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-12)
        order = rng.permutation(n)
        again = target.moments(group[order], 3, centre, rows=order)
        np.testing.assert_array_equal(found, again)
        for threads in (2, 5):
            divided = target.moments(group, 3, centre, threads=threads)
            np.testing.assert_array_equal(found, divided)
    assert target.total().tolist() == [int(layer.sum()) for _, layer in target.layers]


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_numbers_count_for_components_as_defined(is_weighted, threads):
    random = np.random.default_rng(5)
    y = random.normal(size=300_001)
    w = random.uniform(0.1, 2.0, len(y)) if is_weighted else None
    target = NumericTarget.of_numbers(y, w, threads=threads)
    scale = target.scale
    whole = np.rint((1.0 if w is None else w) * 2.0**scale.exponent)
    first = np.rint((y - scale.low) / scale.span * whole)
    alone = np.rint(4 * (first * (whole - first)) / whole / RESIDUE_UNIT)
    assert (target.units == first).all()
    assert (target.more[0][1] == whole - first).all()
    assert (target.residues.amounts == alone).all()


def test_numbers_are_copied_unless_they_do_not_change():
    y = np.array([1.0, 2.0, 4.0])
    assert not np.shares_memory(NumericTarget.of_numbers(y).values, y)
    assert np.shares_memory(NumericTarget.of_numbers(y, copy=False).values, y)
