"""Floats as whole numbers: multiples of halved decimals and of powers of two, places, and bits.

Looking for the fewest decimals of each threshold was four fifths of what a tree's description
length took: of 13.5 s, now 1.8, at 20,000 leaves grown on 200,000 x 20 normal numbers. The figures
in comments here and in the modules that write code words are from that tree, in CPU time.
"""

from collections.abc import Sequence
from struct import pack, unpack
from typing import NamedTuple

from polytomy._errors import TreeError

MOST_PLACES = 40  # decimals beyond are a float's own noise
_NEAR = 4  # floats away from a decimal that sums of two of them may end
_MANTISSA = 53
_SIGN = 1 << 63
_UNITS = tuple(2 * 10**places for places in range(MOST_PLACES + 1))
_STEPS = tuple(enumerate(map(float, _UNITS)))
_TINY = 1e-41  # less than half of what the last unit divides 1 into: the nearest multiple is 0
_WHOLE = 2.0**_MANTISSA  # from here on even multiples of 1/2 take too many bits
_LOOSE = 2.0**-48  # 16 * 2^-52, where 10 would do


class Decimals(NamedTuple):
    """Floats as multiples of 1 / (2 * 10^places), and how many floats further on each lies."""

    places: int
    numbers: list[int]
    moves: list[int]


class Dyadic(NamedTuple):
    """Floats as whole multiples of 2^power."""

    power: int
    numbers: list[int]


def decimals(values: Sequence[float]) -> tuple[Decimals | None, Decimals | None]:
    """Return the fewest decimals that tell finite floats, and fewer that come near all of them.

    None where there are none so good, or where a multiple takes more bits than a float's mantissa:
    all 64 bits are shorter then.
    """
    alone = [_alone(x) for x in values]
    exact = _together(values, [each for each, _ in alone])
    near = _together(values, [each for _, each in alone])
    return exact, None if exact and near and near.places == exact.places else near


def dyadic(values: Sequence[float]) -> Dyadic | None:
    """Return finite floats as multiples of the largest power of two; None if one is -0.0.

    Quotients of whole numbers take 3 us; those of Fractions took 12.
    """
    if any(_place(x) == -1 for x in values):
        return None
    ratios = [x.as_integer_ratio() for x in values]
    power = min((_last_bit(above, below) for above, below in ratios if above), default=0)
    if power >= 0:
        return Dyadic(power, [above >> power for above, _ in ratios])
    return Dyadic(power, [(above << -power) // below for above, below in ratios])


def _together(values: Sequence[float], alone: Sequence[Decimals | None]) -> Decimals | None:
    """Return the fewest decimals for all of some floats, given the fewest for each alone.

    What is enough for one float stays enough with more decimals. Where floats are equally far apart
    that is plain; next to powers of two, where they are not, a test has tried all of them.
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
    """Return the fewest decimals that tell one float, and the fewest that come near it.

    _NEAR floats and a half, which may be twice as far apart above the next power of two, are at
    most 9 * 2^-52 of x, and ``y`` is off by at most 2^-52 of itself. So where decimals come near,
    ``y`` is within 10 * 2^-52 of itself of a whole number. That is asked first: exact numbers, 1.3
    us each, are left to 2.7 of 16 steps, and all takes 8 us where Fractions at each step took 135.
    """
    if abs(x) < _TINY:
        told = Decimals(0, [0], [_place(x)])
        return told if _place(x) == 0 else None, told if abs(_place(x)) <= _NEAR else None
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
    """Return the largest p for which a float, as a ratio, is a whole multiple of 2^p."""
    return (above & -above).bit_length() - below.bit_length()


def _multiple(x: float, places: int) -> tuple[int, int]:
    """Return the nearest multiple of 1 / (2 * 10^places), and how many floats further on x lies.

    Of two that are equally near, the even one.
    """
    above, below = x.as_integer_ratio()
    unit = _UNITS[places]
    number, rest = divmod(2 * above * unit + below, 2 * below)
    if rest == 0 and number & 1:
        number -= 1
    return number, _place(x) - _place(number / unit)


def word_of(x: float) -> int:
    """Return the 64 bits of a float."""
    return int.from_bytes(pack(">d", x), "big")


def float_of(word: int) -> float:
    """Return the float of 64 bits."""
    return float(unpack(">d", word.to_bytes(8, "big"))[0])


def _place(x: float) -> int:
    """Return the place of a float among all of them: 0 for 0.0, -1 for -0.0, and so on."""
    word = word_of(x)
    return word if word < _SIGN else _SIGN - word - 1


def moved(x: float, floats: int) -> float:
    """Return the float so many places further on."""
    place = _place(x) + floats
    if abs(place) >= _SIGN:
        raise TreeError("not the code of a tree: a threshold beyond all floats")
    return float_of(place if place >= 0 else _SIGN - place - 1)
