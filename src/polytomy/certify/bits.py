"""Numbers as bits, each in a prefix code: whoever reads them knows where one ends.

``BitWriter`` and ``BitReader`` mirror each other. A code that says how large its number is as it
goes (gamma, delta, golomb) suits numbers of which nothing is known; ``below`` suits one of n that
are equally likely.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isfinite, ldexp
from struct import pack, unpack

from polytomy._errors import ParameterError, TreeError

_ORDER = 2  # of the lengths of thresholds: the shortest on the trees of fifty public tables
_EXPONENT_ORDER = 4
_MOST_PLACES = 40  # decimals beyond are a float's own noise
_NEAR = 4  # floats away from a decimal that sums of two of them may end
_MANTISSA = 53
_SIGN = 1 << 63
_PLACES, _NEARLY, _DYADIC, _RAW = range(4)


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

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def done(self) -> Bits:
        """Return what was written."""
        return Bits.of("".join(self._parts))

    def extend(self, other: "BitWriter") -> None:
        """Append what another writer has."""
        self._parts += other._parts
        self._length += other._length

    def fixed(self, value: int, width: int) -> None:
        """Append a whole number below 2^width in that many bits."""
        if not 0 <= value < 1 << width:
            raise ParameterError(f"{value} does not fit into {width} bits")
        if width:
            self._parts.append(f"{value:0{width}b}")
            self._length += width

    def flag(self, value: bool) -> None:
        """Append one bit."""
        self.fixed(int(value), 1)

    def unary(self, value: int, most: int) -> None:
        """Append 0..most as that many ones and, before the most, a zero."""
        _check_least("value", value, 0)
        for _ in range(value):
            self.flag(True)
        if value < most:
            self.flag(False)

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
        forms = [_raw(values)]
        if all(map(isfinite, values)):
            forms += [_decimals(values, signed, 0), _decimals(values, signed, _NEAR)]
            forms.append(_dyadic(values, signed))
        self.extend(min((form for form in forms if form is not None), key=len))


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
            return [_float_of(self.fixed(64)) for _ in range(count)]
        power = _unzigzag(self.golomb(_EXPONENT_ORDER)) if form == _DYADIC else self.golomb(0)
        numbers = self.ascending(count, signed=signed)
        if abs(power) > _MOST_PLACES and form != _DYADIC:
            raise TreeError(f"not the code of a tree: a threshold with {power} decimals")
        try:
            if form == _DYADIC:
                return [ldexp(h, power) for h in numbers]
            values = [h / (2 * 10**power) for h in numbers]
        except OverflowError:
            raise TreeError("not the code of a tree: a threshold beyond all floats") from None
        if form == _NEARLY:
            values = [_moved(x, _unzigzag(self.golomb(0))) for x in values]
        return values


def _raw(values: Sequence[float]) -> BitWriter | None:
    out = BitWriter()
    out.unary(_RAW, _RAW)
    for x in values:
        out.fixed(_word_of(x), 64)
    return out


def _decimals(values: Sequence[float], signed: bool, slack: int) -> BitWriter | None:
    """Write h / (2 * 10^p) with the fewest decimals p that come within ``slack`` floats of all."""
    exact = [Fraction(x) for x in values]
    for places in range(_MOST_PLACES + 1):
        unit = 2 * 10**places
        numbers = [round(x * unit) for x in exact]
        if max(map(abs, numbers)) >> _MANTISSA:
            return None  # all 64 bits are shorter
        moves = [_place(x) - _place(h / unit) for x, h in zip(values, numbers, strict=True)]
        if max(map(abs, moves)) <= slack:
            break
    else:
        return None
    if not _ascends(numbers, signed):
        return None
    out = BitWriter()
    out.unary(_NEARLY if slack else _PLACES, _RAW)
    out.golomb(places, 0)
    out.ascending(numbers, signed=signed)
    for move in moves if slack else ():
        out.golomb(_zigzag(move), 0)
    return out


def _dyadic(values: Sequence[float], signed: bool) -> BitWriter | None:
    """Write h * 2^p, with the largest p that has them all."""
    power = min((_last_bit(x) for x in values if x), default=0)
    numbers = [int(Fraction(x) / Fraction(2) ** power) for x in values]
    has_minus_zero = any(_place(x) == -1 for x in values)
    if has_minus_zero or not _ascends(numbers, signed):
        return None
    out = BitWriter()
    out.unary(_DYADIC, _RAW)
    out.golomb(_zigzag(power), _EXPONENT_ORDER)
    out.ascending(numbers, signed=signed)
    return out


def _ascends(numbers: Sequence[int], signed: bool) -> bool:
    return (signed or numbers[0] >= 0) and all(a < b for a, b in pairwise(numbers))


def _last_bit(x: float) -> int:
    """Return the largest p for which x / 2^p is whole."""
    above, below = x.as_integer_ratio()
    return (above & -above).bit_length() - below.bit_length()


def _word_of(x: float) -> int:
    return int.from_bytes(pack(">d", x), "big")


def _float_of(word: int) -> float:
    return float(unpack(">d", word.to_bytes(8, "big"))[0])


def _place(x: float) -> int:
    """Return the place of a float among all of them: 0 for 0.0, -1 for -0.0, and so on."""
    word = _word_of(x)
    return word if word < _SIGN else _SIGN - word - 1


def _moved(x: float, floats: int) -> float:
    """Return the float so many places further on."""
    place = _place(x) + floats
    if abs(place) >= _SIGN:
        raise TreeError("not the code of a tree: a threshold beyond all floats")
    return _float_of(place if place >= 0 else _SIGN - place - 1)


def _zigzag(n: int) -> int:
    """Return the place of a number in 0, -1, 1, -2, 2, ..."""
    return 2 * n if n >= 0 else -2 * n - 1


def _unzigzag(n: int) -> int:
    return -(n + 1) // 2 if n & 1 else n // 2


def _check_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ParameterError(f"{name} must be at least {least}, got {value}")
