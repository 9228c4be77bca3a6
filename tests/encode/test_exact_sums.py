"""Sums by group are the same for every order and every partition of the rows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy.encode.exact_sums import GroupSums, TermBound, group_sums

NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(st.lists(st.tuples(st.integers(0, 2), NUMBERS), min_size=1, max_size=60), st.randoms())
def test_order_and_parts_change_no_bit(rows, random):
    group = np.array([g for g, _ in rows])
    terms = np.array([x for _, x in rows])
    bounds = [TermBound(float(np.abs(terms).sum()), len(terms))]
    whole = group_sums(group, 3, [terms], bounds).total()
    order = list(range(len(rows)))
    random.shuffle(order)
    cut = random.randrange(len(rows) + 1)
    parts = [np.array(part, dtype=int) for part in (order[:cut], order[cut:])]
    halves = [group_sums(group[part], 3, [terms[part]], bounds) for part in parts]
    assert (GroupSums.__add__(*halves).total() == whole).all()


@given(st.lists(NUMBERS, min_size=1, max_size=60))
def test_sums_are_nearly_exact(numbers):
    terms = np.array(numbers)
    most = float(np.abs(terms).sum())
    total = group_sums(
        np.zeros(len(terms), dtype=int), 1, [terms], [TermBound(most, len(terms))]
    ).total()[0, 0]
    exact = sum(map(Fraction, numbers))
    rounding = Fraction(abs(total)) / 2**52
    assert abs(Fraction(float(total)) - exact) <= rounding + Fraction(most) / 2**100


@given(st.lists(st.tuples(st.integers(0, 2), NUMBERS, NUMBERS), min_size=1, max_size=60))
def test_levels_are_the_sums_of_multiples_of_powers_of_two(rows):
    group = np.array([g for g, *_ in rows])
    terms = [np.array([row[i] for row in rows]) for i in (1, 2)]
    bounds = [TermBound(float(np.abs(term).sum()), len(term)) for term in terms]
    expected = np.zeros((3, 3, 2))
    for i, (term, bound) in enumerate(zip(terms, bounds, strict=True)):
        rest = term
        for level, anchor in enumerate(bound.anchors()):
            multiple = (rest + anchor) - anchor
            rest = rest - multiple
            np.add.at(expected[level, :, i], group, multiple)
    assert (group_sums(group, 3, terms, bounds).levels == expected).all()


def test_a_group_that_does_not_exist_is_an_error():
    with pytest.raises(ValueError, match="no such group"):
        group_sums(np.array([0, 3]), 3, [np.zeros(2)], [TermBound(1.0, 2)])
