"""Bins and codes against naive oracles; the same for every layout, type, order and thread count."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import kernels
from polytomy.encode import encode, fixed_point
from polytomy.encode.encoder import sort_categories
from polytomy.table import Table
from tests.naive.cuts import naive_cuts


def cut(values, units=None, max_bins=255, threads=1, sort_below=0, max_values=0):
    table = kernels.value_table([values], [kernels.PLAIN], len(values))
    ((low, high, missing),) = kernels.find_cuts(
        table, units, max_bins, threads, sort_below, max_values
    )
    return list(zip(low.tolist(), high.tolist(), strict=True)), missing


def sample(seed):
    """A column of a shape picked by the seed: smooth, heavy-tailed, lumpy, narrow, few values."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 600))
    values = [
        rng.standard_normal(n),
        rng.standard_cauchy(n) ** 3,
        np.round(rng.exponential(20, n)),
        1.7e9 + rng.random(n),
        np.where(rng.random(n) < 0.7, 0.0, rng.standard_normal(n)),
        rng.integers(-3, 4, n).astype(float),
        np.full(n, -1e300),
        np.where(rng.random(n) < 0.3, np.inf, np.where(rng.random(n) < 0.3, -np.inf, -0.0)),
    ][rng.integers(8)]
    units = [None, rng.integers(1, 9, n), rng.integers(1, 2**40, n)][rng.integers(3)]
    missing = rng.random(n) < rng.choice([0.0, 0.3])
    return np.where(missing, np.nan, values), units, int(rng.integers(2, 40))


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_cuts_equal_the_naive_oracle(seed):
    values, units, max_bins = sample(seed)
    known = ~np.isnan(values)
    weights = np.ones(len(values), dtype=np.int64) if units is None else units
    for max_values in (max_bins, 4 * max_bins):
        known_cells = values[known].tolist(), weights[known].tolist()
        expected = naive_cuts(*known_cells, max_bins, max_values)
        for threads, sort_below in ((1, 0), (3, 0), (1, 10**9)):
            found, missing = cut(values, units, max_bins, threads, sort_below, max_values)
            assert found == expected
            assert missing == (~known).any()


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_cuts_of_long_columns_equal_those_by_sorting(seed):
    rng = np.random.default_rng(seed)
    n = 50_000
    values = rng.standard_normal(n) ** int(rng.integers(1, 4)) * 10.0 ** rng.integers(-3, 4)
    values[rng.random(n) < 0.01] = rng.choice([0.0, -999.0, np.nan, 1e30])
    units = None if rng.random() < 0.5 else rng.integers(1, 1000, n)
    for column in (
        values,
        values.astype(np.float32),
        np.nan_to_num(values).clip(-1e18, 1e18).astype(np.int64),
    ):
        assert cut(column, units, 255, 2, 0) == cut(column, units, 255, 1, n)


@pytest.mark.parametrize(
    "dtype",
    ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", ">f8", ">i2", "g"],
)
def test_codes_do_not_depend_on_the_number_type(dtype):
    values = np.random.default_rng(5).integers(0, 2 if dtype == "?" else 90, 500)
    expected = encode(Table.of({"x": values.astype(np.float64)}))
    coded = encode(Table.of({"x": values.astype(dtype)}))
    np.testing.assert_array_equal(coded.columns[0], expected.columns[0])
    np.testing.assert_array_equal(coded.schema[0].low, expected.schema[0].low)


@pytest.mark.parametrize("n_rows", [700, 40_000])
def test_codes_do_not_depend_on_layout_type_or_threads(n_rows):
    rng = np.random.default_rng(11)
    x = rng.standard_normal((n_rows, 5)).astype(np.float32)
    x[rng.random(x.shape) < 0.05] = np.nan
    expected = encode(Table.of(x))
    wide = np.zeros((n_rows, 10), dtype=np.float32)
    wide[:, ::2] = x
    read_only = x.copy()
    read_only.setflags(write=False)
    for other in (
        np.asfortranarray(x),
        x.astype(np.float64),
        wide[:, ::2],
        read_only,
        x[::-1][::-1],
    ):
        for threads in (1, 2, 5):
            coded = encode(Table.of(other), threads=threads)
            for j in range(5):
                np.testing.assert_array_equal(coded.columns[j], expected.columns[j])
                np.testing.assert_array_equal(coded.schema[j].high, expected.schema[j].high)


@pytest.mark.parametrize("n_rows", [500, 60_000])
def test_cuts_do_not_depend_on_row_order_or_weight_scale(n_rows):
    rng = np.random.default_rng(3)
    x = np.round(rng.standard_normal(n_rows), 3)
    units = rng.integers(1, 5, n_rows)
    expected = cut(x, units, 50, 1, 30_000)
    order = rng.permutation(n_rows)
    assert cut(x[order], units[order], 50, 2, 30_000) == expected
    assert cut(x, 3 * units, 50, 2, 30_000) == expected
    assert cut(np.repeat(x, units), None, 50, 2, 30_000) == expected
    scaled, _ = fixed_point(units * 0.1, n_rows)
    assert cut(x, scaled, 50, 2, 30_000) == expected


def test_code_is_the_bin_of_a_value():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.standard_normal(3000), [np.nan, np.inf, -np.inf, 0.0, -0.0]])
    spec = (coded := encode(Table.of({"x": x}), max_bins=17)).schema[0]
    codes = coded.columns[0].astype(int)
    assert spec.n_values <= 17
    for value, code in zip(x.tolist(), codes.tolist(), strict=True):
        if np.isnan(value):
            assert code == spec.n_values
        else:
            assert spec.low[code] <= value <= spec.high[code]
    assert (spec.high[:-1] < spec.low[1:]).all()


@pytest.mark.parametrize(
    ("n_values", "dtype"), [(256, np.uint8), (257, np.uint16), (65_537, np.uint32)]
)
def test_codes_use_the_smallest_dtype(n_values, dtype):
    x = np.arange(n_values, dtype=np.int32)
    coded = encode(Table.of({"few": x % 3, "many": x}), max_bins=10**6)
    assert [c.dtype for c in coded.columns] == [np.uint8, dtype]
    np.testing.assert_array_equal(coded.columns[1], x)


def test_missing_cell_has_the_last_of_256_codes():
    x = np.append(np.arange(255.0), np.nan)
    coded = encode(Table.of({"x": x}))
    assert coded.columns[0].dtype == np.uint8
    assert coded.columns[0].tolist() == list(range(256))


def test_times_are_encoded_and_nat_is_missing():
    days = np.array(["2024-01-03", "2024-01-01", "NaT", "2024-01-03"], dtype="datetime64[D]")
    coded = encode(Table.of({"day": days, "gap": days - days[1]}))
    assert coded.columns[0].tolist() == [1, 0, 2, 1]
    assert coded.columns[1].tolist() == [1, 0, 2, 1]


@pytest.mark.parametrize("max_bins", [1, 0, -3, 2.5, "many", None, True, np.array([9, 9])])
def test_encode_refuses_invalid_max_bins(max_bins):
    with pytest.raises(ValueError, match="max_bins must be an integer of at least 2 or 'auto'"):
        encode(Table.of({"x": np.arange(3)}), max_bins=max_bins)


def test_encode_refuses_more_bins_than_codes():
    table = Table.of({"x": np.arange(3)})
    assert encode(table, max_bins=2**32 - 1).schema[0].n_values == 3
    with pytest.raises(ValueError, match="max_bins must be at most 4294967295, got 4294967296"):
        encode(table, max_bins=2**32)


def assert_same_codes(one, other):
    for a, b, spec, twin in zip(one.columns, other.columns, one.schema, other.schema, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(spec.low, twin.low)
        np.testing.assert_array_equal(spec.high, twin.high)


def column_of(kind, ranks):
    """A column of a type whose values are in the order of these numbers; -1 is a missing cell."""
    gone = ranks < 0
    if kind == "times":
        return np.where(gone, np.datetime64("NaT"), np.datetime64("2020-01-01", "D") + ranks)
    if kind == "ordered categories":
        labels = [f"level {i}" for i in range(ranks.max() + 1)]
        return pd.Categorical.from_codes(ranks, labels, ordered=True)
    if kind == "integers":
        return np.abs(ranks)
    return np.where(gone, np.nan, ranks / 8).astype(kind)


@settings(max_examples=60, deadline=None)
@given(
    n_values=st.sampled_from([1, 2, 254, 255, 256, 257, 499, 500, 501, 502, 900]),
    kind=st.sampled_from(["f4", "f8", "integers", "times", "ordered categories"]),
    n_rows=st.sampled_from([1000, 40_000]),
    weighted=st.booleans(),
    missing=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_auto_keeps_up_to_500_values_and_makes_255_bins_of_more(
    n_values, kind, n_rows, weighted, missing, seed
):
    rng = np.random.default_rng(seed)
    ranks = np.append(np.arange(n_values), rng.integers(0, n_values, n_rows - n_values))
    rng.shuffle(ranks)
    if missing and kind != "integers":
        ranks = np.append(ranks, -1)
    table = Table.of(pd.DataFrame({"x": column_of(kind, ranks)}))
    units = rng.integers(1, 9, len(ranks)) if weighted else None
    coded = encode(table, units, "auto", threads=int(rng.integers(1, 4)))
    assert coded.schema.merges_values() == (n_values > 500)
    assert_same_codes(coded, encode(table, units, 500 if n_values <= 500 else 255))
    if n_values <= 500:
        assert coded.schema[0].n_values == n_values


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 4))
def test_distinct_rows_equal_a_set_of_tuples(seed, n_columns):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(1, 60))
    columns = {f"x{j}": rng.integers(0, 4, n_rows) for j in range(n_columns)}
    coded = encode(Table.of({"c": np.zeros(n_rows), **columns}))
    rows = set(zip(*(c.tolist() for c in coded.columns), strict=True))
    assert coded.n_distinct_rows() == len(rows)


def test_separate_rows_keeps_up_to_10000_values_of_a_column():
    x = np.random.default_rng(0).permutation(10_001)
    for n_rows, n_bins in ((10_000, 10_000), (10_001, 255)):
        values = np.sort(x)[:n_rows]
        coded = encode(Table.of({"x": values}), max_bins="auto", separate_rows=True)
        assert coded.schema[0].n_values == n_bins
    assert encode(Table.of({"x": x[:5000]}), max_bins="auto").schema[0].n_values == 255
    given = encode(Table.of({"x": x}), max_bins=300, separate_rows=True)
    assert_same_codes(given, encode(Table.of({"x": x}), max_bins=300))


def test_separate_rows_changes_nothing_if_rows_are_separate_or_equal():
    x = np.random.default_rng(0).permutation(3000) / 7
    columns = {"x": x, "row": np.arange(3000) % 500, "block": np.arange(3000) // 500}
    expected = encode(Table.of(columns), max_bins="auto")
    assert expected.schema.merges_values()
    assert_same_codes(encode(Table.of(columns), None, "auto", separate_rows=True), expected)
    twins = {name: np.repeat(values, 2) for name, values in columns.items()}
    expected = encode(Table.of(twins), max_bins="auto")
    assert_same_codes(encode(Table.of(twins), None, "auto", separate_rows=True), expected)


def categorize(values):
    column = Table.of({"x": values}).columns[0]
    categories, new_code, has_missing = sort_categories(column)
    assert has_missing == bool((column.codes < 0).any())
    return categories, new_code[column.codes]  # -1 reads the last, that of missing cells


def test_category_codes_follow_the_sorted_order():
    categories, codes = categorize(np.array(["b", "a", None, "c", "a"], dtype=object))
    assert categories == ("a", "b", "c")
    assert codes.tolist() == [1, 0, 3, 2, 0]


def test_category_codes_do_not_depend_on_row_order():
    names = np.array([f"n{i % 97}" for i in range(500)])
    order = np.random.default_rng(0).permutation(500)
    categories, codes = categorize(names)
    shuffled_categories, shuffled = categorize(names[order])
    assert categories == shuffled_categories
    np.testing.assert_array_equal(codes[order], shuffled)


def test_categories_of_mixed_types_are_grouped_by_type():
    categories, codes = categorize(np.array([3, "a", 1.5, "3", None], dtype=object))
    assert sorted(map(str, categories)) == ["1.5", "3", "3", "a"]
    assert sorted(codes.tolist()) == [0, 1, 2, 3, 4]


def test_encode_handles_a_hundred_thousand_categories():
    names = np.array([f"user {i}" for i in range(100_000)] * 2, dtype=object)
    coded = encode(Table.of({"who": names}))
    assert coded.columns[0].dtype == np.uint32
    assert coded.schema[0].n_values == 100_000
    assert [coded.schema[0].categories[c] for c in coded.columns[0][:50]] == names[:50].tolist()


@pytest.mark.parametrize("dtype", ["U3", "S3", object, np.dtypes.StringDType()])
def test_encode_handles_every_text_dtype(dtype):
    coded = encode(Table.of({"x": np.array(["b", "a", "b"]).astype(dtype)}))
    assert coded.columns[0].tolist() == [1, 0, 1]


def test_numbers_can_be_treated_as_nominal():
    coded = encode(Table.of(np.array([[3.0, 1], [7, 2], [np.nan, 1]]), nominal=[0]))
    assert coded.schema[0].categories == (3.0, 7.0)
    assert coded.columns[0].tolist() == [0, 1, 2]
    assert coded.schema[1].kind == "ordered"


@pytest.mark.parametrize("max_bins", [20, 255, "auto"])
@pytest.mark.parametrize("weighted", [False, True])
def test_encode_long_columns_match_a_search(monkeypatch, max_bins, weighted):
    rng = np.random.default_rng(5)
    n = kernels.SORT_BELOW + 5000
    normal = rng.standard_normal(n)
    columns = {
        "even": normal.astype(np.float32),
        "skewed": np.exp(4 * normal),
        "missing": np.where(rng.random(n) < 0.1, np.nan, normal),
        "whole": (1000 * normal).astype(np.int64),
        "few": rng.integers(0, 9, n),
    }
    units = rng.integers(1, 5, n) if weighted else None
    coded = encode(Table.of(columns), units, max_bins)
    monkeypatch.setattr("polytomy.encode.encoder._ROW_CELLS", 0)  # one column at a time
    alone = encode(Table.of(columns), units, max_bins, threads=2)
    for cells, spec, codes, same in zip(
        columns.values(), coded.schema, coded.columns, alone.columns, strict=True
    ):
        expected = np.searchsorted(spec.high, cells.astype(np.float64))
        np.testing.assert_array_equal(codes, np.where(np.isnan(cells), spec.n_values, expected))
        np.testing.assert_array_equal(codes, same)
