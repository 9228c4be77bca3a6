"""Floats as integers: against an exhaustive search, and the assumptions of the fast one."""

import struct
import sys
from fractions import Fraction
from math import inf, ldexp, nextafter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from polytomy.certify.description.floats import (
    MOST_PLACES,
    Decimals,
    Dyadic,
    _multiple,
    decimals,
    dyadic,
    float_bits,
)
from tests.certify.description.decoder import float_from_bits

NEAR = 4


def place(x):
    word = struct.unpack(">q", struct.pack(">d", x))[0]
    return word if word >= 0 else -(word & (2**63 - 1)) - 1


def searched(values, slack):
    """Try every number of decimals in turn, with Fractions."""
    for places in range(MOST_PLACES + 1):
        unit = 2 * 10**places
        numbers = [round(Fraction(x) * unit) for x in values]
        if max(map(abs, numbers)) >= 2**53:
            return None
        moves = [place(x) - place(h / unit) for x, h in zip(values, numbers, strict=True)]
        if max(map(abs, moves)) <= slack:
            return Decimals(places, numbers, moves)
    return None


def neighbour(x, steps):
    for _ in range(abs(steps)):
        x = nextafter(x, inf if steps > 0 else -inf)
    return x


plain = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e4, 1e4),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.tuples(st.integers(-(10**9), 10**9), st.integers(0, 45)).map(lambda t: t[0] / 10 ** t[1]),
    st.tuples(st.sampled_from([-1, 1]), st.integers(-150, 60)).map(lambda t: ldexp(*t)),
    st.integers(-(2**55), 2**55).map(float),
    st.integers(-9, 9).map(lambda n: n * 5e-324),
)
values = st.builds(neighbour, plain, st.integers(-6, 6)).filter(lambda x: abs(x) < inf)


@settings(max_examples=400)
@given(st.lists(values, min_size=1, max_size=4))
@example([0.0])
@example([-0.0])
@example([0.0, -0.0])
@example([5 * 5e-324])  # one float too far from 0
@example([-1e-41, 1e-41])
@example([5e-41])  # one half of the last decimal
@example([2.0**52 - 0.5])  # the largest multiple of 1/2 that fits a mantissa
@example([2.0**52])
@example([-sys.float_info.max, 0.25])
@example([2.0**40 + 0.5, 0.00001])  # short each, too long together
@example([0.25, 0.75])  # half-way between decimals of one place
def test_decimals_equal_an_exhaustive_search(values):
    exact, near = searched(values, 0), searched(values, NEAR)
    if exact and near and exact.places == near.places:
        near = None  # the same numbers, and moves that are all 0
    assert decimals(values) == (exact, near)


@pytest.mark.parametrize("slack", [0, NEAR])
def test_decimals_stay_enough_with_more_places_around_powers_of_two(slack):
    """Elsewhere floats are equally spaced, so more decimals are never worse."""
    for power in range(-140, 54):
        for steps in range(-2 * NEAR - 1, 2 * NEAR + 2):
            x = neighbour(ldexp(1, power), steps)
            found = (_multiple(x, places) for places in range(MOST_PLACES + 1))
            enough = [abs(move) <= slack for number, move in found if number < 2**53]
            assert enough == sorted(enough)


@given(st.lists(values, min_size=1, max_size=4))
@example([0.0])
@example([-0.0, 1.0])
@example([0.0, 96.0])
@example([5e-324, sys.float_info.max])
def test_dyadic_finds_the_largest_power_of_two(values):
    found = dyadic(values)
    if any(place(x) == -1 for x in values):
        assert found is None
        return
    power, numbers = found
    assert [Fraction(2) ** power * h for h in numbers] == list(map(Fraction, values))
    assert any(h & 1 for h in numbers) or not any(numbers)


def test_dyadic_equals_values_computed_by_hand():
    assert dyadic([0.0]) == Dyadic(0, [0])
    assert dyadic([8.0, 24.0]) == Dyadic(3, [1, 3])
    assert dyadic([-1.5, 2.0]) == Dyadic(-1, [-3, 4])


@given(st.floats())
def test_float_bits_round_trip(x):
    assert float_bits(x) == int.from_bytes(struct.pack(">d", x), "big")
    assert struct.pack(">d", float_from_bits(float_bits(x))) == struct.pack(">d", x)
