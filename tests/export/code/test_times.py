"""Thresholds on times as whole ticks and exact instants."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy._errors import TreeError
from polytomy.encode import OrderedColumn
from polytomy.export.code.times import first_nanosecond_after, iso_time, last_tick
from polytomy.table import Times


def column(dtype):
    return OrderedColumn("t", np.empty(0), np.empty(0), False, Times(dtype))


@given(st.one_of(st.floats(-(2.0**62), 2.0**62), st.integers(2**53, 2**62).map(float)))
def test_last_tick_is_the_last_whose_float_passes(threshold):
    last = last_tick(threshold)
    assert float(last) <= threshold < float(last + 1)


@pytest.mark.parametrize(
    ("dtype", "tick", "after"),
    [
        ("datetime64[ns]", 10, "1970-01-01 00:00:00.000000011"),
        ("datetime64[us]", 10, "1970-01-01 00:00:00.000011"),
        ("datetime64[25s]", 1, "1970-01-01 00:00:50"),
        ("datetime64[D]", -1, "1970-01-01 00:00:00"),
        ("datetime64[M]", 13, "1971-03-01 00:00:00"),
        ("datetime64[Y]", 53, "2024-01-01 00:00:00"),
    ],
)
def test_first_nanosecond_after_begins_the_next_tick(dtype, tick, after):
    spec = column(dtype)
    assert iso_time(first_nanosecond_after(tick + 0.5, spec), spec) == after


def test_times_too_fine_or_too_far_are_refused():
    with pytest.raises(TreeError, match="cannot be exported"):
        first_nanosecond_after(1.0, column("datetime64[ps]"))
    far = column("datetime64[s]")
    with pytest.raises(TreeError, match="outside the years 1 to 9999"):
        iso_time(first_nanosecond_after(1e12, far), far)
