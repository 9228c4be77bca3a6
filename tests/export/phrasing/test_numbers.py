"""The digits of a numeric target."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy.export.phrasing.numbers import TargetFormat, format_for

magnitudes = st.floats(-140, 140).map(lambda e: 10.0**e)


@given(magnitudes, st.floats(-1e6, 1e6), st.floats(-5, 5))
def test_digits_follow_the_standard_deviation(deviation, mean, away):
    number = format_for(mean * deviation, deviation)
    assert 1 / 301 <= 10.0**-number.decimals / deviation <= 1 / 29.9
    value = mean * deviation + away * deviation
    rounding = 1e-14 * abs(value)
    assert abs(float(number(value)) - value) <= deviation / 59 + rounding


@given(magnitudes, st.floats(-5, 5), st.floats(-5, 5))
def test_text_has_a_reasonable_length_and_keeps_the_order(deviation, one, other):
    number = format_for(deviation, deviation)
    texts = [number(min(one, other) * deviation), number(max(one, other) * deviation)]
    assert float(texts[0]) <= float(texts[1])
    assert max(map(len, texts)) <= 12
    assert all(re.fullmatch(r"-?\d+(\.\d+)?(e[+-]\d+)?", text) for text in texts)
    assert "-0" not in [text for text in texts if float(text) == 0]


@pytest.mark.parametrize(
    ("mean", "deviation", "value", "text"),
    [
        (152.1, 77.0, 152.1335, "152"),
        (23.4, 7.8, 23.4459, "23.4"),
        (0.0, 1.0, -0.001, "0.00"),
        (180_000.0, 79_000.0, 182_345.6, "182000"),
        (1e9, 1.0, 1e9 + 0.125, "1000000000.12"),
        (2.5e12, 1.8e12, 5.61e11, "5.6e+11"),
        (2.5e-9, 1.8e-9, 2.517e-9, "2.52e-09"),
        (2.5e-9, 1.8e-9, 0.0, "0"),
        (3.25, 0.0, 3.25, "3.25"),
        (3.0, 0.0, 3.0, "3"),
        (1234567.0, 1e-9, 1234567.0, "1234570"),
        (0.0, 0.0, 0.0, "0"),
        (1e20, 0.0, 1e20, "1e+20"),
    ],
)
def test_format_examples(mean, deviation, value, text):
    assert format_for(mean, deviation)(value) == text


def test_infinite_values_are_written():
    assert TargetFormat(2)(float("inf")) == "inf"
