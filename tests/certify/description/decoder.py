"""The decoder of the prefix code for trees, which shows that ``encode_tree`` loses nothing."""

import json
from collections.abc import Iterator
from math import ldexp
from struct import unpack

import numpy as np

from polytomy import TreeError
from polytomy._types import UNSEEN
from polytomy.certify.description.bits import (
    _DYADIC,
    _EXPONENT_ORDER,
    _NEARLY,
    _ORDER,
    _RAW,
    Bits,
)
from polytomy.certify.description.floats import _SIGN, MOST_PLACES, _place
from polytomy.certify.description.tree_code import (
    _ALONE,
    _ANY,
    _APART,
    _APPEARING,
    _EACH,
    _JOINS,
    _NOT_SEEN,
    _Flags,
    _units,
)
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.table import Ranks, Times
from polytomy.tree import (
    CategorySplit,
    CustomSplit,
    IntervalSplit,
    NodeSplit,
    Tree,
    TreeBuilder,
    check_tree,
    from_plain,
)


class BitReader:
    """Reads the output of ``BitWriter``, in the same order."""

    def __init__(self, bits: Bits) -> None:
        self._text = str(bits)
        self._at = 0

    def finish(self) -> None:
        """Raise ``TreeError`` if bits are left over."""
        left = len(self._text) - self._at
        if left:
            raise TreeError(f"the code has {left} bits after its end")

    def fixed(self, width: int) -> int:
        """Read an integer of ``width`` bits."""
        stop = self._at + width
        if stop > len(self._text):
            raise TreeError(f"the code ends early, after {len(self._text)} bits")
        value = int(self._text[self._at : stop] or "0", 2)
        self._at = stop
        return value

    def flag(self) -> bool:
        """Read one bit."""
        return bool(self.fixed(1))

    def unary(self, most: int) -> int:
        """Read the output of ``BitWriter.unary``."""
        value = 0
        while value < most and self.flag():
            value += 1
        return value

    def below(self, n: int) -> int:
        """Read an integer from 0 to n - 1."""
        if n < 1:
            raise TreeError("not the code of a tree: a choice among 0 values")
        width = (n - 1).bit_length()
        if width == 0:
            return 0
        short = (1 << width) - n
        value = self.fixed(width - 1)
        return value if value < short else 2 * value + self.fixed(1) - short

    def gamma(self) -> int:
        """Read an integer of at least 1 in Elias's gamma code."""
        width = 0
        while not self.flag():
            width += 1
        return (1 << width) | self.fixed(width)

    def golomb(self, order: int) -> int:
        """Read an integer in the exponential Golomb code of an order."""
        high = self.gamma() - 1
        return high << order | self.fixed(order)

    def delta(self, order: int = 0) -> int:
        """Read an integer of at least 1 in the delta code of an order."""
        width = self.golomb(order)
        rest = self.fixed(width)  # first, because a length beyond the end must not be allocated
        return (1 << width) | rest

    def subset(self, count: int, n: int) -> list[int]:
        """Read ``count`` ascending integers below n."""
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
        """Read a sequence of length ``count`` in which 0..n-1 first appear in this order."""
        items: list[int] = []
        met = 0
        for i in range(count):
            items.append(self.below(min(met + 1, n)) if count - i > n - met else met)
            met = max(met, items[-1] + 1)
        return items

    def ascending(self, count: int, *, signed: bool) -> list[int]:
        """Read ``count`` ascending integers."""
        first = self.delta(_ORDER) - 1
        numbers = [_unzigzag(first) if signed else first]
        for _ in range(count - 1):
            numbers.append(numbers[-1] + self.delta(_ORDER))
        return numbers

    def floats(self, count: int, *, signed: bool) -> list[float]:
        """Read ``count`` floats."""
        form = self.unary(_RAW)
        if form == _RAW:
            return [float_from_bits(self.fixed(64)) for _ in range(count)]
        power = _unzigzag(self.golomb(_EXPONENT_ORDER)) if form == _DYADIC else self.golomb(0)
        numbers = self.ascending(count, signed=signed)
        if abs(power) > MOST_PLACES and form != _DYADIC:
            raise TreeError(f"not the code of a tree: a threshold with {power} decimals")
        try:
            if form == _DYADIC:
                return [ldexp(h, power) for h in numbers]
            values = [h / (2 * 10**power) for h in numbers]
        except OverflowError:
            raise TreeError("not the code of a tree: a threshold too large for a float") from None
        if form == _NEARLY:
            values = [moved(x, _unzigzag(self.golomb(0))) for x in values]
        return values


def decode_tree(bits: Bits, schema: Schema, n_classes: int) -> Tree:
    """Return the tree of a code word, with one row of its label in each leaf.

    Nodes get new numbers, and categories after the last one seen at a node are left out. Neither
    changes a prediction.
    """
    source = BitReader(bits)
    number = source.gamma() - 1
    if number >> len(_Flags._fields):
        raise TreeError(f"not the code of a tree: invalid flags {number}")
    flags = _Flags(*(bool(number >> i & 1) for i in range(len(_Flags._fields))))
    nodes = list(_read_nodes(source, schema, flags, n_classes))
    source.finish()
    tree = _built(nodes, n_classes)
    check_tree(tree)
    return tree


def _read_nodes(
    source: BitReader, schema: Schema, flags: _Flags, n_classes: int
) -> Iterator[NodeSplit | int]:
    """Yield the splits and the labels of the leaves in preorder."""
    waiting = 1
    while waiting:
        waiting -= 1
        if source.flag():
            split = _read_split(source, schema, flags)
            waiting += split.arity
            yield split
        else:
            yield source.below(n_classes)


def _built(nodes: list[NodeSplit | int], n_classes: int) -> Tree:
    counts = np.zeros((len(nodes), n_classes))
    children: list[list[int]] = [[] for _ in nodes]
    ready: list[int] = []  # subtrees from the right, the leftmost on top
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        if isinstance(node, int):
            counts[i, node] = 1.0
        else:
            children[i] = [ready.pop() for _ in range(node.arity)]
            counts[i] = counts[children[i]].sum(axis=0)
        ready.append(i)
    rows = counts.sum(axis=1).astype(np.int64)
    builder = TreeBuilder(counts[0], int(rows[0]))
    waiting = [(0, 0)]  # (place in preorder, leaf of the new tree)
    while waiting:
        i, leaf = waiting.pop()
        node = nodes[i]
        if not isinstance(node, int):
            made = builder.split(leaf, node, counts[children[i]], rows[children[i]])
            waiting.extend(zip(children[i], made, strict=True))
    return builder.finish()


def _read_split(source: BitReader, schema: Schema, flags: _Flags) -> NodeSplit:
    feature = source.below(len(schema) + flags.custom)
    if feature == len(schema):
        return _read_custom(source)
    column = schema[feature]
    if isinstance(column, OrderedColumn):
        return _read_intervals(source, feature, column, flags)
    return _read_codes(source, feature, column, flags)


def _read_intervals(
    source: BitReader, feature: int, column: OrderedColumn, flags: _Flags
) -> IntervalSplit:
    mode = source.unary(_ALONE) if flags.missing else _NOT_SEEN
    count = source.gamma() if flags.wide and mode != _ALONE else 1
    cuts = [] if mode == _ALONE else _read_cuts(source, count, column, flags)
    missing = UNSEEN
    if mode == _JOINS:
        missing = source.below(len(cuts) + 1)
    elif mode != _NOT_SEEN:
        missing = len(cuts) + 1
    arity = len(cuts) + 1 + (mode in (_APART, _ALONE))
    return IntervalSplit(feature, np.array(cuts), missing, source.below(arity))


def _read_cuts(source: BitReader, count: int, column: OrderedColumn, flags: _Flags) -> list[float]:
    scale = column.scale
    if isinstance(scale, Ranks) and not source.flag():
        return [(item + 1) / 2 for item in source.subset(count, 2 * len(scale.labels) - 3)]
    if isinstance(scale, Times) and not source.flag():
        units = _units(scale)
        unit = units[source.below(len(units))]
        try:
            return [h * unit / 2 for h in source.ascending(count, signed=flags.negative)]
        except OverflowError:
            raise TreeError("not the code of a tree: a time too large for a float") from None
    return source.floats(count, signed=flags.negative)


def _read_codes(
    source: BitReader, feature: int, column: NominalColumn, flags: _Flags
) -> CategorySplit:
    n = column.n_values
    seen = source.subset(source.below(n), n) if source.flag() else list(range(n))
    with_missing = flags.missing and source.flag()
    n_items = len(seen) + with_missing
    form = source.unary(_ANY)
    arity = n_items
    if form != _EACH:
        arity = source.gamma() + 1 if flags.wide else 2
    if not 2 <= arity <= n_items:
        raise TreeError(f"not the code of a tree: {n_items} categories in {arity} branches")
    if form == _APPEARING:
        branches = source.appearing(n_items, arity)
    elif form == _ANY:
        branches = [source.below(arity) for _ in range(n_items)]
    else:
        branches = list(range(arity))
    missing = branches.pop() if with_missing else UNSEEN
    code_to_branch = np.full(seen[-1] + 1 if seen else 0, UNSEEN, dtype=np.int32)
    code_to_branch[seen] = branches
    return CategorySplit(feature, code_to_branch, missing, source.below(arity))


def _read_custom(source: BitReader) -> CustomSplit:
    text = bytes(source.fixed(7) for _ in range(source.delta())).decode("ascii")
    try:
        plain = json.loads(text)
    except ValueError:
        plain = None
    if not isinstance(plain, dict):
        raise TreeError(f"not the code of a tree: {text[:40]!r} is not the data of a split")
    return CustomSplit(from_plain(plain))


def float_from_bits(word: int) -> float:
    """Return the float of 64 bits."""
    return float(unpack(">d", word.to_bytes(8, "big"))[0])


def moved(x: float, floats: int) -> float:
    """Return the float that is ``floats`` positions further on."""
    place = _place(x) + floats
    if abs(place) >= _SIGN:
        raise TreeError("not the code of a tree: a threshold too large for a float")
    return float_from_bits(place if place >= 0 else _SIGN - place - 1)


def _unzigzag(n: int) -> int:
    return -(n + 1) // 2 if n & 1 else n // 2
