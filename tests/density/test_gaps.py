"""Gaps become empty bins, cells tile the range, and both index implementations agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import kernels
from polytomy.density import cells_of, missing_odds, open_gaps
from polytomy.encode import encode, encode_with
from polytomy.index import DENSITY
from polytomy.table import Table

values = st.lists(
    st.one_of(
        st.integers(-5, 5).map(float),
        st.floats(-1e6, 1e6).map(lambda v: round(v, 6)),  # neighbouring floats have no cell between
        st.just(np.nan),
    ),
    min_size=1,
    max_size=40,
)


@given(values)
def test_open_gaps_keep_every_value_in_a_bin_of_its_own_range(x):
    table = Table.of({"x": np.array(x)})
    coded = encode(table)
    opened = open_gaps(coded)
    spec = opened.schema[0]
    assert (spec.low <= spec.high).all()
    assert (spec.high[:-1] < spec.low[1:]).all()
    known = np.array(x)[~np.isnan(x)]
    codes = opened.columns[0][~np.isnan(x)]
    assert ((spec.low[codes] <= known) & (known <= spec.high[codes])).all()
    assert (opened.columns[0][np.isnan(x)] == spec.n_values).all()
    assert np.array_equal(encode_with(opened.schema, table).columns[0], opened.columns[0])


@given(values)
def test_cells_tile_the_range_around_all_values(x):
    coded = open_gaps(encode(Table.of({"x": np.array(x)})))
    cells = cells_of(coded.schema, missing_odds(coded, None))[0]
    spec = coded.schema[0]
    if spec.n_values < 2:
        return
    assert (np.diff(cells.edges) > 0).all()
    assert (cells.edges[:-1] <= spec.low).all()
    assert (spec.high <= cells.edges[1:]).all()
    np.testing.assert_allclose(cells.lengths[: spec.n_values], np.diff(cells.edges))


def test_whole_numbers_have_cells_of_length_1():
    coded = encode(Table.of({"x": np.array([3, 1, 2, 2, 4])}))
    cells = cells_of(coded.schema, (0.0,))[0]
    assert cells.edges.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**9)), min_size=1, max_size=9))
@pytest.mark.parametrize("name", list(DENSITY))
def test_index_is_the_same_in_numpy_and_in_the_kernels(name, pairs):
    counts = np.array(pairs, dtype=np.float64)
    index = DENSITY[name]
    np.testing.assert_allclose(
        index.value(counts), kernels.index_values(index.number, counts), rtol=1e-12
    )
