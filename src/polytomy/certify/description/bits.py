"""Write numbers as bits in prefix codes.

The universal codes (gamma, delta, golomb) encode the size of a number along with it, which suits
numbers without a known range; ``below`` suits one of n equally likely numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from struct import pack
from typing import NamedTuple

from polytomy._errors import ParameterError

from .floats import decimals, dyadic, float_bits

_ORDER = 2  # of the codes of thresholds: gave the shortest codes for trees of 50 public tables
_EXPONENT_ORDER = 4
_PLACES, _NEARLY, _DYADIC, _RAW = range(4)

CodeWords = dict[tuple[bytes, bool], str]
"""A cache of the code words of floats, which writers may share."""


@dataclass(frozen=True, slots=True)
class Bits:
    r"""A string of bits packed into bytes; the last byte is padded with zeros.

    >>> Bits.of("10011"), len(Bits.of("10011"))
    (Bits(data=b'\x98', length=5), 5)
    """

    data: bytes
    length: int

    @classmethod
    def of(cls, text: str) -> "Bits":
        """Pack a string of zeros and ones."""
        n_bytes = -(-len(text) // 8)
        return cls(int(text.ljust(8 * n_bytes, "0") or "0", 2).to_bytes(n_bytes, "big"), len(text))

    def __len__(self) -> int:
        return self.length

    def __str__(self) -> str:
        return "".join(f"{byte:08b}" for byte in self.data)[: self.length]


class BitWriter:
    """Appends numbers in prefix codes; ``done`` returns all bits.

    >>> out = BitWriter()
    >>> out.gamma(5)
    >>> out.below(2, 3)
    >>> str(out.done())
    '0010111'
    """

    def __init__(self, words: CodeWords | None = None) -> None:
        self._words = {} if words is None else words
        self._parts: list[str] = []

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def done(self) -> Bits:
        """Return all bits written so far."""
        return Bits.of("".join(self._parts))

    def fixed(self, value: int, width: int) -> None:
        """Append an integer below 2^width in ``width`` bits."""
        if not 0 <= value < 1 << width:
            raise ParameterError(f"{value} does not fit into {width} bits")
        if width:
            self._parts.append(f"{value:0{width}b}")

    def flag(self, value: bool) -> None:
        """Append one bit."""
        self._parts.append("1" if value else "0")

    def unary(self, value: int, most: int) -> None:
        """Append an integer from 0 to ``most`` as that many ones, and a zero if below ``most``."""
        _check_least("value", value, 0)
        self._parts.append("1" * value + "0" * (value < most))

    def below(self, value: int, n: int) -> None:
        """Append an integer from 0 to n - 1 in truncated binary.

        With b = ceil(log2 n), the first 2^b - n values take b - 1 bits, the others b.
        """
        if not 0 <= value < n:
            raise ParameterError(f"{value} is not one of 0..{n - 1}")
        width = (n - 1).bit_length()
        short = (1 << width) - n
        if value < short:
            self.fixed(value, width - 1)
        else:
            self.fixed(value + short, width)

    def gamma(self, n: int) -> None:
        """Append n >= 1 in Elias's gamma code: 2 floor(log2 n) + 1 bits."""
        _check_least("n", n, 1)
        self.fixed(n, 2 * n.bit_length() - 1)

    def golomb(self, n: int, order: int) -> None:
        """Append n >= 0 in the exponential Golomb code, which copies the last ``order`` bits."""
        _check_least("n", n, 0)
        self.gamma((n >> order) + 1)
        self.fixed(n & ((1 << order) - 1), order)

    def delta(self, n: int, order: int = 0) -> None:
        """Append n >= 1 as its length in bits, followed by the bits after the first.

        Order 0 is Elias's delta code, with lengths in gamma code. A higher order has lengths in
        Golomb codes of that order, which favours numbers of medium size.
        """
        _check_least("n", n, 1)
        width = n.bit_length() - 1
        self.golomb(width, order)
        self.fixed(n - (1 << width), width)

    def subset(self, items: Sequence[int], n: int) -> None:
        """Append ascending integers below n; the decoder knows how many there are.

        Interpolative coding: the middle one among its possible values, then both halves likewise.
        If there is only one possible value, it takes no bits.
        """
        waiting = [(0, len(items), 0, n)]  # items[first:last] lie in low..high-1
        while waiting:
            first, last, low, high = waiting.pop()
            if first == last:
                continue
            middle = (first + last) // 2
            item, least = items[middle], low + middle - first
            self.below(item - least, high - (last - middle - 1) - least)
            waiting.append((middle + 1, last, item + 1, high))
            waiting.append((first, middle, low, item))

    def appearing(self, items: Sequence[int], n: int) -> None:
        """Append a sequence in which 0..n-1 first appear in this order; its length is known."""
        met = 0
        for i, item in enumerate(items):
            if len(items) - i > n - met:  # otherwise each of the rest is new
                self.below(item, min(met + 1, n))
            met = max(met, item + 1)

    def ascending(self, numbers: Sequence[int], *, signed: bool) -> None:
        """Append ascending integers as the first and the gaps; the decoder knows how many.

        Unless ``signed``, they must not be negative.
        """
        self.delta(1 + (_zigzag(numbers[0]) if signed else numbers[0]), _ORDER)
        for a, b in pairwise(numbers):
            self.delta(b - a, _ORDER)

    def floats(self, values: Sequence[float], *, signed: bool) -> None:
        """Append ascending floats in the shortest of four forms; the decoder knows how many.

        The forms are h / (2 * 10^p) for integers h, that is, decimals of p places and the points
        half-way between them; the same with, for each float, its distance from that number counted
        in floats; h * 2^p; and all 64 bits. Each float is recovered bit for bit.
        """
        key = pack(f"{len(values)}d", *values), signed  # as bytes, because -0.0 equals 0.0
        if key not in self._words:
            out = BitWriter()
            out._form(min(_forms(values, signed), key=lambda form: _length(form, signed)), signed)
            self._words[key] = "".join(out._parts)
        self._parts.append(self._words[key])

    def _form(self, form: "_Form", signed: bool) -> None:
        self.unary(form.kind, _RAW)
        if form.kind == _RAW:
            for word in form.numbers:
                self.fixed(word, 64)
            return
        self.golomb(*_coded_power(form))
        self.ascending(form.numbers, signed=signed)
        for move in form.moves:
            self.golomb(_zigzag(move), 0)


class _Form(NamedTuple):
    """Floats as integers, with their common power and their distances counted in floats."""

    kind: int
    numbers: Sequence[int]
    power: int = 0
    moves: Sequence[int] = ()


def _forms(values: Sequence[float], signed: bool) -> Iterator[_Form]:
    """Yield the forms that represent some floats; the first of equally short ones is used."""
    yield _Form(_RAW, [float_bits(x) for x in values])
    if not all(map(isfinite, values)):
        return
    exact, near = decimals(values)
    if exact and _ascends(exact.numbers, signed):
        yield _Form(_PLACES, exact.numbers, exact.places)
    if near and _ascends(near.numbers, signed):
        yield _Form(_NEARLY, near.numbers, near.places, near.moves)
    halved = dyadic(values)
    if halved and _ascends(halved.numbers, signed):
        yield _Form(_DYADIC, halved.numbers, halved.power)


def _length(form: _Form, signed: bool) -> int:
    """Return the number of bits of a form; writing all forms took 7 us more per threshold."""
    if form.kind == _RAW:
        return _RAW + 64 * len(form.numbers)
    first = form.numbers[0]
    length = form.kind + 1 + _golomb_length(*_coded_power(form))
    length += _delta_length(1 + (_zigzag(first) if signed else first), _ORDER)
    length += sum([_delta_length(b - a, _ORDER) for a, b in pairwise(form.numbers)])
    return length + sum([_golomb_length(_zigzag(move), 0) for move in form.moves])


def _coded_power(form: _Form) -> tuple[int, int]:
    """Return the encoded power of a form, and the order of its Golomb code."""
    return (_zigzag(form.power), _EXPONENT_ORDER) if form.kind == _DYADIC else (form.power, 0)


def _golomb_length(n: int, order: int) -> int:
    return 2 * ((n >> order) + 1).bit_length() - 1 + order


def _delta_length(n: int, order: int) -> int:
    width = n.bit_length() - 1
    return _golomb_length(width, order) + width


def _ascends(numbers: Sequence[int], signed: bool) -> bool:
    return (signed or numbers[0] >= 0) and all(a < b for a, b in pairwise(numbers))


def _zigzag(n: int) -> int:
    """Return the position of an integer in 0, -1, 1, -2, 2, ..."""
    return 2 * n if n >= 0 else -2 * n - 1


def _check_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ParameterError(f"{name} must be at least {least}, got {value}")
