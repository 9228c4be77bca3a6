"""Floats as integers: multiples of half decimals, multiples of powers of two, and raw bits.

Finding the fewest decimals of each threshold took four fifths of the time for a tree's description
length: 13.5 s, now 1.8 s, for 20,000 leaves grown on 200,000 x 20 normal numbers. The times in
comments here and in the modules that write code words are CPU times for that tree.
"""

from collections.abc import Sequence
from struct import pack
from typing import NamedTuple

MOST_PLACES = 40  # more decimals only show rounding errors
_NEAR = 4  # distance from a decimal, in floats, that a sum of two decimals may have
_MANTISSA = 53
_SIGN = 1 << 63
_UNITS = tuple(2 * 10**places for places in range(MOST_PLACES + 1))
_STEPS = tuple(enumerate(map(float, _UNITS)))
_TINY = 1e-41  # less than half of the last unit: the nearest multiple is 0
_WHOLE = 2.0**_MANTISSA  # from here on even multiples of 1/2 take too many bits
_LOOSE = 2.0**-48  # 16 * 2^-52; 10 would be enough


class Decimals(NamedTuple):
    """Floats as multiples of 1 / (2 * 10^places), and their distances from them in floats."""

    places: int
    numbers: list[int]
    moves: list[int]


class Dyadic(NamedTuple):
    """Floats as whole multiples of 2^power."""

    power: int
    numbers: list[int]


def decimals(values: Sequence[float]) -> tuple[Decimals | None, Decimals | None]:
    """Return the fewest decimals that are equal to finite floats, and fewer that are close.

    None if there are no such decimals, or if a multiple takes more bits than a float's mantissa:
    the raw 64 bits are shorter then.
    """
    alone = [_alone(x) for x in values]
    exact = _together(values, [each for each, _ in alone])
    near = _together(values, [each for _, each in alone])
    return exact, None if exact and near and near.places == exact.places else near


def dyadic(values: Sequence[float]) -> Dyadic | None:
    """Return finite floats as multiples of the largest power of two; None if one is -0.0.

    Integer division takes 3 us; Fractions took 12.
    """
    if any(_place(x) == -1 for x in values):
        return None
    ratios = [x.as_integer_ratio() for x in values]
    power = min((_last_bit(above, below) for above, below in ratios if above), default=0)
    if power >= 0:
        return Dyadic(power, [above >> power for above, _ in ratios])
    return Dyadic(power, [(above << -power) // below for above, below in ratios])


def _together(values: Sequence[float], alone: Sequence[Decimals | None]) -> Decimals | None:
    """Return the fewest decimals for all floats, given the fewest for each.

    Decimals that are enough for a float remain enough with more places. This is clear where floats
    are equally spaced; around powers of two, where they are not, a test tries all cases.
    """
    known = [each for each in alone if each is not None]
    if len(known) < len(alone):
        return None
    if len(known) == 1:
        return known[0]
    places = max(each.places for each in known)
    numbers, moves = zip(*(_multiple(x, places) for x in values), strict=True)
    if max(map(abs, numbers)) >> _MANTISSA:
        return None
    return Decimals(places, list(numbers), list(moves))


def _alone(x: float) -> tuple[Decimals | None, Decimals | None]:
    """Return the fewest decimals that are equal to a float, and the fewest that are close to it.

    _NEAR and a half floats, which may be twice as far apart above the next power of two, are at
    most 9 * 2^-52 of x, and the relative error of ``y`` is at most 2^-52. So if decimals are close,
    ``y`` is within 10 * 2^-52 of itself of an integer. Testing this first leaves exact arithmetic,
    1.3 us each, to 2.7 of 16 steps: 8 us in total, while Fractions at each step took 135.
    """
    if abs(x) < _TINY:
        zero = Decimals(0, [0], [_place(x)])
        return zero if _place(x) == 0 else None, zero if abs(_place(x)) <= _NEAR else None
    near = None
    for places, unit in _STEPS if abs(x) < _WHOLE else ():
        y = x * unit
        if abs(y - round(y)) > abs(y) * _LOOSE:
            continue
        number, move = _multiple(x, places)
        if abs(number) >> _MANTISSA:
            break
        if near is None and abs(move) <= _NEAR:
            near = Decimals(places, [number], [move])
        if move == 0:
            return Decimals(places, [number], [move]), near
    return None, near


def _last_bit(above: int, below: int) -> int:
    """Return the largest p for which a float, given as a ratio, is a multiple of 2^p."""
    return (above & -above).bit_length() - below.bit_length()


def _multiple(x: float, places: int) -> tuple[int, int]:
    """Return the nearest multiple of 1 / (2 * 10^places), and the distance of x in floats.

    Of two that are equally near, the even one is taken.
    """
    above, below = x.as_integer_ratio()
    unit = _UNITS[places]
    number, rest = divmod(2 * above * unit + below, 2 * below)
    if rest == 0 and number & 1:
        number -= 1
    return number, _place(x) - _place(number / unit)


def float_bits(x: float) -> int:
    """Return the 64 bits of a float."""
    return int.from_bytes(pack(">d", x), "big")


def _place(x: float) -> int:
    """Return the position of a float in the order of all floats: 0 for 0.0, -1 for -0.0."""
    bits = float_bits(x)
    return bits if bits < _SIGN else _SIGN - bits - 1
