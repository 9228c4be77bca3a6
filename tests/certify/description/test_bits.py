"""Bit codes: known code words, round trips, lengths and invalid arguments."""

import struct
import sys
from itertools import combinations, pairwise
from math import comb, inf, log2

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polytomy import ParameterError, TreeError
from polytomy.certify.description import bits
from polytomy.certify.description.bits import Bits, BitWriter
from tests.certify.description.decoder import BitReader


def word(name, *args, **kwargs):
    out = BitWriter()
    getattr(out, name)(*args, **kwargs)
    done = out.done()
    assert len(done) == len(out) == len(str(done))
    return str(done)


def back(name, text, *args, **kwargs):
    source = BitReader(Bits.of(text))
    value = getattr(source, name)(*args, **kwargs)
    source.finish()
    return value


def words(values):
    return [struct.pack(">d", x) for x in values]


@given(st.text("01", max_size=40))
def test_bits_round_trip_through_bytes(text):
    packed = Bits.of(text)
    assert str(packed) == text
    assert len(packed) == len(text)
    assert len(packed.data) == (len(text) + 7) // 8


def test_code_words_equal_the_published_ones():
    assert [word("gamma", n) for n in (1, 2, 3, 4, 9)] == ["1", "010", "011", "00100", "0001001"]
    assert [word("delta", n) for n in (1, 2, 3, 4, 17)] == [
        "1",
        "0100",
        "0101",
        "01100",
        "001010001",
    ]
    assert [word("golomb", n, 0) for n in range(4)] == ["1", "010", "011", "00100"]
    assert [word("golomb", n, 2) for n in (0, 3, 4)] == ["100", "111", "01000"]
    assert [word("below", v, 5) for v in range(5)] == ["00", "01", "10", "110", "111"]
    assert [word("below", v, 4) for v in range(4)] == ["00", "01", "10", "11"]
    assert word("below", 0, 1) == ""
    assert [word("unary", v, 3) for v in range(4)] == ["0", "10", "110", "111"]
    assert word("fixed", 5, 4) == "0101"


@given(st.integers(1, 2**70), st.integers(0, 5))
def test_integer_codes_round_trip(n, order):
    assert back("gamma", word("gamma", n)) == n
    assert back("golomb", word("golomb", n - 1, order), order) == n - 1
    assert back("delta", word("delta", n, order), order) == n
    assert len(word("gamma", n)) == 2 * int(n.bit_length() - 1) + 1


@given(st.integers(1, 300), st.data())
def test_below_takes_log2_n_bits(n, data):
    value = data.draw(st.integers(0, n - 1))
    text = word("below", value, n)
    assert back("below", text, n) == value
    assert np.floor(log2(n)) <= len(text) <= np.ceil(log2(n))


@pytest.mark.parametrize("n", range(1, 9))
def test_subset_round_trips_with_distinct_words(n):
    for count in range(n + 1):
        texts = []
        for items in combinations(range(n), count):
            texts.append(word("subset", items, n))
            assert back("subset", texts[-1], count, n) == list(items)
        assert no_prefix(texts)
        assert sum(2.0 ** -len(t) for t in texts) == 1  # the code is complete
        assert min(map(len, texts)) <= log2(comb(n, count))


def no_prefix(texts):
    ordered = sorted(texts)
    return all(not b.startswith(a) for a, b in pairwise(ordered))


@pytest.mark.parametrize(("count", "n"), [(1, 1), (3, 1), (4, 2), (4, 3), (4, 4), (5, 2)])
def test_appearing_round_trips_sequences_in_order_of_appearance(count, n):
    def extended(start):
        for new in range(min(max(start, default=-1) + 2, n)):
            yield (*start, new)

    sequences = [()]
    for _ in range(count):
        sequences = [longer for start in sequences for longer in extended(start)]
    sequences = [s for s in sequences if len(set(s)) == n]
    texts = [word("appearing", s, n) for s in sequences]
    assert [tuple(back("appearing", t, count, n)) for t in texts] == sequences
    assert no_prefix(texts)
    assert sum(2.0 ** -len(t) for t in texts) == 1


@given(st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=6, unique=True))
def test_ascending_round_trips(numbers):
    numbers.sort()
    text = word("ascending", numbers, signed=True)
    assert back("ascending", text, len(numbers), signed=True) == numbers
    if numbers[0] >= 0:
        text = word("ascending", numbers, signed=False)
        assert back("ascending", text, len(numbers), signed=False) == numbers


floats = st.one_of(
    st.floats(allow_nan=False),
    st.decimals(-10000, 10000, places=3).map(float),
    st.integers(-2000, 2000).map(lambda n: n / 2),
    st.integers(-(2**30), 2**30).map(lambda n: n / 1024),
    st.integers(1, 10**6).map(lambda n: n / 1e5 / 2 + (n + 3) / 1e5 / 2),
    st.floats(width=32, allow_nan=False),
)


@given(st.lists(floats, min_size=1, max_size=5, unique=True), st.booleans())
@example([-inf, 0.5], False)
@example([-0.0], False)
@example([0.0], False)
@example([-0.0, 5e-324], True)
@example([0.3, float(np.nextafter(0.3, 1))], False)  # two floats at one decimal
@example([sys.float_info.max], False)
@example([811.8499999999999, 826.8], False)
@example([-1.5], False)  # a negative number without signed=True
def test_floats_round_trip_bit_for_bit(values, signed):
    values.sort()
    text = word("floats", values, signed=signed)
    assert words(back("floats", text, len(values), signed=signed)) == words(values)
    assert len(text) <= 3 + 64 * len(values)


@pytest.mark.parametrize(
    ("values", "length"),
    [
        ([0.5], 1 + 1 + 4),  # form, places, h = 1
        ([3.0], 1 + 1 + 5),  # h = 6
        ([2.45], 1 + 3 + 10),  # one place, h = 49
        ([874.85], 1 + 3 + 21),  # one place, h = 17497
        ([811.8499999999999], 2 + 3 + 20 + 3),  # one place, h = 16237, one float down
        ([float(np.float32(0.1))], 3 + 9 + 30),  # 13421773 * 2^-27
        ([9.5, 19.5, 29.5, 39.5], 1 + 1 + 9 + 3 * 9),  # h = 19, and three gaps of 20
        ([2.0**40], 3 + 9 + 4),  # 1 * 2^40
        ([float(np.pi)], 3 + 64),  # raw bits
    ],
)
def test_floats_with_few_digits_take_few_bits(values, length):
    assert len(word("floats", values, signed=False)) == length


@given(st.lists(floats, min_size=1, max_size=5, unique=True), st.booleans())
@example([-0.0], False)
@example([0.3, 0.30000000000000004], True)
def test_floats_uses_the_shortest_form(values, signed):
    values.sort()
    texts = []
    for form in bits._forms(values, signed):
        out = BitWriter()
        out._form(form, signed)
        assert len(out) == bits._length(form, signed)
        texts.append(str(out.done()))
    assert word("floats", values, signed=signed) == min(texts, key=len)


def test_writers_can_share_code_words_of_floats():
    words = {}
    for values in ([0.0], [-0.0], [0.5], [0.5, 1.5], [-0.0], [0.0], [0.5]):
        for signed in (False, True):
            out = BitWriter(words)
            out.floats(values, signed=signed)
            assert str(out.done()) == word("floats", values, signed=signed)
    assert len(words) == 8  # 0.0 and -0.0 have different words


def test_bit_writer_rejects_numbers_out_of_range():
    for name, args in [
        ("fixed", (4, 2)),
        ("fixed", (-1, 2)),
        ("below", (3, 3)),
        ("gamma", (0,)),
        ("delta", (0,)),
        ("golomb", (-1, 0)),
        ("unary", (-1, 3)),
    ]:
        with pytest.raises(ParameterError):
            word(name, *args)
    with pytest.raises(ParameterError):
        word("ascending", [2, 2], signed=False)
    with pytest.raises(ParameterError):
        word("ascending", [-2], signed=False)


def test_bit_reader_rejects_broken_words():
    with pytest.raises(TreeError, match="ends early, after 2 bits"):
        back("gamma", "00")
    with pytest.raises(TreeError, match="has 3 bits after its end"):
        back("gamma", "1000")
    with pytest.raises(TreeError, match="ends early"):
        back("delta", "0" * 60 + "1" * 60)  # a length that must not be allocated
    with pytest.raises(TreeError, match="a choice among 0 values"):
        back("below", "0", 0)
    with pytest.raises(TreeError, match="4 of 3 places"):
        back("subset", "0", 4, 3)
    far = word("unary", 0, 3) + word("golomb", 41, 0) + word("ascending", [1], signed=False)
    with pytest.raises(TreeError, match="41 decimals"):
        back("floats", far, 1, signed=False)
    large = word("unary", 2, 3) + word("golomb", 5000, 4) + word("ascending", [1], signed=False)
    with pytest.raises(TreeError, match="too large for a float"):
        back("floats", large, 1, signed=False)
    moved = word("unary", 1, 3) + word("golomb", 0, 0) + word("ascending", [1], signed=False)
    with pytest.raises(TreeError, match="too large for a float"):
        back("floats", moved + word("golomb", 2**65, 0), 1, signed=False)
