"""Thresholds lie half-way between neighbouring bins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy.encode import NominalColumn, OrderedColumn, Schema, thresholds_between

EDGES = [
    (1.0, 2.0, 1.5),
    (-np.inf, 3.0, -np.inf),
    (3.0, np.inf, np.finfo(float).max),
    (-np.inf, np.inf, 0.0),
    (1e308, 1.5e308, 1.25e308),
    (1.0, np.nextafter(1.0, 2.0), 1.0),
    (0.0, 5e-324, 0.0),
    (-5e-324, 0.0, -5e-324),
]


@pytest.mark.parametrize(("a", "b", "t"), EDGES)
def test_threshold_lies_half_way_between_bins(a, b, t):
    threshold = OrderedColumn("x", np.array([a, b]), np.array([a, b]), False).threshold(0, 1)
    assert a <= threshold < b
    assert threshold == pytest.approx(t)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_threshold_separates_any_two_bins(a, b):
    a, b = sorted((a, b))
    if a < b:
        spec = OrderedColumn("x", np.array([a, b]), np.array([a, b]), False)
        assert a <= spec.threshold(0, 1) < b


@given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=8, unique=True))
def test_thresholds_equal_single_thresholds(values):
    bins = np.sort(np.array([*values, *(a for a, _, _ in EDGES), *(b for _, b, _ in EDGES)]))
    bins = bins[np.append(True, bins[1:] > bins[:-1])]
    first = NominalColumn("town", ("a", "b"), True)
    columns = (
        first,
        OrderedColumn("x", bins, bins, True),
        OrderedColumn("y", -bins[::-1], -bins[::-1], False),
    )
    schema = Schema(columns)
    start = schema.code_start()
    for j in (1, 2):
        places = np.arange(len(bins) - 1)
        low, high = schema.bin_edges(start)
        many = thresholds_between(high[start[j] + places], low[start[j] + places + 1])
        single = np.array([columns[j].threshold(i, i + 1) for i in places])
        assert many.tobytes() == single.tobytes()
