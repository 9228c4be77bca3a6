"""The Python functions of the kernels refuse wrong types and shapes; tests of small kernels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import kernels
from polytomy._types import Branch, Label, Row, Weight


def codes_of(*columns):
    arrays = [np.array(c, dtype=np.uint8) for c in columns]
    return kernels.code_table(arrays, [int(a.max()) + 1 for a in arrays])


def test_accumulate_refuses_wrong_dtypes_instead_of_copying():
    table = codes_of([0, 1, 1])
    counts = np.zeros((2, 2), dtype=Weight)
    start = np.array([0, 2])
    which = np.zeros(1, dtype=np.int32)
    labels = np.array([0, 1, 1], dtype=Label)
    kernels.accumulate(table, which, None, (labels, None), start, (counts, None), 1)
    assert counts.tolist() == [[1, 0], [0, 2]]
    with pytest.raises(TypeError):
        kernels.accumulate(table, which, None, (labels.astype(int), None), start, (counts, None), 1)
    with pytest.raises(TypeError):
        kernels.accumulate(
            table, which, None, (labels, None), start, (counts.astype(float), None), 1
        )
    counts.setflags(write=False)
    with pytest.raises(TypeError):
        kernels.accumulate(table, which, None, (labels, None), start, (counts, None), 1)


def test_kernels_refuse_wrong_shapes():
    with pytest.raises(ValueError, match="columns must have the same length"):
        kernels.value_table([np.zeros(3), np.zeros(2)], [0, 0], 3)
    with pytest.raises(ValueError, match="times must be int64 and ranks int32"):
        kernels.value_table([np.zeros(3)], [1], 3)
    with pytest.raises(ValueError, match="uint8, uint16 or uint32"):
        kernels.code_table([np.zeros(3, dtype=np.int64)], [1])
    table = codes_of([0, 1])
    target = (np.zeros(5, dtype=Label), None)
    out = (np.zeros((2, 1), dtype=Weight), None)
    with pytest.raises(ValueError, match="one label per row"):
        kernels.accumulate(
            table, np.zeros(1, dtype=np.int32), None, target, np.array([0, 2]), out, 1
        )
    table = kernels.value_table([np.arange(300.0)], [0], 300)
    with pytest.raises(ValueError, match="do not fit their type"):
        kernels.encode(table, [np.arange(300.0)], [np.empty(300, dtype=np.uint8)], [300], 1)
    with pytest.raises(ValueError, match="a code for each bin"):
        kernels.encode(table, [np.arange(300.0)], [np.empty(300, dtype=np.uint16)], [299], 1)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 5]))
def test_scatter_partitions_rows_stably(seed, threads):
    rng = np.random.default_rng(seed)
    n_codes, k = int(rng.integers(1, 9)), int(rng.integers(2, 5))
    codes = rng.integers(0, n_codes, 300)
    table = kernels.code_table([codes.astype(np.uint16)], [n_codes])
    branch = rng.integers(0, k, n_codes).astype(Branch)
    members = rng.permutation(300)[: int(rng.integers(0, 300))].astype(Row)
    expected = [members[branch[codes[members]] == b] for b in range(k)]
    out = np.empty_like(members)
    sizes = kernels.scatter(members, table, 0, branch, out, k, threads)
    assert sizes.tolist() == [len(e) for e in expected]
    np.testing.assert_array_equal(out, np.concatenate(expected))


def test_value_table_keeps_its_arrays_alive():
    table = kernels.value_table([np.arange(5.0) for _ in range(3)], [0] * 3, 5)
    cuts = kernels.find_cuts(table, None, 10, 1)
    assert all(low.tolist() == [0, 1, 2, 3, 4] for low, _, _ in cuts)


def test_best_intervals_passes_on_errors_of_the_index():
    def broken(counts):
        raise RuntimeError("mine")

    counts, rows = np.ones((3, 2), dtype=Weight), np.full(3, 2, dtype=Weight)
    with pytest.raises(RuntimeError, match="mine"):
        kernels.best_intervals(counts, rows, broken, 6.0, (1, 0), np.ones(2), 0.0)
