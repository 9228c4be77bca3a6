"""Logs of runs: a block gets the entries that it has not followed yet, however they travel."""

from hypothesis import given
from hypothesis import strategies as st

from polytomy.dask.log import Orders, new_entries, pack


@given(st.integers(0, 30), st.integers(1, 7), st.integers(0, 33))
def test_new_entries_are_those_after_the_first_ones(n_entries, size, n_made):
    packed = [pack(entry) for entry in range(n_entries)]
    n_before = n_entries // size * size
    chunks = [packed[i : i + size] for i in range(0, n_before, size)]
    found = new_entries(n_made, Orders("run", packed[n_before:], None, size), chunks)
    expected = list(range(n_made, n_entries)) if n_made <= n_entries else None
    assert found == expected
