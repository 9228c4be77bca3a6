"""Decoded rows have the codes of the original ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polytomy.encode import decoded, encode, encode_with
from polytomy.table import Table
from tests.strategies import nominal_cells, ordered_cells


@given(st.data(), st.integers(1, 12), st.integers(2, 5))
def test_decoded_rows_get_the_same_codes_again(data, n_rows, max_bins):
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    days = random.integers(0, 20_000, n_rows).astype("datetime64[D]").astype("datetime64[ns]")
    days[random.random(n_rows) < 0.2] = np.datetime64("NaT")
    table = Table.of(
        {
            "number": data.draw(ordered_cells(n_rows, max_distinct=12)),
            "category": data.draw(nominal_cells(n_rows)),
            "day": days,
            "flag": random.random(n_rows) < 0.5,
        }
    )
    coded = encode(table, max_bins=max_bins)
    for rows in (None, slice(0, 5), np.arange(n_rows)[::2]):
        chosen = slice(None) if rows is None else rows
        again = encode_with(coded.schema, decoded(coded, rows))
        for held, expected in zip(again.columns, coded.columns, strict=True):
            assert np.array_equal(held, expected[chosen])


def test_decoded_times_may_be_the_last_of_all():
    ticks = np.array([2**63 - 1, 0, -(2**63) + 1])
    coded = encode(Table.of({"t": ticks.astype("datetime64[us]")}))
    again = encode_with(coded.schema, decoded(coded))
    assert again.columns[0].tolist() == coded.columns[0].tolist() == [2, 1, 0]
