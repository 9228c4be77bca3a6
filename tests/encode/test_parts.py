"""Schemas and codes of tables in parts: those of ``encode`` on the whole table, bit for bit."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy._errors import TableError
from polytomy.encode import LocalParts, Part, encode, encode_part, part_quantiles, parts
from polytomy.encode.part_quantiles import bin_end
from polytomy.table import Table
from tests.encode.test_encoder import sample as column_of
from tests.naive.cuts import naive_cuts


def same_schema(one, other):
    assert one.names == other.names
    for a, b in zip(one, other, strict=True):
        assert a.kind == b.kind
        assert a.has_missing == b.has_missing
        if a.kind == "nominal":
            assert a.categories == b.categories
        else:
            assert a.scale == b.scale
            assert a.low.tobytes() == b.low.tobytes()
            assert a.high.tobytes() == b.high.tobytes()


def split(frame, units, cuts):
    """Return parts of a data frame, cut at some rows; empty ones are left out."""
    ends = sorted({0, len(frame), *(c % (len(frame) + 1) for c in cuts)})
    return [
        Part(Table.of(frame.iloc[a:b]), None if units is None else units[a:b])
        for a, b in pairwise(ends)
    ]


def check(frame, units, cuts, max_bins, **options):
    whole = encode(Table.of(frame), units, max_bins, **options)
    local = LocalParts(split(frame, units, cuts))
    tables = list(local.parts)
    schema = parts.schema_of_parts(local, len(tables), max_bins, **options)
    same_schema(schema, whole.schema)
    codes = [encode_part(schema, part).columns for part in tables]
    for j, column in enumerate(whole.columns):
        mine = np.concatenate([c[j] for c in codes])
        assert mine.dtype == column.dtype
        assert np.array_equal(mine, column)


def mixed_frame(rng, n):
    """A frame of columns of every kind, with missing cells."""
    ticks = rng.integers(-(2**62), 2**62, n)
    names = rng.choice(np.array(["ab", "b", "c", None], dtype=object), n)
    return pd.DataFrame(
        {
            "smooth": np.where(rng.random(n) < 0.1, np.nan, rng.standard_normal(n)),
            "single": rng.standard_normal(n).astype(np.float32),
            "count": rng.poisson(3, n).astype(np.int16),
            "large": rng.integers(-(2**63), 2**63 - 1, n),
            "unsigned": rng.integers(0, 2**64 - 1, n, dtype=np.uint64),
            "small": rng.integers(-(2**31), 2**31 - 1, n).astype(np.int32),
            "yes": rng.random(n) < 0.5,
            "time": ticks.view("datetime64[ns]"),
            "name": names,
            "level": pd.Categorical.from_codes(rng.integers(-1, 3, n), ["x", "y", "z"], True),
            "blank": np.full(n, np.nan),
            "cells": pd.Series(rng.choice(np.array([True, None], dtype=object), n)),
        }
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 999), max_size=5))
def test_parts_of_mixed_tables_have_the_codes_of_the_whole(seed, cuts):
    rng = np.random.default_rng(seed)
    frame = mixed_frame(rng, int(rng.integers(1, 300)))
    units = None if seed % 2 else rng.integers(1, 2**40, len(frame))
    check(frame, units, cuts, [2, 5, 40, "auto"][rng.integers(4)])


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 999), max_size=5))
def test_bins_of_parts_equal_the_naive_oracle(seed, cuts):
    values, units, max_bins = column_of(seed)
    frame = pd.DataFrame({"x": values})
    local = LocalParts(split(frame, units, cuts))
    found = parts.schema_of_parts(local, len(local.parts), max_bins)[0]
    known = ~np.isnan(values)
    weights = np.ones(len(values), dtype=np.int64) if units is None else units
    expected = naive_cuts(values[known].tolist(), weights[known].tolist(), max_bins, max_bins)
    assert list(zip(found.low.tolist(), found.high.tolist(), strict=True)) == expected
    assert found.has_missing == (~known).any()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_ends_are_narrowed_down_exactly(seed):
    """With tiny samples and lists, every round of questions is needed."""
    rng = np.random.default_rng(seed)
    n = 3000
    values = np.where(rng.random(n) < 0.3, rng.integers(0, 3, n), rng.standard_normal(n))
    units = None if seed % 2 else rng.integers(1, 50, n)
    frame = pd.DataFrame({"x": values, "y": np.sort(values), "z": rng.random(n).round(3)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(part_quantiles, "_LISTED", 20)
        patch.setattr(part_quantiles, "_PROBES", 3)
        patch.setattr(parts, "_SAMPLED", 30)
        check(frame, units, rng.integers(0, n, 6).tolist(), 7)


@pytest.mark.parametrize("n_values", [300, 3000])
def test_rows_that_differ_are_separated(n_values):
    rng = np.random.default_rng(n_values)
    frame = pd.DataFrame({"x": rng.integers(0, n_values, 4000), "y": rng.integers(0, 2, 4000)})
    check(frame, None, [1000, 3000], "auto", separate_rows=True)


def test_a_bin_ends_where_the_kernels_say():
    assert [bin_end(10, b, 4) for b in range(3)] == [3, 5, 8]
    assert bin_end(2**50, 0, 2) == 2**49 - 2**10


def test_types_may_differ_if_the_values_agree():
    whole = pd.DataFrame({"x": [1.5, -2.5, 3.0, -2.0, 1.0, 2.0]})
    halves = [whole[:3], whole[3:].astype(np.int32)]
    local = LocalParts(Part(Table.of(half)) for half in halves)
    tables = list(local.parts)
    schema = parts.schema_of_parts(local, 2, 3)
    same_schema(schema, encode(Table.of(whole), None, 3).schema)
    codes = np.concatenate([encode_part(schema, part).columns[0] for part in tables])
    assert codes.tolist() == encode(Table.of(whole), None, 3).columns[0].tolist()


@pytest.mark.parametrize("filled", [["a", "b"], [1.0, 2.0], pd.to_datetime(["2020", "2021"])])
def test_a_part_may_be_blank(filled):
    whole = pd.DataFrame({"x": pd.Series([None, None, *filled], dtype=object)})
    for halves in ([whole[:2], whole[2:]], [whole[2:], whole[:2]]):
        local = LocalParts(Part(Table.of(half)) for half in halves)
        same_schema(parts.schema_of_parts(local, 2), encode(Table.of(whole)).schema)


def test_columns_that_differ_are_an_error():
    def ask(*frames):
        local = LocalParts(Part(Table.of(pd.DataFrame(f))) for f in frames)
        return parts.schema_of_parts(local, len(frames))

    with pytest.raises(TableError, match="different columns: \\['a'\\] and \\['b'\\]"):
        ask({"a": [1]}, {"b": [1]})
    with pytest.raises(TableError, match="'a' contains numbers in one partition and text"):
        ask({"a": [1.0]}, {"a": ["u"]})
    with pytest.raises(TableError, match="numbers in one partition and times"):
        ask({"a": [1.0]}, {"a": pd.to_datetime(["2020"])})


@pytest.mark.parametrize("apart", [[2], []])
def test_whole_numbers_that_floats_cannot_tell_apart_are_refused_in_parts(apart):
    large = pd.DataFrame({"x": [2**53, 1, 2**53 + 1, 3], "y": [1.0, 2, 3, 4]})
    with pytest.raises(TableError, match=r"column 'x' has whole numbers beyond 2\^53"):
        check(large, None, apart, 255)
    held = LocalParts(split(large, None, apart))
    with pytest.raises(TableError, match=r"column 'x' has whole numbers beyond 2\^53"):
        parts.schema_of_parts(held, len(apart) + 1)
    check(large.assign(x=[2**53, 1, 2**54, 3]), None, apart, 255)


def test_whole_numbers_that_are_floats_in_one_part_are_floats():
    tables = [Table.of(pd.DataFrame({"x": x})) for x in ([2**53, 2**53 + 1], [1.5, 2.5])]
    schema = parts.schema_of_parts(LocalParts(Part(table) for table in tables), 2)
    assert schema[0].high.tolist() == [1.5, 2.5, 2.0**53]
