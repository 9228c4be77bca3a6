"""Numbers as bits, each in a prefix code: whoever reads them knows where one ends.

``BitWriter`` and ``BitReader`` mirror each other. A code that says how large its number is as it
goes (gamma, delta, golomb) suits numbers of which nothing is known; ``below`` suits one of n that
are equally likely.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, ldexp
from struct import pack
from typing import NamedTuple

from polytomy._errors import ParameterError, TreeError

from .floats import MOST_PLACES, decimals, dyadic, float_of, moved, word_of

_ORDER = 2  # of the lengths of thresholds: the shortest on the trees of fifty public tables
_EXPONENT_ORDER = 4
_PLACES, _NEARLY, _DYADIC, _RAW = range(4)

Words = dict[tuple[bytes, bool], str]
"""The code words of floats written so far; writers may share them."""


@dataclass(frozen=True, slots=True)
class Bits:
    r"""So many bits, packed into bytes; the last byte is filled up with zeros.

    >>> Bits.of("10011"), len(Bits.of("10011"))
    (Bits(data=b'\x98', length=5), 5)
    """

    data: bytes
    length: int

    @classmethod
    def of(cls, text: str) -> "Bits":
        """Pack a text of zeros and ones."""
        n_bytes = -(-len(text) // 8)
        return cls(int(text.ljust(8 * n_bytes, "0") or "0", 2).to_bytes(n_bytes, "big"), len(text))

    def __len__(self) -> int:
        return self.length

    def __str__(self) -> str:
        return "".join(f"{byte:08b}" for byte in self.data)[: self.length]


class BitWriter:
    """Appends numbers; ``done`` returns all bits.

    >>> out = BitWriter()
    >>> out.gamma(5)
    >>> out.below(2, 3)
    >>> str(out.done())
    '0010111'
    """

    def __init__(self, words: Words | None = None) -> None:
        self._words = {} if words is None else words
        self._parts: list[str] = []

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def done(self) -> Bits:
        """Return what was written."""
        return Bits.of("".join(self._parts))

    def fixed(self, value: int, width: int) -> None:
        """Append a whole number below 2^width in that many bits."""
        if not 0 <= value < 1 << width:
            raise ParameterError(f"{value} does not fit into {width} bits")
        if width:
            self._parts.append(f"{value:0{width}b}")

    def flag(self, value: bool) -> None:
        """Append one bit."""
        self._parts.append("1" if value else "0")

    def unary(self, value: int, most: int) -> None:
        """Append 0..most as that many ones and, before the most, a zero."""
        _check_least("value", value, 0)
        self._parts.append("1" * value + "0" * (value < most))

    def below(self, value: int, n: int) -> None:
        """Append one of 0..n-1 in log2(n) bits, rounded down for the first few and up for others.

        Truncated binary: with b = ceil(log2 n), the first 2^b - n values take b - 1 bits.
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
        """Append n >= 0 in the exponential Golomb code: the last ``order`` bits of n are as is."""
        _check_least("n", n, 0)
        self.gamma((n >> order) + 1)
        self.fixed(n & ((1 << order) - 1), order)

    def delta(self, n: int, order: int = 0) -> None:
        """Append n >= 1 as its length in bits, then those after the first.

        Elias's delta code, whose lengths are in gamma code, is that of order 0; a higher order has
        its lengths in Golomb codes of that order, which favours middling numbers.
        """
        _check_least("n", n, 1)
        width = n.bit_length() - 1
        self.golomb(width, order)
        self.fixed(n - (1 << width), width)

    def subset(self, items: Sequence[int], n: int) -> None:
        """Append ascending numbers below n; the reader knows how many they are.

        Interpolative coding: the middle one among those it can be, then both halves likewise.
        Nothing is spent where only one choice is left.
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
        """Append a sequence in which 0..n-1 appear, first in this order; the length is known."""
        met = 0
        for i, item in enumerate(items):
            if len(items) - i > n - met:  # else each of the rest must be new
                self.below(item, min(met + 1, n))
            met = max(met, item + 1)

    def ascending(self, numbers: Sequence[int], *, signed: bool) -> None:
        """Append ascending whole numbers, the first and then the gaps; the reader knows how many.

        What has no sign must not be negative.
        """
        self.delta(1 + (_zigzag(numbers[0]) if signed else numbers[0]), _ORDER)
        for a, b in pairwise(numbers):
            self.delta(b - a, _ORDER)

    def floats(self, values: Sequence[float], *, signed: bool) -> None:
        """Append ascending floats in the shortest of four forms; the reader knows how many.

        h / (2 * 10^p) for whole h: decimals of p places and the points half-way between them; the
        same and, for each, how many floats further on it lies; h * 2^p; all 64 bits. Each float
        comes back bit for bit.
        """
        key = pack(f"{len(values)}d", *values), signed  # as bytes, since -0.0 equals 0.0
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


class BitReader:
    """Reads what ``BitWriter`` wrote, in the same order; ``finish`` says whether that was all."""

    def __init__(self, bits: Bits) -> None:
        self._text = str(bits)
        self._at = 0

    def finish(self) -> None:
        """Raise ``TreeError`` if bits are left over."""
        left = len(self._text) - self._at
        if left:
            raise TreeError(f"the code goes on for {left} bits after its end")

    def fixed(self, width: int) -> int:
        """Read a whole number of so many bits."""
        stop = self._at + width
        if stop > len(self._text):
            raise TreeError(f"the code breaks off after {len(self._text)} bits")
        value = int(self._text[self._at : stop] or "0", 2)
        self._at = stop
        return value

    def flag(self) -> bool:
        """Read one bit."""
        return bool(self.fixed(1))

    def unary(self, most: int) -> int:
        """Read what ``BitWriter.unary`` wrote."""
        value = 0
        while value < most and self.flag():
            value += 1
        return value

    def below(self, n: int) -> int:
        """Read one of 0..n-1."""
        if n < 1:
            raise TreeError("not the code of a tree: there is nothing to choose from")
        width = (n - 1).bit_length()
        if width == 0:
            return 0
        short = (1 << width) - n
        value = self.fixed(width - 1)
        return value if value < short else 2 * value + self.fixed(1) - short

    def gamma(self) -> int:
        """Read a number of at least 1 in Elias's gamma code."""
        width = 0
        while not self.flag():
            width += 1
        return (1 << width) | self.fixed(width)

    def golomb(self, order: int) -> int:
        """Read a number in the exponential Golomb code of an order."""
        high = self.gamma() - 1
        return high << order | self.fixed(order)

    def delta(self, order: int = 0) -> int:
        """Read a number of at least 1 in the delta code of an order."""
        width = self.golomb(order)
        rest = self.fixed(width)  # first: a length beyond the end must not be built
        return (1 << width) | rest

    def subset(self, count: int, n: int) -> list[int]:
        """Read so many ascending numbers below n."""
        if count > n:
            raise TreeError(f"not the code of a tree: {count} of {n} places")
        items = [0] * count
        waiting = [(0, count, 0, n)]
        while waiting:
            first, last, low, high = waiting.pop()
            if first == last:
                continue
            middle = (first + last) // 2
            least = low + middle - first
            items[middle] = least + self.below(high - (last - middle - 1) - least)
            waiting.append((middle + 1, last, items[middle] + 1, high))
            waiting.append((first, middle, low, items[middle]))
        return items

    def appearing(self, count: int, n: int) -> list[int]:
        """Read a sequence of a length in which 0..n-1 appear, first in this order."""
        items: list[int] = []
        met = 0
        for i in range(count):
            items.append(self.below(min(met + 1, n)) if count - i > n - met else met)
            met = max(met, items[-1] + 1)
        return items

    def ascending(self, count: int, *, signed: bool) -> list[int]:
        """Read so many ascending whole numbers."""
        first = self.delta(_ORDER) - 1
        numbers = [_unzigzag(first) if signed else first]
        for _ in range(count - 1):
            numbers.append(numbers[-1] + self.delta(_ORDER))
        return numbers

    def floats(self, count: int, *, signed: bool) -> list[float]:
        """Read so many floats."""
        form = self.unary(_RAW)
        if form == _RAW:
            return [float_of(self.fixed(64)) for _ in range(count)]
        power = _unzigzag(self.golomb(_EXPONENT_ORDER)) if form == _DYADIC else self.golomb(0)
        numbers = self.ascending(count, signed=signed)
        if abs(power) > MOST_PLACES and form != _DYADIC:
            raise TreeError(f"not the code of a tree: a threshold with {power} decimals")
        try:
            if form == _DYADIC:
                return [ldexp(h, power) for h in numbers]
            values = [h / (2 * 10**power) for h in numbers]
        except OverflowError:
            raise TreeError("not the code of a tree: a threshold beyond all floats") from None
        if form == _NEARLY:
            values = [moved(x, _unzigzag(self.golomb(0))) for x in values]
        return values


class _Form(NamedTuple):
    """Floats as whole numbers, and what these are multiplied by and moved."""

    kind: int
    numbers: Sequence[int]
    power: int = 0
    moves: Sequence[int] = ()


def _forms(values: Sequence[float], signed: bool) -> Iterator[_Form]:
    """Yield the forms that tell some floats; of equally short ones the first is taken."""
    yield _Form(_RAW, [word_of(x) for x in values])
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
    """Return how many bits a form takes: writing all to see took 7 us more for a threshold."""
    if form.kind == _RAW:
        return _RAW + 64 * len(form.numbers)
    first = form.numbers[0]
    length = form.kind + 1 + _golomb_length(*_coded_power(form))
    length += _delta_length(1 + (_zigzag(first) if signed else first), _ORDER)
    length += sum([_delta_length(b - a, _ORDER) for a, b in pairwise(form.numbers)])
    return length + sum([_golomb_length(_zigzag(move), 0) for move in form.moves])


def _coded_power(form: _Form) -> tuple[int, int]:
    """Return what stands for the power of a form, and the order of its Golomb code."""
    return (_zigzag(form.power), _EXPONENT_ORDER) if form.kind == _DYADIC else (form.power, 0)


def _golomb_length(n: int, order: int) -> int:
    return 2 * ((n >> order) + 1).bit_length() - 1 + order


def _delta_length(n: int, order: int) -> int:
    width = n.bit_length() - 1
    return _golomb_length(width, order) + width


def _ascends(numbers: Sequence[int], signed: bool) -> bool:
    return (signed or numbers[0] >= 0) and all(a < b for a, b in pairwise(numbers))


def _zigzag(n: int) -> int:
    """Return the place of a number in 0, -1, 1, -2, 2, ..."""
    return 2 * n if n >= 0 else -2 * n - 1


def _unzigzag(n: int) -> int:
    return -(n + 1) // 2 if n & 1 else n // 2


def _check_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ParameterError(f"{name} must be at least {least}, got {value}")
